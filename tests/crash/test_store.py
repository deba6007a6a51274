"""kill -9 at chosen system calls and at random moments under load: acknowledged writes survive, revisions only grow."""

import collections
import json
import os
import random
import re
import shutil
import signal
import subprocess
import threading
import time

import pytest

from api_socket import CONFIG_MAPS, Api, Gone, config_map, listed
from harness import FULL, MUSTER, Engine, end_door

# The system calls that change durable state. strace counts per thread and call.
CALLS = ("pwrite64", "fdatasync", "fsync", "rename", "unlink", "ftruncate")
KILLS = 500 if FULL else 20
SECONDS_OF_SWEEP = 10 ** 9 if FULL else 45


class Ledger:
    """The writes that the engine has acknowledged, and those that it may have made without acknowledging them."""

    def __init__(self):
        self.kept = {}  # name: acknowledged value
        self.unknown = collections.defaultdict(set)  # name: values (None: deleted) that may be stored instead
        self.revision = 0

    def write(self, api, name, value):
        """Sends one create, update or delete (value None). Raises Gone when the engine ended meanwhile."""
        try:
            if value is None:
                status, answer = api.request("DELETE", f"{CONFIG_MAPS}/{name}")
            elif name in self.kept:
                status, answer = api.request("PUT", f"{CONFIG_MAPS}/{name}", config_map(name, value))
            else:
                status, answer = api.request("POST", CONFIG_MAPS, config_map(name, value))
        except Gone:
            self.unknown[name].add(value)
            raise
        assert status in (200, 201), answer
        self.unknown.pop(name, None)
        if value is None:
            self.kept.pop(name)
        else:
            self.kept[name] = value
            self.revision = max(self.revision, int(answer["metadata"]["resourceVersion"]))

    def check(self, api):
        revision, found = listed(api)
        assert revision >= self.revision, "revisions went back"
        self.revision = revision
        for name in set(self.kept) | set(self.unknown) | set(found):
            if name == "kube-root-ca.crt":
                continue
            possible = {self.kept.get(name)} | self.unknown.get(name, set())
            assert found.get(name) in possible, f"{name}: {found.get(name)!r}, one of {possible} was promised"
        # From now on the outcome of the earlier writes is known.
        self.kept = {name: value for name, value in found.items() if name != "kube-root-ca.crt"}
        self.unknown.clear()


def start_under_strace(engine, *words):
    """Starts the engine under strace. Returns the process and whether it became ready."""
    log = open(engine.folder / "engine.log", "ab")
    process = subprocess.Popen(["strace", "-f", "-qq", *words, MUSTER, "serve", "--data-dir", engine.data, "--listen", "127.0.0.1:0"],
                               stdout=subprocess.PIPE, stderr=log, text=True)
    log.close()
    return process, process.stdout.readline().startswith("ready")


def end(engine, process):
    """Ends an engine that strace has not killed, with kill -9."""
    try:
        os.kill(json.loads((engine.data / "engine.json").read_text())["pid"], signal.SIGKILL)
    except (OSError, ValueError):
        pass
    end_door(engine.data)  # strace waits for it as well
    process.wait()
    process.stdout.close()


def script(ledger, api):
    for i in range(4):
        ledger.write(api, f"a{i}", f"first {i}")
    for i in range(4):
        ledger.write(api, f"a{i}", f"second {i}" + "x" * 5000)
    ledger.write(api, "a1", None)
    ledger.write(api, "a3", None)
    ledger.write(api, "b", "last")


def can_strace():
    if not shutil.which("strace"):
        return False
    return subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], check=False).returncode == 0


