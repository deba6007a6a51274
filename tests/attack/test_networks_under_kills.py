"""Networks of jobs while the engine is killed again and again under load: none is lost, doubled or leaked."""

import json
import random
import threading

import pytest

from harness import FULL, Engine, wait_for
from test_network import keepers_of, owners_of, phase_of, pod, start

KILLS = 200 if FULL else 15

# Answers each line of a connection, and says which network it is in.
ECHO = """
import os, socket, threading
print("network", os.readlink("/proc/self/ns/net"), flush=True)
server = socket.create_server(("0.0.0.0", 9000))
print("listening", flush=True)
def answer(peer):
    for line in peer.makefile("rb"):
        peer.sendall(line)
while True:
    threading.Thread(target=answer, args=server.accept()[:1]).start()
"""
# Has one connection to the Service from its start to its end.
ASK = """
import os, socket, time
print("network", os.readlink("/proc/self/ns/net"), flush=True)
while True:
    try:
        to = socket.create_connection(("echo", 9000), timeout=60)
        break
    except OSError:
        time.sleep(0.1)
answers = to.makefile("rb")
number = 0
while True:
    to.sendall(b"%d\\n" % number)
    if answers.readline() != b"%d\\n" % number:
        print("broken after", number, flush=True)
        break
    if number == 0:
        print("listening", flush=True)
    open("/tmp/number", "w").write(str(number))
    number += 1
    time.sleep(0.02)
"""


@pytest.fixture
def engine(tmp_path):
    made = Engine(tmp_path, config="network: job\n").start()
    yield made
    made.stop()


class Requests:
    """Lists pods all the time, whether the engine runs or not."""

    def __init__(self, engine):
        self.engine = engine
        self.answered = 0

    def __enter__(self):
        self.done = threading.Event()
        self.threads = [threading.Thread(target=self.run) for _ in range(2)]
        for thread in self.threads:
            thread.start()
        return self

    def run(self):
        while not self.done.is_set():
            self.answered += self.engine.muster("get", "pods", check=False).returncode == 0

    def __exit__(self, *_):
        self.done.set()
        for thread in self.threads:
            thread.join()


def processes_of(engine):
    """All processes that hold networks of the engine, by the folder of the network."""
    return {folder: sorted(keepers_of(folder)) for folder in owners_of(engine)}


def network_in(engine, name):
    """The network that a process has which enters the pod now."""
    return engine.muster("exec", name, "--", "readlink", "/proc/self/ns/net").stdout.strip()


def test_no_network_is_lost_doubled_or_leaked_over_kills(engine):
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)
    steady = {"one": ECHO, "two": ASK, "three": ECHO}
    engine.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "echo"}, "spec": {"selector": {"app": "one"}, "ports": [{"port": 9000}]}})
    for name, script in steady.items():
        start(engine, name, script)
    before = processes_of(engine)
    networks = {name: network_in(engine, name) for name in steady}
    assert len(before) == 3 and len(set(networks.values())) == 3
    with Requests(engine) as requests:
        for kill in range(KILLS):
            engine.apply(pod(f"short-{kill}", "import time; time.sleep(%.2f)" % chance.uniform(0, 0.3)))
            wait_for("a moment", lambda: chance.random() < 0.3)
            engine.kill()
            engine.start()
            now = processes_of(engine)
            assert {folder: now.get(folder) for folder in before} == before, f"kill {kill}: a network was lost or doubled"
    assert requests.answered > 0
    for kill in range(KILLS):
        wait_for(f"short-{kill} to end", lambda: phase_of(engine, f"short-{kill}") in ("Succeeded", "Failed"))
        assert phase_of(engine, f"short-{kill}") == "Succeeded"
    wait_for("all other networks to end", lambda: processes_of(engine) == before)
    assert {folder.name for folder in (engine.data / "networks").iterdir()} == {name.rsplit("/", 1)[1] for name in before}
    for name, network in networks.items():
        said = engine.muster("logs", name).stdout
        assert said == f"network {network}\nlistening\n", "a rank was restarted, its connection was cut, or it is in another network"
        assert network_in(engine, name) == network
    def number():
        return int(engine.muster("exec", "two", "--", "cat", "/tmp/number").stdout or 0)
    reached = number()
    wait_for("another answer through the Service", lambda: number() > reached)
    objects = json.loads(engine.muster("get", "pods", "-o", "json").stdout)["items"]
    assert all(item["status"]["containerStatuses"][0]["restartCount"] == 0 for item in objects)
