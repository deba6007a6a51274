"""port-forward to running pods. kubectl uses WebSocket from 1.31 on, and 1.30 if it is told to; older versions are told so."""

import concurrent.futures
import hashlib
import re
import select
import socket
import subprocess

import pytest

# Answers on one port at the loopback of the pod, on another at its own address. The first sends what it is asked for:
# so many bytes, or, at the end of what the client sends, their digest.
SERVER = r"""
import hashlib, os, socket, threading
def answer(c):
    with c:
        f = c.makefile("rb")
        line = f.readline().split()
        if line[0] == b"send":
            for _ in range(int(line[1]) // 65536): c.sendall(b"x" * 65536)
        if line[0] == b"digest":
            total = hashlib.sha256()
            while part := f.read(65536): total.update(part)
            c.sendall(total.hexdigest().encode())
        if line[0] == b"who": c.sendall(os.environ["HOSTNAME"].encode() + b" " + line[1])
        if line[0] == b"reset":
            c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
def serve(address, port):
    s = socket.create_server((address, port), backlog=1000)
    while True: threading.Thread(target=answer, args=(s.accept()[0],)).start()
threading.Thread(target=serve, args=("127.0.0.1", 7000)).start()
threading.Thread(target=serve, args=(socket.gethostbyname(socket.gethostname()), 7001)).start()
open("/tmp/ready", "w").close()
"""


def server(name, labels=None):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels or {}},
            "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0,
                     "containers": [{"name": "a", "image": "any", "command": ["python3", "-c", SERVER],
                                     "ports": [{"name": "loop", "containerPort": 7000}],
                                     "readinessProbe": {"exec": {"command": ["test", "-e", "/tmp/ready"]},
                                                        "periodSeconds": 1}}]}}


class Forwarding:
    """A running `kubectl port-forward`."""

    def __init__(self, place, *words):
        environment = {**place.engine.environment(), "KUBECTL_PORT_FORWARD_WEBSOCKETS": "true"}
        self.process = subprocess.Popen([place.path, *place.words, "port-forward", "--address", "127.0.0.1", *words],
                                        env=environment, bufsize=0, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.ports = {}
        for _ in [word for word in words if ":" in word]:
            line = self.line()
            local, remote = re.fullmatch(r"Forwarding from 127.0.0.1:(\d+) -> (\d+)\n", line).groups()
            self.ports[int(remote)] = int(local)

    def line(self):
        assert select.select([self.process.stdout], [], [], 30)[0], "port-forward says nothing"
        line = self.process.stdout.readline().decode()
        assert line, self.process.stderr.read()
        return line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def ask(self, remote, question, more=b"", half_close=True):
        with socket.create_connection(("127.0.0.1", self.ports[remote]), timeout=60) as connection:
            connection.sendall(question + b"\n" + more)
            if half_close:
                connection.shutdown(socket.SHUT_WR)
            answer = b""
            while part := connection.recv(1 << 16):
                answer += part
            return answer


@pytest.fixture
def pod(place):
    place.make(server("p", {"app": "x"}))
    place("wait", "--for=condition=Ready", "pod/p", "--timeout=60s")
    return place


def test_a_kubectl_without_websocket_is_told_so(place):
    if place.minor >= 30:
        return
    place.make(server("p"))
    place("wait", "--for=condition=Ready", "pod/p", "--timeout=60s")
    assert "use kubectl 1.31 or newer" in place.fails("port-forward", "p", "0:7000")


def test_connections_of_all_kinds(pod):
    if pod.minor < 30:
        return
    with Forwarding(pod, "pod/p", "0:7000", "0:7001") as forwarding:
        assert forwarding.ask(7000, b"who am-i") == b"p am-i"
        assert forwarding.ask(7001, b"who am-i") == b"p am-i"
        # The program learns that the client has finished, and then answers.
        sent = bytes(range(256)) * 40_000
        assert forwarding.ask(7000, b"digest", sent).decode() == hashlib.sha256(sent).hexdigest()
        assert len(forwarding.ask(7000, b"send 52428800", half_close=False)) == 52428800
        # A connection that breaks in the pod ends here also, and kubectl keeps running.
        assert forwarding.ask(7000, b"reset") == b""
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            answers = pool.map(lambda i: forwarding.ask(7000 + i % 2, b"who %d" % i), range(300))
            assert list(answers) == [b"p %d" % i for i in range(300)]
        assert forwarding.process.poll() is None


def test_a_client_that_never_reads_harms_no_other(pod):
    if pod.minor < 30:
        return
    with Forwarding(pod, "pod/p", "0:7000") as one, Forwarding(pod, "pod/p", "0:7000") as other:
        with socket.create_connection(("127.0.0.1", one.ports[7000])) as stuck:
            stuck.sendall(b"send 1000000000\n")
            assert stuck.recv(1) == b"x"
            assert other.ask(7000, b"who am-i") == b"p am-i"
            assert other.ask(7000, b"send 6553600", half_close=False) == b"x" * 6553600
        # The connection was closed, so the program's is, and the next ones have room. Before 1.32, kubectl does not say
        # that it has closed a connection, and waits for itself.
        if pod.minor >= 32:
            assert one.ask(7000, b"who am-i") == b"p am-i"


def test_a_closed_port_is_kubectls_usual_error(pod):
    if pod.minor < 30:
        return
    with Forwarding(pod, "p", "0:7999") as forwarding:
        try:
            assert forwarding.ask(7999, b"who am-i") == b""
        except ConnectionResetError:
            pass
        # It stops at such an error, as with any cluster.
        forwarding.process.wait(timeout=30)
        said = forwarding.process.stderr.read().decode()
        assert re.search(r"an error occurred forwarding \d+ -> 7999: error forwarding port 7999 to pod p, uid \S+: "
                         r"failed to connect to localhost:7999 inside the network of the pod: dial tcp 127.0.0.1:7999: "
                         r"connect: connection refused", said), said


def test_kubectl_finds_the_pods_of_services_and_deployments(place):
    if place.minor < 30:
        return
    template = server("unused", {"app": "web"})
    del template["apiVersion"], template["kind"], template["metadata"]["name"]
    template["spec"]["restartPolicy"] = "Always"
    place.make({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
                "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template}},
               {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
                "spec": {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "loop"}]}})
    place("rollout", "status", "deployment/web", "--timeout=60s")
    for target, port in (("deployment/web", 7000), ("svc/web", 80)):
        with Forwarding(place, target, f"0:{port}") as forwarding:
            assert forwarding.ask(7000, b"who am-i").startswith(b"web-")


def test_pods_that_do_not_run_are_refused(place):
    waits = server("waits")
    waits["spec"]["initContainers"] = [{"name": "first", "image": "any", "command": ["sleep", "1000"]}]
    place.make(waits)
    assert "pod is not running" in place.fails("port-forward", "waits", "0:7000")
    assert 'pods "none" not found' in place.fails("port-forward", "none", "0:7000")


def test_discovery_lists_it(kubectl):
    listed = kubectl.out("get", "--raw", "/api/v1")
    assert '"pods/portforward"' in listed
