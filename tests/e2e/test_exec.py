"""`muster exec`, `attach` and `cp` in real pods, over the Unix socket and over HTTPS."""

import base64
import io
import os
import re
import signal
import subprocess
import tarfile

import pytest
from harness import MUSTER, training_job, wait_for
from pseudo_terminal import OnTerminal

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
       "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0,
                "containers": [{"name": "a", "image": "any", "command": ["sleep", "1000"]}]}}


@pytest.fixture(scope="module")
def pod(engine):
    engine.apply(POD)
    engine.wait_phase("p", "Running", kind="pod")
    return engine


@pytest.fixture(params=["socket", "https"])
def muster(pod, request):
    def run(*words, **kwargs):
        # Without a kubeconfig, muster finds the running engine of this user by its socket.
        return pod.muster(*words, env={"KUBECONFIG": ""} if request.param == "socket" else {}, **kwargs)
    return run


def test_a_command_has_its_streams_and_its_exit_code(muster):
    done = muster("exec", "p", "--", "sh", "-c", "echo out; echo err >&2; exit 7", check=False)
    assert (done.returncode, done.stdout) == (7, "out\n")
    assert done.stderr.endswith("err\ncommand terminated with exit code 7\n")
    assert muster("exec", "-i", "p", "--", "cat", stdin="text" * 1_000_000).stdout == "text" * 1_000_000


def test_files_are_copied_both_ways(muster, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a file").write_text("text" * 100_000)
    muster("cp", tmp_path / "in", f"p:/tmp/{tmp_path.name}")
    muster("cp", f"p:/tmp/{tmp_path.name}", tmp_path / "back")
    assert (tmp_path / "back" / "a file").read_text() == "text" * 100_000


def test_an_archive_of_a_hostile_pod_stays_in_the_destination(engine, tmp_path):
    """The pod's tar answers with archives of its own making."""
    engine.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "hostile"}, "spec": {
        "volumes": [{"name": "evil", "emptyDir": {}}],
        "containers": [{"name": "a", "image": "busybox", "command": ["sleep", "1000"],
                        "env": [{"name": "PATH", "value": "/evil:/usr/bin:/bin"}],
                        "volumeMounts": [{"name": "evil", "mountPath": "/evil"}]}]}})
    engine.wait_phase("hostile", "Running", kind="pod")
    engine.muster("exec", "-i", "hostile", "--", "sh", "-c", "cat >/evil/tar && chmod +x /evil/tar",
                  stdin="#!/bin/sh\ncat /evil/archive\n")

    def copied(*entries, end=b""):
        """Copies data of an archive with these entries: name, type, link or content, mode."""
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as tar:
            for name, kind, text, mode in entries:
                entry = tarfile.TarInfo(name)
                entry.type, entry.mode = kind, mode
                if kind == tarfile.REGTYPE:
                    entry.size = len(text)
                else:
                    entry.linkname = text
                tar.addfile(entry, io.BytesIO(text.encode()) if kind == tarfile.REGTYPE else None)
        sent = base64.b64encode(archive.getvalue() + end).decode()
        engine.muster("exec", "-i", "hostile", "--", "sh", "-c", "base64 -d >/evil/archive", stdin=sent)
        return engine.muster("cp", "hostile:/data", tmp_path / "in" / "data", check=False)

    (tmp_path / "in").mkdir()
    file = tarfile.REGTYPE
    good = copied(("data/a", file, "one", 0o6755), ("data/b", tarfile.LNKTYPE, "data/a", 0o644))
    assert good.returncode == 0, good.stderr
    assert (tmp_path / "in" / "data" / "b").read_text() == "one"
    assert (tmp_path / "in" / "data" / "a").stat().st_mode & 0o7000 == 0
    for entries in ([("data/../../out", file, "bad", 0o644)],
                    [("../out", file, "bad", 0o644)],
                    [(f"{tmp_path}/out", file, "bad", 0o644)],
                    [("data/link", tarfile.SYMTYPE, str(tmp_path), 0o777), ("data/link/../../out", file, "bad", 0o644)],
                    [("data/hard", tarfile.LNKTYPE, "../../etc/passwd", 0o644)]):
        done = copied(*entries)
        assert done.returncode != 0 and "error: archive from the container: " in done.stderr, done
    linked = copied(("data/link", tarfile.SYMTYPE, str(tmp_path), 0o777), ("data/link/out", file, "bad", 0o644),
                    ("data/null", tarfile.CHRTYPE, "", 0o666))
    assert "skipped data/link: a symbolic link\nskipped data/null: a device\n" == linked.stderr
    assert not (tmp_path / "out").exists() and sorted(p.name for p in tmp_path.iterdir()) == ["in"]
    endless = copied(("data/a", file, "one", 0o644), end=b"x" * 3_000_000)
    assert "does not stop after its end" in endless.stderr
    engine.muster("delete", "pod", "hostile", "--grace-period=1")


