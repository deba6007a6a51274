"""What the engine connects to for a pod that has ended, or whose network has lost its owner: never to the machine's own ports."""

import os
import signal
import socket
import threading

import pytest

from harness import Engine, wait_for
from spdy_tunnel import Tunnel
from test_network import owners_of, phase_of, pod, start

# Answers each connection to its own address, and ends when one of them says so.
UNTIL_TOLD = """
import socket
server = socket.create_server((socket.gethostbyname(socket.gethostname()), 7000))
print("listening", flush=True)
while True:
    peer, _ = server.accept()
    with peer:
        said = peer.recv(100)
        peer.sendall(b"from the pod")
    if said == b"end":
        break
"""


class Bait:
    """A server on every address of the machine, which counts who comes."""

    def __init__(self):
        self.server = socket.create_server(("0.0.0.0", 0))
        self.port = self.server.getsockname()[1]
        self.visits = 0
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                peer, _ = self.server.accept()
            except OSError:
                return
            self.visits += 1
            with peer:
                peer.sendall(b"secret of the machine")

    def close(self):
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()


@pytest.fixture
def bait():
    made = Bait()
    yield made
    made.close()


@pytest.fixture(scope="module", params=["job", "host"])
def engine(request, tmp_path_factory):
    started = Engine(tmp_path_factory.mktemp("engine"), config=f"network: {request.param}\n").start()
    started.network = request.param
    yield started
    started.stop()


@pytest.fixture
def own(tmp_path):
    started = Engine(tmp_path, config="network: job\n").start()
    yield started
    started.stop()


def remove(engine, *names):
    engine.muster("delete", "pod", *names, "--grace-period=0", "--force")


def test_a_port_forward_does_not_reach_the_machine_after_the_end_of_its_pod(engine, bait):
    start(engine, "leaving", UNTIL_TOLD)
    tunnel = Tunnel(engine, "leaving")
    assert tunnel.ask(7000, b"who", 0)[0] == b"from the pod"
    tunnel.ask(7000, b"end", 1)
    # The first streams after its end may be faster than the news of it.
    said = [tunnel.ask(bait.port, b"x", connection) for connection in range(2, 50)]
    wait_for("the end of the pod", lambda: phase_of(engine, "leaving") == "Succeeded")
    while_it_ended = bait.visits
    said.append(tunnel.ask(bait.port, b"x", 50))
    assert b"closed" in said[-1][1], "the tunnel ends with its pod"
    assert bait.visits == while_it_ended
    # In the machine's network a pod that runs reaches the machine's ports.
    if engine.network == "job":
        assert [answer for answer, _ in said] == [b""] * len(said) and bait.visits == 0
    tunnel.close()
    remove(engine, "leaving")


def test_a_port_forward_ends_with_its_pod(engine):
    start(engine, "short", "import time; print('listening', flush=True); time.sleep(10000)")
    tunnel = Tunnel(engine, "short")
    assert not tunnel.is_closed()
    remove(engine, "short")
    wait_for("the end of the tunnel", tunnel.is_closed)
    tunnel.close()


def kill_owner(engine):
    (owner,) = owners_of(engine).values()
    os.kill(owner, signal.SIGKILL)
    wait_for("the owner to end", lambda: owner not in owners_of(engine).values())


def probed(name, port):
    """A pod with a probe of that port, which nothing in the pod listens at."""
    made = pod(name, UNTIL_TOLD)
    made["spec"]["containers"][0]["readinessProbe"] = {"tcpSocket": {"port": port}, "periodSeconds": 1}
    return made


@pytest.mark.parametrize("restarts", [False, True], ids=["engine-stays", "engine-restarts"])
def test_nothing_reaches_the_machine_when_the_owner_of_the_network_was_killed(own, bait, restarts):
    own.apply(probed("orphan", bait.port))
    wait_for("the pod to listen", lambda: "listening" in own.muster("logs", "orphan", check=False).stdout)
    tunnel = Tunnel(own, "orphan")
    assert tunnel.ask(7000, b"who", 0)[0] == b"from the pod"
    kill_owner(own)
    if restarts:
        own.kill()
        own.start()
        tunnel = Tunnel(own, "orphan")
    for connection in range(1, 4):
        answer, error = tunnel.ask(bait.port, b"x", connection)
        assert answer == b"" and b"the owner of the pod's network has ended" in error, error

    def probe_fails():
        return "the owner of the pod's network has ended" in own.muster("get", "events", "-o", "json").stdout

    wait_for("a probe that says why it fails", probe_fails)
    assert bait.visits == 0
    assert own.get("pod", "orphan")["status"]["phase"] == "Running"
    assert own.get("pod", "orphan")["status"]["containerStatuses"][0]["ready"] is False
    tunnel.close()


def test_a_pod_waits_for_the_network_of_its_job_while_others_are_in_one_without_an_owner(own):
    """Also after a restart of the engine, which finds no owner."""
    own.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}})
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": own.get("configmap", "x")["metadata"]["uid"], "controller": True}

    def apply(name):
        made = pod(name, UNTIL_TOLD)
        made["metadata"]["ownerReferences"] = [owner]
        own.apply(made)

    apply("first")
    wait_for("first to listen", lambda: "listening" in own.muster("logs", "first", check=False).stdout)
    kill_owner(own)
    own.kill()
    own.start()
    apply("second")
    wait_for("the reason", lambda: "the owner of the job's network was killed" in own.muster("describe", "pod", "second").stdout)
    remove(own, "first")
    wait_for("second to listen", lambda: "listening" in own.muster("logs", "second", check=False).stdout)
