"""`muster shell`: a command in a pod of its own, of which nothing stays."""

import json
import signal
import subprocess

import pytest
from harness import MUSTER, wait_for
from pseudo_terminal import OnTerminal


def pods(engine):
    return [p["metadata"]["name"] for p in json.loads(engine.muster("get", "pods", "-o", "json").stdout)["items"]]


def all_gone(engine):
    wait_for("no pod", lambda: not pods(engine))


def test_a_command_sees_the_claim(engine):
    folder = engine.volume("data")
    (folder / "file").write_text("text\n")
    done = engine.muster("shell", "--claim", "data", "--", "sh", "-c", "cat file; cat; pwd; exit 3", stdin="input\n", check=False)
    assert (done.returncode, done.stdout) == (3, "text\ninput\n/mnt/data\n")
    assert engine.muster("shell", "--claim", "data:/d", "--", "ls", "/d").stdout == "file\n"
    all_gone(engine)


def test_a_terminal(engine):
    shell = OnTerminal([MUSTER, "shell"], engine.environment())
    try:
        shell.type("tty; echo $((6 * 7)); exit 5\n")
        assert shell.wait() == 5 and "/dev/pts/" in shell.seen and "42" in shell.seen
        assert shell.is_restored()
    finally:
        shell.close()
    all_gone(engine)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_nothing_stays_of_a_lost_shell(engine, how):
    shell = subprocess.Popen([MUSTER, "shell", "--", "sh", "-c", "echo runs; exec sleep 1000"], env=engine.environment(),
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    assert shell.stdout.readline() == "runs\n"
    assert len(pods(engine)) == 1
    shell.send_signal(how)
    shell.wait()
    shell.stdout.close()
    all_gone(engine)


def test_an_interrupt_while_the_pod_waits(engine):
    node = engine.muster("get", "nodes", "-o", "name").stdout.strip()

    def let_pods_wait(wait):
        engine.muster("patch", node, "--type=merge", "-p", json.dumps({"spec": {"unschedulable": wait}}))
    let_pods_wait(True)
    try:
        shell = subprocess.Popen([MUSTER, "shell"], env=engine.environment(), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert any("waiting:" in line for line in shell.stderr)  # after the warning that no environment is configured
        shell.send_signal(signal.SIGINT)
        shell.wait()
        shell.stderr.close()
        all_gone(engine)
    finally:
        let_pods_wait(False)


def test_a_wrong_claim_is_refused(engine):
    done = engine.muster("shell", "--claim", "absent", check=False)
    assert done.returncode == 3 and done.stderr == (
        'error: persistentvolumeclaims "absent" not found\n  fix: muster volume ls\n')
    done = engine.muster("shell", "--claim", "a:b", check=False)
    assert done.returncode == 2 and '--claim: must be NAME or NAME:/PATH, got "a:b"' in done.stderr
