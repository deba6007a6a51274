"""What the documents of TensorStack and Kubeflow expect to be refused is refused when it is created, with path and reason."""

import json

import pytest

TENSORSTACK, KUBEFLOW, KUBEFLOW2 = "batch.tensorstack.dev/v1beta1", "kubeflow.org/v1", "kubeflow.org/v2beta1"


def pod(*names, **container):
    return {"spec": {"containers": [{"name": name, "image": "i", **container} for name in names]}}


def tensorstack(kind, roles, name="j", **spec):
    return {"apiVersion": TENSORSTACK, "kind": kind, "metadata": {"name": name},
            "spec": {"replicaSpecs": [{"type": role, **replica} for role, replica in roles.items()], **spec}}


def pytorch(**spec):
    return tensorstack("PyTorchTrainingJob", {"worker": {"template": pod("pytorch")}}, **spec)


def kubeflow(kind, replicas, name="j", version=KUBEFLOW, **spec):
    key = {"PyTorchJob": "pytorchReplicaSpecs", "TFJob": "tfReplicaSpecs", "MPIJob": "mpiReplicaSpecs"}[kind]
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": {key: replicas, **spec}}


MASTER = {"Master": {"replicas": 1, "template": pod("pytorch")}}
GENERIC = {"w": {"replicas": 2, "template": pod("main")}}
MPI = {"launcher": {"template": {}}, "worker": {"template": pod("worker")}}

# The row of the document: (manifest, what the answer contains)
TENSORSTACK_ROWS = {
    "7": (pytorch(torchrunConfig={"enabled": True, "procPerNode": "two"}), ["spec.torchrunConfig.procPerNode", '"two"']),
    "17 zero": (pytorch(runPolicy={"activeDeadlineSeconds": 0}), ["spec.runPolicy.activeDeadlineSeconds", "greater than or equal to 1"]),
    "17 negative": (pytorch(runPolicy={"activeDeadlineSeconds": -1}), ["spec.runPolicy.activeDeadlineSeconds"]),
    "19": (pytorch(runPolicy={"cleanUpPolicy": "Finished"}), ["spec.runPolicy.cleanUpPolicy", '"All"', '"None"', '"Unfinished"']),
    "25": (pytorch(elastic={"enabled": True, "minReplicas": 1, "maxReplicas": 2}), ["spec.elastic.enabled", "needs torchrun"]),
    "28": (tensorstack("TensorFlowTrainingJob", {"worker": {"template": pod("main", "sidecar")}}),
           ["spec.replicaSpecs[0].template.spec.containers", "tensorflow"]),
    "29": (tensorstack("XGBoostTrainingJob", {"worker": {"template": pod("xgboost")}}), ["spec.replicaSpecs", "must have a master"]),
    "34": (tensorstack("MPIJob", MPI, mpiConfig={"script": ["a"]}, worker={"cmd": ["b"], "template": pod("worker")}),
           ["spec.worker.cmd", "mpiConfig.script"]),
    "40": (tensorstack("GenericJob", GENERIC, successRules=[{"w": [9]}]), ["spec.successRules[0].w[0]", "which has 2"]),
    "50": (pytorch(scheduler={"t9kScheduler": {"priority": 101}}), ["spec.scheduler.t9kScheduler.priority", "less than or equal to 100"]),
    "52 long": (pytorch(name="a" * 70), ["metadata.name", "63"]),
    "52 signs": (pytorch(name="Bad_Name"), ["metadata.name"]),
    "53 spec": (tensorstack("PyTorchTrainingJob", {"worker": {"template": {"containers": []}}}), ["spec.replicaSpecs[0].template"]),
    "53 command": (tensorstack("PyTorchTrainingJob", {"worker": {"template": pod("pytorch", commands=["a"])}}),
                   ["spec.replicaSpecs[0].template.spec.containers[0].commands", 'did you mean "command"']),
    "1.9 ports without names": (tensorstack("GenericJob", GENERIC, service={"ports": [{"port": 80}, {"port": 81}]}),
                                ["spec.service.ports[0].name", "spec.service.ports[1].name", "Required value"]),
    "1.9 a variable without a service": (
        tensorstack("GenericJob", {"w": {"template": pod("main", args=["$(service.w[0].host)"])}}),
        ["spec.replicaSpecs[0].template.spec.containers[0].args[0]", "set spec.service"]),
}
KUBEFLOW_ROWS = {
    "A13": (kubeflow("PyTorchJob", MASTER, runPolicy={"managedBy": "other"}), ["spec.runPolicy.managedBy", "kubeflow.org/training-operator"]),
    "A16 signs": (kubeflow("PyTorchJob", MASTER, name="Bad_Name"), ["metadata.name"]),
    "A16 digit": (kubeflow("PyTorchJob", MASTER, name="1abc"), ["metadata.name", "start with an alphabetic"]),
    "A17 containers": (kubeflow("PyTorchJob", {"Master": {"template": pod()}}), ["spec.pytorchReplicaSpecs.Master.template.spec.containers", "at least 1 items"]),
    "A17 image": (kubeflow("PyTorchJob", {"Master": {"template": pod("pytorch", image="")}}), ["containers[0].image"]),
    "A17 name": (kubeflow("PyTorchJob", {"Master": {"template": pod("main")}}), ["spec.pytorchReplicaSpecs[Master]", "with name pytorch"]),
    "A17 role": (kubeflow("PyTorchJob", {"PS": {"template": pod("pytorch")}}), ["spec.pytorchReplicaSpecs[PS]", '"Master", "Worker"']),
    "A19": (kubeflow("PyTorchJob", {**MASTER, "Worker": {"replicas": 0, "template": pod("pytorch")}}),
            ["spec.pytorchReplicaSpecs[Worker].replicas", "must be at least 1"]),
    "A20": (kubeflow("PyTorchJob", MASTER, elasticPolicy={}), ["spec.pytorchReplicaSpecs[Worker]", "elastic"]),
    "A52": (kubeflow("TFJob", {"Chief": {"template": pod("tensorflow")}, "Master": {"template": pod("tensorflow")}}),
            ["spec.tfReplicaSpecs", "must not have both Chief and Master"]),
    "A80 launcher": (kubeflow("MPIJob", {"Worker": {"replicas": 1, "template": pod("mpi")}}, version=KUBEFLOW2),
                     ["spec.mpiReplicaSpecs", "must have a Launcher"]),
    "A80 slots": (kubeflow("MPIJob", {"Launcher": {"template": pod("mpi")}}, version=KUBEFLOW2, slotsPerWorker=-1), ["spec.slotsPerWorker"]),
    "A80 policy": (kubeflow("MPIJob", {"Launcher": {"restartPolicy": "ExitCode", "template": pod("mpi")}}, version=KUBEFLOW2),
                   ["restartPolicy", '"Never", "OnFailure"']),
    "A80 name": (kubeflow("MPIJob", {"Launcher": {"template": pod("mpi")}, "Worker": {"replicas": 10, "template": pod("mpi")}},
                          version=KUBEFLOW2, name="a" * 60), ["metadata.name", "63"]),
}


