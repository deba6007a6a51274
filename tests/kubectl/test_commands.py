"""Every command of kubectl that needs no running pod, with each kubectl found: exit codes and printed lines."""

import json
import os

import pytest
from harness import wait_for


def metadata(name, labels=None):
    """Without empty labels: the server drops them, and kubectl apply would then see a difference each time."""
    return {"name": name, "labels": labels} if labels else {"name": name}


def config_map(name, labels=None, owner=None, **data):
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata(name, labels), "data": data}
    if owner:
        made["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "ConfigMap", "name": owner["metadata"]["name"],
                                                "uid": owner["metadata"]["uid"], "blockOwnerDeletion": True}]
    return made


def job(name, workers=1, labels=None):
    """A PyTorchJob that does not change: it is suspended, so that no pod is created."""
    template = {"spec": {"containers": [{"name": "pytorch", "image": "python:3", "command": ["true"]}]}}
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": metadata(name, labels),
            "spec": {"runPolicy": {"suspend": True}, "pytorchReplicaSpecs": {
                "Master": {"replicas": 1, "template": template}, "Worker": {"replicas": workers, "template": template}}}}


def deployment(name):
    terms = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]}
    container = {"name": "c", "image": "python:3", "volumeMounts": [{"name": "v", "mountPath": "/v"}],
                 "livenessProbe": {"httpGet": {"path": "/", "port": 80, "httpHeaders": [{"name": "a", "value": "b"}]}}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata(name),
            "spec": {"replicas": 0, "selector": {"matchLabels": {"app": name}},
                     "template": {"metadata": {"labels": {"app": name}}, "spec": {
                         "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}},
                         "volumes": [{"name": "v", "emptyDir": {}}], "containers": [container]}}}}


def required_terms(pod_spec):
    return pod_spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]


def editor(folder, script):
    path = folder / "editor"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return {"KUBE_EDITOR": str(path)}


def test_discovery(kubectl):
    rows = kubectl.lines("api-resources", "--no-headers")
    assert ["configmaps", "cm", "v1", "true", "ConfigMap"] in rows and ["namespaces", "ns", "v1", "false", "Namespace"] in rows
    assert ["pytorchtrainingjobs", "pj", "batch.tensorstack.dev/v1beta1", "true", "PyTorchTrainingJob"] in rows
    assert {"namespaces", "nodes"} <= set(kubectl.out("api-resources", "--namespaced=false", "-o", "name").split())
    assert "pods" in kubectl.out("api-resources", "--api-group=", "--verbs=watch,patch", "-o", "name").split()
    assert "pytorchjobs.kubeflow.org" in kubectl.out("api-resources", "--categories=all", "-o", "name").split()
    assert {"v1", "kubeflow.org/v1", "batch.tensorstack.dev/v1beta1"} <= set(kubectl.out("api-versions").split())
    assert f":{kubectl.engine.port}" in kubectl.out("cluster-info")
    assert json.loads(kubectl.out("version", "-o", "json"))["serverVersion"]["gitVersion"].startswith("v1.33.")
    for path in ("/healthz", "/livez", "/readyz"):
        assert kubectl.out("get", "--raw", path) == "ok"
    assert 'the server doesn\'t have a resource type "nonsense"' in kubectl.fails("get", "nonsense")


def test_explain(kubectl):
    text = kubectl.out("explain", "pytorchjob.spec.pytorchReplicaSpecs")
    assert "PyTorchJob" in text and "DESCRIPTION" in text and "replicas" in text
    whole = kubectl.out("explain", "pj", "--recursive")
    assert "torchrunConfig" in whole and "volumeMounts" in whole and "ownerReferences" in whole
    assert "terminationGracePeriodSeconds" in kubectl.out("explain", "pod.spec", "--recursive")
    assert "FIELD: restartPolicy" in kubectl.out("explain", "pods.spec.restartPolicy")
    assert 'field "nonsense" does not exist' in kubectl.fails("explain", "pods.spec.nonsense")
    assert "PyTorchJob" in kubectl.out("explain", "pytorchjobs", "--api-version=kubeflow.org/v1")


