"""What `muster operator` writes when the API server refuses it, counted from the audit log: a job says why it waits, in
the same words everywhere, once; a refused write is tried at most three times a minute."""
import base64
import contextlib
import datetime
import http.server
import json
import shutil
import ssl
import subprocess
import threading
import time
import urllib.error
import uuid

import pytest
from cluster import Cluster, now
from foreign import own_server
from harness import MUSTER, wait_for
from operator_process import OperatorProcess
from test_operator import kubeflow

ARENA = MUSTER.parent / "arena"
RIGHTS = "/apis/rbac.authorization.k8s.io/v1"
MINUTE = 60


@pytest.fixture(scope="module")
def server(kubeconfig, tmp_path_factory):
    with own_server(tmp_path_factory.mktemp("storms"), MUSTER_RBAC="1") as running:
        give_rights(running)
        yield running


def give_rights(server):
    """The user `operator` may do everything that it needs, but create pods only where the role `pods` is bound."""
    groups = ["batch.tensorstack.dev", "kubeflow.org", "apps.kubedl.io", "tensorstack.dev", "scheduler.tensorstack.dev"]
    rules = [{"apiGroups": [""], "resources": ["pods", "services", "configmaps"], "verbs": ["get", "list", "watch", "patch", "delete"]},
             {"apiGroups": [""], "resources": ["services", "configmaps"], "verbs": ["create"]},
             {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "get", "patch"]},
             {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["*"]},
             {"apiGroups": [""], "resources": ["secrets"], "verbs": ["*"]},
             {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["*"]},
             {"apiGroups": ["apiextensions.k8s.io"], "resources": ["customresourcedefinitions"], "verbs": ["get", "list", "watch"]},
             {"apiGroups": groups, "resources": ["*"], "verbs": ["*"]}]
    make_pods = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["create"]}]
    for name, given in (("operator", rules), ("pods", make_pods)):
        server.request("POST", f"{RIGHTS}/clusterroles", {"metadata": {"name": name}, "rules": given})
    server.request("POST", f"{RIGHTS}/clusterrolebindings", {
        "metadata": {"name": "operator"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "operator"},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "operator"}]})


@pytest.fixture(scope="module")
def muster(server, tmp_path_factory):
    operator = OperatorProcess(server.operator, tmp_path_factory.mktemp("operator"))
    operator.start()
    yield operator
    operator.stop()


