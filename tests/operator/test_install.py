"""`muster install`, `check` and `uninstall` on a real API server with RBAC; the tests play the kubelet."""
import json
import shutil
import subprocess

import pytest
import yaml
from foreign import foreign_server
from harness import MUSTER, ROOT, wait_for
from rbac import RbacServer, rbac_server

NAMESPACE = "muster-system"
TFJOB = {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "metadata": {"name": "mnist", "namespace": "default"},
         "spec": {"tfReplicaSpecs": {"Worker": {"replicas": 1, "template": {"spec": {"containers": [
             {"name": "tensorflow", "image": "tensorflow"}]}}}}}}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with rbac_server(tmp_path_factory.mktemp("rbac")) as server:
        yield server


@pytest.fixture
def installed(server):
    """Muster as `muster install` leaves it; afterwards only the kinds are left."""
    server.muster("install", "--wait=false")
    yield server
    server.muster("delete", "tfjobs", "--all", "-A")
    uninstall(server)


def uninstall(server, *flags, namespace=NAMESPACE):
    server.muster("uninstall", "-n", namespace, *flags)
    wait_for("the namespace to be gone", lambda: server.find("namespace", namespace) is None, timeout=60)


def key(document):
    metadata = document["metadata"]
    return document["apiVersion"], document["kind"], metadata.get("namespace", ""), metadata["name"]


def documents(text):
    return {key(one): one for one in yaml.safe_load_all(text) if one}


def exported(*flags):
    return subprocess.run([MUSTER, "install", "--export", *flags], check=True, text=True, timeout=60, stdout=subprocess.PIPE).stdout


def test_kustomize_gives_the_objects_of_install():
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        pytest.skip("there is no kubectl to run its kustomize")
    built = subprocess.run([kubectl, "kustomize", ROOT / "deploy"], check=True, text=True, timeout=60, stdout=subprocess.PIPE).stdout
    ours, theirs = documents(exported()), documents(built)
    assert ours.keys() == theirs.keys()
    for name, wanted in ours.items():
        assert theirs[name] == wanted, name


def test_the_server_accepts_every_object_strictly(server, tmp_path):
    """With every option; the namespace has to be there for what is in it."""
    options = ["--namespace", "all-options", "--replicas", "2", "--priority-class", "muster-operator",
               "--image-pull-secrets", "registry", "--extra-args", "--lease-duration=30s"]
    server.muster("install", "--wait=false", *options)
    try:
        for name in documents(exported(*options)):
            assert server.find(f"{name[1]}.{name[0].partition('/')[0]}" if "/" in name[0] else name[1], name[3], name[2]), name
        again = server.muster("install", "--dry-run", *options).stdout.splitlines()
        assert [line for line in again if not line.endswith(" unchanged (server dry run)")] == []
    finally:
        uninstall(server, namespace="all-options")


def test_a_second_installation_changes_nothing(installed):
    before = installed.versions()
    lines = installed.muster("install", "--wait=false").stdout.splitlines()
    assert all(line.endswith(" unchanged") for line in lines[:-1]), lines
    assert installed.versions() == before


def test_an_upgrade_changes_what_differs_and_says_so(installed):
    lines = installed.muster("install", "--wait=false", "--replicas", "2", "--image", "muster.dev/muster:next").stdout
    assert "deployment/muster-operator changed\n" in lines
    assert "  spec.replicas: 1 -> 2\n" in lines
    assert '.containers[0].image: "muster.dev/muster:' in lines and '-> "muster.dev/muster:next"\n' in lines
    assert "poddisruptionbudget/muster-operator created\n" in lines


def test_a_dry_run_writes_nothing(server):
    before = server.versions()
    said = server.muster("install", "--dry-run").stdout
    assert "clusterrole/muster-operator created (server dry run)\n" in said
    assert "deployment/muster-operator created (not checked: the namespace does not exist yet)\n" in said
    assert server.versions() == before


def test_a_field_of_somebody_else_is_not_taken_over(installed):
    installed.kubectl_patch("deployments", "muster-operator", {"spec": {"replicas": 3}})
    refused = installed.muster("install", "--wait=false", check=False)
    assert refused.returncode == 4
    assert "deployment/muster-operator: " in refused.stderr and "--force-conflicts" in refused.stderr
    installed.muster("install", "--wait=false", "--force-conflicts")
    assert installed.find("deployment", "muster-operator", NAMESPACE)["spec"]["replicas"] == 1


def test_uninstall_leaves_kinds_and_jobs(installed):
    installed.create(TFJOB)
    said = installed.muster("uninstall").stdout
    assert said.startswith("deployment/muster-operator removed\n")
    assert "kinds with 1 object stay" in said
    assert installed.find("tfjob", "mnist", "default")
    for kind in ("clusterrole", "clusterrolebinding"):
        names = [one["metadata"]["name"] for one in json.loads(installed.muster("get", kind, "-o", "json").stdout)["items"]]
        assert not [name for name in names if name.startswith("muster")]
    wait_for("the namespace to be gone", lambda: installed.find("namespace", NAMESPACE) is None, timeout=60)
    assert installed.muster("uninstall").stdout.startswith("13 kinds with 1 object stay")


def test_uninstall_keeps_a_namespace_with_jobs(installed):
    installed.create({**TFJOB, "metadata": {"name": "mnist", "namespace": NAMESPACE}})
    assert f"namespace/{NAMESPACE} stays: it has 1 tfjobs\n" in installed.muster("uninstall").stdout
    assert installed.find("tfjob", "mnist", NAMESPACE)


def check(server, *flags):
    done = server.muster("check", "-o", "json", *flags, check=False)
    report = json.loads(done.stdout)
    assert done.returncode == (0 if report["good"] else 1)
    found = {}
    for one in report["checks"]:
        found.setdefault(one["name"], one)
    return found