def test_create_get_and_describe(place):
    assert place.make(config_map("a", {"app": "x"}, k="1"), job("j")) == "configmap/a created\npytorchjob.kubeflow.org/j created\n"
    again = place.fails("create", "-f", "-", stdin=json.dumps(config_map("a")))
    assert 'Error from server (AlreadyExists): error when creating "STDIN": configmaps "a" already exists' in again
    place.make(config_map("b", {"app": "y"}, k="2", l="3"))
    assert [row[:2] for row in place.lines("get", "cm")] == [["NAME", "DATA"], ["a", "1"], ["b", "2"]]
    assert place.out("get", "cm", "-l", "app in (y)", "-o", "name") == "configmap/b\n"
    assert place.out("get", "cm", "-l", "app!=y", "--field-selector", "metadata.name=a", "-o", "jsonpath={.items[*].data.k}") == "1"
    assert place.lines("get", "cm", "-o", "custom-columns=N:.metadata.name,V:.data.l", "--no-headers") == [["a", "<none>"], ["b", "3"]]
    assert place.out("get", "cm", "a", "-o", "go-template={{.data.k}}") == "1"
    assert place.lines("get", "cm", "--show-labels")[1][-1] == "app=x" and place.lines("get", "cm", "-L", "app")[2][-1] == "y"
    assert place.out("get", "cm,pytorchjob", "-o", "name") == "configmap/a\nconfigmap/b\npytorchjob.kubeflow.org/j\n"
    assert place.out("get", "cm", "--chunk-size=1", "-o", "name") == "configmap/a\nconfigmap/b\n"
    everywhere = place.lines("get", "cm", "-A", "--field-selector", f"metadata.namespace={place.ns}")
    assert [row[:2] for row in everywhere[1:]] == [[place.ns, "a"], [place.ns, "b"]]
    assert "pytorchjob.kubeflow.org/j" in place.out("get", "all")
    assert len(place.lines("get", "pytorchjob", "-o", "wide")) == 2
    assert 'field label not supported' in place.fails("get", "cm", "--field-selector", "data.k=1")
    assert "unable to parse requirement" in place.fails("get", "cm", "-l", "a in (")
    assert 'configmaps "zz" not found' in place.fails("get", "cm", "zz") and place.out("get", "cm", "zz", "--ignore-not-found") == ""
    described = place.out("describe", "cm", "a")
    assert described.startswith("Name:         a\n") and "Data\n====\nk:\n----\n1\n" in described
    assert "Pytorch Replica Specs" in place.out("describe", "pytorchjob", "j")
    assert place("events").returncode == 0
    assert place.out("run", "p", "--image=i", "--dry-run=server") == "pod/p created (server dry run)\n"


def annotated(kubectl):
    return "annotate" if kubectl.minor < 28 else "annotated"


def list_of(*items):
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})


def test_create_and_apply_of_a_list(place):
    """Every version of kubectl validates a List itself, with OpenAPI v2."""
    assert place.out("create", "-f", "-", stdin=list_of(config_map("a"), job("j"), deployment("d"))) == (
        "configmap/a created\npytorchjob.kubeflow.org/j created\ndeployment.apps/d created\n")
    assert place.out("apply", "-f", "-", stdin=list_of(config_map("b"), job("k"))) == (
        "configmap/b created\npytorchjob.kubeflow.org/k created\n")
    wrong = job("l")
    wrong["spec"]["pytorchReplicaSpecz"] = {}
    refused = place.fails("create", "-f", "-", stdin=list_of(wrong))
    assert 'unknown field "pytorchReplicaSpecz" in org.kubeflow.v1.PyTorchJobSpec' in refused
    wrong = config_map("c")
    wrong["data"] = ["x"]
    assert "invalid type for" in place.fails("create", "-f", "-", stdin=list_of(wrong))


