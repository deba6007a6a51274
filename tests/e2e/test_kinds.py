"""The job kinds other than PyTorch's and MPI's: a plain program in every replica checks its environment and meets the others."""

import pytest
from harness import wait_for

KUBEFLOW, TENSORSTACK = "kubeflow.org/v1", "batch.tensorstack.dev/v1beta1"

# Listens at its own address, connects to all others, and ends when all others have connected to it.
MEET = """
import os, socket, threading, time
def meet(own_port, others):
    server = socket.create_server(("0.0.0.0", own_port))
    def accept():
        for _ in others: server.accept()
    reached = threading.Thread(target=accept); reached.start()
    for host, port in others:
        while True:
            try: socket.create_connection((host, int(port))).close(); break
            except OSError: time.sleep(0.01)
    reached.join()
    print("met", len(others), flush=True)
"""

TENSORFLOW = """
import json, os
from meet import meet
config = json.loads(os.environ["TF_CONFIG"])
kind, index = config["task"]["type"], config["task"]["index"]
own = (config["cluster"].get(kind) or [None])[index]
print(kind, index, "knows", {role: len(list) for role, list in sorted(config["cluster"].items())}, flush=True)
if own:
    everyone = [address for list in config["cluster"].values() for address in list]
    assert len({address.rsplit(":", 1)[1] for address in everyone}) == len(everyone), everyone
    meet(int(own.rsplit(":", 1)[1]), [address.rsplit(":", 1) for address in everyone if address != own])
"""


@pytest.fixture(scope="module", autouse=True)
def work(engine):
    folder = engine.volume("work")
    (folder / "meet.py").write_text(MEET)
    (folder / "tf.py").write_text(TENSORFLOW)
    return folder


def template(container, *command):
    return {"spec": {
        "containers": [{"name": container, "image": "python:3", "command": list(command), "workingDir": "/work",
                        "volumeMounts": [{"name": "work", "mountPath": "/work"}]}],
        "volumes": [{"name": "work", "persistentVolumeClaim": {"claimName": "work"}}]}}


def logs_of(engine, pods, ending):
    """The logs by pod, once all of them end as they should."""
    def read():
        logs = {pod: engine.muster("logs", pod, check=False).stdout for pod in pods}
        return logs if all(text.rstrip().endswith(ending) for text in logs.values()) else None
    return wait_for(f"every log to end with {ending!r}", read)


def test_every_replica_of_a_tfjob_listens_where_tf_config_says(engine):
    counts = {"Chief": 1, "PS": 1, "Worker": 2, "Evaluator": 1}
    replicas = {role: {"replicas": count, "template": template("tensorflow", "python3", "tf.py")} for role, count in counts.items()}
    engine.apply({"apiVersion": KUBEFLOW, "kind": "TFJob", "metadata": {"name": "tf"}, "spec": {"tfReplicaSpecs": replicas}})
    engine.muster("wait", "tfjob/tf", "--timeout", "60s")
    pods = ["tf-chief-0", "tf-ps-0", "tf-worker-0", "tf-worker-1", "tf-evaluator-0"]
    for pod, text in logs_of(engine, pods, "met 4").items():
        role, index = pod.split("-")[1:]
        assert f"{role} {index} knows {{'chief': 1, 'evaluator': 1, 'ps': 1, 'worker': 2}}" in text
    status = engine.get("tfjob", "tf")["status"]
    assert status["conditions"][-1]["type"] == "Succeeded"
    assert status["replicaStatuses"]["Chief"]["succeeded"] == 1


def test_a_tfjob_fails_with_its_first_failure(engine):
    replica = {"replicas": 2, "template": template("tensorflow", "sh", "-c", 'case $HOSTNAME in *-1) exit 3;; esac; sleep 600')}
    engine.apply({"apiVersion": KUBEFLOW, "kind": "TFJob", "metadata": {"name": "tf-fails"},
                  "spec": {"runPolicy": {"cleanPodPolicy": "Running"}, "tfReplicaSpecs": {"Worker": replica}}})
    assert engine.muster("wait", "tfjob/tf-fails", "--timeout", "60s", check=False).returncode == 1
    failed = engine.get("tfjob", "tf-fails")["status"]["conditions"][-1]
    assert failed["type"] == "Failed" and "worker-1" in failed["message"] and "exit code 3" in failed["message"]


def test_a_tensorflowtrainingjob_leaves_its_evaluator_out_of_the_cluster(engine):
    counts = {"chief": 1, "ps": 1, "worker": 2, "evaluator": 1}
    replicas = [{"type": role, "replicas": count, "template": template("tensorflow", "python3", "tf.py")} for role, count in counts.items()]
    engine.apply({"apiVersion": TENSORSTACK, "kind": "TensorFlowTrainingJob", "metadata": {"name": "tj"}, "spec": {"replicaSpecs": replicas}})
    job = engine.wait_phase("tj", "Succeeded", kind="tj")
    pods = {task["type"]: [replica["name"] for replica in task["replicas"]] for task in job["status"]["tasks"]}
    knows = "knows {'chief': 1, 'ps': 1, 'worker': 2}"
    assert f"evaluator 0 {knows}" in logs_of(engine, pods["evaluator"], "}")[pods["evaluator"][0]]
    for pod, text in logs_of(engine, pods["chief"] + pods["ps"] + pods["worker"], "met 3").items():
        role, index = pod.split("-")[-2:]
        assert f"{role} {index} {knows}" in text
