"""Logs of earlier attempts and of deleted pods, folded progress bars, and what is removed when."""

import subprocess

import pytest
from api_socket import SocketConnection
from harness import MUSTER, Engine, training_job, wait_for

FAILS_TWICE = """
import os, sys
runs = len(os.listdir('/work/runs'))
open(f'/work/runs/{runs}', 'w').close()
print('this is try', runs, flush=True)
sys.exit(1 if runs < 2 else 0)
"""


def pod(name, script, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"restartPolicy": "Never", **spec,
                     "containers": [{"name": "main", "image": "i", "command": ["sh", "-c", script]}]}}


def run(engine, *pods):
    for one in pods:
        engine.apply(one)
    for one in pods:
        engine.wait_phase(one["metadata"]["name"], "Succeeded", kind="pod")


def test_the_log_of_every_attempt_is_readable_even_when_the_job_is_gone(engine):
    work = engine.volume("work")
    (work / "runs").mkdir()
    (work / "third.py").write_text(FAILS_TWICE)
    engine.apply(training_job("tries", ["python3", "third.py"], role={"restartPolicy": "OnFailure"}))
    engine.wait_phase("tries", "Succeeded")
    pods = engine.muster("get", "pods", "-l", "tensorstack.dev/owner-name=tries", "-o", "name").stdout.split()
    name = pods[0].removeprefix("pod/")
    assert engine.muster("logs", name, "--previous").stdout == "this is try 1\n"

    def logs():
        return [engine.muster("logs", name, f"--attempt={attempt}").stdout for attempt in range(3)]
    expected = ["this is try 0\n", "this is try 1\n", "this is try 2\n"]
    assert logs() == expected
    for job in ("pj/tries", "tries"):
        assert engine.muster("logs", job, "--attempt=1").stdout == "this is try 1\n"
    engine.muster("delete", "pj", "tries")
    wait_for("the pod to be gone", lambda: engine.get("pod", name, check=False) is None)
    assert logs() == expected
    assert engine.muster("logs", name, "--attempt=0", "--tail=1", "--timestamps").stdout.endswith("Z this is try 0\n")
    missing = engine.muster("logs", name, "--attempt=7", check=False)
    assert (missing.returncode, missing.stderr) == (
        3, f'error: attempt 7 of pod "{name}" has no log: it has not run, or its log was removed\n')


def test_the_log_of_a_job_is_that_of_all_its_ranks_in_the_order_of_time(engine):
    work = engine.volume("work")
    (work / "turns.sh").write_text(
        "await() { until [ -e $1 ]; do sleep 0.05; done; }\n"
        "say() { echo $*; touch /work/said-$1-$3; }\n"
        "if [ $RANK = 0 ]; then say first of 0; await said-first-1; say second of 0; printf unfinished; touch ended-0\n"
        "else await go; say first of 1; await ended-0; sleep 0.2; say second of 1; fi\n")
    engine.apply(training_job("merged", ["sh", "turns.sh"], replicas=2))
    base = "/apis/muster.dev/v1/namespaces/default/jobs/"
    path = base + "pytorchtrainingjobs.batch.tensorstack.dev/merged/log"
    connection = SocketConnection(engine.data / "api.sock", 30)

    def ask(target):
        connection.request("GET", target)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    wait_for("the first rank to log", lambda: ask(path) == (200, "[worker-0] first of 0\n"))
    (work / "go").touch()
    status, followed = ask(path + "?follow=true")
    assert (status, len(followed.splitlines())) == (200, 5)
    engine.wait_phase("merged", "Succeeded")
    whole = ["[worker-0] first of 0", "[worker-1] first of 1", "[worker-0] second of 0", "[worker-0] unfinished", "[worker-1] second of 1"]
    assert ask(path) == (200, "\n".join(whole) + "\n")
    assert engine.muster("logs", "merged").stdout.splitlines() == whole
    assert ask(path + "?tailLines=1")[1].splitlines() == whole[3:]
    timed = ask(path + "?timestamps=true")[1].splitlines()
    assert [line.split("Z ", 1)[1] for line in timed] == [line.split("] ", 1)[1] for line in whole]
    assert ask(path + "?limitBytes=20") == (200, "[worker-0] first of ")
    for wrong in ("tailLines=x", "limitBytes=0", "limitBytes=x"):
        assert ask(f"{path}?{wrong}")[0] == 400
    assert ask(path.replace("merged", "unknown"))[0] == 404
    status, missing = ask(base + "cakes.bakery/merged/log")
    assert (status, 'there is no kind \\"cakes.bakery\\"' in missing) == (404, True)


