"""Kubeflow's own SDK, unchanged: the calls with which its users submit, watch, read and delete jobs."""

import pytest

training = pytest.importorskip("kubeflow.training", reason="the kubeflow-training SDK is not installed")
from kubernetes import client  # noqa: E402

KINDS = {
    "PyTorchJob": (training.KubeflowOrgV1PyTorchJob, training.KubeflowOrgV1PyTorchJobSpec, "pytorch_replica_specs", "pytorch", "Master"),
    "TFJob": (training.KubeflowOrgV1TFJob, training.KubeflowOrgV1TFJobSpec, "tf_replica_specs", "tensorflow", "Worker"),
    "MPIJob": (training.KubeflowOrgV1MPIJob, training.KubeflowOrgV1MPIJobSpec, "mpi_replica_specs", "mpi", "Launcher"),
}


@pytest.fixture(scope="module", params=list(KINDS))
def sdk(request, engine):
    made = training.TrainingClient(config_file=str(engine.kubeconfig), job_kind=request.param)
    made.kind = request.param
    made.resource = f"{request.param.lower()}s.kubeflow.org"
    return made


def job(kind, name, command, **run_policy):
    outer, spec, replicas, container, role = KINDS[kind]
    template = client.V1PodTemplateSpec(spec=client.V1PodSpec(containers=[client.V1Container(name=container, image="python:3", command=command)]))
    replica = training.KubeflowOrgV1ReplicaSpec(replicas=1, template=template, restart_policy="Never")
    return outer(api_version="kubeflow.org/v1", kind=kind, metadata=client.V1ObjectMeta(name=name, namespace="default"),
                 spec=spec(run_policy=training.KubeflowOrgV1RunPolicy(**{"clean_pod_policy": "None", **run_policy}), **{replicas: {role: replica}}))


def test_create_list_update_delete(sdk):
    sdk.create_job(job(sdk.kind, "kept", ["true"], suspend=True), namespace="default")
    assert [j.metadata.name for j in sdk.list_jobs(namespace="default")] == ["kept"]
    sdk.update_job({"metadata": {"labels": {"team": "vision"}}}, "kept", namespace="default")
    kept = sdk.get_job("kept", namespace="default")
    assert kept.metadata.labels == {"team": "vision"} and kept.spec.run_policy.suspend is True
    sdk.delete_job("kept", namespace="default")
    assert sdk.list_jobs(namespace="default") == []


def test_submit_wait_logs_delete(sdk):
    sdk.create_job(job(sdk.kind, "sdk", ["sh", "-c", "echo trained"]), namespace="default")
    ended = sdk.wait_for_job_conditions("sdk", namespace="default", timeout=60, polling_interval=1)
    assert [c.type for c in ended.status.conditions if c.status == "True"][-1] == "Succeeded"
    assert sdk.is_job_succeeded("sdk", namespace="default") and not sdk.is_job_failed("sdk", namespace="default")
    assert {c.type for c in sdk.get_job_conditions("sdk", namespace="default")} >= {"Created", "Succeeded"}
    assert [j.metadata.name for j in sdk.list_jobs(namespace="default")] == ["sdk"]
    names = sdk.get_job_pod_names("sdk", namespace="default")
    assert len(names) == 1 and names[0].startswith("sdk-")
    assert [pod.metadata.name for pod in sdk.get_job_pods("sdk", namespace="default")] == names
    logs, _ = sdk.get_job_logs("sdk", namespace="default")
    assert "trained" in "".join(logs.values())
    sdk.delete_job("sdk", namespace="default")
    with pytest.raises(RuntimeError):
        sdk.get_job("sdk", namespace="default")


def test_a_suspended_job_is_let_go(sdk, engine):
    sdk.create_job(job(sdk.kind, "held", ["true"], suspend=True), namespace="default")
    # The object is sent back with its revision, so it must be read after the controller has written the status.
    engine.muster("wait", f"{sdk.resource}/held", "--for=condition=Suspended")
    held = sdk.get_job("held", namespace="default")
    held.spec.run_policy.suspend = False
    sdk.update_job(held, "held", namespace="default")
    sdk.wait_for_job_conditions("held", namespace="default", timeout=60, polling_interval=1)
    sdk.delete_job("held", namespace="default")


def test_a_failed_job_is_told(sdk):
    sdk.create_job(job(sdk.kind, "bad", ["false"]), namespace="default")
    with pytest.raises(RuntimeError):
        sdk.wait_for_job_conditions("bad", namespace="default", timeout=60, polling_interval=1)
    assert sdk.is_job_failed("bad", namespace="default")
    sdk.delete_job("bad", namespace="default")
