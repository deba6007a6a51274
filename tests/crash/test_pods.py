"""kill -9 of the engine at random instants while pods start, run and end; and a reboot under them."""

import json
import os
import random
import re
import threading
import uuid

import pytest

from harness import FULL, Engine, wait_for

PODS = 16
KILLS = 1000 if FULL else 50

# Numbered lines from one process. The lock is the witness: a second process of the same pod could not take it, and would
# leave a file behind.
PROGRAM = """
import fcntl, os, pathlib, sys, time
name = os.environ['NAME']
lock = open(f'/work/{name}.lock', 'w')
try:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    pathlib.Path(f'/work/{name}.twice').touch()
    sys.exit(99)
started = open('/proc/self/stat').read().split()[21]
n = 0
while not pathlib.Path('/work/stop').exists():
    n += 1
    print(f'process {os.getpid()}-{started} line {n}', flush=True)
    time.sleep(0.02)
print(f'end after {n}', flush=True)
"""


def writer(name):
    """A pod that would be restarted if its process died, so that a death shows in its restart count."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"restartPolicy": "OnFailure",
                     "containers": [{"name": "main", "image": "python:3", "command": ["python3", "/work/writer.py"],
                                     "env": [{"name": "NAME", "value": name}],
                                     "volumeMounts": [{"name": "work", "mountPath": "/work"}]}],
                     "volumes": [{"name": "work", "persistentVolumeClaim": {"claimName": "work"}}]}}


def pods_of(engine):
    return {p["metadata"]["name"]: p for p in json.loads(engine.muster("get", "pods", "-o", "json").stdout)["items"]}


def phases(engine):
    return [p["status"].get("phase") for p in pods_of(engine).values()]


def kill_at_random(engine, times, chance):
    for _ in range(times):
        killer = threading.Timer(chance.uniform(0, 0.15), engine.process.kill)
        killer.start()
        killer.join()
        engine.kill()
        engine.start()


def test_no_pod_dies_or_starts_twice_and_no_line_is_lost_over_kills_at_random(fresh_engine):
    engine = fresh_engine.start()
    work = engine.volume("work")
    (work / "writer.py").write_text(PROGRAM)
    names = [f"w{i}" for i in range(PODS)]
    engine.apply({"apiVersion": "v1", "kind": "List", "items": [writer(name) for name in names]})
    seed = random.randrange(2 ** 32)
    print(f"seed {seed}")
    # From the first instant: many of these kills hit pods that are being launched.
    kill_at_random(engine, KILLS, random.Random(seed))
    wait_for("all pods to run", lambda: phases(engine) == ["Running"] * PODS)
    (work / "stop").touch()
    wait_for("all pods to succeed", lambda: phases(engine) == ["Succeeded"] * PODS)
    assert not list(work.glob("*.twice"))
    for name, pod in pods_of(engine).items():
        assert pod["status"]["containerStatuses"][0]["restartCount"] == 0, name
        text = engine.muster("logs", name).stdout
        numbers = [int(n) for n in re.findall(r"line (\d+)$", text, re.M)]
        assert numbers == list(range(1, int(re.search(r"end after (\d+)", text).group(1)) + 1)), name
        assert len(set(re.findall(r"process (\S+)", text))) == 1, f"{name}: one process from beginning to end"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to show the engine another boot id")
def test_after_a_reboot_the_pods_are_lost_and_those_that_may_start_again(tmp_path):
    boot_id = tmp_path / "boot_id"
    # The engine sees the boot id of this file; the shims of the first boot are killed as a reboot would.
    seen = ("unshare", "--mount", "sh", "-c", 'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"', boot_id)
    boot_id.write_text(f"{uuid.uuid4()}\n")
    engine = Engine(tmp_path, through=seen).start()
    try:
        work = engine.volume("work")
        (work / "writer.py").write_text(PROGRAM)
        once = writer("once")
        once["spec"]["restartPolicy"] = "Never"
        engine.apply({"apiVersion": "v1", "kind": "List", "items": [writer("again"), once]})
        wait_for("both to run", lambda: phases(engine) == ["Running"] * 2)
        engine.kill()
        kill_shims_of(engine)
        boot_id.write_text(f"{uuid.uuid4()}\n")
        engine.start()
        wait_for("the pod that may not restart to fail", lambda: pods_of(engine)["once"]["status"]["phase"] == "Failed")
        wait_for("the other one to run again", lambda: restarts_while_running(engine, "again") == 1)
        assert not list(work.glob("*.twice"))
    finally:
        engine.stop()


def restarts_while_running(engine, name):
    status = pods_of(engine)[name]["status"].get("containerStatuses", [{}])[0]
    return status["restartCount"] if "running" in status.get("state", {}) else None


def kill_shims_of(engine):
    """A shim's working directory or open files lie in the engine's folder; its pod dies with it."""
    def shims():
        found = []
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    if any(os.readlink(f"/proc/{entry}/fd/{fd}").startswith(str(engine.data)) for fd in os.listdir(f"/proc/{entry}/fd")):
                        found.append(int(entry))
                except OSError:
                    pass
        return found
    for pid in shims():
        os.kill(pid, 9)
    wait_for("the shims to be gone", lambda: not shims())
