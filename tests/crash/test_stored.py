"""Whatever object is in the database, the engine starts, answers, runs other jobs, and deletes it."""

import time

import pytest

from api_socket import Api
from harness import training_job, wait_for
from stored import store

MOST = 2 ** 31 - 1
POD = {"spec": {"containers": [{"name": "pytorch", "image": "i", "command": ["sleep", "1000"]}]}}
KUBEFLOW, TENSORSTACK = "kubeflow.org/v1", "batch.tensorstack.dev/v1beta1"


def role(replicas):
    return {"replicas": replicas, "template": POD}


def job(version, kind, spec, **more):
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "poison"}, "spec": spec, **more}


def pytorch_job(replicas, **more):
    return job(KUBEFLOW, "PyTorchJob", {"pytorchReplicaSpecs": {"Worker": role(replicas)}}, **more)


def pytorch_training_job(replicas, **more):
    return job(TENSORSTACK, "PyTorchTrainingJob", {"replicaSpecs": [{"type": "worker", **role(replicas)}]}, **more)


# name: (resource, object)
POISONS = {
    "workers": ("pytorchjobs.kubeflow.org", pytorch_job(MOST)),
    "workers-of-an-accepted-job": ("pytorchjobs.kubeflow.org", pytorch_job(
        MOST, status={"conditions": [{"type": "Created", "status": "True"}], "masterPort": 20000})),
    "roles": ("pytorchtrainingjobs.batch.tensorstack.dev", job(TENSORSTACK, "PyTorchTrainingJob", {
        "replicaSpecs": [{"type": "a", **role(MOST)}, {"type": "b", **role(MOST)}]})),
    "elastic": ("pytorchtrainingjobs.batch.tensorstack.dev", job(TENSORSTACK, "PyTorchTrainingJob", {
        "torchrunConfig": {"enabled": True},
        "elastic": {"enabled": True, "minReplicas": MOST, "maxReplicas": MOST, "expectedReplicas": MOST},
        "replicaSpecs": [{"type": "worker", **role(1)}]})),
    "finished": ("pytorchtrainingjobs.batch.tensorstack.dev", pytorch_training_job(MOST, status={"phase": "Succeeded"})),
    "tensorflow": ("tfjobs.kubeflow.org", job(KUBEFLOW, "TFJob", {"tfReplicaSpecs": {"PS": role(MOST)}})),
    "deployment": ("deployments.apps", job("apps/v1", "Deployment", {
        "selector": {"matchLabels": {"a": "b"}}, "replicas": MOST, "template": {"metadata": {"labels": {"a": "b"}}, **POD}})),
    "text-for-a-number": ("pytorchjobs.kubeflow.org", pytorch_job("many")),
    "beyond-64-bits": ("pytorchjobs.kubeflow.org", pytorch_job(10 ** 30)),
    "negative": ("pytorchtrainingjobs.batch.tensorstack.dev", pytorch_training_job(-5)),
    "no-spec": ("pytorchjobs.kubeflow.org", job(KUBEFLOW, "PyTorchJob", None)),
    "list-for-a-spec": ("pytorchtrainingjobs.batch.tensorstack.dev", job(TENSORSTACK, "PyTorchTrainingJob", [1, 2])),
    "odd-status": ("pytorchtrainingjobs.batch.tensorstack.dev", pytorch_training_job(1, status={
        "phase": 7, "tasks": {}, "conditions": [None], "attempts": {"worker-0": "x"}, "masterPort": 10 ** 12})),
    "text-for-a-status": ("pytorchjobs.kubeflow.org", pytorch_job(1, status="done")),
    "gang": ("pods", {"apiVersion": "v1", "kind": "Pod", **POD, "status": {"phase": "Pending"}, "metadata": {
        "name": "poison", "labels": {"scheduler.tensorstack.dev/group-name": "g", "muster.dev/attempt": str(10 ** 30)},
        "annotations": {"muster.dev/gang-size": str(MOST)}}}),
}
PATHS = {"pods": "/api/v1", "deployments.apps": "/apis/apps/v1"}


def path_of(resource, manifest):
    root = PATHS.get(resource, f"/apis/{manifest['apiVersion']}")
    return f"{root}/namespaces/default/{resource.split('.')[0]}"


@pytest.mark.parametrize("case", POISONS)
def test_an_object_that_no_check_has_seen_does_no_harm(fresh_engine, case):
    resource, manifest = POISONS[case]
    fresh_engine.start()
    fresh_engine.kill()
    store(fresh_engine.data, resource, manifest)
    fresh_engine.start()
    fresh_engine.volume("work")
    fresh_engine.apply(training_job("other", ["true"]))
    fresh_engine.wait_phase("other", "Succeeded")
    api = Api(fresh_engine)
    began = time.monotonic()
    status, found = api.request("GET", path_of(resource, manifest))
    assert status == 200 and [item["metadata"]["name"] for item in found["items"]].count("poison") == 1
    assert time.monotonic() - began < 2
    status, answer = api.request("DELETE", path_of(resource, manifest) + "/poison?gracePeriodSeconds=0")
    assert status in (200, 202), answer
    wait_for("it to be gone", lambda: api.request("GET", path_of(resource, manifest) + "/poison")[0] == 404)
