"""A job that runs and does nothing says so, until it does something again."""

import json
import subprocess

import pytest
from harness import MUSTER, Engine, training_job, wait_for
from pseudo_terminal import OnTerminal


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    started = Engine(tmp_path_factory.mktemp("engine"), config="stalledAfter: 4s\n").start()
    yield started
    started.stop()


def condition(thing, kind):
    return next((c for c in thing.get("status", {}).get("conditions", []) if c["type"] == kind), {})


def pods_of(engine, name):
    selector = f"tensorstack.dev/owner-name={name}"
    return json.loads(engine.muster("get", "pods", "-l", selector, "-o", "json").stdout)["items"]


def event(engine, name, reason):
    """The message of that event of the job; events are written after what they tell of."""
    uid = engine.get("pytorchtrainingjob", name)["metadata"]["uid"]

    def found():
        events = json.loads(engine.muster("get", "events", "-o", "json").stdout)["items"]
        return [e["message"] for e in events if e["involvedObject"]["uid"] == uid and e["reason"] == reason]
    return wait_for(f"the event {reason} of {name}", found)[0]


def test_a_job_that_does_nothing_is_stalled_until_one_rank_goes_on(engine):
    work = engine.volume("work")
    (work / "wait.py").write_text(
        "import os, pathlib, time\n"
        "while not pathlib.Path('go').exists(): time.sleep(0.5)\n"
        "print('rank', os.environ['RANK'], 'is active', flush=True)\n"
        "while not pathlib.Path('end').exists(): sum(range(100_000))\n")
    debugged = training_job("debugged", ["python3", "wait.py"])
    debugged["spec"]["runMode"] = {"debug": {"enabled": True, "replicaSpecs": [{"type": "worker"}]}}
    engine.apply(debugged)
    engine.apply(training_job("idle", ["python3", "wait.py"], replicas=2))

    def stalled():
        return condition(engine.get("pytorchtrainingjob", "idle"), "Stalled")

    # On a busy machine a rank may do nothing before its program has begun, become active, and do nothing again.
    nothing = "no output, CPU or GPU use for 4s"
    told = f"all running replicas look idle: {nothing}"
    wait_for("the job and its pods to stall", lambda: stalled().get("message") == told and all(
        condition(pod, "muster.dev/Stalled").get("message") == nothing for pod in pods_of(engine, "idle")), timeout=90)
    assert event(engine, "idle", "Stalled") == told

    (work / "go").touch()
    wait_for("the job to become active", lambda: stalled()["message"] == "the job is active again", timeout=90)
    assert stalled()["status"] == "False"
    (work / "end").touch()
    engine.wait_phase("idle", "Succeeded")
    assert event(engine, "idle", "Active")

    # A pod in debug mode does nothing either, because it waits for its user.
    wait_for("the debugged pod to idle", lambda: condition(pods_of(engine, "debugged")[0], "muster.dev/Stalled"), timeout=90)
    debugged = engine.get("pytorchtrainingjob", "debugged")
    assert debugged["status"]["phase"] == "Running"
    assert condition(debugged, "Stalled") == {}


FAILS_ONCE_THEN_IDLES = """
import os, sys, time
open("tries", "a").write("x")
if os.path.getsize("tries") < 2:
    sys.exit(3)
while not os.path.exists("go"):
    time.sleep(0.5)
while not os.path.exists("end"):
    sum(range(100_000))
"""


def test_whoever_follows_a_job_reads_what_happens_to_it(engine, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "train.py").write_text(FAILS_ONCE_THEN_IDLES)
    colored = {name: value for name, value in engine.environment().items() if name != "NO_COLOR"}
    terminal = OnTerminal([MUSTER, "run", "--name", "told", "--cpu", "1000", "--restarts", "1", "train.py"], {**colored, "PWD": str(project)},
                          columns=200, cwd=project)
    follower = None
    try:
        def dimmed(event):
            return f"\x1b[2mpj/told {event}" in terminal.read()
        wait_for("the restart", lambda: dimmed("PodRestarted: replica worker-0") and "exit code 3; restarting it in 1s (restart 1 of 1)" in terminal.seen)
        wait_for("the processors", lambda: dimmed("Overcommitted: requests 1000 CPUs, this machine has"))
        stalled = "Stalled: all running replicas look idle: no output, CPU or GPU use for 4s"
        wait_for("the stall", lambda: dimmed(stalled), timeout=90)
        row = next(line for line in engine.muster("get", "jobs").stdout.splitlines() if line.startswith("told "))
        assert row.split()[1] == "Stalled" and "no output, CPU or GPU use for 4s" in row
        assert "Running (1 of them stalled)" in engine.muster("status").stdout
        # Who begins to follow now is told as well; without a terminal nothing is dimmed.
        follower = subprocess.Popen([MUSTER, "logs", "-f", "told"], env=colored, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert follower.stderr.readline() == f"pj/told {stalled}\n"
        (project / "go").touch()
        wait_for("it to be active", lambda: dimmed("Active: the job is active again"), timeout=90)
        (project / "end").touch()
        assert terminal.wait() == 0, terminal.seen
        _, told = follower.communicate(timeout=30)
        assert told.startswith("pj/told Active: the job is active again\n"), told
    finally:
        (project / "go").touch()
        (project / "end").touch()
        terminal.close()
        if follower:
            follower.kill()
