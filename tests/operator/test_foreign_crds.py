"""`muster operator` in a cluster with Kubeflow's own CRDs, which prune every status field of ours, and next to Kubeflow's
operators: each job restarts as often as it should, and no job has two masters."""
import subprocess
import time
import uuid

import pytest
from foreign import ForeignCluster, foreign_server
from harness import MUSTER, wait_for
from operator_process import OperatorProcess
from test_operator import kubeflow, phase, start_all

MPI = "mpijobs.v2beta1.kubeflow.org"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
LEASE = "1ca428e5.training-operator.kubeflow.org"


@pytest.fixture(scope="module")
def server(kubeconfig, tmp_path_factory):
    with foreign_server(tmp_path_factory.mktemp("foreign")) as running:
        yield running


@pytest.fixture(scope="module")
def muster(server, tmp_path_factory):
    operator = OperatorProcess(server.kubeconfig, tmp_path_factory.mktemp("operator"))
    operator.start()
    yield operator
    operator.stop()


@pytest.fixture
def there(server, muster, tmp_path):
    cluster = ForeignCluster(server, f"test-{uuid.uuid4().hex[:8]}", tmp_path)
    yield cluster
    cluster.remove()


def job(kind="PyTorchJob", roles=None, policy="OnFailure", name="mnist", **run_policy):
    containers = {"PyTorchJob": "pytorch", "TFJob": "tensorflow", "MPIJob": "mpi"}
    manifest = kubeflow(kind, roles or {"Master": 1, "Worker": 1}, containers[kind], runPolicy=run_policy)
    if kind == "MPIJob":
        manifest["apiVersion"] = "kubeflow.org/v2beta1"
    manifest["metadata"]["name"] = name
    for role in next(value for key, value in manifest["spec"].items() if key.endswith("ReplicaSpecs")).values():
        role["restartPolicy"] = policy
    return manifest


KINDS = {"pytorchjobs.kubeflow.org": (job(), 2),
         "tfjobs.kubeflow.org": (job("TFJob", {"Chief": 1, "Worker": 1}), 2),
         MPI: (job("MPIJob", {"Launcher": 1, "Worker": 2}, policy="Never"), 3)}


def wait_phase(cluster, kind, wanted, name="mnist"):
    return wait_for(f"{kind} to be {wanted}", lambda: (found := cluster.get(kind, name)) and phase(found) == wanted and found)


def attempts(cluster):
    """The attempts of the pods that wait; None until all of the job's pods do."""
    pods = [pod for pod in cluster.items("pods") if "deletionTimestamp" not in pod["metadata"]]
    if len(pods) != 2 or any(pod["status"]["phase"] != "Pending" for pod in pods):
        return None
    return {pod["metadata"]["labels"]["muster.dev/attempt"] for pod in pods}


def fail_attempt(cluster, number):
    """Starts the pods of this attempt and lets one of them fail."""
    wait_for(f"attempt {number}", lambda: attempts(cluster) == {str(number)})
    cluster.start("mnist-master-0", "mnist-worker-0")
    wait_phase(cluster, "pytorchjob", "Running")
    cluster.end("mnist-worker-0", exit_code=1)


def failed_message(found):
    return next(one["message"] for one in found["status"]["conditions"] if one["type"] == "Failed")


@pytest.mark.parametrize("kind", KINDS)
def test_a_job_runs_and_succeeds(there, kind):
    manifest, count = KINDS[kind]
    there.create(manifest)
    pods = start_all(there, count)
    wait_phase(there, kind, "Running")
    for pod in pods:
        there.end(pod)
    assert wait_phase(there, kind, "Succeeded")["status"]["completionTime"]
    assert len(there.status_writes("mnist")) <= 8


@pytest.mark.parametrize("kind", KINDS)
def test_a_failed_job_says_which_replica(there, kind):
    manifest, count = KINDS[kind]
    there.create({**manifest, "spec": {**manifest["spec"], "runPolicy": {"backoffLimit": 0}}})
    pods = start_all(there, count)
    wait_phase(there, kind, "Running")
    there.end(pods[0], exit_code=1)
    assert "exit code 1" in failed_message(wait_phase(there, kind, "Failed"))


def test_a_job_restarts_as_often_as_its_limit_allows(there):
    there.create(job(backoffLimit=2))
    for number in range(3):
        fail_attempt(there, number)
    found = wait_phase(there, "pytorchjob", "Failed")
    assert "backoffLimit 2 is used up" in failed_message(found)
    assert "restartCount" not in found["status"], "the CRD is Kubeflow's"
    assert [one["type"] for one in found["status"]["conditions"]][0] == "MusterState"
    writes = there.status_writes("mnist")
    assert len(writes) <= 20, writes
    assert all(manager == "muster-operator" for manager, _ in writes), writes
    shown = there.muster("describe", "pytorchjob", "mnist").stdout
    assert "backoffLimit 2 is used up" in shown and "MusterState" not in shown
    # Another job runs from its beginning to its end meanwhile, and nothing more is written about this one.
    there.create(job(name="other"))
    wait_for("the other job's pods", lambda: there.find("pod", "other-master-0"))
    assert there.status_writes("mnist") == writes


def test_a_job_fails_at_its_deadline(there):
    there.create(job(activeDeadlineSeconds=2))
    start_all(there, 2)
    assert "activeDeadlineSeconds (2 s)" in failed_message(wait_phase(there, "pytorchjob", "Failed"))


