"""Networks of jobs while the engine is killed again and again under load: none is lost, doubled or leaked."""

import json
import random

import pytest

from harness import FULL, Engine, wait_for
from test_network import owners_of, pod, phase_of

KILLS = 200 if FULL else 15


@pytest.fixture
def engine(tmp_path):
    made = Engine(tmp_path, config="network: job\n").start()
    yield made
    made.stop()


def test_no_network_is_lost_doubled_or_leaked_over_kills(engine):
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)
    steady = """
import os, socket, time
print("listening", os.stat("/proc/self/ns/net").st_ino, flush=True)
time.sleep(10000)
"""
    for name in ("one", "two", "three"):
        engine.apply(pod(name, steady))
        wait_for(f"{name} to run", lambda: "listening" in engine.muster("logs", name, check=False).stdout)
    before = owners_of(engine)
    assert len(before) == 3
    for kill in range(KILLS):
        engine.apply(pod(f"short-{kill}", "import time; time.sleep(%.2f)" % chance.uniform(0, 0.3)))
        wait_for("a moment", lambda: chance.random() < 0.3)
        engine.kill()
        engine.start()
        owners = owners_of(engine)
        assert before.items() <= owners.items(), f"kill {kill}: a network was lost"
    for kill in range(KILLS):
        wait_for(f"short-{kill} to end", lambda: phase_of(engine, f"short-{kill}") in ("Succeeded", "Failed"))
        assert phase_of(engine, f"short-{kill}") == "Succeeded"
    wait_for("all other networks to end", lambda: owners_of(engine) == before)
    assert {folder.name for folder in (engine.data / "networks").iterdir()} == {name.rsplit("/", 1)[1] for name in before}
    objects = json.loads(engine.muster("get", "pods", "-o", "json").stdout)["items"]
    assert all(item["status"]["containerStatuses"][0]["restartCount"] == 0 for item in objects)
