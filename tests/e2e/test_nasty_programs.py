"""The tree test: whatever a program does, it harms no other pod, and nothing of it is left once its pod is deleted."""

import contextlib
import glob
import json
import os
import pathlib
import socket

import pytest
from harness import Engine, free_port, wait_for

PROCESSES = 60
LISTEN = "import http.server, sys; print('up', flush=True); http.server.test(port=int(sys.argv[1]), bind='127.0.0.1')"
FORK_BOMB = """
import os, time
print('up', flush=True)
while True:
    try:
        os.fork()
    except OSError as error:
        if not os.path.exists('/tmp/told'):
            open('/tmp/told', 'w').close()
            print(error, flush=True)
        time.sleep(0.2)
"""
PTRACE = """
import ctypes, os, signal
libc = ctypes.CDLL(None)
child = os.fork()
if child == 0:
    libc.ptrace(0, 0, 0, 0)  # PTRACE_TRACEME
    os.kill(os.getpid(), signal.SIGSTOP)
    os._exit(0)
os.waitpid(child, 0)
print('up', flush=True)
signal.pause()
"""
MEMORY_HOG = "print('up', flush=True)\nx = []\nwhile True: x.append(bytearray(1 << 20))"


def shell(script):
    return ["sh", "-c", script]


def python(script, *args):
    return ["python3", "-c", script, *map(str, args)]


PROGRAMS = {
    "ignores-term": shell("trap '' TERM; echo up; while :; do sleep 1; done"),
    "double-fork": shell("(setsid sh -c 'trap \"\" TERM HUP; sleep 1000 & sleep 1000' &) ; echo up; sleep 1000"),
    "leaves-orphans": shell("(nohup setsid sleep 1000 >/dev/null 2>&1 &) ; echo up"),
    "stops-itself": shell("echo up; kill -STOP $$"),
    "ptraces": python(PTRACE),
    "fork-bomb": python(FORK_BOMB),
    "log-flood": shell("echo up; yes 0123456789012345678901234567890123456789"),
    "listens": python(LISTEN, "PORT"),
    "fills-memory": python(MEMORY_HOG),
    "mounts-volumes": shell("echo x > /mem/x; echo x > /disk/x; echo x > /tmp/x; echo x > /dev/shm/x; echo up; sleep 1000"),
}


