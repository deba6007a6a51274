"""exec, attach and cp in running pods. kubectl uses WebSocket from 1.30 on; older versions are told so."""

import pytest
from harness import wait_for
from pseudo_terminal import OnTerminal

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
       "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0,
                "containers": [{"name": "a", "image": "any", "command": ["sleep", "1000"]},
                               {"name": "t", "image": "any", "command": ["cat"], "stdin": True, "tty": True}]}}


@pytest.fixture
def pod(place):
    place.make(POD)
    place("wait", "--for=condition=Ready", "pod/p", "--timeout=60s")
    return place


def speaks_websocket(place):
    return place.minor >= 30


def test_a_command_and_its_exit_code(pod):
    if not speaks_websocket(pod):
        assert "use kubectl 1.30 or newer" in pod.fails("exec", "p", "-c", "a", "--", "true")
        return
    done = pod("exec", "p", "-c", "a", "--", "sh", "-c", "echo out; echo err >&2; exit 7", check=False)
    assert (done.returncode, done.stdout) == (7, "out\n")
    assert done.stderr == "err\ncommand terminated with exit code 7\n"
    assert pod.out("exec", "-i", "p", "-c", "a", "--", "wc", "-c", stdin="x" * 4_000_000).strip() == "4000000"
    assert len(pod.out("exec", "p", "-c", "a", "--", "head", "-c", "4000000", "/dev/zero")) == 4_000_000
    assert "container x is not valid for pod p" in pod.fails("exec", "p", "-c", "x", "--", "true")


def test_files_are_copied_both_ways(pod, tmp_path):
    if not speaks_websocket(pod):
        return
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "file").write_text("text" * 100_000)
    pod("cp", "-c", "a", tmp_path / "in", "p:/tmp/out")
    pod("cp", "-c", "a", "p:/tmp/out", tmp_path / "back")
    assert (tmp_path / "back" / "file").read_text() == "text" * 100_000


def test_a_terminal_has_its_size_and_follows_it(pod):
    if not speaks_websocket(pod):
        return
    command = [pod.path, *pod.words, "exec", "-it", "p", "-c", "a", "--", "sh"]
    user = OnTerminal(command, pod.engine.environment())
    try:
        user.type("until [ \"$(stty size)\" = '33 77' ]; do sleep 0.05; done; echo one=$((1+0))\n")
        wait_for("the first size", lambda: "one=1" in user.read())
        user.resize(50, 120)
        user.type("until [ \"$(stty size)\" = '50 120' ]; do sleep 0.05; done; echo two=$((1+1)); exit 4\n")
        assert user.wait() == 4, user.seen
        assert "two=2" in user.seen
    finally:
        user.close()


def test_attach_talks_to_the_program_of_the_container(pod):
    if not speaks_websocket(pod):
        return
    user = OnTerminal([pod.path, *pod.words, "attach", "-it", "p", "-c", "t"], pod.engine.environment())
    try:
        wait_for("kubectl to be attached", lambda: "command prompt" in user.read())
        user.type("hello\n")
        # Once from the terminal of the container, once from cat.
        wait_for("the answer", lambda: user.read().count("hello") >= 2)
    finally:
        user.close()