def test_validation_errors(place):
    wrong = job("j")
    wrong["spec"]["pytorchReplicaSpecs"]["Master"]["replica"] = 1
    for command in ("create", "apply"):
        refused = place.fails(command, "-f", "-", stdin=json.dumps(wrong))
        assert 'strict decoding error: unknown field "spec.pytorchReplicaSpecs.Master.replica"' in refused
        assert "created" in place.out(command, "-f", "-", "--validate=false", "--dry-run=server", stdin=json.dumps(wrong))


def test_apply_of_what_is_not_modelled(place):
    """kubectl walks the schema along with the object: the schema must cover the whole object."""
    made = deployment("d")
    assert place.out("apply", "-f", "-", stdin=json.dumps(made)) == "deployment.apps/d created\n"
    assert place.out("apply", "-f", "-", stdin=json.dumps(made)) == "deployment.apps/d unchanged\n"
    spec = made["spec"]["template"]["spec"]
    required_terms(spec)[0]["matchExpressions"][0]["values"] = ["b"]
    spec["containers"][0]["livenessProbe"]["httpGet"]["path"] = "/alive"
    spec["volumes"] = [{"name": "v", "configMap": {"name": "c"}}]
    done = place("apply", "-f", "-", stdin=json.dumps(made))
    assert done.stdout == "deployment.apps/d configured\n" and "error calculating patch" not in done.stderr
    got = place.json("get", "deployment", "d")["spec"]["template"]["spec"]
    assert required_terms(got) == required_terms(spec) and sorted(got["volumes"][0]) == ["configMap", "name"]
    assert got["containers"][0]["livenessProbe"]["httpGet"]["path"] == "/alive"


def test_sort_by(place):
    place.make(config_map("a", n="3"), config_map("b", n="1"), config_map("c", n="2"))
    assert [row[0] for row in place.lines("get", "cm", "--sort-by=.data.n", "--no-headers")] == ["b", "c", "a"]
    assert place.out("get", "cm", "--sort-by={.data.n}", "-o", "name") == "configmap/b\nconfigmap/c\nconfigmap/a\n"
    assert len(place.lines("get", "cm", "--sort-by=.metadata.creationTimestamp")) == 4


def test_generators(place):
    assert place.out("create", "configmap", "c", "--from-literal=a=1", "--from-literal=b=2") == "configmap/c created\n"
    assert place.json("get", "cm", "c")["data"] == {"a": "1", "b": "2"}
    assert place.out("create", "secret", "generic", "s", "--from-literal=k=v") == "secret/s created\n"
    assert place.lines("get", "secret", "s")[1][:3] == ["s", "Opaque", "1"]
    place("create", "secret", "docker-registry", "d", "--docker-server=example.com", "--docker-username=u", "--docker-password=p")
    assert place.json("get", "secret", "d")["type"] == "kubernetes.io/dockerconfigjson"
    assert place.out("create", "serviceaccount", "robot") == "serviceaccount/robot created\n"
    assert place.out("create", "service", "clusterip", "web", "--tcp=80:8080") == "service/web created\n"
    assert place.lines("get", "svc", "web")[1][4] == "80/TCP"
    dry = json.loads(place.out("create", "configmap", "x", "--dry-run=client", "-o", "json"))
    assert dry["kind"] == "ConfigMap" and "not found" in place.fails("get", "cm", "x")


def test_quota(place):
    if "resourcequotas" not in place.out("api-resources", "-o", "name").split():
        pytest.skip("the engine does not serve ResourceQuota yet")
    assert place.out("create", "quota", "q", "--hard=configmaps=1,count/pods=0") == "resourcequota/q created\n"
    wait_for("the quota's status", lambda: place.json("get", "quota", "q").get("status", {}).get("hard"))
    place.make(config_map("a"))
    refused = place.fails("create", "-f", "-", stdin=json.dumps(config_map("b")))
    assert "Error from server (Forbidden)" in refused and "exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1" in refused
    assert "configmaps" in place.out("describe", "quota", "q")