def pod(name, command, port, limits):
    container = {"name": "main", "image": "python:3", "command": [str(port) if word == "PORT" else word for word in command],
                 "env": [{"name": "MARKER", "value": f"marker-{name}-{port}"}],
                 "volumeMounts": [{"name": "mem", "mountPath": "/mem"}, {"name": "disk", "mountPath": "/disk"}]}
    if limits:
        container["resources"] = {"limits": {"memory": "100Mi", "cpu": "500m"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            # A port of the machine would be seen if it stayed.
            "spec": {"restartPolicy": "Never", "hostNetwork": name == "listens", "containers": [container],
                     "volumes": [{"name": "mem", "emptyDir": {"medium": "Memory"}}, {"name": "disk", "emptyDir": {}}]}}


@pytest.fixture(scope="module")
def nasty(tmp_path_factory):
    engine = Engine(tmp_path_factory.mktemp("engine"), config=f"processesPerContainer: {PROCESSES}\n").start()
    engine.apply(pod("witness", shell("echo up; sleep 10000"), 0, limits=False))
    wait_for("the witness", lambda: pid_of_container(engine, "witness"))
    yield engine
    engine.stop()


def limits_are_enforced(engine):
    node = json.loads(engine.muster("get", "nodes", "-o", "json").stdout)["items"][0]
    return next(c for c in node["status"]["conditions"] if c["type"] == "LimitsEnforced")


def state_of(engine, name):
    uid = engine.get("pod", name)["metadata"]["uid"]
    path = engine.data / "pods" / uid / "0" / "state.json"
    return json.loads(path.read_text().splitlines()[0]) if path.exists() else None


def pid_of_container(engine, name):
    state = state_of(engine, name)
    return state["containers"][0]["pid"] if state else None


@contextlib.contextmanager
def held_namespaces(*pids):
    """Yields the PID namespaces of these processes, and keeps them, so that no other pod gets their numbers meanwhile."""
    files = []
    for pid in pids:
        with contextlib.suppress(OSError):  # it has ended
            files.append(os.open(f"/proc/{pid}/ns/pid", os.O_RDONLY))
    try:
        yield {f"pid:[{os.fstat(file).st_ino}]" for file in files} - {os.readlink("/proc/self/ns/pid")}
    finally:
        for file in files:
            os.close(file)


def processes_with(marker, namespaces):
    """All processes that carry the marker or are in one of the namespaces."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if marker.encode() in (folder / "environ").read_bytes() or os.readlink(folder / "ns" / "pid") in namespaces:
                found.append((folder.name, (folder / "cmdline").read_bytes()))
        except OSError:
            pass  # it has ended, or is another user's
    return found


def mounts_with(text):
    found = []
    for path in glob.glob("/proc/[0-9]*/mountinfo"):
        try:
            found += [row for row in pathlib.Path(path).read_text().splitlines() if text in row]
        except OSError:
            pass
    return found


def groups_with(text):
    return [folder for folder, _, _ in os.walk("/sys/fs/cgroup") if text in folder]


def is_listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def use_and_delete(nasty, name, port):
    if name == "fills-memory":
        ended = nasty.wait_phase(name, "Failed", kind="pod")["status"]["containerStatuses"][0]["state"]["terminated"]
        assert (ended["reason"], ended["exitCode"]) == ("OOMKilled", 137)
    if name == "fork-bomb":
        wait_for("the limit", lambda: "temporarily unavailable" in nasty.muster("logs", name, check=False).stdout)
        assert len(processes_with(f"marker-{name}-{port}", set())) <= PROCESSES + 1
        nasty.muster("exec", "witness", "--", "sh", "-c", "true; true")
    if name == "listens":
        wait_for("the port", lambda: is_listening(port))

    nasty.muster("delete", "pod", name, "--grace-period=1")


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_left_of_a_deleted_pod(nasty, name):
    enforced = limits_are_enforced(nasty)
    with_limits = enforced["status"] == "True"
    if name == "fills-memory" and not with_limits:
        pytest.skip(enforced["message"])
    witness = pid_of_container(nasty, "witness")
    port = free_port()
    nasty.apply(pod(name, PROGRAMS[name], port, limits=with_limits))
    uid = nasty.get("pod", name)["metadata"]["uid"]
    logs = nasty.data / "pods" / uid / "logs" / "main"
    wait_for("its output", lambda: any(segment.stat().st_size for segment in logs.glob("*.log")))
    state = state_of(nasty, name)
    with held_namespaces(state["init_pid"], state["containers"][0]["pid"]) as namespaces:
        use_and_delete(nasty, name, port)
        assert processes_with(f"marker-{name}-{port}", namespaces) == []
    assert mounts_with(uid) == []
    assert groups_with(uid) == []
    assert not is_listening(port)
    wait_for("an empty trash", lambda: not os.listdir(nasty.data / "trash"))
    folder = nasty.data / "pods" / uid
    left = {str(path.relative_to(folder)) for path in folder.rglob("*") if "logs" not in path.parts}
    assert left <= {"0", "0/lock", "0/shim.json", "0/state.json", "0/exit.json", "0/grace"}, "only the records of its end"

    assert pid_of_container(nasty, "witness") == witness and os.path.exists(f"/proc/{witness}")
    assert nasty.get("pod", "witness")["status"]["phase"] == "Running"


def test_lack_of_memory_is_recorded_while_the_engine_is_away(nasty):
    enforced = limits_are_enforced(nasty)
    if enforced["status"] != "True":
        pytest.skip(enforced["message"])
    script = "mkfifo /disk/go; echo up; read line < /disk/go; exec python3 -c \"$0\""
    nasty.apply(pod("late-hog", ["sh", "-c", script, MEMORY_HOG], 0, limits=True))
    wait_for("its first line", lambda: "up" in nasty.muster("logs", "late-hog", check=False).stdout)
    uid = nasty.get("pod", "late-hog")["metadata"]["uid"]
    nasty.kill()
    (nasty.data / "pods" / uid / "volumes" / "disk" / "go").write_text("go\n")
    wait_for("its end", lambda: (nasty.data / "pods" / uid / "0" / "exit.json").exists())
    assert groups_with(uid), "nobody has removed it yet"
    nasty.start()
    ended = nasty.wait_phase("late-hog", "Failed", kind="pod")["status"]["containerStatuses"][0]["state"]["terminated"]
    assert (ended["reason"], ended["exitCode"]) == ("OOMKilled", 137)
    assert groups_with(uid) == []


def test_limits_beyond_the_machine_are_admitted(nasty):
    manifest = pod("large", shell("echo up"), 0, limits=False)
    manifest["spec"]["containers"][0]["resources"] = {"limits": {"memory": "900Ti", "cpu": "9000"}}
    nasty.apply(manifest)
    nasty.wait_phase("large", "Succeeded", kind="pod")
    events = nasty.muster("describe", "pod", "large").stdout
    assert "started anyway, its pods share them" in events
    nasty.muster("delete", "pod", "large")
