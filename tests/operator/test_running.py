"""`muster operator` as a service: election, hand-over, an API server that is absent, probes, metrics, and rights."""
import json
import pathlib
import time
import urllib.parse
import uuid

import pytest
import yaml
from cluster import Cluster
from foreign import own_server
from gate import Gate
from harness import ROOT, wait_for
from operator_process import OperatorProcess
from test_operator import kubeflow, phase, start_all

KIND = "pytorchjobs.kubeflow.org"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/default/leases/muster-operator"
READ = ["get", "list", "watch"]
CHANGE = ["create", "update", "patch", "delete"]
IN_NAMESPACE = [
    {"apiGroups": ["kubeflow.org", "batch.tensorstack.dev", "tensorstack.dev", "apps.kubedl.io"], "resources": ["*"], "verbs": READ + CHANGE},
    {"apiGroups": [""], "resources": ["pods", "services", "configmaps", "events"], "verbs": READ + CHANGE},
    {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": READ + CHANGE},
    {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get", "create", "update"]},
]
READ_CRDS = {"apiGroups": ["apiextensions.k8s.io"], "resources": ["customresourcedefinitions"], "verbs": ["get", "list"]}


@pytest.fixture(scope="module")
def server(kubeconfig, tmp_path_factory):
    with own_server(tmp_path_factory.mktemp("server"), MUSTER_RBAC="1") as running:
        yield running


@pytest.fixture
def there(server, tmp_path):
    cluster = Cluster(server.kubeconfig, f"test-{uuid.uuid4().hex[:8]}", tmp_path)
    yield cluster
    cluster.remove()


@pytest.fixture
def operators(server, tmp_path):
    """Makes operators that end with the test."""
    made = []

    def make(kubeconfig=server.kubeconfig):
        made.append(OperatorProcess(kubeconfig, tmp_path, f"operator-{len(made)}"))
        return made[-1]
    yield make
    for one in made:
        if one.process is not None and one.process.poll() is None:
            one.kill()
    try:
        server.request("DELETE", LEASE)
    except OSError:
        pass  # there was no election


@pytest.fixture
def gate(server):
    url = urllib.parse.urlsplit(server.url)
    gate = Gate(url.hostname, url.port)
    yield gate
    if gate.listener is not None and gate.listener.fileno() >= 0:
        gate.close()


def behind(gate, server, folder):
    """The kubeconfig of the server behind the gate."""
    config = yaml.safe_load(pathlib.Path(server.kubeconfig).read_text())
    config["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{gate.port}"
    path = folder / "gate.yaml"
    path.write_text(yaml.safe_dump(config))
    return path


def account(server, cluster, folder, rules, kind="ClusterRole"):
    """A kubeconfig of a service account in the cluster's namespace with these rights, there or in the whole cluster."""
    ns, name = cluster.namespace, "muster-operator"
    group = "rbac.authorization.k8s.io"
    server.request("POST", f"/api/v1/namespaces/{ns}/serviceaccounts", {"metadata": {"name": name}})
    place = f"/apis/{group}/v1" + (f"/namespaces/{ns}" if kind == "Role" else "")
    full_name = name if kind == "Role" else f"{name}-{ns}"
    server.request("POST", f"{place}/{kind.lower()}s", {"metadata": {"name": full_name}, "rules": rules})
    server.request("POST", f"{place}/{kind.lower()}bindings",
                   {"metadata": {"name": full_name}, "roleRef": {"apiGroup": group, "kind": kind, "name": full_name},
                    "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": ns}]})
    token = server.request("POST", f"/api/v1/namespaces/{ns}/serviceaccounts/{name}/token",
                           {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    config = yaml.safe_load(pathlib.Path(server.kubeconfig).read_text())
    config["users"][0]["user"] = {"token": token["status"]["token"]}
    path = folder / f"{ns}.yaml"
    path.write_text(yaml.safe_dump(config))
    return path


def requests_of(server, ns):
    """What the service account of this namespace has asked for: (verb, resource, subresource, namespace, code)."""
    user = f"system:serviceaccount:{ns}:muster-operator"
    found = []
    for line in server.audit.read_text().splitlines():
        event = json.loads(line)
        if event["user"]["username"] == user:
            about = event.get("objectRef", {})
            found.append((event["verb"], about.get("resource"), about.get("subresource"), about.get("namespace"),
                          event.get("responseStatus", {}).get("code")))
    return found


def holder(server):
    try:
        return server.request("GET", LEASE)["spec"].get("holderIdentity", "")
    except OSError:
        return None


def is_ready(operator):
    return operator.ask("/readyz")[0] == 200


def job(name="mnist", **roles):
    manifest = kubeflow("PyTorchJob", roles or {"Master": 1, "Worker": 1}, "pytorch")
    manifest["metadata"]["name"] = name
    return manifest


def wait_phase(cluster, wanted, name="mnist", timeout=30):
    return wait_for(f"{name} to be {wanted}", lambda: (found := cluster.get(KIND, name)) and phase(found) == wanted and found, timeout)


ELECT = ("--leader-elect", "--lease-duration", "6s", "--renew-deadline", "4s", "--retry-period", "1s")


def test_one_of_two_leads_and_a_killed_one_is_replaced(server, there, operators):
    first, second = operators(), operators()
    first.start(*ELECT)
    second.launch(*ELECT)
    wait_for("the standby to be ready", lambda: "stands by" in second.ask("/readyz")[1] and is_ready(second))
    assert is_ready(first) and "held by this operator" in first.ask("/readyz")[1]
    assert (first.metric("muster_operator_is_leader"), second.metric("muster_operator_is_leader")) == (1, 0)
    there.create(job())
    pods = start_all(there, 2)
    wait_phase(there, "Running")
    led_by = holder(server)
    first.kill()
    killed = time.monotonic()
    wait_for("the standby to lead", lambda: second.metric("muster_operator_is_leader") == 1)
    assert time.monotonic() - killed < 9, "the duration of the Lease, and a moment"
    assert holder(server) not in (led_by, "", None)
    assert server.request("GET", LEASE)["spec"]["leaseTransitions"] == 1
    there.end(pods[0])
    there.end(pods[1])
    wait_phase(there, "Succeeded")


def test_a_leader_that_stops_hands_over(server, there, operators):
    first, second = operators(), operators()
    first.start("--leader-elect")
    second.launch("--leader-elect")
    wait_for("the standby", lambda: is_ready(second))
    began = time.monotonic()
    first.stop()
    wait_for("the standby to lead", lambda: second.metric("muster_operator_is_leader") == 1)
    assert time.monotonic() - began < 8, "a Lease that is not released holds for 15 s"
    there.create(job())
    there.pods(2)
    second.stop()
    assert holder(server) == ""


def test_a_standby_writes_nothing(server, there, operators, tmp_path):
    leader = operators()
    leader.start("--leader-elect")
    standby = operators(account(server, there, tmp_path, [READ_CRDS, *IN_NAMESPACE]))
    standby.launch("--leader-elect")
    wait_for("the standby", lambda: is_ready(standby))
    there.create(job())
    start_all(there, 2)
    wait_phase(there, "Running")
    asked = {(verb, resource) for verb, resource, *_ in requests_of(server, there.namespace)}
    assert asked <= {("get", "leases"), ("get", None)}, asked


def test_a_leader_that_is_cut_off_ends_before_another_may_lead(server, there, operators, gate, tmp_path):
    gate.open()
    first, second = operators(behind(gate, server, tmp_path)), operators()
    first.start(*ELECT)
    second.launch(*ELECT)
    wait_for("the standby", lambda: is_ready(second))
    gate.close()
    assert first.process.wait(timeout=8) == 1
    assert "not the leader any more; ending" in first.said()
    assert second.metric("muster_operator_is_leader") == 0, "the Lease outlives the leader"
    wait_for("the standby to lead", lambda: second.metric("muster_operator_is_leader") == 1)


def test_an_absent_server_is_waited_for(server, there, operators, gate, tmp_path):
    operator = operators(behind(gate, server, tmp_path))
    operator.launch()
    status, body = wait_for("an answer", lambda: (found := operator.ask("/readyz"))[1].find("not asked") < 0 and found)
    assert status == 503 and "[-] api-server: not ok" in body
    assert operator.ask("/healthz") == (200, "ok\n")
    there.create(job())
    gate.open()
    wait_for("the operator to be ready", lambda: is_ready(operator))
    there.pods(2)
    said = [line for line in operator.said().splitlines() if "API server" in line]
    assert len(said) == 2, said


def test_a_server_that_goes_away_is_waited_for(server, there, operators, gate, tmp_path):
    gate.open()
    operator = operators(behind(gate, server, tmp_path))
    operator.start()
    for name in ("first", "second"):
        gate.close()
        wait_for("the operator to notice", lambda: not is_ready(operator), timeout=60)
        there.create(job(name))
        gate.open()
        wait_for("the operator to be ready again", lambda: is_ready(operator), timeout=60)
        wait_for("the pods of a job that came meanwhile", lambda name=name: there.find("pod", f"{name}-worker-0"))
    assert operator.process.poll() is None


def test_the_metrics_count_what_happens(server, there, operators):
    operator = operators()
    operator.start()
    kind = 'group="kubeflow.org",kind="TFJob"'  # no other test here has one
    running = f'muster_operator_jobs{{{kind},state="Running"}}'
    there.create(kubeflow("TFJob", {"Chief": 1, "Worker": 1}, "tensorflow"))
    pods = start_all(there, 2)
    wait_for("the job to be counted", lambda: operator.metric(running) == 1)
    assert operator.metric(f"muster_operator_job_pods_created_seconds_count{{{kind}}}") == 1
    assert 0 < operator.metric(f"muster_operator_job_running_seconds_sum{{{kind}}}") < 30
    assert operator.metric('muster_operator_api_requests_total{verb="create",resource="pods",subresource="",code="201"}') == 2
    assert operator.metric(f'muster_operator_reconciles_total{{{kind},result="ok"}}') >= 2
    assert operator.metric("muster_operator_is_leader") == 1
    for pod in pods:
        there.end(pod)
    wait_for("the job to be counted", lambda: operator.metric(f'muster_operator_jobs{{{kind},state="Succeeded"}}') == 1)
    assert operator.metric(running) == 0
    wait_for("the queue to be empty", lambda: operator.metric("muster_operator_queue_depth") == 0)


def test_secrets_are_never_listed_and_a_missing_right_is_named(server, there, operators, tmp_path):
    operator = operators(account(server, there, tmp_path, [READ_CRDS, *IN_NAMESPACE]))
    operator.start("--leader-elect=false")
    assert is_ready(operator)
    there.create(job())
    start_all(there, 2)
    wait_phase(there, "Running")
    container = {"name": "notebook", "image": "torch-notebook"}
    there.create({"apiVersion": "tensorstack.dev/v1beta1", "kind": "Notebook", "metadata": {"name": "mnist"},
                  "spec": {"template": {"spec": {"containers": [container]}}}})
    wait_for("an event", lambda: "give the operator the rights get and create on secrets" in there.muster("get", "events").stdout)
    assert not there.items("deployments")
    group = "rbac.authorization.k8s.io"
    server.request("PATCH", f"/apis/{group}/v1/clusterroles/muster-operator-{there.namespace}",
                   {"rules": [READ_CRDS, *IN_NAMESPACE, {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "create", "delete"]}]},
                   "application/merge-patch+json")
    wait_for("the Secret", lambda: there.find("secret", "mnist-nb"), timeout=60)
    wait_for("the Deployment", lambda: there.items("deployments"))
    asked = requests_of(server, there.namespace)
    assert {verb for verb, resource, *_ in asked if resource == "secrets"} == {"get", "create"}
    # Roles name what is refused: nothing else was asked for.
    refused = {(verb, resource) for verb, resource, _, _, code in asked if code == 403}
    assert refused <= {("get", "secrets"), ("list", "leases")}, refused


def test_an_operator_of_some_namespaces_needs_no_right_for_the_cluster(server, there, operators, tmp_path):
    outside = Cluster(server.kubeconfig, f"test-{uuid.uuid4().hex[:8]}", tmp_path)
    operator = operators(account(server, there, tmp_path, IN_NAMESPACE, kind="Role"))
    try:
        outside.create(job())
        operator.start("--leader-elect", "--lease-namespace", there.namespace, "--namespaces", there.namespace)
        assert is_ready(operator)
        assert "the operator may not read the CRDs" in operator.said()
        there.create(job())
        pods = start_all(there, 2)
        wait_phase(there, "Running")
        for pod in pods:
            there.end(pod)
        wait_phase(there, "Succeeded")
        assert "status" not in outside.get(KIND, "mnist")
        asked = requests_of(server, there.namespace)
        lists = [one for one in asked if one[0] in ("list", "watch")]
        assert lists and all(ns == there.namespace for _, _, _, ns, _ in lists), lists
    finally:
        outside.remove()


def test_logs_are_objects(server, there, operators):
    operator = operators()
    operator.start("--log-format", "json")
    there.create({"apiVersion": "apps.kubedl.io/v1alpha1", "kind": "Cron", "metadata": {"name": "mars"},
                  "spec": {"schedule": "TZ=Mars/Olympus @daily", "template": {"apiVersion": "kubeflow.org/v1", "kind": "TFJob"}}})
    operator.stop()
    lines = [json.loads(line) for line in operator.said().splitlines()]
    assert lines and all({"time", "level", "message"} <= set(line) for line in lines), lines
    assert lines[-1]["message"] == "stopping; jobs keep running"


def test_wrong_flags_are_refused(operators):
    operator = operators()
    for flags, why in ((("--lease-duration", "5s"), "--lease-duration: must be more than --renew-deadline"),
                       (("--leader-elect=perhaps",), "--leader-elect: must be true, false or auto"),
                       (("--listen", "here"), "--listen: must be HOST:PORT")):
        operator.launch(*flags)
        assert operator.process.wait(timeout=20) == 2
        assert why in operator.said()


def test_a_kind_to_run_is_waited_for(server, there, operators):
    """It takes a CRD away, so it is the last one."""
    operator = operators()
    there.muster("delete", "crd", "crons.apps.kubedl.io")
    operator.launch("--kinds", "crons")
    wait_for("the operator to say so", lambda: "[-] kinds: not ok, the cluster lacks crons.apps.kubedl.io" in operator.ask("/readyz")[1])
    assert operator.ask("/healthz")[0] == 200
    there.muster("create", "-f", str(ROOT / "deploy" / "crds" / "crons.apps.kubedl.io.yaml"))
    wait_for("the operator to be ready", lambda: is_ready(operator), timeout=60)
    assert len([line for line in operator.said().splitlines() if "there is no kind to run" in line]) == 1
