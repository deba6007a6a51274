"""What the flags of `muster run` promise."""

import json
import os
import shlex
import signal
import subprocess
import textwrap

import pytest

from harness import MUSTER, Engine, wait_for
from pseudo_terminal import OnTerminal


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    started = Engine(tmp_path_factory.mktemp("engine"), "resources: {nvidia.com/gpu: 4}\nqueues: [{name: night}]\n").start()
    yield started
    started.stop()


@pytest.fixture
def project(tmp_path):
    (tmp_path / "train.py").write_text("import os; print('rank', os.environ['RANK'], 'of', os.environ['WORLD_SIZE'])\n")
    return tmp_path


def script(project, text):
    (project / "train.py").write_text(textwrap.dedent(text))


def run(engine, project, *words, **variables):
    return subprocess.run([MUSTER, "run", *words], cwd=project, env={**engine.environment(), **variables}, text=True, timeout=90,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def names(engine, kind):
    return set(engine.muster("get", kind, "-o", "name", check=False).stdout.split())


def test_gpus_are_those_of_the_job(engine, project):
    done = run(engine, project, "--gpus", "2", "train.py")
    assert sorted(done.stdout.splitlines()) == ["[worker-0] rank 0 of 2", "[worker-1] rank 1 of 2"], done.stderr
    assert ", 2 GPUs" in done.stderr
    run(engine, project, "--gpus", "4", "--ranks", "2", "--name", "four", "-d", "train.py")
    role = engine.get("pj", "four")["spec"]["replicaSpecs"][0]
    assert role["replicas"] == 2
    assert role["template"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "2"
    assert role["template"]["metadata"]["annotations"]["muster.dev/local-ranks"] == "true"
    refused = run(engine, project, "--gpus", "4", "--ranks", "3", "train.py")
    assert refused.returncode == 2
    assert "4 GPUs cannot be divided among 3 ranks, because 4 = 3 * 1 + 1" in refused.stderr
    assert ", no GPU (this machine has 4: muster run --gpus N)" in run(engine, project, "train.py").stderr


def test_cpu_and_memory_are_limits(engine, project):
    run(engine, project, "--cpu", "1", "--memory", "1Gi", "--name", "limited", "-d", "train.py")
    resources = engine.get("pj", "limited")["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0]["resources"]
    assert resources["limits"] == resources["requests"] == {"cpu": "1", "memory": "1Gi"}
    assert run(engine, project, "--memory", "much", "train.py").returncode == 2


FAILS_ONCE = """
    import os, sys
    tries = len(open("tries").read()) if os.path.exists("tries") else 0
    open("tries", "a").write("x")
    sys.exit(3 if tries < 1 else 0)
"""


def test_a_failure_of_the_script_is_shown_and_repeated_only_when_asked(engine, project):
    script(project, FAILS_ONCE)
    done = run(engine, project, "train.py")
    assert done.returncode == 1 and "exit code 3" in done.stderr
    assert (project / "tries").read_text() == "x"
    (project / "tries").unlink()
    assert run(engine, project, "--restarts", "2", "train.py").returncode == 0
    assert (project / "tries").read_text() == "xx"


def test_a_rank_that_the_machine_ends_is_not_charged(engine, project):
    script(project, """
        import os, time
        print("starts", flush=True)
        while not os.path.exists("done"):
            time.sleep(0.05)
    """)
    run(engine, project, "--name", "survives", "-d", "train.py")
    wait_for("it to start", lambda: "starts" in engine.muster("logs", "survives", check=False).stdout)
    uid = json.loads(engine.muster("get", "pods", "-l", "tensorstack.dev/owner-name=survives", "-o", "json").stdout)["items"][0]["metadata"]["uid"]
    kill_shim(engine, uid)
    (project / "done").touch()
    engine.wait_phase("survives", "Succeeded")
    assert engine.get("pj", "survives")["status"]["backoffCount"] == 0


def kill_shim(engine, uid):
    """As a reboot would: nobody records how the rank ended."""
    for path in engine.data.glob(f"pods/{uid}/*/shim.json"):
        os.kill(json.loads(path.read_text().splitlines()[0])["pid"], signal.SIGKILL)


def test_a_job_ends_when_its_time_is_over(engine, project):
    script(project, "import time; time.sleep(600)")
    done = run(engine, project, "--time", "1s", "train.py")
    assert done.returncode == 1
    assert "activeDeadlineSeconds" in done.stderr or "deadline" in done.stderr, done.stderr


def test_queue_priority_and_labels(engine, project):
    done = run(engine, project, "--queue", "night", "--priority", "7", "--label", "team=vision", "--name", "labelled", "train.py")
    assert done.returncode == 0, done.stderr
    job = engine.get("pj", "labelled")
    assert job["spec"]["scheduler"]["t9kScheduler"] == {"queue": "night", "priority": 7}
    assert job["metadata"]["labels"]["team"] == "vision"
    assert "labelled" in engine.muster("get", "pj", "-l", "team=vision").stdout
    assert run(engine, project, "--priority", "101", "train.py").returncode == 2
    assert run(engine, project, "--label", "team", "train.py").returncode == 2


def test_a_name_that_exists(engine, project):
    assert run(engine, project, "--name", "again", "train.py").returncode == 0
    first = engine.get("pj", "again")["metadata"]["uid"]
    done = run(engine, project, "--name", "again", "train.py")
    assert done.returncode == 4
    assert 'error: --name: there is a job "again" already\n  fix: --replace deletes it first, or: muster run --name again-2' in done.stderr
    assert run(engine, project, "--name", "again", "--replace", "train.py").returncode == 0
    assert engine.get("pj", "again")["metadata"]["uid"] != first


def test_a_run_that_the_server_refuses_leaves_nothing(engine, project):
    claims, secrets = names(engine, "pvc"), names(engine, "secrets")
    done = run(engine, project, "--name", "Not_A_Name", "--secret", "KEY=v", "train.py")
    assert done.returncode != 0
    gone = "persistentvolumeclaims of the refused run"
    wait_for(gone, lambda: names(engine, "pvc") == claims and names(engine, "secrets") == secrets)


def test_variables_of_the_shell(engine, project):
    script(project, "import os; print(os.environ['SEED'], os.environ['PRICE'])")
    done = run(engine, project, "-e", "SEED", "-e", "PRICE=a=$(b)", "train.py", SEED="$(HOME)")
    assert done.stdout == "$(HOME) a=$(b)\n", done.stderr
    refused = run(engine, project, "-e", "NOT_SET", "train.py")
    assert refused.returncode == 2 and "--env: NOT_SET is not set in your shell" in refused.stderr


def test_a_secret_is_seen_by_the_script_only(engine, project):
    script(project, "import os; print(len(os.environ['WANDB_API_KEY']))")
    done = run(engine, project, "--secret", "WANDB_API_KEY", "--name", "secretive", "train.py", WANDB_API_KEY="5ecret-5ecret")
    assert done.stdout == "13\n", done.stderr
    for words in (("get", "pj", "secretive", "-o", "yaml"), ("get", "pods", "-o", "yaml"), ("describe", "pj", "secretive"), ("get", "events", "-o", "yaml")):
        assert "5ecret" not in engine.muster(*words).stdout, words
    assert any("secretive-secret-" in name for name in names(engine, "secrets"))
    engine.muster("delete", "pj", "secretive")
    wait_for("its Secret to go too", lambda: not any("secretive-secret-" in name for name in names(engine, "secrets")))


def test_waiting_without_output(engine, project):
    done = run(engine, project, "--wait", "train.py")
    assert done.returncode == 0 and "rank 0" not in done.stdout + done.stderr
    script(project, "raise SystemExit(2)")
    assert run(engine, project, "--wait", "train.py").returncode == 1


def test_what_a_job_waits_for_is_said_while_it_waits(engine, project):
    with subprocess.Popen([MUSTER, "run", "--gpus", "5", "--name", "waits", "train.py"], cwd=project, env=engine.environment(), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as waiting:
        line = next(line for line in waiting.stderr if line.startswith("waiting for pj/waits: "))
        assert "nvidia.com/gpu" in line
        waiting.send_signal(signal.SIGINT)
        assert waiting.wait(timeout=30) == 130
    engine.muster("delete", "pj", "waits")


def test_a_debugger_on_a_terminal(engine, project):
    script(project, "answer = 6\nbreakpoint()\nprint('answer', answer)\n")
    command = f"cd {shlex.quote(str(project))} && exec {shlex.quote(str(MUSTER))} run -it train.py"
    terminal = OnTerminal(["sh", "-c", command], engine.environment())
    wait_for("the debugger", lambda: "(Pdb)" in terminal.read())
    terminal.type("answer = 42\r")
    terminal.type("continue\r")
    assert terminal.wait() == 0, terminal.seen
    assert "answer 42" in terminal.seen


def on_terminal(engine, project, *words):
    command = f"cd {shlex.quote(str(project))} && exec {shlex.quote(str(MUSTER))} run {shlex.join(words)}"
    return OnTerminal(["sh", "-c", command], engine.environment())


@pytest.mark.parametrize("flag", ["-it", "-i", "-t"])
def test_a_terminal_shows_what_was_written_before_it_was_connected(engine, project, flag):
    script(project, "import sys, time\nprint('FIRST')\nprint('wrong', file=sys.stderr)\ntime.sleep(1)\nprint('SECOND')\n")
    for _ in range(3):
        terminal = on_terminal(engine, project, flag, "train.py")
        assert terminal.wait() == 0, terminal.seen
        for word in ("FIRST", "wrong", "SECOND"):
            assert terminal.seen.count(word) == 1, terminal.seen
        assert terminal.seen.index("FIRST") < terminal.seen.index("SECOND")
        assert "Succeeded in" in terminal.seen


def test_a_script_that_ends_before_its_terminal_is_connected_is_shown_too(engine, project):
    script(project, "print('hello')\n")
    for _ in range(5):
        terminal = on_terminal(engine, project, "-it", "train.py")
        assert terminal.wait() == 0, terminal.seen
        assert terminal.seen.count("hello") == 1 and "error:" not in terminal.seen, terminal.seen
    script(project, "print('hello')\nraise SystemExit(3)\n")
    terminal = on_terminal(engine, project, "-it", "train.py")
    assert terminal.wait() == 1 and "exit code 3" in terminal.seen and "hello" in terminal.seen


def test_much_output_reaches_the_terminal_whole(engine, project):
    script(project, "for i in range(300_000): print(i)\n")
    terminal = on_terminal(engine, project, "-it", "train.py")
    assert terminal.wait(timeout=60) == 0
    numbers = [line.strip() for line in terminal.seen.splitlines() if line.strip().isdigit()]
    assert numbers == [str(i) for i in range(300_000)]


def test_input_of_a_pipe_reaches_the_script(engine, project):
    script(project, "import sys\nprint('ready')\nprint('got', sys.stdin.read())\n")
    done = subprocess.run([MUSTER, "run", "-i", "train.py"], cwd=project, env=engine.environment(), text=True, timeout=90, input="words",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stdout) == (0, "ready\ngot words\n"), done.stderr


def test_what_a_launcher_tells_its_processes(engine, project):
    script(project, """
        import os
        names = ("ROLE_NAME", "ROLE_RANK", "ROLE_WORLD_SIZE", "GROUP_WORLD_SIZE", "TORCHELASTIC_MAX_RESTARTS", "TORCHELASTIC_RESTART_COUNT")
        print(*(os.environ[name] for name in names))
        raise SystemExit(os.environ["TORCHELASTIC_RESTART_COUNT"] == "0")
    """)
    done = run(engine, project, "--ranks", "2", "--restarts", "1", "train.py")
    assert done.returncode == 0, done.stderr
    assert {"[worker-0] default 0 2 1 1 0", "[worker-1] default 1 2 1 1 1"} <= set(done.stdout.splitlines()), done.stdout


def test_a_proxy_on_this_machines_loopback_is_noted(engine, project):
    if not engine.has_own_networks():
        pytest.skip("jobs share the network of this machine")
    done = run(engine, project, "-e", "MLFLOW_TRACKING_URI=http://localhost:18992", "train.py", http_proxy="http://127.0.0.1:18991")
    for variable, address in (("http_proxy", "127.0.0.1:18991"), ("MLFLOW_TRACKING_URI", "127.0.0.1:18992")):
        assert f"note: {variable} leads to {address}" in done.stderr and f'network.allow: ["{address}"]' in done.stderr


@pytest.mark.parametrize("words, why", [
    (("--ranks", "0"), "--ranks: must be 1 to 10000, got 0"),
    (("--ranks", "100000"), "--ranks: must be 1 to 10000, got 100000"),
    (("--nproc-per-node", "gpu"), "got \"gpu\"; muster run --gpus N starts one rank on each of N GPUs"),
    (("--notify", "ftp://x"), "--notify: must be a target of the configuration, or a URL of http or https, got one of \"ftp\""),
    (("--mount", ".:/usr"), "the target /usr would hide the programs and settings of the system"),
    (("--mount", ".:/etc/ssl"), "the target /etc/ssl would hide the programs and settings of the system"),
    (("--replace",), "--replace: requires --name"),
    (("-d", "--wait"), "--detach and --wait: give one of them"),
    (("-it", "--ranks", "2"), "-it: requires a job of one rank, got --ranks 2"),
    (("--time", "0"), "--time: must be 1s or more"),
    (("--secret", "1=x"), "--secret: must be NAME=VALUE or the NAME of a variable"),
])
def test_flags_that_cannot_be_meant(engine, project, words, why):
    before = names(engine, "jobs")
    done = run(engine, project, *words, "train.py")
    assert done.returncode == 2 and why in done.stderr, done.stderr
    assert names(engine, "jobs") == before
