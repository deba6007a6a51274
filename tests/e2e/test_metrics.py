"""What pods use: measured, shown by `muster top` and the API, and kept after the pod and the engine have ended."""

from api_socket import Api, SocketConnection
from harness import wait_for

# Uses one core or what it can get of it, holds 64 MiB, writes to its log, and talks to itself over TCP.
BUSY = """
import socket
block = b"x" * (64 << 20)
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
peer, _ = server.accept()
while True:
    client.sendall(block[:65536])
    left = 65536
    while left:
        left -= len(peer.recv(left))
"""


def pod(name, *command, **labels):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels},
            "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0,
                     "containers": [{"name": "main", "image": "any", "command": list(command)}]}}


def history(engine, name):
    status, found = Api(engine).request("GET", f"/apis/muster.dev/v1/namespaces/default/pods/{name}/metrics")
    return found if status == 200 else None


def prometheus(engine):
    connection = SocketConnection(engine.data / "api.sock", 20)
    connection.request("GET", "/metrics")
    return connection.getresponse().read().decode()


def series(found, name):
    """The values that were measured."""
    return [v for s in found["series"] if s["name"] == name for v in s["values"] if v is not None]


def test_a_busy_pod_is_measured_and_remembered(fresh_engine):
    engine = fresh_engine.start()
    engine.apply(pod("busy", "python3", "-c", BUSY, team="x"))
    engine.apply(pod("idle", "sleep", "1000"))
    engine.wait_phase("busy", "Running", kind="pod")

    lines = wait_for("both pods in top", lambda: (rows := [line.split() for line in engine.muster("top").stdout.splitlines()])
                     and len(rows) == 3 and rows)
    assert lines[0] == ["NAME", "CPU(cores)", "MEMORY(bytes)"]
    used = {name: (int(cpu.removesuffix("m")), int(memory.removesuffix("Mi"))) for name, cpu, memory in lines[1:]}
    assert used["busy"][0] > used["idle"][0] and used["busy"][1] >= 64 > used["idle"][1]
    assert [line.split()[0] for line in engine.muster("top", "--sort-by=cpu", "--no-headers").stdout.splitlines()] == ["busy", "idle"]
    assert engine.muster("top", "-l", "team=x", "--no-headers").stdout.startswith("busy ")
    node = engine.muster("top", "nodes", "--no-headers").stdout.split()
    assert len(node) == 5 and node[2].endswith("%")

    found = wait_for("traffic", lambda: (h := history(engine, "busy")) and max(series(h, "network-transmit"), default=0) > 0 and h)
    assert found["stepSeconds"] == 2 and max(series(found, "network-receive")) > 0
    assert max(series(found, "memory")) >= 64 << 20 and max(series(found, "cpu")) > 0
    assert 'container_cpu_usage_seconds_total{namespace="default",pod="busy",container="main"}' in prometheus(engine)

    # After a restart of the engine, and after the pod's end and deletion.
    assert engine.kill(15) == 0
    engine.start()
    kept = history(engine, "busy")
    assert kept["times"][: len(found["times"])] == found["times"]
    wait_for("new values", lambda: len(history(engine, "busy")["times"]) > len(kept["times"]))
    engine.muster("delete", "pod", "busy")
    gone = history(engine, "busy")
    assert gone["metadata"]["uid"] == found["metadata"]["uid"] and len(gone["times"]) >= len(kept["times"])
    assert history(engine, "never") is None
    assert "metrics " in engine.muster("doctor", check=False).stdout
