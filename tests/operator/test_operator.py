"""The controllers of `muster operator` drive every kind of job on a real API server from its creation to its end."""
import subprocess

import pytest
from harness import MUSTER, wait_for

TEMPLATE = {"spec": {"containers": [{"name": "main", "image": "torch", "command": ["python", "train.py"]}]}}


def tensorstack(kind, spec):
    return {"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": kind, "metadata": {"name": "mnist"}, "spec": spec}


def kubeflow(kind, roles, container, **spec):
    template = {"spec": {"containers": [dict(TEMPLATE["spec"]["containers"][0], name=container)]}}
    field = {"PyTorchJob": "pytorchReplicaSpecs", "TFJob": "tfReplicaSpecs", "MPIJob": "mpiReplicaSpecs"}[kind]
    return {"apiVersion": "kubeflow.org/v1", "kind": kind, "metadata": {"name": "mnist"},
            "spec": {field: {role: {"replicas": count, "restartPolicy": "Never", "template": template}
                             for role, count in roles.items()}, **spec}}


def roles(**counts):
    return {"replicaSpecs": [{"type": role, "replicas": count, "restartPolicy": "Never", "template": TEMPLATE}
                             for role, count in counts.items()]}


def generic_roles(**counts):
    return {"replicaSpecs": [{**role, "restartPolicy": {"policy": "Never"}} for role in roles(**counts)["replicaSpecs"]],
            "service": {"ports": [{"name": "http", "port": 80}]}}


# Each kind with a manifest and the number of its pods.
KINDS = {
    "pytorchtrainingjobs.batch.tensorstack.dev": (tensorstack("PyTorchTrainingJob", roles(worker=2)), 2),
    "tensorflowtrainingjobs.batch.tensorstack.dev": (tensorstack("TensorFlowTrainingJob", roles(chief=1, ps=1)), 2),
    "xgboosttrainingjobs.batch.tensorstack.dev": (tensorstack("XGBoostTrainingJob", roles(master=1, worker=1)), 2),
    "mpijobs.batch.tensorstack.dev": (tensorstack("MPIJob", {**roles(launcher=1, worker=2), "mpiConfig": {"script": ["train"]}}), 3),
    "genericjobs.batch.tensorstack.dev": (tensorstack("GenericJob", generic_roles(worker=2)), 2),
    "pytorchjobs.kubeflow.org": (kubeflow("PyTorchJob", {"Master": 1, "Worker": 1}, "pytorch"), 2),
    "tfjobs.kubeflow.org": (kubeflow("TFJob", {"Chief": 1, "PS": 1, "Worker": 1}, "tensorflow"), 3),
    "mpijobs.kubeflow.org": (kubeflow("MPIJob", {"Launcher": 1, "Worker": 2}, "mpi"), 3),
}


def phase(job):
    status = job.get("status", {})
    if "phase" in status:
        return status["phase"]
    true = [one["type"] for one in status.get("conditions", []) if one["status"] == "True"]
    return true[-1] if true else None


def wait_phase(cluster, kind, wanted):
    return wait_for(f"{kind} to be {wanted}", lambda: (job := cluster.get(kind, "mnist")) and phase(job) == wanted and job)


def start_all(cluster, count):
    """Starts pods as they come: a launcher is made when its workers are up."""
    started = set()
    while len(started) < count:
        names = wait_for("another pod", lambda: [n for n in (p["metadata"]["name"] for p in cluster.items("pods")) if n not in started])
        cluster.start(*names)
        started.update(names)
    return sorted(started)


@pytest.mark.parametrize("kind", KINDS)
def test_a_job_runs_and_succeeds(cluster, kind):
    manifest, count = KINDS[kind]
    cluster.create(manifest)
    pods = start_all(cluster, count)
    wait_phase(cluster, kind, "Running")
    for pod in pods:
        cluster.end(pod)
    job = wait_phase(cluster, kind, "Succeeded")
    assert job["status"]["completionTime"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_failed_job_says_which_replica(cluster, kind):
    manifest, count = KINDS[kind]
    cluster.create(manifest)
    pods = start_all(cluster, count)
    wait_phase(cluster, kind, "Running")
    cluster.end(pods[0], exit_code=1)
    job = wait_phase(cluster, kind, "Failed")
    failed = [one["message"] for one in job["status"]["conditions"] if one["type"] == "Failed"]
    assert "exit code 1" in failed[0], failed


def test_a_paused_job_has_no_pods_until_it_is_resumed(cluster):
    kind = "pytorchtrainingjobs.batch.tensorstack.dev"
    cluster.create(KINDS[kind][0])
    start_all(cluster, 2)
    wait_phase(cluster, kind, "Running")
    cluster.muster("pause", "mnist")
    wait_phase(cluster, kind, "Paused")
    wait_for("the pods to go", lambda: not [p for p in cluster.items("pods") if "deletionTimestamp" not in p["metadata"]])
    cluster.muster("resume", "mnist")
    cluster.pods(2)


def test_the_operator_refuses_an_engine(engine):
    refused = subprocess.run([MUSTER, "operator", "--kubeconfig", engine.kubeconfig], text=True, timeout=30, check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert refused.returncode == 2
    assert "Muster's own engine" in refused.stderr
