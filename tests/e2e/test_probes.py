"""Probes and hooks as a kubelet runs them, with real programs: each kind decides, and none lets a program harm the engine."""

import json
import time

import pytest
from harness import wait_for

# Listens on port 9000 from its second second on, and answers as the file /v/answer says.
SERVER = """
import http.server, os, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(int(open("/v/answer").read()) if self.headers["X-Probe"] == "yes" else 400)
        self.end_headers()
    def log_message(self, *words): pass
http.server.ThreadingHTTPServer(("0.0.0.0", 9000), Handler).serve_forever()
"""

# A gRPC health service, of which a file says whether it serves: HTTP/2 frames by hand, with literal headers.
HEALTH = """
import socket, struct, threading
def frame(kind, flags, stream, body): return struct.pack(">I", len(body))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + body
def header(name, value): return bytes((0, len(name))) + name + bytes((len(value),)) + value
def exactly(sock, size):
    data = b""
    while len(data) < size:
        more = sock.recv(size - len(data))
        if not more: raise EOFError
        data += more
    return data
def serve(sock):
    try:
        exactly(sock, 24)
        sock.sendall(frame(4, 0, 0, b""))
        while True:
            head = exactly(sock, 9)
            size, kind, flags, stream = int.from_bytes(head[:3], "big"), head[3], head[4], int.from_bytes(head[5:], "big")
            exactly(sock, size)
            if kind == 4 and not flags & 1: sock.sendall(frame(4, 1, 0, b""))
            if kind == 6 and not flags & 1: sock.sendall(frame(6, 1, 0, bytes(8)))
            if kind in (0, 1) and flags & 1:
                status = 1 if open("/v/answer").read() == "200" else 2
                sock.sendall(frame(1, 4, stream, b"\\x88" + header(b"content-type", b"application/grpc")) +
                             frame(0, 0, stream, bytes((0, 0, 0, 0, 2, 8, status))) +
                             frame(1, 5, stream, header(b"grpc-status", b"0")))
    except (EOFError, OSError):
        sock.close()
server = socket.create_server(("0.0.0.0", 9000))
while True: threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
"""

OFTEN = {"periodSeconds": 1, "failureThreshold": 2, "timeoutSeconds": 2}


def pod(name, script, restart="Always", **container):
    command = ["python3", "-c", script] if "import " in script else ["sh", "-c", script]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"restartPolicy": restart, "terminationGracePeriodSeconds": 2,
                     "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": name}}],
                     "containers": [{"name": "main", "image": "python:3", "command": command,
                                     "volumeMounts": [{"name": "v", "mountPath": "/v"}], **container}]}}


def run(engine, name, script, **more):
    """Starts such a pod, and returns the folder that it has as /v."""
    folder = engine.volume(name)
    (folder / "answer").write_text("200")
    engine.apply(pod(name, script, **more))
    return folder


def main_of(engine, name):
    return (engine.get("pod", name)["status"].get("containerStatuses") or [{}])[0]


def is_ready(engine, name):
    return main_of(engine, name).get("ready", False)


def said(engine, name, words):
    return any(words in event["message"] for event in json.loads(engine.muster("get", "events", "-o", "json").stdout)["items"]
               if event["involvedObject"]["name"] == name)


HTTP = {"httpGet": {"port": "web", "path": "/health", "httpHeaders": [{"name": "X-Probe", "value": "yes"}]}}
PORTS = [{"name": "web", "containerPort": 9000}]


@pytest.mark.parametrize("name, script, check", [
    ("http", SERVER, HTTP),
    ("grpc", HEALTH, {"grpc": {"port": 9000}}),
    ("exec", "exec sleep 1000", {"exec": {"command": ["grep", "-q", "200", "/v/answer"]}}),
])
def test_a_readiness_probe_decides_whether_a_pod_is_ready_and_restarts_nothing(engine, name, script, check):
    folder = run(engine, f"ready-{name}", script, ports=PORTS, readinessProbe={**check, **OFTEN})
    wait_for("the pod to be ready", lambda: is_ready(engine, f"ready-{name}"))
    (folder / "answer").write_text("503")
    wait_for("the pod to be unready", lambda: not is_ready(engine, f"ready-{name}"))
    (folder / "answer").write_text("200")
    wait_for("the pod to be ready again", lambda: is_ready(engine, f"ready-{name}"))
    assert main_of(engine, f"ready-{name}")["restartCount"] == 0
    engine.muster("delete", "pod", f"ready-{name}")


