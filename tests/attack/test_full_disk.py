"""Pods that fill the disk of the data directory: they are ended, the engine and the other pods keep working."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import pytest

from harness import Engine, wait_for

MIB = 1 << 20


class SmallDisk:
    """Root gets a file system of its own; other users a folder in memory and a reserve that leaves little of it."""

    def __init__(self):
        self.root = os.geteuid() == 0
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-disk-", dir=None if self.root else "/dev/shm"))
        self.at = self.folder / "disk"
        self.at.mkdir()
        if self.root:
            image = self.folder / "image"
            with open(image, "wb") as file:
                file.truncate(256 * MIB)
            subprocess.run(["mkfs.ext4", "-q", "-F", "-N", "20000", image], check=True)
            subprocess.run(["mount", "-o", "loop", image, self.at], check=True)
        self.config = "" if self.root else f"disk: {{reserve: {self.free() - 150 * MIB}}}\n"

    def free(self):
        disk = os.statvfs(self.at)
        return disk.f_bavail * disk.f_frsize

    def remove(self):
        if self.root:
            subprocess.run(["umount", "-l", self.at], check=True)
        shutil.rmtree(self.folder)


@pytest.fixture(scope="module")
def disk():
    try:
        made = SmallDisk()
    except subprocess.CalledProcessError as error:
        pytest.skip(f"this machine makes no small file system: {error}")
    yield made
    made.remove()


@pytest.fixture(scope="module")
def engine(disk, tmp_path_factory):
    made = Engine(tmp_path_factory.mktemp("engine"))
    made.data = disk.at / "data"
    made.data.mkdir(mode=0o700)
    (made.data / "config.yaml").write_text(disk.config)
    made.start()
    made.apply(pod("calm", "echo here > kept; sleep 100000"))
    wait_for("the calm pod to run", lambda: status(made, "calm").get("phase") == "Running")
    yield made
    made.stop()


def pod(name, script, volumes=()):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 5, "volumes": list(volumes),
                     "containers": [{"name": "main", "image": "host", "command": ["sh", "-c", script],
                                     "volumeMounts": [{"name": v["name"], "mountPath": "/v"} for v in volumes]}]}}


def status(engine, name):
    found = engine.get("pod", name, check=False)
    return found["status"] if found else {}


def pressure(engine):
    node = engine.muster("get", "nodes", "-o", "json").stdout
    conditions = json.loads(node)["items"][0]["status"]["conditions"]
    return next((c for c in conditions if c["type"] == "DiskPressure"), {"status": "", "message": ""})


def takes_writes(engine, name):
    object = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"text": "x" * 5000}}
    done = engine.muster("create", "-f", "-", stdin=json.dumps(object), check=False)
    engine.muster("delete", "configmap", name, check=False)
    return done.returncode == 0


FLOOD = "cat /dev/zero > {}; sleep 100000"
DELETED = """python3 -c '
import os, time
file = open("gone", "wb", buffering=0)
os.unlink("gone")
try:
    while True: file.write(bytes(1 << 20))
except OSError: time.sleep(100000)
'"""


@pytest.mark.parametrize("place,script,volume,said", [
    ("working-directory", FLOOD.format("big"), None, "Container main was using"),
    ("home", FLOOD.format("~/big"), None, "Container main was using"),
    ("empty-dir", FLOOD.format("/v/big"), {"name": "v", "emptyDir": {}}, "Volume v was using"),
    ("deleted-file", DELETED, None, "Deleted files that are still open was using"),
])
def test_a_pod_that_fills_the_disk_is_ended(engine, place, script, volume, said):
    engine.apply(pod(place, script, [volume] if volume else []))
    wait_for("the eviction", lambda: status(engine, place).get("phase") == "Failed", 60)
    ended = status(engine, place)
    assert ended["reason"] == "Evicted"
    assert "The node was low on resource: ephemeral-storage. Threshold quantity: " in ended["message"]
    assert said in ended["message"]
    wait_for("the space to come back", lambda: pressure(engine)["status"] == "False")
    wait_for("writes to work", lambda: takes_writes(engine, "after-" + place))
    assert status(engine, "calm")["phase"] == "Running"
    assert engine.muster("exec", "calm", "--", "cat", "kept").stdout == "here\n"
    engine.muster("delete", "pod", place)


