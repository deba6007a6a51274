"""Service accounts: what a pod can do with the token it finds, and for how long."""

import json
import pathlib
import shutil
import ssl
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
from api_socket import Api
from harness import kubectls, wait_for

FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount"
KUBECTLS = kubectls()

ON_THE_HOST = json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "escape"},
                          "spec": {"volumes": [{"name": "etc", "hostPath": {"path": "/etc"}}],
                                   "containers": [{"name": "c", "image": "i", "command": ["true"]}]}})


def pod(name, script, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"restartPolicy": "Never",
                     "containers": [{"name": "main", "image": "python:3", "command": ["sh", "-c", script]}], **spec}}


def finished(engine, name):
    """Waits for the pod's end and returns its log."""
    wait_for(f"{name} to end", lambda: engine.get("pod", name)["status"].get("phase") in ("Succeeded", "Failed"))
    return engine.muster("logs", name).stdout


def ask(engine, token, path, method="GET", body=None, **headers):
    """Returns the status of a request with this token over HTTPS, and the message of an error."""
    certificates = ssl.create_default_context(cafile=str(engine.data / "pki" / "ca.crt"))
    if body is not None:
        headers["Content-Type"] = "application/json"
    request = urllib.request.Request(f"https://127.0.0.1:{engine.port}{path}", method=method, data=None if body is None else json.dumps(body).encode(),
                                     headers={"Authorization": f"Bearer {token}", **headers})
    try:
        with urllib.request.urlopen(request, context=certificates) as answer:
            return answer.status, ""
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())["message"]


@pytest.mark.skipif(not KUBECTLS, reason="there is no kubectl on this machine")
def test_kubectl_in_a_pod_works_in_its_namespace_and_nowhere_else(engine):
    kubectl = list(KUBECTLS.values())[-1]
    # Both outputs share one stream, because two are written down as they arrive.
    engine.apply(pod("inside", f"""
        exec 2>&1
        k={kubectl}
        $k get pods -o name
        $k auth whoami -o 'jsonpath={{.status.userInfo.username}}'; echo
        $k get nodes; echo "nodes: $?"
        $k get pods -A; echo "everywhere: $?"
        $k -n kube-system get secrets; echo "elsewhere: $?"
        echo '{ON_THE_HOST}' | $k create -f -; echo "host: $?"
        $k create configmap made --from-literal=a=b
    """))
    log = finished(engine, "inside")
    assert "pod/inside\n" in log
    user = "system:serviceaccount:default:default"
    assert f"{user}\n" in log
    assert f'nodes is forbidden: User "{user}" cannot list resource "nodes" in API group "" at the cluster scope\nnodes: 1' in log
    assert f'pods is forbidden: User "{user}" cannot list resource "pods" in API group "" at the cluster scope\neverywhere: 1' in log
    assert 'cannot list resource "secrets" in API group "" in the namespace "kube-system"\nelsewhere: 1' in log
    assert 'pods "escape" is forbidden: spec.volumes[0].hostPath: only the owner of this engine may use' in log
    assert "host: 1" in log
    assert engine.get("configmap", "made")["data"] == {"a": "b"}


def test_an_account_does_not_get_the_network_of_the_host(engine):
    """Neither in a pod, nor in a template of any kind, nor by a change of either; not even where all pods have it."""
    _, made = Api(engine).request("POST", "/api/v1/namespaces/default/serviceaccounts/default/token", {"spec": {}})
    token = made["status"]["token"]
    refused = "hostNetwork: only the owner of this engine may use the network of the host"
    pods = "/api/v1/namespaces/default/pods"
    on_host = {**pod("on-host", "true", hostNetwork=True)}
    status, said = ask(engine, token, pods, "POST", on_host)
    assert status == 403 and f"spec.{refused}, got a request from system:serviceaccount:default:default; remove it" in said, said
    template = {"metadata": {"labels": {"app": "x"}}, "spec": on_host["spec"]}
    template["spec"]["restartPolicy"] = "Always"
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "on-host"},
                  "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "x"}}, "template": template}}
    status, said = ask(engine, token, "/apis/apps/v1/namespaces/default/deployments", "POST", deployment)
    assert status == 403 and f"spec.template.spec.{refused}" in said, said
    engine.apply(deployment)  # the owner may
    status, said = ask(engine, token, "/apis/apps/v1/namespaces/default/deployments/on-host/scale", "PUT",
                       {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "on-host", "namespace": "default"}, "spec": {"replicas": 1}})
    assert status == 403 and refused in said, said
    engine.muster("delete", "deployment", "on-host")
    status, said = ask(engine, token, pods, "POST", pod("plain", "true"))
    assert status == 201, said
    engine.muster("delete", "pod", "plain")


