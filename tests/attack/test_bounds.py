"""What one account can make the engine hold and do: the owner is answered, and the engine's memory stays bounded."""

import contextlib
import http.client
import json
import pathlib
import socket
import ssl
import threading
import time

import pytest

from harness import Engine, wait_for

MIB = 1 << 20
MEGABYTE = 1_000_000


@pytest.fixture
def engine(tmp_path):
    started = Engine(tmp_path, config=CONFIG).start()
    yield started
    started.stop()


CONFIG = "network: host\n"


class Account:
    """A program with a token that talks to the engine over HTTPS."""

    def __init__(self, engine, token):
        self.engine = engine
        self.token = token
        self.trust = ssl.create_default_context(cafile=str(engine.data / "pki" / "ca.crt"))

    def connect(self):
        return http.client.HTTPSConnection("127.0.0.1", self.engine.port, context=self.trust, timeout=120)

    def ask(self, method, path, body=None, content="application/json", through=None):
        connection = through or self.connect()
        text = json.dumps(body) if isinstance(body, (dict, list)) else body
        connection.request(method, path, text, {"Authorization": f"Bearer {self.token}", "Content-Type": content})
        reply = connection.getresponse()
        read = reply.read()
        if through is None:
            connection.close()
        return reply.status, read

    def stream(self, path, buffer=4096):
        """A connection on which a GET was sent and nothing is read."""
        plain = socket.socket()
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        plain.connect(("127.0.0.1", self.engine.port))
        secure = self.trust.wrap_socket(plain, server_hostname="127.0.0.1")
        secure.settimeout(120)
        secure.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.token}\r\n\r\n".encode())
        return secure


def owner_of(engine):
    return Account(engine, (engine.data / "token").read_text().strip())