def test_a_job_is_followed_over_its_restarts(engine):
    work = engine.volume("work")
    (work / "followed").mkdir()
    (work / "followed.py").write_text(FAILS_TWICE.replace("/work/runs", "/work/followed"))
    engine.apply(training_job("followed", ["python3", "followed.py"], role={"restartPolicy": "OnFailure"}))
    follower = SocketConnection(engine.data / "api.sock", 60)
    follower.request("GET", "/apis/muster.dev/v1/namespaces/default/jobs/pytorchtrainingjobs.batch.tensorstack.dev/followed/log?follow=true")
    expected = "".join(f"[worker-0] this is try {n}\n" for n in range(3))
    assert follower.getresponse().read().decode() == expected
    assert engine.get("pj", "followed")["status"]["phase"] == "Succeeded"
    follower.close()


def test_there_may_be_more_followers_than_watches_of_the_kernel(engine):
    engine.apply(pod("popular", "until [ -e /tmp/go ]; do sleep 0.05; done; echo last line"))
    wait_for("the pod to run", lambda: engine.get("pod", "popular")["status"].get("phase") == "Running")
    followers = [SocketConnection(engine.data / "api.sock", 30) for _ in range(140)]  # of 128 watches by default
    for follower in followers:
        follower.request("GET", "/api/v1/namespaces/default/pods/popular/log?follow=true")
    engine.muster("exec", "popular", "--", "touch", "/tmp/go")
    for follower in followers:
        assert follower.getresponse().read() == b"last line\n"
        follower.close()


def test_of_a_progress_bar_the_last_state_is_stored(engine):
    run(engine, pod("bar", "printf ' 10%%\\r 50%%\\r100%%\\nnext\\r\\n1/3\\b\\b\\b3/3\\n'"))
    stored = subprocess.run([MUSTER, "logs", "bar"], env=engine.environment(), stdout=subprocess.PIPE, check=True).stdout
    assert stored == b"100%\nnext\r\n1/3\b\b\b3/3\n"
    assert engine.muster("logs", "bar", "--fold").stdout == "100%\nnext\n3/3\n"
    assert engine.muster("logs", "-f", "bar", "--fold").stdout == "100%\nnext\n3/3\n"


@pytest.mark.parametrize("limits", ["keepFor: 1ms", "keepBytes: 1", "keepPods: 0"])
def test_logs_of_deleted_pods_go_when_a_limit_says_so(tmp_path, limits):
    engine = Engine(tmp_path, config=f"logs: {{{limits}}}\n").start()
    try:
        run(engine, pod("gone", "echo gone"), pod("stays", "echo stays"))
        uid = engine.get("pod", "gone")["metadata"]["uid"]
        engine.muster("delete", "pod", "gone")
        assert (engine.data / "pods" / uid).exists(), "looked at now and then, and at each start"
        engine.kill()
        engine.start()
        wait_for("the log to be removed", lambda: not (engine.data / "pods" / uid).exists())
        wait_for("the name to be forgotten", lambda: not (engine.data / "names" / "default" / "gone").exists())
        assert engine.muster("logs", "stays").stdout == "stays\n"
        assert engine.muster("logs", "gone", "--attempt=0", check=False).returncode == 3
    finally:
        engine.stop()