def test_a_pods_token_dies_with_the_pod(engine):
    engine.apply(pod("bound", f"cat {FOLDER}/token; echo; cat {FOLDER}/namespace; echo; sleep 1000"))
    log = wait_for("two lines", lambda: (log := engine.muster("logs", "bound", check=False).stdout).count("\n") == 2 and log)
    token, namespace = log.splitlines()
    assert namespace == "default"
    assert ask(engine, token, "/api/v1/namespaces/default/pods") == (200, "")
    assert ask(engine, token, "/api/v1/nodes")[0] == 403
    engine.kill()
    engine.start()
    assert ask(engine, token, "/api/v1/namespaces/default/pods") == (200, "")
    engine.muster("delete", "pod", "bound", "--grace-period=0")
    wait_for("the pod to be gone", lambda: engine.get("pod", "bound", check=False) is None)
    assert ask(engine, token, "/api/v1/namespaces/default/pods") == (401, "Unauthorized")


@pytest.mark.skipif(not KUBECTLS, reason="there is no kubectl on this machine")
def test_an_account_gets_neither_the_owners_streams_nor_a_login(engine):
    token = engine.run([list(KUBECTLS.values())[-1], "create", "token", "default"]).stdout.strip()
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
               "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "stream.muster.dev"}
    base = "/apis/muster.dev/v1"
    assert ask(engine, token, f"{base}/watch", **upgrade)[0] == 403
    assert ask(engine, token, f"{base}/console/link", "POST")[0] == 403
    assert ask(engine, token, f"{base}/console/session", "POST")[0] == 403
    for path in ("jobs", "jobs/pytorchjobs.kubeflow.org/x/scalars", "jobs/pytorchjobs.kubeflow.org/x/log"):
        assert ask(engine, token, f"{base}/namespaces/kube-system/{path}")[0] == 403
    assert ask(engine, token, f"{base}/jobs")[0] == 403
    assert ask(engine, token, f"{base}/namespaces/default/jobs")[0] == 200
    assert ask(engine, token, "/api/v1/namespaces/kube-system/services/x:6006/proxy/")[0] == 403


def test_a_namespace_that_was_made_again_shows_nothing_of_the_old_one(engine):
    token = (engine.data / "token").read_text().strip()

    def see():
        base = "/apis/muster.dev/v1/namespaces/again/pods/speaker"
        return [ask(engine, token, f"{base}/{what}")[0] for what in ("attempts/0/log", "metrics")]

    engine.muster("create", "namespace", "again")
    speaker = pod("speaker", "echo a secret; sleep 1000")
    speaker["metadata"]["namespace"] = "again"
    engine.apply(speaker)
    wait_for("its log and its measures", lambda: see() == [200, 200])
    engine.muster("delete", "pod", "speaker", "-n", "again", "--grace-period=0")
    assert see() == [200, 200]  # kept after the pod
    engine.muster("delete", "namespace", "again")
    wait_for("the end of the namespace", lambda: engine.get("namespace", "again", check=False) is None)
    engine.muster("create", "namespace", "again")
    wait_for("nothing of it", lambda: see() == [404, 404])


def test_a_pod_may_decline_its_token_or_mount_it_itself(engine):
    engine.apply(pod("without", f"ls {FOLDER}; echo host=$KUBERNETES_SERVICE_HOST", automountServiceAccountToken=False))
    log = finished(engine, "without")
    assert "No such file or directory" in log
    assert "host=127.0.0.1" in log

    sources = [{"serviceAccountToken": {"path": "token", "expirationSeconds": 3607}},
               {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
               {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}]}}]
    manual = pod("manual", "cd /access && cat namespace && echo && wc -l < ca.crt && cut -c1-2 token",
                 automountServiceAccountToken=False, volumes=[{"name": "access", "projected": {"sources": sources}}])
    manual["spec"]["containers"][0]["volumeMounts"] = [{"name": "access", "mountPath": "/access"}]
    engine.apply(manual)
    authority = (engine.data / "pki" / "ca.crt").read_text()
    assert finished(engine, "manual").split() == ["default", str(authority.count("\n")), "ey"]


def test_the_socket_refuses_peers_from_another_user_namespace(engine):
    if not shutil.which("unshare") or subprocess.run(["unshare", "-r", "true"], check=False).returncode != 0:
        pytest.skip("this host does not let the user make user namespaces")
    program = ("import sys; sys.path.insert(0, sys.argv[1]); from api_socket import SocketConnection\n"
               "c = SocketConnection(sys.argv[2], 20); c.request('GET', '/api/v1/secrets'); a = c.getresponse()\n"
               "print(a.status, a.read().decode())")
    words = [sys.executable, "-c", program, pathlib.Path(__file__).parent.parent, str(engine.data / "api.sock")]
    inside = subprocess.run(["unshare", "-r", *words], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert inside.startswith("403 ")
    assert "api.sock: the peer is in another user namespace, such as a container; use HTTPS and a token" in inside
    assert subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout.startswith("200 ")
