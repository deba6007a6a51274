"""The engine of a user without privileges, which is how most people run it."""

import json
import os
import re
import shutil
import tempfile

import pytest
from harness import Engine, wait_for

NOBODY = 65534


@pytest.fixture
def theirs():
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("needs root and setpriv to become another user")
    folder = tempfile.mkdtemp(prefix="muster-")  # other users cannot enter pytest's own folders
    engine = Engine(folder, through=("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"))
    os.chown(engine.data, NOBODY, NOBODY)
    os.chmod(folder, 0o755)
    yield engine.start()
    engine.stop()
    shutil.rmtree(folder)


def test_pods_run_and_no_other_process_of_the_user_reads_the_engine(theirs):
    theirs.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
                  "spec": {"restartPolicy": "Never",
                           "containers": [{"name": "c", "image": "python:3", "command": ["echo", "here"]}]}})
    wait_for("the pod to succeed", lambda: theirs.get("pod", "p")["status"].get("phase") == "Succeeded")
    assert theirs.muster("logs", "p").stdout == "here\n"
    assert os.stat(f"/proc/{theirs.process.pid}/stat").st_uid == 0, "not dumpable: its files in /proc are root's"


def test_containers_restart_and_can_be_entered(theirs):
    script = "test -e /v/again && exec sleep 1000; touch /v/again; exit 3"
    theirs.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
                  "spec": {"restartPolicy": "OnFailure", "volumes": [{"name": "v", "emptyDir": {}}],
                           "containers": [{"name": "c", "image": "python:3", "command": ["sh", "-c", script],
                                           "volumeMounts": [{"name": "v", "mountPath": "/v"}]}]}})

    def restarts_while_running():
        statuses = theirs.get("pod", "p")["status"].get("containerStatuses", [{}])
        return statuses[0]["restartCount"] if "running" in statuses[0].get("state", {}) else None

    wait_for("the second run", lambda: restarts_while_running() == 1)
    assert theirs.muster("exec", "p", "--", "ls", "/v").stdout == "again\n"


def test_a_container_with_ipc_lock_may_lock_as_much_as_the_user(theirs):
    theirs.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
                  "spec": {"restartPolicy": "Never",
                           "containers": [{"name": "c", "image": "python:3", "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}},
                                           "command": ["sh", "-c", "ulimit -l; ulimit -Hl; grep CapEff /proc/self/status"]}]}})
    wait_for("the pod to succeed", lambda: theirs.get("pod", "p")["status"].get("phase") == "Succeeded")
    soft, hard, capabilities = theirs.muster("logs", "p").stdout.splitlines()
    assert soft == hard and int(capabilities.split()[1], 16) >> 14 & 1 == 1
    assert ("with IPC_LOCK the pod can lock" in theirs.muster("get", "events").stdout) == (hard != "unlimited")


def test_a_probe_decides_whether_a_pod_is_ready(theirs):
    script = "import http.server; http.server.HTTPServer(('0.0.0.0', 9000), http.server.SimpleHTTPRequestHandler).serve_forever()"
    theirs.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
                  "spec": {"terminationGracePeriodSeconds": 1, "containers": [
                      {"name": name, "image": "python:3", "command": ["python3", "-c", script if name == "web" else "input()"], "stdin": True,
                       "readinessProbe": {"periodSeconds": 1, **probe}}
                      for name, probe in {"web": {"httpGet": {"port": 9000}}, "command": {"exec": {"command": ["true"]}},
                                          "never": {"tcpSocket": {"port": 9001}}}.items()]}})

    def ready():
        return {status["name"] for status in theirs.get("pod", "p")["status"].get("containerStatuses", []) if status["ready"]}
    wait_for("two containers to be ready", lambda: ready() == {"web", "command"})
    wait_for("the third to be told about", lambda: "Readiness probe failed" in theirs.muster("get", "events").stdout)


def hog(anonymous=0, temporary=0, shared_with=0):
    """A program that fills memory and its /tmp, forks processes that share this memory, and then waits."""
    return f"""
import mmap, os, signal
held = mmap.mmap(-1, {anonymous + 1} << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for _ in range({anonymous}):
    held.write(b"x" * (1 << 20))
with open("/tmp/file", "wb") as file:
    for _ in range({temporary}):
        file.write(b"x" * (1 << 20))
for _ in range({shared_with}):
    if os.fork() == 0:
        break
signal.pause()
"""


def test_without_control_groups_a_container_over_its_memory_ends(theirs):
    def conditions():
        nodes = json.loads(theirs.muster("get", "nodes", "-o", "json").stdout)["items"]
        return {condition["type"]: condition for node in nodes for condition in node.get("status", {}).get("conditions", [])}
    enforced = wait_for("the node to say what it enforces", lambda: conditions().get("LimitsEnforced"))
    if "measures the memory" not in enforced["message"]:
        pytest.skip(enforced["message"])

    def apply(name, script, limit):
        theirs.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
                      "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1, "containers": [
                          {"name": "c", "image": "python:3", "command": ["python3", "-c", script],
                           "resources": {"limits": {"memory": f"{limit}Mi"}}}]}})

    apply("forks", hog(anonymous=60, shared_with=4), 120)  # 300 MiB, if each process counted
    apply("file", hog(temporary=100), 120)
    wait_for("all that they hold", lambda: all(theirs.get("pod", name)["status"].get("phase") == "Running" for name in ("forks", "file")))
    apply("hungry", hog(anonymous=200), 120)
    apply("both", hog(anonymous=80, temporary=80), 120)
    for name, used in ("hungry", 200), ("both", 160):
        wait_for(f"{name} to end", lambda: theirs.get("pod", name)["status"].get("phase") == "Failed")
        ended = theirs.get("pod", name)["status"]["containerStatuses"][0]["state"]["terminated"]
        assert (ended["reason"], ended["exitCode"]) == ("OOMKilled", 137)
        said = re.search(r"exceeded its memory limit: it used (\d+)Mi of 120Mi", ended["message"])
        assert said and used <= int(said.group(1)) < used + 40, ended["message"]
    assert "OOMKilling" in theirs.muster("get", "events").stdout
    assert "limits.memory not enforced" not in theirs.muster("get", "events").stdout
    assert all(theirs.get("pod", name)["status"]["phase"] == "Running" for name in ("forks", "file"))