class Place(Cluster):
    """A namespace there, and what the operator has written in it."""

    def __init__(self, server, home, labels=None):
        super().__init__(server.kubeconfig, f"test-{uuid.uuid4().hex[:8]}", home)
        self.server = server
        if labels:
            self.muster("patch", "namespace", self.namespace, "--type=merge", "-p", json.dumps({"metadata": {"labels": labels}}))

    def let_create_pods(self):
        self.server.request("POST", f"{RIGHTS}/namespaces/{self.namespace}/rolebindings", {
            "metadata": {"name": "pods"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "pods"},
            "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "operator"}]})

    def operators_writes(self):
        return [one for one in self.server.writes(self.namespace) if one["user"]["username"] == "operator"]

    def refused(self):
        return [one for one in self.operators_writes() if one["responseStatus"]["code"] >= 400]

    def waiting(self, name="mnist"):
        found = self.get("pytorchjob", name).get("status", {}).get("conditions", [])
        return next((one for one in found if one["type"] == "Waiting"), None)

    def arena(self, *words):
        done = subprocess.run([ARENA, *words, "-n", self.namespace], env=self.environment, text=True, timeout=60,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def wait_until_it_says(self, reason, name="mnist"):
        def said():
            waiting = self.waiting(name)
            return waiting if waiting and waiting["reason"] == reason else None
        return wait_for(f"the reason {reason}", said)


def job(name="mnist", workers=2):
    manifest = kubeflow("PyTorchJob", {"Master": 1, "Worker": workers}, "pytorch")
    manifest["metadata"]["name"] = name
    return manifest


def time_of(write):
    return datetime.datetime.fromisoformat(write["requestReceivedTimestamp"].replace("Z", "+00:00")).timestamp()


def most_in_a_minute(writes):
    times = sorted(time_of(one) for one in writes)
    return max((sum(1 for other in times if one <= other < one + MINUTE) for one in times), default=0)


# ---- admission webhooks ----

@contextlib.contextmanager
def denying_webhook(folder):
    """Denies everything. Yields its URL and its certificate."""
    key, certificate = folder / "webhook.key", folder / "webhook.crt"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=webhook", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
                   check=True, timeout=30, stderr=subprocess.DEVNULL)

    class Deny(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = json.dumps({"apiVersion": review["apiVersion"], "kind": review["kind"], "response": {
                "uid": review["request"]["uid"], "allowed": False, "status": {"message": "images need a digest"}}}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Deny)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    httpd.socket = tls.wrap_socket(httpd.socket, server_side=True)
    thread = threading.Thread(target=httpd.serve_forever)
    thread.start()
    try:
        yield f"https://127.0.0.1:{httpd.server_port}/", certificate.read_bytes()
    finally:
        httpd.shutdown()
        httpd.server_close()
        thread.join()


def set_webhook(place, name, url, certificate=None):
    client = {"url": url, **({"caBundle": base64.b64encode(certificate).decode()} if certificate else {})}
    place.server.request("POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
        "metadata": {"name": name},
        "webhooks": [{"name": f"{name}.example.com", "clientConfig": client, "sideEffects": "None", "admissionReviewVersions": ["v1"],
                      "failurePolicy": "Fail", "timeoutSeconds": 2,
                      "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": place.namespace}},
                      "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"]}]}]})

    probe = {"metadata": {"name": "probe"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}

    def is_asked():
        try:
            place.server.request("POST", f"/api/v1/namespaces/{place.namespace}/pods?dryRun=All", probe)
        except urllib.error.HTTPError as refused:
            return "webhook" in refused.read().decode()
        return False
    wait_for("the webhook to be asked", is_asked)


def remove_webhook(place, name):
    place.server.request("DELETE", f"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/{name}")


# ---- what refuses, each in a namespace of its own, all at the same time ----

def full_quota(place):
    place.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "small"}, "spec": {"hard": {"pods": "1"}}})
    wait_for("the quota to count", lambda: place.get("resourcequota", "small").get("status", {}).get("hard"))


def larger_quota(place):
    place.muster("patch", "resourcequota", "small", "--type=merge", "-p", '{"spec":{"hard":{"pods":"10"}}}')


def relax_pod_security(place):
    place.muster("patch", "namespace", place.namespace, "--type=merge", "-p",
                 '{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"privileged"}}}')


def foreign_pod(place):
    place.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "mnist-master-0"},
                  "spec": {"containers": [{"name": "other", "image": "i"}]}})


def remove_foreign_pod(place):
    place.muster("delete", "pod", "mnist-master-0", "--force", "--grace-period=0")


# reason -> (what refuses, what ends that, words of the message)
CASES = {
    "QuotaExceeded": (full_quota, larger_quota,
                      ["quota small of namespace {ns} is full: pod mnist-worker-0 requests pods=1, the limit is pods=1;", "raise the quota"]),
    "PodSecurityViolated": (lambda place: None, relax_pod_security,
                            ['pod mnist-master-0 violates Pod Security "restricted:latest": ', "runAsNonRoot != true",
                             "change the label pod-security.kubernetes.io/enforce of namespace {ns}"]),
    "WebhookDenied": (None, lambda place: remove_webhook(place, "denies"),
                      ["admission webhook denies.example.com denies pod mnist-master-0: images need a digest; change the job accordingly"]),
    "WebhookFailed": (lambda place: set_webhook(place, "down", "https://127.0.0.1:1/"), lambda place: remove_webhook(place, "down"),
                      ["cannot ask admission webhook down.example.com about pod mnist-master-0: ", "connection refused; start the webhook again"]),
    "MissingRight": (lambda place: None, Place.let_create_pods,
                     ['Muster may not create pod mnist-master-0: user operator cannot create resource "pods"', "bind the role of Muster's operator"]),
    "NameTaken": (foreign_pod, remove_foreign_pod,
                  ["pod mnist-master-0 already exists and belongs to nobody; delete it so that PyTorchJob/mnist can create its own"]),
}


