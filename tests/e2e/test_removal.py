"""Removal of any amount of files that pods leave behind: the engine stays responsive and nothing remains on disk."""

import json
import os
import signal
import threading
import time

import pytest
from api_socket import SocketConnection
from harness import wait_for

FILES = 50_000
DEPTH = 1_500  # more than a process may have open descriptors

WRITE_MANY = f"""
import os
for folder in range(50):
    os.mkdir(f'/v/{{folder}}')
    for name in range({FILES // 50}):
        os.mknod(f'/v/{{folder}}/{{name}}')
os.mkdir('/v/closed', 0)
os.symlink('/etc', '/v/outside')
print('written', flush=True)
import time
time.sleep(10000)  # volumes go with the end of their pod
"""
WRITE_DEEP = f"""
import os
os.chdir('/v')
for _ in range({DEPTH}):
    os.mkdir('d')
    os.chdir('d')
"""


def pod(name, program):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"restartPolicy": "Never", "volumes": [{"name": "v", "emptyDir": {}}],
                     "containers": [{"name": "main", "image": "python:3", "command": ["python3", "-c", program],
                                     "volumeMounts": [{"name": "v", "mountPath": "/v"}]}]}}


class Asking:
    """Requests /healthz repeatedly on a thread and records the longest response time."""

    def __init__(self, engine):
        self.engine = engine
        self.longest = 0.0
        self.count = 0
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        connection = SocketConnection(self.engine.data / "api.sock", timeout=180)
        while not self.stopped.is_set():
            begin = time.monotonic()
            connection.request("GET", "/healthz")
            assert connection.getresponse().read() == b"ok"
            self.longest = max(self.longest, time.monotonic() - begin)
            self.count += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join()


def left_in(folder):
    return os.listdir(folder) if os.path.isdir(folder) else []


def wait_for_removal(engine, uid):
    # The agent sees at the same time as we do that the pod is gone, and only then moves its folders to the trash.
    wait_for("the volumes to go", lambda: not left_in(engine.data / "pods" / uid / "volumes"))
    wait_for("an empty trash", lambda: not left_in(engine.data / "trash"), timeout=180)


def test_the_engine_answers_while_a_large_pod_is_removed(engine):
    engine.apply(pod("large", WRITE_MANY))
    wait_for("its files", lambda: engine.muster("logs", "large", check=False).stdout == "written\n", timeout=180)
    uid = engine.get("pod", "large")["metadata"]["uid"]
    assert len(os.listdir(engine.data / "pods" / uid / "volumes" / "v")) == 52
    with Asking(engine) as asking:
        engine.muster("delete", "pod", "large", "--grace-period=1")
        wait_for_removal(engine, uid)
    assert asking.count > 10 and asking.longest < 0.2, f"longest answer {asking.longest:.3f} s of {asking.count}"
    assert os.path.exists("/etc/passwd")


def test_depth_is_no_obstacle(engine):
    engine.apply(pod("deep", WRITE_DEEP))
    uid = engine.wait_phase("deep", "Succeeded", kind="pod")["metadata"]["uid"]
    engine.muster("delete", "pod", "deep")
    wait_for_removal(engine, uid)


def test_a_pod_of_a_node_that_does_not_exist_can_be_deleted(engine):
    lost = pod("lost", "pass")
    lost["spec"]["nodeName"] = "nowhere"
    engine.apply(lost)
    engine.muster("delete", "pod", "lost")
    wait_for("the pod to go", lambda: engine.get("pod", "lost", check=False) is None)


@pytest.mark.parametrize("flags", [["--grace-period=1"], ["--force", "--grace-period=0"]])
def test_a_pod_whose_shim_was_stopped_can_be_deleted(engine, flags):
    engine.apply(pod("stopped", "import time; time.sleep(1000)"))
    uid = engine.wait_phase("stopped", "Running", kind="pod")["metadata"]["uid"]
    shim, = (json.loads(path.read_text().splitlines()[0])["pid"] for path in engine.data.glob(f"pods/{uid}/*/shim.json"))
    os.kill(shim, signal.SIGSTOP)
    engine.muster("delete", "pod", "stopped", *flags)
    wait_for("the pod to go", lambda: engine.get("pod", "stopped", check=False) is None)
    wait_for("its shim to end", lambda: not os.path.exists(f"/proc/{shim}"))


def test_a_pod_that_stops_itself_can_be_deleted(engine):
    engine.apply(pod("stops", "import os, signal; print('ready', flush=True); os.kill(0, signal.SIGSTOP)"))
    wait_for("its line", lambda: "ready" in engine.muster("logs", "stops", check=False).stdout)
    engine.muster("delete", "pod", "stops", "--grace-period=1")
    wait_for("the pod to go", lambda: engine.get("pod", "stops", check=False) is None)


def test_what_was_not_removed_before_a_kill_is_removed_after_the_next_start(fresh_engine):
    engine = fresh_engine.start()
    engine.kill()
    left = engine.data / "trash" / "1" / "inner"
    left.mkdir(parents=True)
    (left / "file").write_text("x")
    engine.start()
    wait_for("an empty trash", lambda: not left_in(engine.data / "trash"))
