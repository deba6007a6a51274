"""`muster sweep`: many runs of one script, so many at a time."""
import json
import signal
import subprocess
import textwrap

import pytest

from harness import MUSTER, Engine, wait_for
from pseudo_terminal import OnTerminal

SCRIPT = """
    import os, sys, time
    print(*sys.argv[1:])
    while os.path.exists("wait"):
        time.sleep(0.05)
    sys.exit(os.path.exists("fail") and "0.1" in sys.argv)
"""


# Writes curves as SummaryWriter() does: into a folder with the name of its host. A record is its length, data and checksums of both.
CURVES = r"""
import os, socket, struct, sys, time

def checksum(data):  # CRC-32C, masked
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)

def record(data):
    length = struct.pack("<Q", len(data))
    return length + checksum(length) + data + checksum(data)

def field(number, data):
    return bytes([number << 3 | 2, len(data)]) + data

lr = float(sys.argv[sys.argv.index("--lr") + 1])
folder = f"runs/Nov19_{socket.gethostname()}"
os.makedirs(folder)
with open(f"{folder}/events.out.tfevents.{int(time.time())}.{socket.gethostname()}.{os.getpid()}.0", "wb") as events:
    events.write(record(b"\x09" + struct.pack("<d", time.time()) + field(3, b"brain.Event:2")))
    for step, loss in enumerate((lr * 8, lr * 2, lr * 4), 1):
        value = field(1, b"train/loss") + b"\x15" + struct.pack("<f", loss)
        events.write(record(b"\x09" + struct.pack("<d", time.time()) + bytes([0x10, step]) + field(5, field(1, value))))
"""


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"  # the engine's home is next to it
    folder.mkdir()
    (folder / "train.py").write_text(textwrap.dedent(SCRIPT))
    return folder