@pytest.fixture(scope="module")
def refused(server, muster, tmp_path_factory):
    """The places by reason, after the operator has tried for more than a minute."""
    folder = tmp_path_factory.mktemp("refused")
    with denying_webhook(folder) as (url, certificate):
        places = {}
        for reason, (begin, _, _) in CASES.items():
            labels = {"pod-security.kubernetes.io/enforce": "restricted"} if reason == "PodSecurityViolated" else None
            place = places[reason] = Place(server, folder, labels)
            if reason != "MissingRight":
                place.let_create_pods()
            begin(place) if begin else set_webhook(place, "denies", url, certificate)
        for place in places.values():
            place.create(job())
        for reason, place in places.items():
            place.wait_until_it_says(reason)
        over = time.monotonic() + MINUTE + 10
        wait_for("more than a minute to pass", lambda: time.monotonic() > over, timeout=2 * MINUTE)
        yield places
    for place in places.values():
        place.remove()


@pytest.mark.parametrize("reason", CASES)
def test_a_job_says_everywhere_why_its_pods_are_refused(refused, reason):
    place = refused[reason]
    message = place.waiting()["message"]
    for words in CASES[reason][2]:
        assert words.format(ns=place.namespace) in message
    beginning = message[:60]
    assert beginning in place.muster("describe", "pytorchjob", "mnist").stdout
    assert message in place.muster("get", "jobs", "-o", "wide").stdout
    assert message in place.arena("get", "mnist")
    wide = place.muster("get", "pytorchjobs", "mnist", "-o", "wide").stdout
    assert reason in wide and message in wide
    kubectl = shutil.which("kubectl")
    if kubectl:
        shown = subprocess.run([kubectl, "get", "pytorchjobs", "mnist", "-n", place.namespace, "-o", "wide"], env=place.environment,
                               text=True, timeout=60, stdout=subprocess.PIPE, check=True).stdout
        assert reason in shown and message in shown
    failed = [line for line in place.muster("get", "events").stdout.splitlines() if "FailedCreate" in line]
    assert len(failed) == 1 and beginning in failed[0], failed


@pytest.mark.parametrize("reason", CASES)
def test_a_refused_write_is_tried_at_most_three_times_a_minute(refused, reason):
    writes = refused[reason].refused()
    assert 2 <= len(writes), "it is tried again"
    assert most_in_a_minute(writes) <= 3, [(one["requestReceivedTimestamp"], one["verb"], one["objectRef"]) for one in writes]


@pytest.mark.parametrize("reason", CASES)
def test_the_cause_is_written_once(refused, reason):
    place = refused[reason]
    assert len(place.server.status_writes(place.namespace, "mnist")) <= 3


def test_the_cause_goes_when_the_pods_can_be_created(refused):
    """It ends what refuses, so it is the last one about it."""
    for reason, place in refused.items():
        CASES[reason][1](place)
    for place in refused.values():
        wait_for("all pods", lambda place=place: len(place.items("pods")) == 3, timeout=2 * MINUTE)
        wait_for("the cause to go", lambda place=place: place.waiting() is None)
        assert all(one["metadata"].get("ownerReferences") for one in place.items("pods"))


def test_a_changed_job_is_tried_again_at_once(server, muster, tmp_path):
    place = Place(server, tmp_path)
    place.let_create_pods()
    full_quota(place)
    place.create(job(workers=1))
    place.wait_until_it_says("QuotaExceeded")
    tried = len(place.refused())
    patch = {"spec": {"runPolicy": {"ttlSecondsAfterFinished": 100}}}
    place.muster("patch", "pytorchjob", "mnist", "--type=merge", "-p", json.dumps(patch))
    wait_for("another try", lambda: len(place.refused()) > tried, timeout=10)
    place.remove()


# ---- namespaces that end ----