def test_a_command_that_does_not_exist_is_an_error(pod):
    done = pod.muster("exec", "p", "--", "no-such-program", check=False)
    assert done.returncode == 1 and "no-such-program" in done.stderr


def marked(pod, mark):
    """The command lines of this machine that contain the mark."""
    return subprocess.run(["pgrep", "-f", mark], text=True, stdout=subprocess.PIPE, check=False).stdout.split()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_client_that_ends_takes_its_command_with_it(pod, how):
    mark = f"9{os.getpid()}{int(how)}"
    client = subprocess.Popen([MUSTER, "exec", "p", "--", "sleep", mark], env=pod.environment())
    wait_for("the command", lambda: len(marked(pod, f"^sleep {mark}")) == 1)
    client.send_signal(how)
    client.wait(timeout=30)
    wait_for("the command to be gone", lambda: not marked(pod, f"^sleep {mark}"))


@pytest.mark.parametrize("end", ["exit", signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_the_terminal_is_restored(pod, end):
    user = OnTerminal([MUSTER, "exec", "-it", "p", "--", "sh"], pod.environment())
    try:
        user.type("until [ \"$(stty size)\" = '33 77' ]; do sleep 0.05; done; echo one=$((1+0))\n")
        wait_for("the shell", lambda: "one=1" in user.read())
        assert not user.is_restored()
        if end == "exit":
            user.type("exit 5\n")
            assert user.wait() == 5
        else:
            user.process.send_signal(end)
            user.wait()
        assert user.is_restored()
    finally:
        user.close()


def test_ctrl_c_reaches_the_program_and_not_the_client(pod):
    user = OnTerminal([MUSTER, "exec", "-it", "p", "--", "sh", "-c", "trap 'echo caught; exit 6' INT; echo up; while :; do sleep 0.05; done"],
                      pod.environment())
    try:
        wait_for("the program", lambda: "up" in user.read())
        user.type("\x03")
        assert user.wait() == 6
        assert "caught" in user.seen
    finally:
        user.close()


def test_a_jobs_name_means_the_replica_that_decides(engine, tmp_path):
    engine.volume("work")
    engine.apply(training_job("two", ["sh", "-c", "echo $RANK >/tmp/rank; sleep 1000"], replicas=2))
    engine.wait_phase("two", "Running")
    wait_for("its file", lambda: engine.muster("exec", "two", "--", "test", "-s", "/tmp/rank", check=False).returncode == 0)
    done = engine.muster("exec", "two", "--", "cat", "/tmp/rank")
    assert done.stdout == "0\n" and re.fullmatch(r"using pod two-\w+-worker-0\n", done.stderr)
    engine.muster("cp", "two:/tmp/rank", tmp_path / "rank")
    assert (tmp_path / "rank").read_text() == "0\n"
    wait_for("its numbers", lambda: engine.muster("top", "two", "--no-headers").stdout.count("-worker-") == 2)
    engine.muster("delete", "pj", "two")