def test_an_operator_that_is_killed_in_the_middle_of_restarts_charges_each_once(there, muster):
    there.create(job(backoffLimit=4))
    for number in range(5):
        fail_attempt(there, number)
        deadline = time.monotonic() + 0.05 * number  # at another moment each time
        wait_for("the moment", lambda deadline=deadline: time.monotonic() >= deadline)
        muster.kill()
        muster.start()
    assert "backoffLimit 4 is used up" in failed_message(wait_phase(there, "pytorchjob", "Failed"))
    assert len(there.status_writes("mnist")) <= 40


def test_a_job_of_another_manager_is_left_alone(there):
    there.create(job(name="theirs", managedBy="kubeflow.org/training-operator"))
    there.create(job(name="ours", managedBy="muster.dev/operator"))
    there.create(job())
    wait_for("the pods of the other jobs", lambda: there.find("pod", "mnist-worker-0") and there.find("pod", "ours-worker-0"))
    assert "status" not in there.get("pytorchjob", "theirs")
    assert there.find("pod", "theirs-worker-0") is None


def test_a_job_whose_status_another_controller_writes_is_left_alone(there, server):
    there.create(job(suspend=True))
    wait_phase(there, "pytorchjob", "Suspended")
    path = f"/apis/kubeflow.org/v1/namespaces/{there.namespace}/pytorchjobs/mnist"
    found = server.request("GET", path)
    found["status"]["replicaStatuses"] = {"Master": {"active": 1}}
    server.request("PUT", f"{path}/status?fieldManager=training-operator", found)
    writes = there.status_writes("mnist")
    server.request("PATCH", path, {"spec": {"runPolicy": {"suspend": False}}}, "application/merge-patch+json")
    wait_for("an event", lambda: "training-operator writes the status" in there.muster("get", "events").stdout)
    assert there.status_writes("mnist") == writes
    assert not there.items("pods")


@pytest.fixture
def live_lease(server, muster):
    """As training-operator renews it while it lives."""
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime())
    server.request("POST", LEASES, {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": LEASE},
                                    "spec": {"holderIdentity": "training-operator-0", "leaseDurationSeconds": 600,
                                             "acquireTime": now, "renewTime": now}})
    yield
    if server.request("GET", f"{LEASES}?fieldSelector=metadata.name={LEASE}")["items"]:
        server.request("DELETE", f"{LEASES}/{LEASE}")
    muster.restart()  # it would notice only half a minute later


def test_the_operator_stands_back_while_another_one_is_alive(there, muster, server, live_lease):
    before = len(muster.log.read_text())
    muster.restart()
    there.create(job())
    there.create({"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "PyTorchTrainingJob", "metadata": {"name": "own"},
                  "spec": {"replicaSpecs": [{"type": "worker", "template": {"spec": {"containers": [{"name": "c", "image": "i"}]}}}]}})
    wait_for("the pod of a kind that is ours alone", lambda: there.items("pods"))
    assert all(pod["metadata"]["name"].startswith("own") for pod in there.items("pods"))
    assert "status" not in there.get("pytorchjob", "mnist")
    said = [line for line in muster.log.read_text()[before:].splitlines() if "another operator runs the kind" in line]
    assert sum("kind=pytorchjobs.kubeflow.org" in line for line in said) == 1, said
    assert f"Lease kube-system/{LEASE}" in said[0]
    server.request("DELETE", f"{LEASES}/{LEASE}")
    wait_for("the job to run once the other operator is gone", lambda: there.find("pod", "mnist-worker-0"), timeout=60)


def test_a_kind_that_is_on_runs_next_to_another_operator(there, muster, live_lease):
    muster.restart("--kinds", "pytorchjobs=on")
    there.create(job("TFJob", {"Worker": 1}, name="theirs"))
    there.create(job())
    there.pods(2)
    assert "status" not in there.get("tfjob", "theirs")


def test_a_list_of_kinds_turns_the_others_off(there, muster):
    muster.restart("--kinds", "tfjobs")
    try:
        there.create(job())
        there.create(job("TFJob", {"Worker": 1}, name="ours"))
        wait_for("the pod of the TFJob", lambda: there.find("pod", "ours-worker-0"))
        assert "status" not in there.get("pytorchjob", "mnist")
    finally:
        muster.restart()


def test_a_wrong_list_of_kinds_is_refused(server):
    refused = subprocess.run([MUSTER, "operator", "--kubeconfig", server.kubeconfig, "--kinds", "torchjobs"], text=True, timeout=30,
                             check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert refused.returncode != 0 and 'there is no kind "torchjobs"' in refused.stderr


def test_a_kind_whose_crd_prunes_a_field_is_refused_and_the_others_run(there, muster):
    """It changes the CRDs, so it is the last one."""
    place = "/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/replicaStatuses"
    there.muster("patch", "crd", "tfjobs.kubeflow.org", "--type=json", "-p", f'[{{"op":"remove","path":"{place}"}}]')
    there.muster("delete", "crd", "crons.apps.kubedl.io")
    muster.restart()
    said = muster.log.read_text()
    assert "the cluster lacks crons.apps.kubedl.io; to install all of Muster's kinds: muster crds |" in said
    assert "the CRD tfjobs.kubeflow.org prunes status.replicaStatuses, which Muster writes" in said
    there.create(job("TFJob", {"Worker": 1}, name="refused"))
    there.create(job())
    there.pods(2)
    found = wait_for("the condition", lambda: (one := there.get("tfjob", "refused")).get("status") and one)
    (condition,) = found["status"]["conditions"]
    assert (condition["type"], condition["reason"]) == ("MusterRefused", "FieldPruned")
    wait_for("the event", lambda: "prunes status.replicaStatuses" in there.muster("get", "events").stdout)
    muster.restart()
    there.create(job(name="later"))
    wait_for("the pods of a later job", lambda: there.find("pod", "later-worker-0"))
    assert len(there.status_writes("refused")) == 1