def test_nothing_is_written_in_a_namespace_that_is_being_deleted(server, muster, tmp_path):
    place = Place(server, tmp_path)
    place.let_create_pods()
    hold = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "hold", "finalizers": ["example.com/hold"]}}
    place.create(hold)
    count = 100
    subprocess.run([MUSTER, "create", "-n", place.namespace, "-f", "-"], env=place.environment, text=True, timeout=120, check=True,
                   input="\n---\n".join(json.dumps(job(f"job-{i}", workers=1)) for i in range(count)), stdout=subprocess.DEVNULL)
    wait_for("some pods", lambda: len(place.items("pods")) > count // 2, timeout=60)
    place.remove()
    wait_for("the jobs to go", lambda: not place.items("pytorchjobs"), timeout=120)
    wait_for("the pods to go", lambda: not place.items("pods"), timeout=120)
    writes = len(place.operators_writes())
    over = time.monotonic() + 15
    wait_for("a while", lambda: time.monotonic() > over, timeout=60)
    assert len(place.operators_writes()) == writes
    refused = [one for one in place.refused() if one["responseStatus"]["code"] == 403]
    assert len(refused) <= 3 * 32, "those that were under way when it became known"
    known = min((time_of(one) for one in refused), default=None)
    later = [one for one in place.operators_writes() if known and time_of(one) > known + 2 and one["verb"] != "delete"]
    assert not later, [(one["requestReceivedTimestamp"], one["verb"], one["objectRef"]) for one in later][:5]
    place.muster("patch", "configmap", "hold", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')


# ---- pods that do not start: the test is scheduler and kubelet ----

def pod_status(place, pod, status):
    place.muster("patch", "pod", pod, "--subresource=status", "--type=merge", "-p", json.dumps({"status": status}))


def container_waits(reason, message):
    return {"phase": "Pending", "containerStatuses": [{"name": "pytorch", "image": "torch", "imageID": "", "ready": False,
                                                       "restartCount": 0, "state": {"waiting": {"reason": reason, "message": message}}}]}


def unscheduled(message):
    return {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}]}


PODS = {
    "ImagePullFailed": (container_waits("ErrImagePull", "rpc error: code = NotFound desc = torch: not found"),
                        "image torch of container pytorch cannot be pulled: torch: not found; correct its name, or name a secret for its "
                        "registry in imagePullSecrets of the pod template"),
    "InvalidImageName": (container_waits("InvalidImageName", "couldn't parse image name"),
                         "image torch of container pytorch is not a valid name: couldn't parse image name; correct it in the pod template"),
    "CreateContainerConfigError": (container_waits("CreateContainerConfigError", 'configmap "settings" not found'),
                                   'container pytorch: configmap "settings" not found; create it in namespace {ns}, or correct the pod template'),
    "Unschedulable": (unscheduled("0/2 nodes are available: 2 Insufficient nvidia.com/gpu."),
                      "0/2 nodes are available: 2 Insufficient nvidia.com/gpu; wait for other pods to end, lower what the replicas request, "
                      "or add nodes"),
    "VolumeNotBound": (unscheduled('0/2 nodes are available: persistentvolumeclaim "data" not found.'),
                       '0/2 nodes are available: persistentvolumeclaim "data" not found; create the claim in namespace {ns}, or correct '
                       "claimName in the pod template"),
}


@pytest.fixture
def place(server, muster, tmp_path):
    made = Place(server, tmp_path)
    made.let_create_pods()
    yield made
    made.remove()


@pytest.mark.parametrize("reason", PODS)
def test_a_job_says_why_its_pod_does_not_start(place, reason):
    place.create(job(workers=1))
    place.pods(2)
    status, wanted = PODS[reason]
    wanted = wanted.format(ns=place.namespace)
    pod_status(place, "mnist-worker-0", status)
    assert place.wait_until_it_says(reason)["message"] == wanted
    assert wanted in place.muster("get", "jobs", "-o", "wide").stdout
    assert wanted[:50] in place.muster("describe", "pytorchjob", "mnist").stdout
    place.start("mnist-master-0", "mnist-worker-0")
    wait_for("the cause to go", lambda: place.waiting() is None)