@pytest.mark.parametrize("name, script, check", [
    ("http", SERVER, HTTP),
    ("grpc", HEALTH, {"grpc": {"port": 9000}}),
    ("exec", "exec sleep 1000", {"exec": {"command": ["grep", "-q", "200", "/v/answer"]}}),
])
def test_a_liveness_probe_restarts_the_container(engine, name, script, check):
    folder = run(engine, f"alive-{name}", script, ports=PORTS, startupProbe={**check, **OFTEN, "failureThreshold": 60},
                 livenessProbe={**check, **OFTEN})
    wait_for("the pod to be started", lambda: main_of(engine, f"alive-{name}").get("started"))
    (folder / "answer").write_text("503")
    wait_for("a restart", lambda: main_of(engine, f"alive-{name}")["restartCount"] > 0)
    (folder / "answer").write_text("200")
    wait_for("the pod to be ready again", lambda: is_ready(engine, f"alive-{name}"))
    assert said(engine, f"alive-{name}", "Container main failed liveness probe, will be restarted")
    engine.muster("delete", "pod", f"alive-{name}")


def test_a_tcp_probe_needs_a_port_that_accepts(engine):
    listen = ("import os, socket, time\nwhile not os.path.exists('/v/go'): time.sleep(0.05)\n"
              "s = socket.create_server(('0.0.0.0', 9000))\nwhile True: s.accept()")
    folder = run(engine, "tcp", listen, ports=PORTS, readinessProbe={"tcpSocket": {"port": 9000}, **OFTEN})
    wait_for("the probe to fail", lambda: said(engine, "tcp", "Readiness probe failed"))
    assert not is_ready(engine, "tcp")
    (folder / "go").write_text("")
    wait_for("the pod to be ready", lambda: is_ready(engine, "tcp"))
    engine.muster("delete", "pod", "tcp")


def test_a_startup_probe_that_never_succeeds_ends_the_container_and_holds_the_others_back(engine):
    folder = run(engine, "startup", "exec sleep 1000", restart="Never",
                 startupProbe={"exec": {"command": ["false"]}, **OFTEN},
                 livenessProbe={"exec": {"command": ["touch", "/v/alive"]}, **OFTEN})
    wait_for("the pod to fail", lambda: engine.get("pod", "startup")["status"]["phase"] == "Failed")
    assert said(engine, "startup", "Container main failed startup probe")
    assert not (folder / "alive").exists()


def test_hooks_run_after_the_start_and_before_the_end_within_the_grace_period(engine):
    folder = run(engine, "hooks", "trap 'echo term >> /v/order; exit 0' TERM; while :; do sleep 0.1; done", lifecycle={
        "postStart": {"exec": {"command": ["sh", "-c", "echo start >> /v/order"]}},
        "preStop": {"exec": {"command": ["sh", "-c", "echo stop >> /v/order"]}}})
    wait_for("the pod to be ready", lambda: is_ready(engine, "hooks"))
    engine.muster("delete", "pod", "hooks")
    assert (folder / "order").read_text() == "start\nstop\nterm\n"


def test_a_post_start_hook_that_fails_ends_the_container(engine):
    run(engine, "bad-hook", "exec sleep 1000", restart="Never", lifecycle={"postStart": {"exec": {"command": ["false"]}}})
    wait_for("the pod to fail", lambda: engine.get("pod", "bad-hook")["status"]["phase"] == "Failed")
    assert said(engine, "bad-hook", "PostStartHook failed")


