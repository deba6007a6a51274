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


def test_a_cron_makes_jobs_and_keeps_those_that_its_limit_allows(cluster):
    workload, _ = KINDS["pytorchjobs.kubeflow.org"]
    cluster.create({"apiVersion": "apps.kubedl.io/v1alpha1", "kind": "Cron", "metadata": {"name": "often"},
                    "spec": {"schedule": "@every 1s", "concurrencyPolicy": "Forbid", "historyLimit": 1,
                             "template": {"apiVersion": workload["apiVersion"], "kind": workload["kind"],
                                          "workload": {"spec": workload["spec"]}}}})

    def pods_of(job):
        pods = [p["metadata"]["name"] for p in cluster.items("pods") if p["metadata"]["name"].startswith(f"{job}-")]
        return pods if len(pods) == 2 else None

    def another(seen):
        return [one["metadata"]["name"] for one in cluster.items("pytorchjobs") if one["metadata"]["name"] not in seen]
    seen = []
    for _ in range(2):
        (job,) = wait_for("another job", lambda: another(seen))
        pods = wait_for("its pods", lambda: pods_of(job))
        cluster.start(*pods)
        for pod in pods:
            cluster.end(pod)
        seen.append(job)
    cluster.muster("patch", "cron", "often", "--type=merge", "-p", '{"spec":{"suspend":true}}')
    wait_for("the first job to go", lambda: seen[0] not in [one["metadata"]["name"] for one in cluster.items("pytorchjobs")])
    cron = cluster.get("cron", "often")
    assert cron["status"]["lastScheduleTime"]
    assert seen[1] in [one["object"]["name"] for one in cron["status"]["history"]]


def test_a_cron_that_no_schema_could_refuse_says_what_is_wrong(cluster):
    cluster.create({"apiVersion": "apps.kubedl.io/v1alpha1", "kind": "Cron", "metadata": {"name": "mars"},
                    "spec": {"schedule": "TZ=Mars/Olympus @daily", "template": {"apiVersion": "kubeflow.org/v1", "kind": "TFJob"}}})
    wait_for("an event", lambda: "unknown time zone Mars/Olympus" in cluster.muster("get", "events").stdout)


def test_a_notebook_has_a_deployment_a_service_and_a_token(cluster):
    container = {"name": "notebook", "image": "torch-notebook", "volumeMounts": [{"name": "home", "mountPath": "/t9k/mnt"}]}
    volume = {"name": "home", "persistentVolumeClaim": {"claimName": "mnist"}}
    cluster.create({"apiVersion": "tensorstack.dev/v1beta1", "kind": "Notebook", "metadata": {"name": "mnist"},
                    "spec": {"template": {"spec": {"containers": [container], "volumes": [volume]}}}})
    wait_phase(cluster, "notebook", "Initializing")
    deployment = wait_for("the Deployment", lambda: next(iter(cluster.items("deployments")), None))
    template = deployment["spec"]["template"]
    made = template["spec"]["containers"][0]
    assert f"--ServerApp.base_url=/notebook/{cluster.namespace}/mnist/" in made["command"]
    assert {one["name"]: one.get("value") for one in made["env"]}["HOME"] == "/t9k/mnt"
    assert len(cluster.get("secret", "mnist-nb")["data"]["token"]) >= 32
    assert wait_for("the Service", lambda: cluster.items("services"))[0]["spec"]["ports"][0]["targetPort"] == 8888
    # Here the test also acts as the cluster's Deployment controller.
    cluster.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "mnist-nb-0", "labels": template["metadata"]["labels"]},
                    "spec": template["spec"]})
    cluster.start("mnist-nb-0")
    wait_phase(cluster, "notebook", "Running")
    cluster.muster("patch", "notebook", "mnist", "--type=merge", "-p", '{"spec":{"suspend":true}}')
    wait_phase(cluster, "notebook", "Suspended")
    wait_for("no replicas", lambda: cluster.get("deployment", "mnist-nb")["spec"]["replicas"] == 0)


def test_the_operator_refuses_an_engine(engine):
    refused = subprocess.run([MUSTER, "operator", "--kubeconfig", engine.kubeconfig, "--listen", ""], text=True, timeout=30, check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert refused.returncode == 2
    assert "Muster's own engine" in refused.stderr