def test_a_job_says_that_the_node_of_a_pod_is_lost(place):
    place.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{place.namespace}"}})
    place.create(job(workers=1))
    place.pods(2)
    place.server.request("POST", f"/api/v1/namespaces/{place.namespace}/pods/mnist-worker-0/binding", {
        "apiVersion": "v1", "kind": "Binding", "metadata": {"name": "mnist-worker-0"}, "target": {"apiVersion": "v1", "kind": "Node", "name": f"node-{place.namespace}"}})
    place.start("mnist-master-0", "mnist-worker-0")
    wait_for("the job to run", lambda: "Running" in place.muster("get", "pytorchjob", "mnist").stdout)
    pod_status(place, "mnist-worker-0", {"conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "DeletionByTaintManager",
                                                         "message": "Taint manager: deleting due to NoExecute taint",
                                                         "lastTransitionTime": now()}]})
    place.muster("delete", "pod", "mnist-worker-0", "--wait=false")
    message = place.wait_until_it_says("NodeLost")["message"]
    assert message == (f"node node-{place.namespace} does not answer, so pod mnist-worker-0 cannot end and be replaced; start the node "
                       f"again, or if it is gone for good: kubectl delete node node-{place.namespace}")
    assert "deleting due to NoExecute taint" in place.muster("describe", "pytorchjob", "mnist").stdout
    place.muster("delete", "pod", "mnist-worker-0", "--force", "--grace-period=0")
    place.muster("delete", "pod", "mnist-master-0", "--force", "--grace-period=0", check=False)
    wait_for("the cause to go", lambda: place.waiting() is None)
    place.muster("delete", "node", f"node-{place.namespace}")


# ---- normal operation ----

def wait_until_quiet(place):
    """Waits until the operator has written nothing for two seconds."""
    seen = [len(place.operators_writes()), time.monotonic()]

    def quiet():
        count = len(place.operators_writes())
        if count != seen[0]:
            seen[:] = [count, time.monotonic()]
        return time.monotonic() - seen[1] > 2
    wait_for("the operator to be done", quiet, timeout=60)


def create_jobs(place, count):
    subprocess.run([MUSTER, "create", "-n", place.namespace, "-f", "-"], env=place.environment, text=True, timeout=120, check=True,
                   input="\n---\n".join(json.dumps(job(f"job-{i}")) for i in range(count)), stdout=subprocess.DEVNULL)


def test_jobs_get_their_pods_with_few_writes_and_none_is_refused(place):
    count = 30
    create_jobs(place, count)
    wait_for("all pods", lambda: len(place.items("pods")) == 3 * count, timeout=60)
    wait_until_quiet(place)
    writes = place.operators_writes()
    creates = [one for one in writes if one["verb"] == "create"]
    refused = place.refused()
    assert len(refused) <= 0.02 * len(creates), [(one["verb"], one["objectRef"], one["responseStatus"]) for one in refused]
    assert len(writes) / count <= 8.2, len(writes)


def test_two_operators_at_once_are_harmless(place, server, tmp_path):
    other = OperatorProcess(server.operator, tmp_path)
    other.start()
    try:
        count = 10
        create_jobs(place, count)
        pods = wait_for("all pods", lambda: len(found := place.items("pods")) == 3 * count and found, timeout=60)
        place.start(*(one["metadata"]["name"] for one in pods))
        wait_for("all jobs to run", lambda: place.muster("get", "pytorchjobs").stdout.count("Running") == count, timeout=60)
        for i in range(count):
            place.end(f"job-{i}-master-0")
        wait_for("all jobs to succeed", lambda: place.muster("get", "pytorchjobs").stdout.count("Succeeded") == count, timeout=60)
        wait_until_quiet(place)
        made = [one["objectRef"]["name"] for one in place.operators_writes()
                if one["verb"] == "create" and one["objectRef"]["resource"] == "pods" and one["responseStatus"]["code"] == 201]
        assert len(made) == len(set(made)) == 3 * count
        for i in range(count):
            writes = place.server.status_writes(place.namespace, f"job-{i}")
            assert sum(1 for _, code in writes if code == 200) <= 8, writes
            assert len(writes) <= 16, writes
    finally:
        other.stop()