@pytest.mark.parametrize("made", [config_map("a", k="1"), job("a")], ids=["built-in", "custom"])
def test_apply_client_side(place, made):
    made = json.loads(json.dumps(made))
    what = "configmap/a" if made["kind"] == "ConfigMap" else "pytorchjob.kubeflow.org/a"

    def apply(*words):
        return place.out("apply", "-f", "-", *words, stdin=json.dumps(made))
    assert apply("--dry-run=server") == f"{what} created (server dry run)\n"
    assert apply() == f"{what} created\n" and apply() == f"{what} unchanged\n"
    made["metadata"]["labels"] = {"one": "1", "two": "2"}
    assert apply() == f"{what} configured\n"
    del made["metadata"]["labels"]["one"]
    place("label", what, "other=kept")
    assert apply() == f"{what} configured\n"
    assert place.json("get", what)["metadata"]["labels"] == {"two": "2", "other": "kept"}
    last = json.loads(place.out("apply", "view-last-applied", what, "-o", "json"))
    assert last["metadata"]["labels"] == {"two": "2"}


def test_apply_server_side_with_conflicts(place):
    made = config_map("a", k="1")

    def apply(*words, **kwargs):
        return place("apply", "--server-side", "-f", "-", *words, stdin=json.dumps(made), **kwargs)
    assert apply("--field-manager=one").stdout == "configmap/a serverside-applied\n"
    made["data"]["k"] = "2"
    clash = apply("--field-manager=two", check=False)
    assert clash.returncode == 1 and 'conflict with "one": .data.k' in clash.stderr and "--force-conflicts" in clash.stderr
    assert apply("--field-manager=two", "--force-conflicts").stdout == "configmap/a serverside-applied\n"
    fields = json.loads(place.out("get", "cm", "a", "-o", "json", "--show-managed-fields"))["metadata"]["managedFields"]
    owners = {f["manager"] for f in fields if f["operation"] == "Apply" and "f:data" in f["fieldsV1"]}
    assert owners == {"two"} and place.out("get", "cm", "a", "-o", "jsonpath={.data.k}") == "2"
    made["data"] = {}
    apply("--field-manager=two")
    assert "data" not in place.json("get", "cm", "a")


@pytest.mark.parametrize("side", [[], ["--server-side"]], ids=["client", "server"])
def test_diff(place, side):
    made = config_map("a", k="1")
    place("apply", *side, "-f", "-", stdin=json.dumps(made))
    assert place.out("diff", *side, "-f", "-", stdin=json.dumps(made)) == ""
    made["data"]["k"] = "2"
    done = place("diff", *side, "-f", "-", stdin=json.dumps(made), check=False)
    assert done.returncode == 1 and '-  k: "1"' in done.stdout and '+  k: "2"' in done.stdout
    assert place.json("get", "cm", "a")["data"] == {"k": "1"}, "diff changes nothing"


