"""Queues, gangs and reasons to wait, with the real engine and declared GPUs."""

import json

import pytest
from harness import MUSTER, Engine, training_job, wait_for

CONFIG = """
resources: {nvidia.com/gpu: 2}
queues:
- name: small
  quota: {nvidia.com/gpu: 1}
- name: lab
  namespaces: [lab]
"""
SLEEP = ["sleep", "600"]


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    started = Engine(tmp_path_factory.mktemp("engine"), CONFIG).start()
    started.volume("work")
    yield started
    started.stop()


def job(name, command, gpus, queue=None, **kwargs):
    made = training_job(name, command, **kwargs)
    container = made["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0]
    container["resources"] = {"limits": {"nvidia.com/gpu": gpus}}
    if queue:
        made["spec"]["scheduler"] = {"t9kScheduler": {"queue": queue}}
    return made


def wait_reason(engine, name, text):
    def reason():
        conditions = (engine.get("pj", name).get("status") or {}).get("conditions", [])
        return next((c["message"] for c in conditions if c["type"] == "Running" and text in c["message"]), None)
    return wait_for(f"{name} to say {text}", reason)


def test_a_quota_holds_a_job_until_it_is_free(engine):
    engine.apply(job("holder", SLEEP, 1, "small"))
    engine.wait_phase("holder", "Running")
    engine.apply(job("next", ["true"], 1, "small"))
    wait_reason(engine, "next", "needs 1 nvidia.com/gpu, queue small has 0 of 1 left, held by default/holder")
    allocated = wait_for("usage", lambda: engine.get("queue", "small").get("status", {}).get("allocated"))
    assert allocated == {"nvidia.com/gpu": "1"}
    group = engine.get("podgroup", "next")
    assert group["spec"] == {"queue": "small", "minMember": 1}
    engine.muster("delete", "pj", "holder", "--grace-period=1")
    engine.wait_phase("next", "Succeeded")


def test_arena_selects_the_queue(engine):
    engine.run([MUSTER.parent / "arena", "submit", "pytorch", "--name=queued", "--image=i", "--gpus=1", "--queue", "small", "true"])
    assert wait_for("its group", lambda: engine.get("podgroup", "queued", check=False))["spec"]["queue"] == "small"
    engine.muster("delete", "pytorchjobs", "queued")
    refused = engine.run([MUSTER.parent / "arena", "submit", "pytorch", "--name=typo", "--image=i", "--queue", "--gpus=1", "true"], check=False)
    assert refused.returncode == 1 and '--queue: must be the name of a queue, got "--gpus=1"' in refused.stderr


def test_a_queue_of_another_namespace_and_a_wrong_name(engine):
    engine.apply(job("stranger", ["true"], 0, "lab"))
    wait_reason(engine, "stranger", "queue lab does not allow namespace default")
    typo = engine.apply(job("typo", ["true"], 0, "smal"))
    assert 'queue "smal" does not exist, the default queue is used; did you mean "small"?' in typo.stderr
    engine.wait_phase("typo", "Succeeded")


def test_what_this_machine_can_never_give_says_what_to_do(engine):
    engine.apply(job("huge", ["true"], 8))
    wait_reason(engine, "huge", "needs 8 nvidia.com/gpu, this machine has 2; declare more with `resources:` in the configuration or request less")
    elsewhere = training_job("elsewhere", ["true"])
    elsewhere["spec"]["replicaSpecs"][0]["template"]["spec"]["nodeSelector"] = {"disk": "ssd"}
    engine.apply(elsewhere)
    wait_reason(engine, "elsewhere", 'spec.nodeSelector: disk must be "ssd"')
    engine.muster("delete", "pj", "huge", "elsewhere")


def test_pods_of_a_users_own_group_start_together(engine):
    def pod(name):
        return {"apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": name, "labels": {"scheduler.tensorstack.dev/group-name": "duo"}},
                "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "python:3", "command": ["true"]}]}}
    engine.apply({"apiVersion": "scheduler.tensorstack.dev/v1beta1", "kind": "PodGroup", "metadata": {"name": "duo"},
                  "spec": {"minMember": 2}})
    engine.apply(pod("one"))

    def waits():
        conditions = engine.get("pod", "one")["status"].get("conditions", [])
        return any(c.get("message") == "1 of 2 pods of the group exist" for c in conditions)
    wait_for("the first pod to wait", waits)
    engine.apply(pod("two"))
    for name in ("one", "two"):
        engine.wait_phase(name, "Succeeded", kind="pod")
    wait_for("the group to count them", lambda: engine.get("podgroup", "duo").get("status", {}).get("succeeded") == 2)


def test_strict_scheduling_makes_cpu_wait(tmp_path):
    engine = Engine(tmp_path, "scheduling: strict\n").start()
    try:
        engine.volume("work")
        greedy = training_job("greedy", ["true"])
        container = greedy["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0]
        container["resources"] = {"requests": {"cpu": "4000"}}
        engine.apply(greedy)
        wait_reason(engine, "greedy", "request less, or remove `scheduling: strict` from the configuration")
        typo = json.dumps(training_job("typo", ["true"], scheduler={"t9kScheduler": {"queue": "defualt"}}))
        refused = engine.muster("create", "-f", "-", stdin=typo, check=False)
        assert refused.returncode != 0
        assert 'spec.scheduler.t9kScheduler.queue: Not found: "defualt"; did you mean "default"?' in refused.stderr, refused.stderr
    finally:
        engine.stop()