def run(engine, project, *words):
    return subprocess.run([MUSTER, *words], cwd=project, env=engine.environment(), text=True, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def jobs_of(engine, sweep):
    return json.loads(engine.muster("get", "pj", "-l", f"muster.dev/sweep={sweep}", "-o", "json").stdout)["items"]


def phases(engine, sweep):
    return [job.get("status", {}).get("phase") for job in jobs_of(engine, sweep)]


def test_each_combination_is_a_job_with_its_values(engine, project):
    done = run(engine, project, "sweep", "--name", "grid", "--lr", "0.1,0.01", "--seed", "1..2", "--parallel", "4", "--", "train.py",
               "--epochs", "3")
    assert done.returncode == 0, done.stderr
    assert "sweep grid: 4 runs" in done.stderr
    assert "4 runs: 4 succeeded" in done.stdout.splitlines()
    assert "grid-1 (lr=0.1 seed=1) Succeeded" in done.stdout
    assert run(engine, project, "logs", "grid-3").stdout == "--epochs 3 --lr 0.01 --seed 1\n"
    values = [job["metadata"]["annotations"]["muster.dev/sweep-values"] for job in jobs_of(engine, "grid")]
    assert values[0] == '{"lr":"0.1","seed":"1"}'
    shown = run(engine, project, "sweep", "show", "grid")
    assert [line.split()[:4] for line in shown.stdout.splitlines()[1:3]] == [["grid-1", "Succeeded", "0.1", "1"],
                                                                             ["grid-2", "Succeeded", "0.1", "2"]]
    assert "grid" in run(engine, project, "sweep", "ls").stdout


def test_so_many_run_at_a_time_also_after_the_engine_was_killed(fresh_engine, project):
    fresh_engine.start()
    (project / "wait").touch()
    made = run(fresh_engine, project, "sweep", "-d", "--name", "few", "--parallel", "2", "--seed", "1..5", "--", "train.py")
    assert made.returncode == 0, made.stderr
    wait_for("two to run", lambda: phases(fresh_engine, "few").count("Running") == 2)
    waiting = wait_for("the others to say why", lambda: "waits for its sweep: 2 of 2 run" in run(fresh_engine, project, "get", "jobs").stdout)
    assert waiting
    fresh_engine.kill()
    fresh_engine.start()
    assert phases(fresh_engine, "few").count("Running") == 2
    (project / "wait").unlink()
    most = 0

    def all_have_ended():
        nonlocal most
        now = phases(fresh_engine, "few")
        most = max(most, now.count("Running"))
        return now.count("Succeeded") == 5
    wait_for("all to succeed", all_have_ended, timeout=60)
    assert most <= 2


def test_on_a_terminal_one_table_stays_up_to_date(engine, project, monkeypatch):
    monkeypatch.chdir(project)
    screen = OnTerminal([MUSTER, "sweep", "--name", "shown", "--parallel", "2", "--seed", "1..4", "--", "train.py"],
                        engine.environment(), rows=24, columns=70)
    try:
        assert screen.wait(timeout=60) == 0, screen.seen
        assert "\x1b[J" in screen.seen  # drawn again in place
        last = screen.seen.split("\x1b[J")[-1]
        assert last.count("Succeeded") == 4 and "4 runs: 4 succeeded" in last
        assert max(len(line) for line in last.splitlines()) <= 70
    finally:
        screen.close()


def test_ctrl_c_leaves_the_sweep_running_and_stop_ends_it(engine, project):
    (project / "wait").touch()
    following = subprocess.Popen([MUSTER, "sweep", "--name", "long", "--parallel", "1", "--seed", "1..3", "--", "train.py"], cwd=project,
                                 env=engine.environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for("one to run", lambda: phases(engine, "long").count("Running") == 1)
    wait_for("all to exist", lambda: len(jobs_of(engine, "long")) == 3)
    following.send_signal(signal.SIGINT)
    _, errors = following.communicate(timeout=30)
    assert following.returncode == 130
    assert "the sweep keeps running" in errors
    assert phases(engine, "long").count("Running") == 1
    assert "3 of 3 runs stopped" in run(engine, project, "sweep", "stop", "long").stdout
    wait_for("all to end", lambda: phases(engine, "long").count("Failed") == 3)


def test_curves_of_the_script_name_the_best_run(engine, project):
    (project / "train.py").write_text(CURVES)
    done = run(engine, project, "sweep", "--name", "curves", "--lr", "0.5,0.125,0.25", "--parallel", "3", "--", "train.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "best: curves-2 (lr=0.125), train/loss 0.25", done.stdout
    shown = run(engine, project, "sweep", "show", "curves").stdout.splitlines()
    assert shown[0].split() == ["NAME", "PHASE", "lr", "loss", "BEST", "TIME", "REASON"]
    assert [line.split()[:5] for line in shown[1:3]] == [["curves-1", "Succeeded", "0.5", "2", "1"], ["curves-2", "Succeeded", "0.125", "0.5", "0.25"]]
    assert [" * " in line for line in shown[1:4]] == [False, True, False], "the last value, the best one, and which run has the best of all"
    worst = run(engine, project, "sweep", "show", "curves", "--goal", "max").stdout
    assert "best: curves-1 (lr=0.5), train/loss 4\n" in worst


def test_as_many_run_as_there_are_gpus(tmp_path, project):
    engine = Engine(tmp_path / "engine", "resources: {nvidia.com/gpu: 2}\n").start()
    try:
        (project / "train.py").write_text("import os\nprint(os.environ['NVIDIA_VISIBLE_DEVICES'], flush=True)\n" + textwrap.dedent(SCRIPT))
        (project / "wait").touch()
        made = run(engine, project, "sweep", "-d", "--name", "gpus", "--gpus", "1", "--seed", "1..4", "--", "train.py")
        assert made.returncode == 0 and ", 1 GPU\n" in made.stderr, made.stderr
        assert "at a time" not in made.stdout, "the GPUs are the limit"
        wait_for("two to run", lambda: phases(engine, "gpus").count("Running") == 2)
        wait_for("the others to say why", lambda: run(engine, project, "get", "jobs").stdout.count("nvidia.com/gpu") == 2)
        used = {wait_for("its GPU", lambda: run(engine, project, "logs", f"gpus-{n}").stdout.split("\n")[0]) for n in (1, 2)}
        assert len(used) == 2, used
        (project / "wait").unlink()
        most = 0

        def all_have_ended():
            nonlocal most
            now = phases(engine, "gpus")
            most = max(most, now.count("Running"))
            return now.count("Succeeded") == 4
        wait_for("all to succeed", all_have_ended, timeout=60)
        assert most <= 2
        assert "no GPU (this machine has 2: muster sweep --gpus N)" in run(engine, project, "sweep", "-d", "--seed", "1..2", "--", "train.py").stderr
    finally:
        engine.stop()


def test_a_failed_run_is_told_and_the_whole_is_run_again(engine, project):
    (project / "fail").touch()
    done = run(engine, project, "sweep", "--name", "again", "--parallel", "2", "--lr", "0.1,0.2", "--", "train.py")
    assert done.returncode == 1
    assert "again-1 (lr=0.1) Failed" in done.stdout
    (project / "fail").unlink()
    assert "sweep again-2: 2 runs created" in run(engine, project, "sweep", "rerun", "again").stdout
    wait_for("both to succeed", lambda: phases(engine, "again-2").count("Succeeded") == 2)
    assert phases(engine, "again").count("Failed") == 1


def test_values_have_their_places_and_a_file_says_the_same(engine, project):
    (project / "sweep.yaml").write_text("name: filed\ncommand: [train.py, 'lr={lr}']\nparallel: 2\n"
                                        "parameters:\n  lr: {min: 0.001, max: 0.1, scale: log}\nrandom: 2\n")
    done = run(engine, project, "sweep", "--file", "sweep.yaml")
    assert done.returncode == 0, done.stderr
    log = run(engine, project, "logs", "filed-1").stdout.strip()
    assert log.startswith("lr=0.0")
    again = run(engine, project, "sweep", "--file", "sweep.yaml")
    assert again.returncode == 4 and "there is a sweep \"filed\" already" in again.stderr
    assert run(engine, project, "sweep", "--file", "sweep.yaml", "--name", "same").returncode == 0
    assert run(engine, project, "logs", "same-1").stdout.strip() == log


@pytest.mark.parametrize("words, message", [
    (["--lr", "1..1000", "--seed", "1..1000", "--", "train.py"], "lr 1000 x seed 1000 = 1000000 runs, a sweep may have 1000"),
    (["--lr", "1..2", "--random", "1000000", "--", "train.py"], "--random: must be 1 to 1000"),
    (["--lr", "0.1..0.5", "--", "train.py"], "the range has no step"),
    (["--", "train.py"], "a sweep needs a parameter"),
    (["--lr", "1,2"], "name a script"),
    (["--lr", "1,2", "--", "missing.py"], "missing.py"),
    (["--paralel", "2", "--lr", "1,2", "--", "train.py"], "did you mean --parallel?"),
    (["--parallel", "0", "--lr", "1,2", "--", "train.py"], "--parallel: must be 1 or more"),
    (["--goal", "best", "--lr", "1,2", "--", "train.py"], "--goal: must be min or max"),
    (["--file", "nowhere.yaml"], "nowhere.yaml"),
    (["show", "nowhere"], "no sweep \"nowhere\""),
    (["--notify", "nobody", "--lr", "1,2", "--", "train.py"], "there is no target \"nobody\""),
])
def test_mistakes_are_one_sentence_and_create_nothing(engine, project, words, message):
    before = engine.muster("get", "pj", "-o", "name").stdout
    done = run(engine, project, "sweep", *words)
    assert done.returncode != 0
    assert message in done.stderr, done.stderr
    assert engine.muster("get", "pj", "-o", "name").stdout == before