def test_edit(place, tmp_path):
    place.make(config_map("a", k="1"), job("j"))
    assert place.out("edit", "cm", "a", env=editor(tmp_path, "sed -i 's/k: \"1\"/k: \"2\"/' \"$1\"")) == "configmap/a edited\n"
    assert place.json("get", "cm", "a")["data"] == {"k": "2"}
    assert "Edit cancelled, no changes made" in place("edit", "cm", "a", env={"KUBE_EDITOR": "true"}).stderr
    more = editor(tmp_path, "sed -i '/Worker:/,/template/s/replicas: 1/replicas: 3/' \"$1\"")
    assert place.out("edit", "pytorchjob", "j", env=more) == "pytorchjob.kubeflow.org/j edited\n"
    assert place.json("get", "pytorchjob", "j")["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] == 3
    wrong = editor(tmp_path, "sed -i 's/^  k: .*/  k: [1]/' \"$1\"")
    assert place("edit", "cm", "a", env=wrong, check=False).returncode == 1
    assert place.json("get", "cm", "a")["data"] == {"k": "2"}


def test_get_watch(place):
    place.make(config_map("a", k="1"))
    watch = place.follow("get", "cm", "-w", "--output-watch-events", "--no-headers")
    try:
        assert watch.stdout.readline().split()[:3] == ["ADDED", "a", "1"]
        place("patch", "cm", "a", "-p", '{"data":{"l":"2"}}')
        assert watch.stdout.readline().split()[:3] == ["MODIFIED", "a", "2"]
        place("delete", "cm", "a")
        assert watch.stdout.readline().split()[:3] == ["DELETED", "a", "2"]
    finally:
        watch.terminate()
        watch.communicate()


def test_wait(place):
    place.make(config_map("a", k="1"))
    watch = place.follow("wait", "cm/a", "--for=jsonpath={.data.k}=2", "--timeout=30s")
    place("patch", "cm", "a", "-p", '{"data":{"k":"2"}}')
    out, _ = watch.communicate(timeout=60)
    assert watch.returncode == 0 and out == "configmap/a condition met\n"
    late = place.fails("wait", "cm/a", "--for=jsonpath={.data.k}=3", "--timeout=1s")
    assert "timed out waiting for the condition on configmaps/a" in late
    place.make(job("j"))
    assert place.out("wait", "pytorchjob/j", "--for=condition=Suspended", "--timeout=30s") == "pytorchjob.kubeflow.org/j condition met\n"
    watch = place.follow("wait", "cm/a", "--for=delete", "--timeout=30s")
    place("delete", "cm", "a")
    out, _ = watch.communicate(timeout=60)
    assert watch.returncode == 0
    assert 'configmaps "a" not found' in place.fails("wait", "cm/a", "--for=jsonpath={.data.k}=2", "--timeout=1s")


def test_label_and_annotate(place):
    place.make(config_map("a", {"app": "x"}), config_map("b", {"app": "x"}))
    assert place.out("label", "cm", "a", "n=1") == "configmap/a labeled\n"
    assert "error: 'n' already has a value (1), and --overwrite is false" in place.fails("label", "cm", "a", "n=2")
    assert place.out("label", "cm", "-l", "app=x", "n=2", "--overwrite") == "configmap/a labeled\nconfigmap/b labeled\n"
    assert place.out("label", "cm", "--all", "n-") == "configmap/a unlabeled\nconfigmap/b unlabeled\n"
    assert place.out("label", "cm", "a", "app=x") == "configmap/a not labeled\n"
    assert "app=x" in place.out("label", "cm", "a", "--list")
    assert place.out("annotate", "cm", "a", "note=hello world") == f"configmap/a {annotated(place)}\n"
    assert place.json("get", "cm", "a")["metadata"]["annotations"] == {"note": "hello world"}
    place("annotate", "cm", "a", "note-")
    assert "annotations" not in place.json("get", "cm", "a")["metadata"]
    assert "is invalid: metadata.labels: Invalid value" in place.fails("label", "cm", "a", "bad_/key=1")


def test_patch_types(place):
    place.make(config_map("a", k="1"), job("j"))
    assert place.out("patch", "cm", "a", "-p", '{"data":{"l":"2"}}') == "configmap/a patched\n"
    assert place.out("patch", "cm", "a", "-p", '{"data":{"l":"2"}}') == "configmap/a patched (no change)\n"
    assert place.out("patch", "cm", "a", "--type=merge", "-p", '{"data":{"k":null}}') == "configmap/a patched\n"
    steps = [{"op": "test", "path": "/data/l", "value": "2"}, {"op": "add", "path": "/data/m", "value": "3"}]
    assert place.out("patch", "cm", "a", "--type=json", "-p", json.dumps(steps)) == "configmap/a patched\n"
    assert place.json("get", "cm", "a")["data"] == {"l": "2", "m": "3"}
    steps[0]["value"] = "other"
    assert "the server rejected our request due to an error in our request" in place.fails("patch", "cm", "a", "--type=json", "-p", json.dumps(steps))
    assert "application/strategic-merge-patch+json is not supported" in place.fails("patch", "pytorchjob", "j", "-p", '{"metadata":{"labels":{"a":"b"}}}')
    assert place.out("patch", "pytorchjob", "j", "--type=merge", "-p", '{"metadata":{"labels":{"a":"b"}}}') == "pytorchjob.kubeflow.org/j patched\n"
    wait_for("the controller's last word", lambda: place.json("get", "pytorchjob", "j").get("status", {}).get("conditions"))
    place("patch", "pytorchjob", "j", "--type=merge", "--subresource=status", "-p", '{"status":{"lastReconcileTime":"2026-01-01T00:00:00Z"}}')
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"nodeSelector": {"no": "where"}, "containers": [
        {"name": "a", "image": "i"}, {"name": "b", "image": "i"}]}}
    place.make(pod)
    place("patch", "pod", "p", "-p", '{"spec":{"containers":[{"name":"b","image":"j"}]}}')
    assert [c["image"] for c in place.json("get", "pod", "p")["spec"]["containers"]] == ["i", "j"]
    assert "pod updates may not change fields" in place.fails("patch", "pod", "p", "-p", '{"spec":{"containers":[{"name":"b","command":["x"]}]}}')
    place("delete", "pod", "p", "--force", "--grace-period=0")


