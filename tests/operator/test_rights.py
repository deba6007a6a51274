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
                           test_a_job_runs_and_succeeds, test_a_paused_job_has_no_pods_until_it_is_resumed, wait_phase)

ACCOUNT = "system:serviceaccount:muster-system:muster-operator"
# What no request shows: OwnerReferencesPermissionEnforcement asks for the right to update finalizers of each owner.
ASKED_BY_ADMISSION = "/finalizers"
# The keys of MPI jobs will need it.
NOT_USED_YET = {("secrets", "delete")}


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


def requests_of_operator(server):
    """What the operator asked for so far, as (resource, verb, HTTP code)."""
    found = set()
    for line in server.audit.read_text().splitlines():
        event = json.loads(line)
        about = event.get("objectRef")
        if event["user"]["username"] == ACCOUNT and about and "responseStatus" in event:
            resource = "/".join(filter(None, (about["resource"], about.get("subresource"))))
            found.add((resource, event["verb"], event["responseStatus"]["code"]))
    return found


def rights_of_role(server):
    rights = set()
    for kind, name, namespace in (("clusterrole", "muster-operator", ""), ("clusterrole", "muster-operator-secrets", ""),
                                  ("role", "muster-operator-lease", "muster-system")):
        for rule in server.find(kind, name, namespace)["rules"]:
            rights |= {(resource, verb) for resource in rule["resources"] for verb in rule["verbs"]}
    return rights


def test_a_name_of_somebody_else_is_looked_up(cluster):
    """After a refused create it reads the object of that name: of every kind of child."""
    cluster.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "mnist-worker-0"},
                    "spec": KINDS["pytorchtrainingjobs.batch.tensorstack.dev"][0]["spec"]["replicaSpecs"][0]["template"]["spec"]})
    cluster.create(KINDS["pytorchtrainingjobs.batch.tensorstack.dev"][0])
    wait_for("an event", lambda: "already exists and belongs to nobody" in cluster.muster("get", "events").stdout)


def test_all_rights_are_used_and_none_is_missing(server):
    used = requests_of_operator(server)
    assert {one for one in used if one[2] == 403} == set()
    unused = {right for right in rights_of_role(server) - {(resource, verb) for resource, verb, _ in used}
              if not right[0].endswith(ASKED_BY_ADMISSION)}
    assert unused == NOT_USED_YET