def test_check_before_and_after(server, installed):
    before = check(server, "--pre")
    assert {name: one["health"] for name, one in before.items()} == {
        "server": "good", "kinds": "good", "others": "good", "gangs": "absent", "rights": "good"}
    after = check(server)
    assert after["operator"]["health"] == "bad"  # there is no kubelet
    assert after["operator"]["finding"] == "0 of 1 available in muster-system"
    assert after["version"]["health"] == "good"
    assert after["lease"] == {"name": "lease", "health": "bad", "finding": "no operator has taken the Lease yet",
                              "fix": "kubectl -n muster-system logs deployment/muster-operator"}
    assert after["rights"]["finding"] == "the operator has all the rights that it needs"


def test_check_names_a_right_that_the_operator_lacks(installed):
    role = installed.find("clusterrole", "muster-operator")
    for rule in role["rules"]:
        if rule["resources"] == ["pods"]:
            rule["verbs"].remove("patch")
    installed.request("PUT", "/apis/rbac.authorization.k8s.io/v1/clusterroles/muster-operator", role)
    wait_for("the right to be missed", lambda: check(installed)["rights"]["finding"] == "the operator may not patch pods")
    installed.muster("delete", "clusterrolebinding", "muster-operator-secrets")
    wait_for("Secrets to be missed", lambda: check(installed).get("secrets", {}).get("health") == "absent")


def test_check_says_what_an_ordinary_user_may_not_do(server):
    found = check(server.as_account("nobody"), "--pre")
    assert found["kinds"]["finding"] == "unknown: you may not list customresourcedefinitions"
    assert found["rights"]["health"] == "bad"
    assert "create clusterroles" in found["rights"]["finding"]


def may(server, user, verb, resource, group):
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": {
        "user": user, "resourceAttributes": {"namespace": "default", "verb": verb, "resource": resource, "group": group}}}
    return server.request("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)["status"]["allowed"]


def test_users_with_view_and_edit_see_and_change_jobs(installed):
    for role in ("view", "edit"):
        installed.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
                          "metadata": {"name": role, "namespace": "default"},
                          "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
                          "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": f"may-{role}"}]})
    wait_for("view to count", lambda: may(installed, "may-view", "list", "tfjobs", "kubeflow.org"))
    wait_for("edit to count", lambda: may(installed, "may-edit", "delete", "tfjobs", "kubeflow.org"))
    assert may(installed, "may-edit", "list", "crons", "apps.kubedl.io")
    assert not may(installed, "may-view", "delete", "tfjobs", "kubeflow.org")
    assert not may(installed, "may-edit", "patch", "tfjobs/status", "kubeflow.org")
    for role in ("view", "edit"):
        installed.muster("delete", "rolebinding", role, "-n", "default")


def test_foreign_crds_stay_as_they_are(tmp_path):
    """On a server of its own, which loses all kinds at the end."""
    with foreign_server(tmp_path) as foreign:
        server = RbacServer(foreign.kubeconfig, foreign.audit)
        names = ["pytorchjobs.kubeflow.org", "tfjobs.kubeflow.org", "mpijobs.kubeflow.org"]
        before = {name: server.find("crd", name)["metadata"]["generation"] for name in names}
        said = server.muster("install", "--wait=false").stdout
        for name in names:
            assert f"customresourcedefinition/{name} left alone: belongs to somebody else and stays as it is; its jobs run" in said
            live = server.request("GET", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}")
            assert "muster-install" not in [one["manager"] for one in live["metadata"]["managedFields"]]
        assert {name: server.find("crd", name)["metadata"]["generation"] for name in names} == before
        found = check(server)
        assert found["kind"]["health"] == "good"
        said = server.muster("install", "--wait=false", "--adopt", "pytorchjobs.kubeflow.org").stdout
        assert "customresourcedefinition/pytorchjobs.kubeflow.org changed\n" in said
        assert server.find("crd", "pytorchjobs.kubeflow.org")["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "muster"
        said = server.muster("uninstall", "--crds", "--yes").stdout
        assert "customresourcedefinition/pytorchjobs.kubeflow.org removed\n" in said
        left = [one["metadata"]["name"] for one in json.loads(server.muster("get", "crds", "-o", "json").stdout)["items"]]
        assert sorted(left) == ["mpijobs.kubeflow.org", "tfjobs.kubeflow.org"]


def test_roles_only_for_some_namespaces(server):
    """A team without any right in the cluster, where somebody has installed the kinds."""
    server.muster("install", "--wait=false")
    uninstall(server)  # leaves the kinds
    for team in ("team-a", "team-b"):
        server.muster("create", "namespace", team)
        server.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
                       "metadata": {"name": "team", "namespace": team},
                       "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
                       "subjects": [{"kind": "ServiceAccount", "namespace": "default", "name": "lead"}]})
    lead = server.as_account("lead")
    flags = ["-n", "team-a", "--namespaces", "team-a,team-b"]
    said = wait_for("the bindings to count", lambda: (done := lead.muster("install", "--crds=false", "--wait=false", *flags, check=False))
                    .returncode == 0 and done.stdout)
    assert "role/muster-operator created\n" in said and "clusterrole" not in said
    found = check(lead, "-n", "team-a")
    assert found["rights"]["health"] in ("good", "absent")  # who may not ask about others does not know
    assert check(server, "-n", "team-a")["rights"]["finding"] == "the operator has all the rights that it needs"
    lead.muster("uninstall", *flags)
    assert server.find("role", "muster-operator", "team-b") is None
    assert server.find("namespace", "team-a")
    for team in ("team-a", "team-b"):
        server.muster("delete", "namespace", team)
