"""Pods that take whatever they can get: ports, names, connections. Others and the owner notice nothing."""

import contextlib
import json
import time

import pytest

from harness import FULL, Engine, wait_for
from test_bounds import Patience, account_of
from test_network import CONNECT, output_of, pod, serve, start

CONNECTIONS = 10_000 if FULL else 2_000


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    started = Engine(tmp_path_factory.mktemp("engine"), config="network: job\n").start()
    yield started
    started.stop()


@contextlib.contextmanager
def hostile(engine, name, script, **spec):
    """A pod whose script has done what it wants once it prints `listening`."""
    engine.muster("create", "namespace", "hostile", check=False)
    engine.apply(pod(name, script, "hostile", **spec))
    wait_for(f"{name} to be done", lambda: "listening" in engine.muster("logs", name, "-n", "hostile", check=False).stdout, 120)
    try:
        yield engine.muster("logs", name, "-n", "hostile").stdout
    finally:
        engine.muster("delete", "pod", name, "-n", "hostile", "--grace-period=0", "--force")


@pytest.fixture
def witness(engine):
    """A server and a Service of another namespace, and a question to it from a pod that starts only then."""
    start(engine, "server", serve(29500))
    engine.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "shop"}, "spec": {"selector": {"app": "server"}, "ports": [{"port": 29500}]}})
    ask = CONNECT + """
import time
for _ in range(100):
    said = reach("shop", 29500, b"x")
    if b"Error" not in said: break
    time.sleep(0.1)
print(said)
"""
    yield lambda: output_of(engine, "visitor", ask)
    engine.muster("delete", "service", "shop")
    engine.muster("delete", "pod", "server", "--grace-period=0", "--force")


EVERY_PORT = """
import resource, socket
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
taken = []
for port in range(1024, 65536):
    try:
        taken.append(socket.create_server(("0.0.0.0", port)))
    except OSError:
        pass
print(len(taken), "ports", flush=True)
print("listening", flush=True)
import time
time.sleep(600)
"""


def test_a_pod_on_every_port_takes_none_from_others(engine, witness):
    with Patience(engine) as patience, hostile(engine, "greedy", EVERY_PORT) as said:
        assert int(said.split()[0]) > 500, said
        assert witness() == "b'hello'\n"
        # New pods listen on its ports as well, and the engine starts again on its own.
        start(engine, "late", serve(30000))
        engine.muster("delete", "pod", "late", "--grace-period=0", "--force")
    patience.check()
    with hostile(engine, "greedy", EVERY_PORT):
        engine.kill()
        engine.start()
        assert witness() == "b'hello'\n"


MANY_CONNECTIONS = f"""
import os, resource, socket, time
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
api = (os.environ["KUBERNETES_SERVICE_HOST"], int(os.environ["KUBERNETES_SERVICE_PORT"]))
held, refused = [], 0
end = time.monotonic() + {60 if FULL else 8}
while len(held) + refused < {CONNECTIONS} and time.monotonic() < end:
    try:
        held.append(socket.create_connection(api, timeout=1))
    except OSError:
        refused += 1
print(len(held), "connections", refused, "refused", flush=True)
print("listening", flush=True)
time.sleep(600)
"""


def test_thousands_of_connections_to_the_api_hold_nobody_up(engine, witness):
    client = """
import json, os, ssl, urllib.request
folder = "/var/run/secrets/kubernetes.io/serviceaccount/"
url = f"https://{os.environ['KUBERNETES_SERVICE_HOST']}:{os.environ['KUBERNETES_SERVICE_PORT']}/api/v1/namespaces/default/pods"
request = urllib.request.Request(url, headers={"Authorization": "Bearer " + open(folder + "token").read()})
print(json.load(urllib.request.urlopen(request, context=ssl.create_default_context(cafile=folder + "ca.crt"), timeout=20))["kind"])
"""
    with Patience(engine) as patience, hostile(engine, "crowd", MANY_CONNECTIONS) as said:
        assert int(said.split()[0]) > 0, said
        assert output_of(engine, "client", client) == "PodList\n"
        assert witness() == "b'hello'\n"
    patience.check()
    assert patience.most < 600, f"{patience.most:.0f} MiB"


def test_thousands_of_connections_to_a_service_stay_in_the_namespace(engine, witness):
    engine.muster("create", "namespace", "hostile", check=False)
    start(engine, "target", serve(8080).replace("server.accept()", "server.accept(); continue"), namespace="hostile")
    engine.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "target", "namespace": "hostile"},
                  "spec": {"selector": {"app": "target"}, "ports": [{"port": 8080}]}})
    flood = MANY_CONNECTIONS.replace('(os.environ["KUBERNETES_SERVICE_HOST"], int(os.environ["KUBERNETES_SERVICE_PORT"]))', '("target", 8080)')
    with Patience(engine) as patience, hostile(engine, "crowd", flood):
        assert witness() == "b'hello'\n"
    patience.check()
    engine.muster("delete", "service", "target", "-n", "hostile")
    engine.muster("delete", "pod", "target", "-n", "hostile", "--grace-period=0", "--force")


def test_a_flood_of_names_stays_in_its_namespace(engine, witness):
    """An account makes thousands of Services, whose names each pod of the namespace knows."""
    account = account_of(engine, "names")
    start(engine, "named", serve(8080), namespace="names")
    services = "/api/v1/namespaces/names/services"
    with Patience(engine) as patience:
        connection = account.connect()
        for i in range(2000):
            status, text = account.ask("POST", services, {"metadata": {"name": f"name-{i}"}, "spec": {"clusterIP": "None", "selector": {"app": "named"}, "ports": [{"port": 8080}]}},
                                       through=connection)
            assert status in (201, 403, 429), text
        assert witness() == "b'hello'\n"
        assert "name-" not in output_of(engine, "reader", "print(open('/etc/hosts').read())")
        began = time.monotonic()
        output_of(engine, "brief", "print('x')", namespace="names")
        assert time.monotonic() - began < 20
    patience.check()
    listed = json.loads(engine.muster("get", "services", "-n", "names", "-o", "json").stdout)["items"]
    assert len(listed) >= 1000
    engine.muster("delete", "namespace", "names")