def test_a_million_small_files_are_as_much_as_a_large_one(engine, disk):
    if not disk.root:
        pytest.skip("only root makes a file system with few inodes")
    engine.apply(pod("many", "python3 -c '\nimport itertools, time\ntry:\n  for i in itertools.count(): open(str(i), \"w\")\n"
                             "except OSError: time.sleep(100000)'"))
    wait_for("the eviction", lambda: status(engine, "many").get("phase") == "Failed", 60)
    assert "The node was low on resource: inodes. Threshold quantity: " in status(engine, "many")["message"]
    wait_for("the inodes to come back", lambda: pressure(engine)["status"] == "False")
    assert status(engine, "calm")["phase"] == "Running"
    engine.muster("delete", "pod", "many")


def test_a_pod_that_fills_a_claim_is_ended_and_nobody_else(engine):
    folder = engine.volume("data")
    claim = {"name": "v", "persistentVolumeClaim": {"claimName": "data"}}
    engine.apply(pod("reader", "sleep 100000", [claim]))
    wait_for("the other pod to run", lambda: status(engine, "reader").get("phase") == "Running")
    engine.apply(pod("writer", FLOOD.format("/v/big"), [claim]))
    wait_for("the eviction", lambda: status(engine, "writer").get("phase") == "Failed", 60)
    assert "Claim data has grown by" in status(engine, "writer")["message"]
    # What is in the claim stays. Objects can be deleted anyway, and pods that are created wait.
    assert pressure(engine)["status"] == "True"
    engine.muster("delete", "pod", "writer")
    assert status(engine, "reader")["phase"] == status(engine, "calm")["phase"] == "Running"
    (folder / "big").unlink()
    wait_for("the space to come back", lambda: pressure(engine)["status"] == "False")
    wait_for("writes to work", lambda: takes_writes(engine, "after-claim"))
    engine.muster("delete", "pod", "reader")


def fill(disk):
    """Root takes the last byte; on a disk that others use too, a part of the reserve is enough."""
    filler = disk.at / "filler"
    with open(filler, "wb", buffering=0) as file:
        if not disk.root:
            file.write(bytes(200 * MIB))
            return filler
        for size in (MIB, 1024):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError:
                pass  # it is full
    return filler


def test_when_other_files_fill_the_disk_no_pod_is_ended_and_none_starts(engine, disk):
    engine.apply(pod("victim", "sleep 100000"))
    wait_for("a pod to run", lambda: status(engine, "victim").get("phase") == "Running")
    filler = fill(disk)
    said = wait_for("the condition", lambda: "none of them is ended; delete other files" in pressure(engine)["message"] and pressure(engine))
    assert said["status"] == "True" and said["reason"] == "DiskNearlyFull"
    assert "✖ data" in engine.muster("doctor", "--data-dir", engine.data, check=False).stdout
    began = time.monotonic()
    engine.muster("delete", "pod", "victim")
    assert time.monotonic() - began < 20
    engine.kill()
    engine.start()
    wait_for("the condition after a restart", lambda: pressure(engine)["status"] == "True")
    assert status(engine, "calm")["phase"] == "Running"
    filler.unlink()
    wait_for("the space to come back", lambda: pressure(engine)["status"] == "False")
    wait_for("writes to work", lambda: takes_writes(engine, "after-others"))
    engine.apply(pod("next", "true"))
    wait_for("a pod to start", lambda: status(engine, "next").get("phase") == "Succeeded")
    assert status(engine, "calm")["phase"] == "Running"
