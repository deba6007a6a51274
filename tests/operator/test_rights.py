"""The operator under the role of `muster install`: its jobs run, nothing that it asks for is refused, and it uses every right
that it has, so that no verb can be removed from the role, or stay there for nothing."""
import json
import uuid

import pytest
from cluster import Cluster
from harness import wait_for
from operator_process import OperatorProcess
from rbac import rbac_server
from test_operator import (KINDS, test_a_cron_makes_jobs_and_keeps_those_that_its_limit_allows, test_a_failed_job_says_which_replica,
                           test_a_job_runs_and_succeeds, test_a_notebook_has_a_deployment_a_service_and_a_token,
                           test_a_paused_job_has_no_pods_until_it_is_resumed, wait_phase)

JOB_KINDS = {kind.partition(".")[0] for kind in KINDS}
ACCOUNT = "system:serviceaccount:muster-system:muster-operator"
# What no request shows: OwnerReferencesPermissionEnforcement asks for the right to update finalizers of each owner.
ASKED_BY_ADMISSION = "/finalizers"
# What these tests do not make the operator do, and why it has the right anyway.
OTHERWISE_USED = {
    ("notebooks", "patch"): "suspends one whose program has ended",
    **{("leases", verb): "election, which is for pods" for verb in ("create", "get", "update")},
    **{(owned, "get"): "as for pods and services, if somebody else has the name"
       for owned in ("configmaps", "deployments", "tensorboards", *JOB_KINDS)},
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with rbac_server(tmp_path_factory.mktemp("rbac")) as server:
        server.muster("install", "--wait=false")
        yield server


@pytest.fixture(scope="module")
def operator(server, tmp_path_factory):
    account = server.kubeconfig_of("muster-system", "muster-operator")
    operator = OperatorProcess(account, tmp_path_factory.mktemp("operator"))
    operator.start()
    yield operator
    operator.stop()


@pytest.fixture
def cluster(operator, server, tmp_path):
    cluster = Cluster(server.kubeconfig, f"test-{uuid.uuid4().hex[:8]}", tmp_path)
    yield cluster
    cluster.remove()


def without_kind(resource):
    """All job kinds have one controller, so a right that it uses on one of them counts for all."""
    plural, _, ending = resource.partition("/")
    return "/".join(filter(None, ("jobs" if plural in JOB_KINDS else plural, ending)))


def requests_of_operator(server):
    """What the operator asked for so far, as (resource, verb, whether it has the right)."""
    found = set()
    for line in server.audit.read_text().splitlines():
        event = json.loads(line)
        about = event.get("objectRef")
        if event["user"]["username"] == ACCOUNT and about and "responseStatus" in event:
            resource = "/".join(filter(None, (about["resource"], about.get("subresource"))))
            found.add((resource, event["verb"], event["annotations"]["authorization.k8s.io/decision"] == "allow"))
    return found


def rights_of_role(server):
    rights = set()
    for kind, name, namespace in (("clusterrole", "muster-operator", ""), ("clusterrole", "muster-operator-secrets", ""),
                                  ("role", "muster-operator-lease", "muster-system")):
        for rule in server.find(kind, name, namespace)["rules"]:
            rights |= {(resource, verb) for resource in rule["resources"] for verb in rule["verbs"]}
    return rights


@pytest.mark.parametrize("taken", [
    {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "main", "image": "other"}]}},
    {"apiVersion": "v1", "kind": "Service", "spec": {"ports": [{"port": 80}]}}], ids=["pod", "service"])
def test_a_name_of_somebody_else_is_looked_up(cluster, taken):
    """After a refused create the operator reads the object of that name."""
    cluster.create({**taken, "metadata": {"name": "mnist-master-0"}})
    cluster.create(KINDS["pytorchjobs.kubeflow.org"][0])
    wait_for("an event", lambda: "already exists and belongs to nobody" in cluster.muster("get", "events", "-o", "yaml").stdout)


def test_a_tensorboard_of_a_job_follows_its_changes(cluster):
    manifest, _ = KINDS["pytorchtrainingjobs.batch.tensorstack.dev"]
    board = {"trainingLogFilesets": ["t9k://pvc/tutorial/log"], "image": "tensorboard:1"}
    cluster.create({**manifest, "spec": {**manifest["spec"], "tensorboardSpec": board}})
    wait_for("the Deployment", lambda: cluster.items("deployments"))
    change = {"spec": {"tensorboardSpec": {**board, "image": "tensorboard:2"}}}
    cluster.muster("patch", "pytorchtrainingjob", "mnist", "--type=merge", "-p", json.dumps(change))
    wait_for("the new image", lambda: "tensorboard:2" in json.dumps(cluster.items("deployments")))


def test_the_host_file_of_an_mpi_job_follows_its_workers(cluster):
    cluster.create(KINDS["mpijobs.kubeflow.org"][0])
    wait_for("the host file", lambda: "mnist-worker-1" in json.dumps(cluster.items("configmaps")))
    change = {"spec": {"mpiReplicaSpecs": {"Worker": {"replicas": 3}}}}
    cluster.muster("patch", "mpijobs.kubeflow.org", "mnist", "--type=merge", "-p", json.dumps(change))
    wait_for("the third worker", lambda: "mnist-worker-2" in json.dumps(cluster.items("configmaps")))


def test_all_rights_are_used_and_none_is_missing(server):
    used = requests_of_operator(server)
    asked = {(without_kind(resource), verb) for resource, verb, _ in used}
    unused = {(resource, verb) for resource, verb in rights_of_role(server) if (without_kind(resource), verb) not in asked
              and not resource.endswith(ASKED_BY_ADMISSION)}
    # Servers without WatchList are asked for lists.
    unused = {(resource, verb) for resource, verb in unused if verb != "list" or (resource, "watch") in unused}
    assert {one for one in used if not one[2]} == set()
    assert unused == set(OTHERWISE_USED)