def test_a_pre_stop_hook_that_hangs_ends_with_the_grace_period(engine):
    run(engine, "hanging-hook", "exec sleep 1000", lifecycle={"preStop": {"exec": {"command": ["sleep", "1000"]}}})
    wait_for("the pod to be ready", lambda: is_ready(engine, "hanging-hook"))
    begun = time.monotonic()
    engine.muster("delete", "pod", "hanging-hook")
    assert time.monotonic() - begun < 20


# Answers a probe with 1 GB; accepts and never answers; writes headers without an end.
HUGE = """
import socket, threading
def answer(s):
    try:
        s.recv(4096)
        s.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 1073741824\\r\\n\\r\\n")
        for _ in range(1024): s.sendall(bytes(1 << 20))
    except OSError: pass
    s.close()
server = socket.create_server(("0.0.0.0", 9000))
while True: threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()
"""
SILENT = "import socket\nserver = socket.create_server(('0.0.0.0', 9000))\nkept = []\nwhile True: kept.append(server.accept())"
ENDLESS = HUGE.replace("Content-Length: 1073741824\\r\\n\\r\\n", "X: ")


def memory_of(engine):
    status = open(f"/proc/{engine.process.pid}/status").read()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


@pytest.mark.parametrize("name, script, probe, words", [
    ("huge", HUGE, {"httpGet": {"port": 9000}}, None),
    ("endless", ENDLESS, {"httpGet": {"port": 9000}}, "Readiness probe failed"),
    ("silent-http", SILENT, {"httpGet": {"port": 9000}}, "Readiness probe failed"),
    ("silent-grpc", SILENT, {"grpc": {"port": 9000}}, "Readiness probe failed"),
    ("closed", "exec sleep 1000", {"httpGet": {"port": 9001}}, "Readiness probe failed"),
    ("closed-tcp", "exec sleep 1000", {"tcpSocket": {"port": 9001}}, "Readiness probe failed"),
    ("unnamed", "exec sleep 1000", {"tcpSocket": {"port": "nothing"}}, "Readiness probe"),
    ("hanging", "exec sleep 1000", {"exec": {"command": ["sleep", "1000"]}}, "Readiness probe"),
    ("missing", "exec sleep 1000", {"exec": {"command": ["/no/such/program"]}}, "Readiness probe"),
    ("loud", "exec sleep 1000", {"exec": {"command": ["sh", "-c", "yes | head -c 300000000; exit 1"]}}, "Readiness probe failed"),
    ("forking", "exec sleep 1000", {"exec": {"command": ["sh", "-c", "sleep 1000 & sleep 1000 & exit 1"]}}, "Readiness probe"),
])
def test_a_program_that_treats_its_probe_badly_harms_only_itself(engine, name, script, probe, words):
    before = memory_of(engine)
    run(engine, f"bad-{name}", script, ports=PORTS, readinessProbe={**probe, **OFTEN})
    if words is None:
        wait_for("the status line to count", lambda: is_ready(engine, f"bad-{name}"))
    else:
        wait_for("the probe to fail", lambda: said(engine, f"bad-{name}", words))
        assert not is_ready(engine, f"bad-{name}")
    assert main_of(engine, f"bad-{name}")["restartCount"] == 0
    assert memory_of(engine) - before < 64 << 10, "KiB"
    begun = time.monotonic()
    assert engine.muster("get", "pods").returncode == 0
    assert time.monotonic() - begun < 5
    engine.muster("delete", "pod", f"bad-{name}")


def test_what_an_exec_probe_starts_ends_with_its_timeout(engine):
    folder = run(engine, "leaving", "exec sleep 1000", readinessProbe={
        "exec": {"command": ["sh", "-c", "echo >> /v/tries; sleep 1000 & sleep 1000"]}, "periodSeconds": 1, "timeoutSeconds": 1})
    wait_for("six probes", lambda: (folder / "tries").exists() and len((folder / "tries").read_text()) >= 6)
    asleep = engine.muster("exec", "leaving", "--", "sh", "-c", "grep -l '^sleep' /proc/[0-9]*/cmdline | wc -l").stdout
    assert int(asleep) <= 5, "the container's own, and those of the probe that runs"
    engine.muster("delete", "pod", "leaving")
