"""GPUs that are declared in the configuration: who has which, also after a restart."""

import json

import pytest
from harness import Engine, wait_for

SHOW = "echo $CUDA_VISIBLE_DEVICES $NVIDIA_VISIBLE_DEVICES; ls /dev | grep -c nvidia; sleep 10000"


@pytest.fixture(scope="module")
def four(tmp_path_factory):
    engine = Engine(tmp_path_factory.mktemp("engine"), config="resources:\n  nvidia.com/gpu: 4\n").start()
    yield engine
    engine.stop()


def pod(name, gpus, env=()):
    container = {"name": "main", "image": "python:3", "command": ["sh", "-c", SHOW],
                 "env": [{"name": key, "value": value} for key, value in env]}
    if gpus:
        container["resources"] = {"limits": {"nvidia.com/gpu": gpus}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1, "containers": [container]}}


def devices_of(engine, name):
    lines = wait_for("its output", lambda: engine.muster("logs", name, check=False).stdout).splitlines()
    return lines[0].split()


def test_declared_gpus_are_given_out_and_kept_over_a_restart(four):
    def capacity():
        nodes = json.loads(four.muster("get", "nodes", "-o", "json").stdout)["items"]
        return nodes[0].get("status", {}).get("capacity", {}) if nodes else {}

    assert wait_for("the node", capacity)["nvidia.com/gpu"] == "4"
    four.apply(pod("two", 2, env=[("CUDA_VISIBLE_DEVICES", "6,7")]))
    four.apply(pod("one", 1))
    four.apply(pod("none", 0, env=[("CUDA_VISIBLE_DEVICES", "9")]))
    ordinals, two = devices_of(four, "two")
    assert ordinals == "0,1" and len(two.split(",")) == 2
    ordinals, one = devices_of(four, "one")
    assert ordinals == "0" and one not in two.split(",")
    assert devices_of(four, "none") == ["9"], "what it does not have is not ours to set"
    assert 'CUDA_VISIBLE_DEVICES is "6,7" in the manifest, and set to "0,1"' in " ".join(four.muster("describe", "pod", "two").stdout.split())

    four.kill()
    four.start()
    four.apply(pod("third", 1))
    _, third = devices_of(four, "third")
    assert len({*two.split(","), one, third}) == 4, "no device is given twice"
    four.apply(pod("fourth", 1))
    wait_for("the reason", lambda: "needs 1 nvidia.com/gpu, 0 free" in four.muster("describe", "pod", "fourth").stdout)
    four.muster("delete", "pod", "one")
    assert devices_of(four, "fourth") == ["0", one], "what is free again is given again"