@pytest.mark.parametrize("row", [*TENSORSTACK_ROWS, *KUBEFLOW_ROWS])
def test_a_job_that_cannot_work_is_refused(engine, row):
    manifest, expected = {**TENSORSTACK_ROWS, **KUBEFLOW_ROWS}[row]
    refused = engine.muster("create", "-f", "-", stdin=json.dumps(manifest), check=False)
    assert refused.returncode != 0, refused.stdout
    for text in expected:
        assert text in refused.stderr, refused.stderr


def test_roles_in_other_cases_run_with_a_warning(engine):
    job = kubeflow("TFJob", {"WORKER": {"template": pod("tensorflow", command=["true"])}}, name="upper")
    created = engine.muster("create", "-f", "-", stdin=json.dumps(job))
    assert "spec.tfReplicaSpecs[WORKER]: read as the role Worker; write Worker" in created.stderr
    engine.muster("wait", "tfjob/upper", "--timeout", "60s")
    assert engine.get("tfjob", "upper")["status"]["replicaStatuses"]["Worker"]["succeeded"] == 1


def test_the_only_container_is_taken_under_any_name_with_a_warning(engine):
    job = tensorstack("TensorFlowTrainingJob", {"worker": {"template": pod("main", command=["true"])}}, name="only")
    created = engine.muster("create", "-f", "-", stdin=json.dumps(job))
    assert "should be tensorflow" in created.stderr
    engine.wait_phase("only", "Succeeded", kind="tj")
