"""`muster run` and the verbs for jobs, typed as a user types them."""
import subprocess
import textwrap

import pytest

from harness import MUSTER, wait_for

SCRIPT = """
    import os, sys, time
    print("rank", os.environ["RANK"], "of", os.environ["WORLD_SIZE"], *sys.argv[1:])
    open("result-" + os.environ["RANK"], "w").write("trained")
    while os.path.exists("wait"):
        time.sleep(0.05)
    sys.exit(os.path.exists("fail"))
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "train.py").write_text(textwrap.dedent(SCRIPT))
    return tmp_path


def run(engine, project, *words):
    return subprocess.run([MUSTER, *words], cwd=project, env=engine.environment(), text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def test_a_script_becomes_a_job_without_a_manifest(engine, project):
    done = run(engine, project, "run", "--ranks", "2", "train.py", "--epochs", "3")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["[worker-0] rank 0 of 2 --epochs 3", "[worker-1] rank 1 of 2 --epochs 3"]
    assert "Warning" not in done.stderr
    assert [(project / f"result-{rank}").read_text() for rank in range(2)] == ["trained", "trained"]


def test_a_script_that_fails_is_the_exit_code(engine, project):
    (project / "fail").touch()
    done = run(engine, project, "run", "--name", "broken", "train.py")
    assert done.returncode == 1
    assert "exit code 1" in done.stderr
    assert "broken" in [line.split()[0] for line in run(engine, project, "get", "jobs").stdout.splitlines()]


def test_jobs_are_paused_resumed_stopped_and_run_again_by_name(engine, project):
    (project / "wait").touch()
    assert run(engine, project, "run", "-d", "--name", "long", "train.py").returncode == 0
    wait_for("its first line", lambda: "rank 0 of 1" in run(engine, project, "logs", "long").stdout)
    assert run(engine, project, "pause", "long").returncode == 0
    wait_for("it to pause", lambda: phase(engine, "long") == "Paused")
    assert run(engine, project, "resume", "long").returncode == 0
    wait_for("it to run again", lambda: phase(engine, "long") == "Running")
    assert run(engine, project, "stop", "long").returncode == 0
    wait_for("it to end", lambda: phase(engine, "long") == "Failed")
    assert "stopped" in run(engine, project, "get", "jobs").stdout
    assert run(engine, project, "logs", "long").stdout.startswith("rank 0 of 1")
    (project / "wait").unlink()
    assert "long-2 created" in run(engine, project, "rerun", "long").stdout
    assert run(engine, project, "wait", "pj/long-2").returncode == 0


def phase(engine, name):
    return engine.get("pj", name).get("status", {}).get("phase")


def test_the_python_is_named_and_blamed_for_a_missing_module(engine, project):
    (project / "import.py").write_text("import no_such_module_anywhere\n")
    done = run(engine, project, "run", "import.py")
    assert done.returncode == 1
    python = next(line for line in done.stderr.splitlines() if line.startswith("python: /"))
    program = python.removeprefix("python: ").split(" (")[0]
    assert f"note: python was {program}; install the module there" in done.stderr


def test_a_replaced_job_is_still_found_by_its_number(engine, project):
    for number in (1, 2, 3):
        (project / "say.py").write_text(f"print('run {number}')\n")
        assert run(engine, project, "run", "--name", "again", "--replace", "say.py").returncode == 0
    now = run(engine, project, "logs", "again")
    assert now.stdout == "run 3\n" and "2 earlier jobs had the name again; for the last one: --earlier 1" in now.stderr
    assert run(engine, project, "logs", "--earlier", "1", "again").stdout == "run 2\n"
    assert run(engine, project, "logs", "--earlier=2", "pj/again").stdout == "run 1\n"
    missing = run(engine, project, "logs", "--earlier=3", "again")
    assert missing.returncode == 3 and "--earlier 3: logs of 2 earlier jobs of \"again\" are kept" in missing.stderr
    described = run(engine, project, "describe", "again")
    assert "--earlier 1" in described.stderr
    assert "deleted" in run(engine, project, "describe", "--earlier", "1", "again").stdout


def test_new_arguments_of_a_rerun_mount_their_folders(engine, project, tmp_path_factory):
    data = [tmp_path_factory.mktemp("data") for _ in range(2)]
    for number, folder in enumerate(data):
        (folder / "x").write_text(f"data {number}")
    (project / "read.py").write_text("import sys; print(open(sys.argv[2] + '/x').read())\n")
    assert run(engine, project, "run", "--name", "reads", "read.py", "--data", data[0]).stdout == "data 0\n"
    again = run(engine, project, "rerun", "reads", "--", "--data", data[1])
    assert f"mount: {data[1]} (writable)" in again.stderr
    assert run(engine, project, "wait", "pj/reads-2").returncode == 0
    assert run(engine, project, "logs", "reads-2").stdout == "data 1\n"


def test_a_missing_file_is_explained_later_too(engine, project, tmp_path_factory):
    data = tmp_path_factory.mktemp("data")
    (data / "x").touch()
    (project / "read.py").write_text(f"open('{data}/x')\n")
    hint = f"{data}/x exists on this machine but not in the job: muster run --mount {data} …"
    assert run(engine, project, "run", "-d", "--name", "lacks", "read.py").returncode == 0
    followed = run(engine, project, "logs", "-f", "lacks")
    assert followed.returncode == 1 and "note: " + hint in followed.stderr
    assert "note: " + hint in run(engine, project, "wait", "pj/lacks").stderr
    described = run(engine, project, "describe", "pj", "lacks").stdout
    assert hint in described[described.index("Note:"):]


def test_a_running_job_is_measured_before_top_answers(engine, project):
    (project / "wait").touch()
    assert run(engine, project, "run", "-d", "--name", "fresh", "train.py").returncode == 0
    wait_for("it to run", lambda: phase(engine, "fresh") == "Running")
    assert "fresh-" in run(engine, project, "top", "fresh").stdout
    (project / "wait").unlink()
    assert run(engine, project, "wait", "pj/fresh").returncode == 0


def test_the_size_of_shared_memory_is_told(engine, project):
    assert run(engine, project, "run", "--memory", "1Gi", "--name", "shares", "train.py").returncode == 0
    assert "/dev/shm has 1Gi" in run(engine, project, "get", "events").stdout


def test_a_failure_speaks_of_flags_and_not_of_fields(engine, project):
    (project / "fail").touch()
    done = run(engine, project, "run", "train.py")
    assert done.returncode == 1 and "backoffLimit" not in done.stderr
    done = run(engine, project, "run", "--restarts", "1", "train.py")
    assert "--restarts 1 is used up" in done.stderr