def test_scale(place):
    place.make(job("j", workers=1))
    assert place.out("scale", "pytorchjob/j", "--replicas=4") == "pytorchjob.kubeflow.org/j scaled\n"
    assert place.json("get", "pytorchjob", "j")["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] == 4
    mismatch = place.fails("scale", "pytorchjob/j", "--replicas=2", "--current-replicas=1")
    assert "Expected replicas to be 1, was 4" in mismatch
    assert "no objects passed to scale" in place.fails("scale", "pytorchjob/none", "--replicas=2")


def test_replace(place):
    place.make(config_map("a", k="1"))
    assert place.out("replace", "-f", "-", stdin=json.dumps(config_map("a", z="9"))) == "configmap/a replaced\n"
    assert place.json("get", "cm", "a")["data"] == {"z": "9"}
    uid = place.json("get", "cm", "a")["metadata"]["uid"]
    stale = place.json("get", "cm", "a")
    place("label", "cm", "a", "x=y")
    assert "the object has been modified" in place.fails("replace", "-f", "-", stdin=json.dumps(stale))
    forced = place.out("replace", "--force", "-f", "-", stdin=json.dumps(config_map("a", z="10")))
    assert forced.splitlines()[-1] == "configmap/a replaced" and place.json("get", "cm", "a")["metadata"]["uid"] != uid
    assert "not found" in place.fails("replace", "-f", "-", stdin=json.dumps(config_map("none")))


def family(place):
    place.make(config_map("parent"))
    place.make(config_map("child", owner=place.json("get", "cm", "parent")))


def test_delete_foreground(place):
    family(place)
    assert place.out("delete", "cm", "parent", "--cascade=foreground").startswith('configmap "parent" deleted')
    assert place.out("get", "cm", "-o", "name") == "", "the owner goes after what it owns"


def test_delete_orphan(place):
    family(place)
    assert place.out("delete", "cm", "parent", "--cascade=orphan").startswith('configmap "parent" deleted')
    assert "ownerReferences" not in place.json("get", "cm", "child")["metadata"]


def test_delete_background_and_many(place):
    family(place)
    place("delete", "cm", "parent")
    wait_for("the child to be collected", lambda: place.out("get", "cm", "-o", "name") == "")
    place.make(config_map("a", {"x": "1"}), config_map("b", {"x": "1"}), config_map("c"))
    assert place.out("delete", "cm", "a", "--dry-run=server").startswith('configmap "a" deleted')
    assert len(place.out("delete", "cm", "-l", "x=1").splitlines()) == 2 and place.out("get", "cm", "-o", "name") == "configmap/c\n"
    assert place.out("delete", "-f", "-", stdin=json.dumps(config_map("c"))).startswith('configmap "c" deleted')
    assert 'configmaps "c" not found' in place.fails("delete", "cm", "c") and place.out("delete", "cm", "c", "--ignore-not-found") == ""
    place.make(config_map("held"))
    place("patch", "cm", "held", "--type=merge", "-p", '{"metadata":{"finalizers":["example.com/wait"]}}')
    assert "timed out waiting for the condition" in place.fails("delete", "cm", "held", "--timeout=1s")
    assert place.json("get", "cm", "held")["metadata"]["deletionTimestamp"]
    place("patch", "cm", "held", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    assert place.out("get", "cm", "-o", "name") == ""


def test_a_namespace_goes_with_all_in_it(kubectl):
    name = f"gone-{kubectl.suffix}"
    assert kubectl.out("create", "ns", name) == f"namespace/{name} created\n"
    kubectl("create", "configmap", "c", "-n", name)
    assert kubectl.lines("get", "ns", name)[1][:2] == [name, "Active"]
    assert kubectl.out("delete", "ns", name).startswith(f'namespace "{name}" deleted')
    assert kubectl.fails("get", "ns", name) and "not found" in kubectl.fails("create", "configmap", "c", "-n", name)


def test_auth(kubectl):
    assert kubectl.out("auth", "can-i", "create", "pytorchjobs.kubeflow.org") == "yes\n"
    assert kubectl.out("auth", "can-i", "delete", "nodes", "-A").splitlines()[-1] == "yes"
    assert "*.*" in kubectl.out("auth", "can-i", "--list")
    if kubectl.minor >= 28:  # 1.27 requests a review version that Kubernetes 1.33 does not serve either
        assert "muster-admin" in kubectl.out("auth", "whoami")


def test_a_token_of_a_service_account(place):
    place("create", "serviceaccount", "builder")
    token = place.out("create", "token", "builder", "--duration=10m").strip()
    assert place.out("--token", token, "get", "serviceaccounts", "builder", "-o", "name") == "serviceaccount/builder\n"
    user = f"system:serviceaccount:{place.ns}:builder"
    assert place.fails("--token", token, "get", "pods", "-A").strip() == (
        f'Error from server (Forbidden): pods is forbidden: User "{user}" cannot list resource "pods" in API group "" '
        "at the cluster scope")
    assert place.out("--token", token, "auth", "can-i", "create", "pods") == "yes\n"
    assert place("--token", token, "auth", "can-i", "create", "pods", "-n", "default", check=False).stdout == "no\n"
    assert place("--token", token, "auth", "can-i", "get", "nodes", check=False).stdout.splitlines()[-1] == "no"
    listed = place.out("--token", token, "auth", "can-i", "--list")
    assert "pytorchjobs.kubeflow.org" in listed and "*.*" not in listed
    place.fails("create", "token", "builder", "--duration=5s")
    place("delete", "serviceaccount", "builder")
    assert "(Unauthorized)" in place.fails("--token", token, "get", "pods")



def test_a_wrong_token_is_refused(kubectl, tmp_path):
    other = tmp_path / "kubeconfig"
    text = kubectl.engine.kubeconfig.read_text()
    token = text.split("token: ")[1].splitlines()[0]
    other.write_text(text.replace(token, '"wrong"'))
    os.chmod(other, 0o600)
    done = kubectl("--kubeconfig", str(other), "get", "pods", check=False, stdin="")
    assert done.returncode == 1 and ("Unauthorized" in done.stderr or "must be logged in" in done.stderr)
