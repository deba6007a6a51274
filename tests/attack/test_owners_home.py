"""The home of the owner's runs, where their logins are: what a program with a pod's token tries to read it."""

import json
import ssl
import subprocess
import urllib.error
import urllib.request

import pytest

from harness import MUSTER, wait_for

NAMESPACE = "namespaces/default"
LOGIN = """
import os, sys, time
path = os.path.expanduser("~/.netrc")
if not os.path.exists(path):
    open(path, "w").write("machine api.wandb.ai password hunter2")
print(open(path).read(), flush=True)
while "--wait" in sys.argv:
    time.sleep(0.1)
"""


def pod(name, claim):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"restartPolicy": "Never", "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": claim}}],
                     "containers": [{"name": "c", "image": "i", "command": ["sh", "-c", "cat /v/.netrc"],
                                     "volumeMounts": [{"name": "v", "mountPath": "/v"}]}]}}


def owners_run(engine, project, *words):
    return subprocess.run([MUSTER, "run", *words], cwd=project, env=engine.environment(), text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


@pytest.fixture(scope="module")
def spy(engine, tmp_path_factory):
    """The owner's run has logged in, and a pod that the owner did not mean shows its token."""
    project = tmp_path_factory.mktemp("project")
    (project / "train.py").write_text(LOGIN)
    assert "hunter2" in owners_run(engine, project, "train.py").stdout
    assert owners_run(engine, project, "-d", "--name", "owners", "train.py", "--wait").returncode == 0
    engine.wait_phase("owners", "Running")
    engine.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "spy"},
                  "spec": {"containers": [{"name": "c", "image": "i",
                                           "command": ["sh", "-c", "cat /var/run/secrets/kubernetes.io/serviceaccount/token; sleep 1000"]}]}})
    token = wait_for("the token", lambda: engine.muster("logs", "spy", check=False).stdout.strip())
    certificates = ssl.create_default_context(cafile=str(engine.data / "pki" / "ca.crt"))

    def ask(method, path, body=None, **headers):
        request = urllib.request.Request(f"https://127.0.0.1:{engine.port}{path}", method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json", **headers})
        try:
            with urllib.request.urlopen(request, context=certificates) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())["message"]

    ask.project = project
    ask.pod = next(pod["metadata"]["name"] for pod in json.loads(engine.muster("get", "pods", "-o", "json").stdout)["items"]
                   if pod["metadata"]["name"].startswith("owners"))
    return ask


def test_no_object_of_an_account_mounts_it(spy):
    status, why = spy("POST", f"/api/v1/{NAMESPACE}/pods", pod("thief", "home"))
    assert status == 403 and 'only the owner of this engine may use claim "home"' in why, why
    template = {"metadata": {"labels": {"a": "b"}}, "spec": pod("x", "home")["spec"]}
    template["spec"]["containers"][0]["name"] = "pytorch"
    job = {"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "PyTorchTrainingJob", "metadata": {"name": "thief"},
           "spec": {"replicaSpecs": [{"type": "worker", "replicas": 1, "template": template}]}}
    jobs = f"/apis/batch.tensorstack.dev/v1beta1/{NAMESPACE}/pytorchtrainingjobs"
    assert spy("POST", jobs, job)[0] == 403
    cron = {"apiVersion": "apps.kubedl.io/v1alpha1", "kind": "Cron", "metadata": {"name": "thief"},
            "spec": {"schedule": "* * * * *", "template": {"apiVersion": job["apiVersion"], "kind": job["kind"], "workload": job}}}
    assert spy("POST", f"/apis/apps.kubedl.io/v1alpha1/{NAMESPACE}/crons", cron)[0] == 403
    board = {"apiVersion": "tensorstack.dev/v1beta1", "kind": "TensorBoard", "metadata": {"name": "thief"},
             "spec": {"trainingLogFilesets": ["t9k://pvc/home/"]}}
    assert spy("POST", f"/apis/tensorstack.dev/v1beta1/{NAMESPACE}/tensorboards", board)[0] == 403


def test_its_files_and_its_mark_are_closed(spy):
    files = f"/apis/muster.dev/v1/{NAMESPACE}/persistentvolumeclaims/home/files"
    for method, path in (("GET", ""), ("GET", "/.netrc"), ("PUT", "/.netrc"), ("DELETE", "/.netrc")):
        status, why = spy(method, files + path)
        assert status == 403 and "only the owner of this engine" in why, (method, path, status, why)
    claim = f"/api/v1/{NAMESPACE}/persistentvolumeclaims/home"
    unmark = {"metadata": {"annotations": {"muster.dev/owner-only": None}}}
    assert spy("PATCH", claim, unmark, **{"Content-Type": "application/merge-patch+json"})[0] == 403
    assert spy("GET", files + "/.netrc")[0] == 403


def test_an_account_does_not_enter_a_run_of_the_owner_nor_change_it(spy):
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
               "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "v5.channel.k8s.io"}
    status, why = spy("GET", f"/api/v1/{NAMESPACE}/pods/{spy.pod}/exec?command=cat&command=/root/.netrc&stdout=true", **upgrade)
    assert status == 403 and "only the owner of this engine may enter" in why, why
    change = {"metadata": {"annotations": {"a": "b"}}}
    job = f"/apis/batch.tensorstack.dev/v1beta1/{NAMESPACE}/pytorchtrainingjobs/owners"
    assert spy("PATCH", job, change, **{"Content-Type": "application/merge-patch+json"})[0] == 403


def test_runs_of_the_owner_keep_their_logins(engine, spy):
    assert "hunter2" in owners_run(engine, spy.project, "train.py").stdout
    assert ".netrc" in engine.muster("volume", "ls", "home:").stdout