@pytest.mark.skipif(not can_strace(), reason="strace cannot trace here")
def test_killed_at_every_system_call_that_changes_the_disk(tmp_path):
    # How often each thread makes each call, in start and script together.
    engine = Engine(tmp_path / "count")
    trace = tmp_path / "trace"
    process, ready = start_under_strace(engine, "-o", trace, "-e", "trace=" + ",".join(CALLS))
    assert ready, engine.log()
    script(Ledger(), Api(engine))
    end(engine, process)
    counts = collections.Counter(re.findall(r"^(\d+) +(\w+)\(", trace.read_text(), re.M))
    most = {call: max((n for (_, c), n in counts.items() if c == call), default=0) for call in CALLS}
    points = [(call, k) for call in CALLS for k in range(1, most[call] + 1)]
    assert len(points) > 30, most
    random.Random(4).shuffle(points)

    killed = 0
    begin = time.monotonic()
    for n, (call, k) in enumerate(points):
        if time.monotonic() - begin > SECONDS_OF_SWEEP:
            break
        engine = Engine(tmp_path / f"{n}")
        ledger = Ledger()
        process, ready = start_under_strace(engine, "-o", "/dev/null", "-e", f"trace={call}", "-e",
                                            f"inject={call}:signal=SIGKILL:when={k}")
        try:
            if ready:
                script(ledger, Api(engine))
        except Gone:
            killed += 1
        end(engine, process)
        engine.start()
        ledger.check(Api(engine))
        ledger.write(Api(engine), "after", "the kill")
        engine.kill()
        end_door(engine.data)
        shutil.rmtree(engine.folder)
    print(f"{n + 1} of {len(points)} points, {killed} during the script")
    assert killed >= 3


class Watcher(threading.Thread):
    """Watches across all kills, and fails on a repeated, reordered or missing event."""

    def __init__(self, engine):
        super().__init__(daemon=True)
        self.engine = engine
        self.revision = None
        self.objects = {}
        self.expired_by = None  # the engine's process; each one may expire a watch once
        self.problem = None
        self.stopping = False

    def run(self):
        try:
            while not self.stopping:
                self.step()
        except Exception as problem:  # pylint: disable=broad-except
            self.problem = problem

    def step(self):
        api = Api(self.engine, timeout=2)
        if self.revision is None:
            try:
                self.revision, self.objects = listed(api)
            except Gone:
                time.sleep(0.02)
                return
        for event in api.watch(f"{CONFIG_MAPS}?watch=true&resourceVersion={self.revision}"):
            if event["type"] == "ERROR":
                assert event["object"]["code"] == 410, event
                engine = self.engine.process.pid
                assert engine != self.expired_by, "two 410 in a row by one engine"
                self.expired_by = engine
                self.revision = None
                return
            self.take(event)
        time.sleep(0.02)

    def take(self, event):
        metadata = event["object"]["metadata"]
        assert int(metadata["resourceVersion"]) > self.revision, "an event twice or out of order"
        self.revision = int(metadata["resourceVersion"])
        name = metadata["name"]
        assert (event["type"] == "ADDED") == (name not in self.objects), f"{event['type']} {name}"
        if event["type"] == "DELETED":
            del self.objects[name]
        else:
            self.objects[name] = event["object"]["data"]["value"]


def test_killed_at_random_under_load(fresh_engine):
    engine = fresh_engine.start()
    chance = random.Random(11)
    ledger = Ledger()
    watcher = Watcher(engine)
    watcher.start()
    written = 0
    for _ in range(KILLS):
        killer = threading.Timer(chance.uniform(0.02, 0.4), engine.process.kill)
        killer.start()
        api = Api(engine)
        try:
            while True:
                name = f"n{chance.randrange(40)}"
                ledger.write(api, name, None if name in ledger.kept and chance.random() < 0.2 else f"value {written}")
                written += 1
        except Gone:
            pass
        killer.join()
        engine.kill()
        engine.start()
        ledger.check(Api(engine))
        assert watcher.problem is None, repr(watcher.problem)
    assert written > KILLS * 5
    ledger.write(Api(engine), "end", "seen by the watcher")
    end_time = time.monotonic() + 10
    while watcher.problem is None and watcher.objects.get("end") is None and time.monotonic() < end_time:
        time.sleep(0.05)
    watcher.stopping = True
    assert watcher.problem is None, repr(watcher.problem)
    seen = {n: v for n, v in watcher.objects.items() if n != "kube-root-ca.crt"}
    assert seen == ledger.kept, "the watcher knows what the engine has"