def account_of(engine, namespace):
    owner = owner_of(engine)
    engine.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    accounts = f"/api/v1/namespaces/{namespace}/serviceaccounts"
    wait_for("its account", lambda: owner.ask("GET", f"{accounts}/default")[0] == 200)
    status, text = owner.ask("POST", f"{accounts}/default/token", {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    assert status == 201, text
    return Account(engine, json.loads(text)["status"]["token"])


def resident(engine):
    """MiB of the engine's memory."""
    status = pathlib.Path(f"/proc/{engine.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


class Patience:
    """Asks as the owner all the time, and remembers how long the answers and what memory the engine took."""

    def __init__(self, engine):
        self.engine = engine
        self.waits = []
        self.most = 0

    def __enter__(self):
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        return self

    def run(self):
        owner = owner_of(self.engine)
        connection = owner.connect()
        jobs = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs"
        while not self.done.is_set():
            for path in ("/readyz", jobs):
                began = time.monotonic()
                status, _ = owner.ask("GET", path, through=connection)
                assert status == 200
                self.waits.append(time.monotonic() - began)
            self.most = max(self.most, resident(self.engine))
            time.sleep(0.02)

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()

    def check(self):
        assert self.engine.process.poll() is None, self.engine.log()
        waits = sorted(self.waits)
        told = f"{len(waits)} answers, p99 {waits[len(waits) * 99 // 100]:.3f} s, longest {waits[-1]:.3f} s, {self.most:.0f} MiB"
        print(told)
        assert waits[len(waits) * 99 // 100] < 1, told


def fill(account, namespace, count, size):
    connection = account.connect()
    for i in range(count):
        body = {"metadata": {"name": f"c{i:05}"}, "data": {"text": "x" * size}}
        status, text = account.ask("POST", f"/api/v1/namespaces/{namespace}/configmaps", body, through=connection)
        assert status == 201, text


def receive_until(stream, text):
    read = b""
    while text not in read:
        part = stream.recv(65536)
        assert part, read[-1000:]
        read += part
    return read


@pytest.mark.parametrize("count, size", [(40, MEGABYTE), (2000, 3000)], ids=["large", "small"])
def test_watches_that_are_never_read_stay_small(engine, count, size):
    account = account_of(engine, "crowd")
    fill(account, "crowd", count, size)
    before = resident(engine)
    with contextlib.ExitStack() as open_streams, Patience(engine) as patience:
        for i in range(100):
            # Another selection for each, so that they share nothing.
            open_streams.enter_context(account.stream(f"/api/v1/namespaces/crowd/configmaps?watch=true&labelSelector=a!={i}"))
        time.sleep(5)
        # The owner's own watch is not held up by those.
        began = time.monotonic()
        with owner_of(engine).stream("/api/v1/namespaces?watch=true", buffer=MEGABYTE) as watch:
            assert b"200 OK" in watch.recv(1000)
            assert b"crowd" in receive_until(watch, b"crowd")
        assert time.monotonic() - began < 5
    assert patience.most < before + 300, f"{before:.0f} MiB before, {patience.most:.0f} MiB at most"
    patience.check()


def test_a_slow_reader_gets_everything(engine):
    """Next to watches of the same account that never read."""
    account = account_of(engine, "crowd")
    fill(account, "crowd", 40, MEGABYTE)
    with contextlib.ExitStack() as open_streams:
        for i in range(30):
            open_streams.enter_context(account.stream(f"/api/v1/namespaces/crowd/configmaps?watch=true&labelSelector=a!={i}"))
        slow = open_streams.enter_context(account.stream("/api/v1/namespaces/crowd/configmaps?watch=true", buffer=256 * 1024))
        told = 0
        rest = b""
        while told < 40:
            part = slow.recv(1 << 20)
            assert part, "the watch ended"
            told += (rest[-20:] + part).count(b'"type":"ADDED"') - rest[-20:].count(b'"type":"ADDED"')
            rest = part
            time.sleep(0.001)
        assert account.ask("POST", "/api/v1/namespaces/crowd/configmaps", {"metadata": {"name": "the-last"}})[0] == 201
        receive_until(slow, b"the-last")


NAMED = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"
MOST = 3 * MIB - 1000  # the largest body

KEYS = range(18_000)  # no object may have more than 19,000 members
FILLER = "x" * 140


def yaml_keys():
    return NAMED + "data:\n" + "".join(f"  k{i}: {FILLER}\n" for i in KEYS)


def json_keys(value, start='{"metadata":{"name":"x"},"data":{', end="}}"):
    return start + ",".join(f'"k{i}":{value}' for i in KEYS) + end


LARGE_BODIES = {
    "many nodes of YAML": ("POST", "application/yaml", lambda: NAMED + "data: [" + "[]," * (MOST // 3 - 100) + "]"),
    "repeated keys of YAML": ("POST", "application/yaml", lambda: NAMED + "data:\n" + "  a: b\n" * (MOST // 7 - 100)),
    "long paths of YAML": ("POST", "application/yaml", lambda: NAMED + "a" * 1000 + ": [" + "1," * (MOST // 2 - 1000) + "]"),
    "many keys of YAML": ("POST", "application/yaml", yaml_keys),
    "many nodes of JSON": ("POST", "application/json", lambda: '{"metadata":{"name":"x"},"data":[' + "[]," * (MOST // 3 - 100) + "[]]}"),
    "unknown fields": ("POST", "application/json", lambda: json_keys(1, '{"metadata":{"name":"x"},', "}")),
    "wrong values": ("POST", "application/json", lambda: json_keys(1).replace('"k', '"?')),
    "many keys": ("POST", "application/json", lambda: json_keys(f'"{FILLER}"')),
    "an applied object": ("PATCH", "application/apply-patch+yaml", yaml_keys),
    "a JSON patch": ("PATCH", "application/json-patch+json",
                     lambda: "[" + ",".join(f'{{"op":"add","path":"/data/k{i}","value":"b"}}' for i in range(9999)) + "]"),
    "a merge patch": ("PATCH", "application/merge-patch+json", lambda: json_keys(f'"{FILLER}"', '{"data":{')),
    "a strategic merge": ("PATCH", "application/strategic-merge-patch+json",
                          lambda: '{"metadata":{"ownerReferences":[' + ",".join(f'{{"uid":"{i:0280}"}}' for i in range(9999)) + "]}}"),
}


@pytest.mark.parametrize("what", LARGE_BODIES)
def test_large_bodies_hold_up_their_sender_alone(engine, what):
    account = account_of(engine, "crowd")
    maps = "/api/v1/namespaces/crowd/configmaps"
    method, content, text = LARGE_BODIES[what]
    body = text()
    path = {"POST": maps, "PATCH": f"{maps}/x?fieldManager=flood" + ("&force=true" if "apply" in content else "")}[method]
    assert len(body) <= 3 * MIB
    assert account.ask("POST", maps, {"metadata": {"name": "x"}, "data": {f"k{i}": "a" for i in range(15000)}})[0] == 201
    before = resident(engine)
    answered = []

    def flood():
        end = time.monotonic() + 2
        connection = account.connect()
        while time.monotonic() < end:
            status, text = account.ask(method, path, body, content, through=connection)
            answered.append((status, text[:200]))

    senders = [threading.Thread(target=flood) for _ in range(3)]
    with Patience(engine) as patience:
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()
    print(what, answered[0], len(answered))
    patience.check()
    assert patience.most < before + 1500, f"{before:.0f} MiB before, {patience.most:.0f} MiB at most"


def test_a_namespace_has_a_bound(tmp_path):
    """Of objects and bytes. Others are not concerned, deletes make room, and a restart counts the same."""
    engine = Engine(tmp_path, config=CONFIG + "limits: {objectsPerNamespace: 100, bytesPerNamespace: 2Mi}\n").start()
    try:
        account = account_of(engine, "crowd")
        maps = "/api/v1/namespaces/crowd/configmaps"

        def create(who, name, size):
            status, text = who.ask("POST", maps, {"metadata": {"name": name}, "data": {"a": "x" * size}})
            return status if status == 201 else (status, json.loads(text)["message"])

        for prefix, who in (("large", account), ("owners", owner_of(engine))):
            made = 0
            while made < 200 and (answer := create(who, f"{prefix}{made}", 500_000)) == 201:
                made += 1
            assert answer[0] == 403 and "exceeded quota: namespace, requested: bytes=" in answer[1], answer
            assert "raise limits.bytesPerNamespace in its configuration" in answer[1]
        # It cannot grow what it has either, but it can delete it.
        assert account.ask("PATCH", maps + "/large0", {"data": {"b": "x" * 400_000}}, "application/merge-patch+json")[0] == 403
        for i in range(4):
            assert account.ask("DELETE", f"{maps}/large{i}")[0] in (200, 404)
        made = 0
        while made < 200 and (answer := create(account, f"small{made}", 1)) == 201:
            made += 1
        assert 90 <= made < 100
        assert answer[0] == 403 and "exceeded quota: namespace, requested: objects=1, used: objects=100, limited: objects=100" in answer[1], answer
        status, text = owner_of(engine).ask("GET", "/metrics")
        assert 'muster_namespace_objects{namespace="crowd"} 100' in text.decode()
        engine.kill()
        engine.start()
        assert create(account, "after", 1)[0] == 403
        assert account.ask("DELETE", f"{maps}/small0")[0] == 200
        assert create(account, "after", 1) == 201
        # A job of another namespace runs, and its events are there.
        engine.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "other"},
                      "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "host", "command": ["true"]}]}})
        wait_for("the pod", lambda: engine.get("pod", "other")["status"].get("phase") == "Succeeded")
    finally:
        engine.stop()
