"""What happens when a rank fails, as a user sees it: what restarts, what is counted, reported and freed."""

import json

import pytest
from harness import Engine, training_job, wait_for


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    started = Engine(tmp_path_factory.mktemp("engine"), config="resources: {nvidia.com/gpu: 2}\n").start()
    yield started
    started.stop()


@pytest.fixture(scope="module")
def work(engine):
    return engine.volume("work")


def condition(job, kind):
    return next(c for c in job["status"]["conditions"] if c["type"] == kind)


def events(engine, job):
    """The events about the job, as (reason, message)."""
    found = json.loads(engine.muster("get", "events", "-o", "json").stdout)["items"]
    return [(e["reason"], e["message"]) for e in found if e["involvedObject"]["uid"] == job["metadata"]["uid"]]


def pods_of(engine, name):
    selector = f"tensorstack.dev/owner-name={name}"
    return json.loads(engine.muster("get", "pods", "-l", selector, "-o", "json").stdout)["items"]


def with_gpu(job):
    job["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": 1}}
    return job


def test_a_crash_of_one_rank_is_one_restart_of_all(engine, work):
    # In the first attempt rank 2 fails when all run, rank 3 fails because of it, and ranks 0 and 1 hang.
    (work / "crash.py").write_text(
        "import os, pathlib, sys, time\n"
        "rank = int(os.environ['RANK'])\n"
        "mine, failed = pathlib.Path(f'began-{rank}'), pathlib.Path('failed')\n"
        "if mine.exists(): sys.exit(0)\n"
        "mine.touch()\n"
        "def wait_until(condition):\n"
        "    while not condition(): time.sleep(0.01)\n"
        "if rank == 2:\n"
        "    wait_until(lambda: len(list(pathlib.Path('.').glob('began-*'))) == 4)\n"
        "    failed.touch()\n"
        "    os._exit(3)\n"
        "if rank == 3:\n"
        "    wait_until(failed.exists)\n"
        "    time.sleep(0.5)  # as long as it takes a peer to notice\n"
        "    sys.exit(1)\n"
        "time.sleep(1000)\n")
    engine.apply(training_job("crash", ["python3", "crash.py"], replicas=4, role={"restartPolicy": "OnFailure"}))
    job = engine.wait_phase("crash", "Succeeded")
    assert job["status"]["backoffCount"] == 1
    assert job["status"]["attempts"] == {f"worker-{rank}": 1 for rank in range(4)}
    restarts = [message for reason, message in events(engine, job) if reason == "PodRestarted"]
    assert len(restarts) == 1, restarts
    assert restarts[0].startswith("replica worker-2 (pod crash-"), restarts[0]
    assert "ended with exit code 3; restarting all 4 replicas in " in restarts[0]
    assert restarts[0].endswith(" (restart 1 of 3)"), restarts[0]


def test_a_failed_job_frees_what_it_held_and_keeps_its_pods_and_logs(engine, work):
    (work / "half.py").write_text(
        "import os, sys, time\n"
        "print('rank', os.environ['RANK'], 'is up', flush=True)\n"
        "if os.environ['RANK'] == '1': sys.exit(4)\n"
        "time.sleep(1000)\n")
    engine.apply(with_gpu(training_job("half", ["python3", "half.py"], replicas=2)))
    job = engine.wait_phase("half", "Failed")
    engine.apply(with_gpu(training_job("next", ["true"], replicas=2)))
    engine.wait_phase("next", "Succeeded")

    ended = wait_for("its ranks to end", lambda: [p for p in pods_of(engine, "half") if p["status"]["phase"] == "Failed"][1:])
    assert ended
    assert {p["status"].get("reason", "") for p in pods_of(engine, "half")} == {"", "DeadlineExceeded"}
    logs = engine.muster("logs", "pj/half").stdout
    assert "rank 0 is up" in logs and "rank 1 is up" in logs
    said = condition(job, "Failed")["message"]
    assert "replica worker-1 (pod half-" in said and "exit code 4" in said, "the other one was ended, it did not fail"


def test_a_failed_job_says_why_in_one_sentence(engine, work):
    (work / "boom.py").write_text(
        "def load(path):\n"
        "    raise FileNotFoundError(f'no such data set: {path}')\n"
        "print('epoch 1')\n"
        "load('/data/mnist')\n")
    engine.apply(training_job("boom", ["python3", "boom.py"]))
    job = engine.wait_phase("boom", "Failed")
    why = condition(job, "Failed")["message"]
    assert why.startswith("replica worker-0 (pod boom-"), why
    assert "ended with exit code 1: FileNotFoundError: no such data set: /data/mnist; the restart policy is Never" in why
    wait_for("the same sentence in an event", lambda: ("Failed", why) in events(engine, job))

    engine.apply(training_job("killed", ["python3", "-c", "import os; os.kill(os.getpid(), 11)"]))
    why = condition(engine.wait_phase("killed", "Failed"), "Failed")["message"]
    assert "exit code 139 (SIGSEGV)" in why, why


def test_a_change_that_running_ranks_cannot_follow_is_refused(engine, work):
    engine.apply(training_job("steady", ["sleep", "1000"], replicas=2))
    before = engine.wait_phase("steady", "Running")
    larger = json.dumps(training_job("steady", ["sleep", "1000"], replicas=3))
    refused = engine.muster("apply", "-f", "-", stdin=larger, check=False)
    assert refused.returncode != 0
    assert ("spec.replicaSpecs[0].replicas: Forbidden: the number of replicas cannot change while the job runs: every rank knows it; "
            "pause it (spec.runMode.pause.enabled) first, or make it elastic from the start (spec.elastic), or create a new job"
            ) in refused.stderr
    after = engine.get("pj", "steady")
    assert after["metadata"]["generation"] == before["metadata"]["generation"] and after["status"]["phase"] == "Running"
    engine.muster("delete", "pj", "steady", "--grace-period=1")


def test_a_new_job_of_the_same_name_waits_for_the_old_ranks(engine, work):
    (work / "alone.py").write_text(
        "import fcntl, os, pathlib, signal, sys, time\n"
        "lock = open('alone.lock', 'w')\n"
        "fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails if another rank still runs\n"
        "if pathlib.Path('alone.first').exists(): sys.exit(0)\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "pathlib.Path('alone.first').touch()\n"
        "time.sleep(1000)\n")
    manifest = training_job("alone", ["python3", "alone.py"])
    manifest["spec"]["replicaSpecs"][0]["template"]["spec"]["terminationGracePeriodSeconds"] = 2
    engine.apply(manifest)
    wait_for("its rank", (work / "alone.first").exists)
    engine.muster("delete", "pj", "alone", "--wait=false")
    wait_for("the job to go", lambda: engine.get("pj", "alone", check=False) is None)
    engine.apply(manifest)
    engine.wait_phase("alone", "Succeeded")
