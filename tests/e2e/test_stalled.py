"""A job that runs and does nothing says so, until it does something again."""

import json

import pytest
from harness import Engine, training_job, wait_for


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
