"""Every kubectl found, against the engine: the commands people type, with exit codes and printed lines."""

import json

import pytest
from harness import kubectls, training_job, wait_for

def test_a_kubectl_was_found():
    if not kubectls():
        pytest.skip("no versioned kubectl (kubectl.1.27 to kubectl.1.33) on this machine")


def manifest(name, command):
    return json.dumps(training_job(name, command))


def test_api_resources_lists_our_kinds(kubectl):
    text = kubectl("api-resources").stdout
    assert "pytorchtrainingjobs" in text and "pj" in text and "pytorchjobs" in text
    assert "persistentvolumeclaims" in text


def test_explain_tells_fields(kubectl):
    text = kubectl("explain", "pj.spec.replicaSpecs").stdout
    assert "restartPolicy" in text and "DESCRIPTION" in text
    assert "torchrunConfig" in kubectl("explain", "pj", "--recursive").stdout


def test_a_job_from_create_to_delete(kubectl):
    name = f"life-{kubectl.suffix}"
    created = kubectl("create", "-f", "-", stdin=manifest(name, ["sh", "-c", "echo hello from $RANK"]))
    assert created.stdout == f"pytorchtrainingjob.batch.tensorstack.dev/{name} created\n"
    kubectl("wait", f"pj/{name}", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=60s")
    table = kubectl("get", "pj", name).stdout.splitlines()
    assert table[0].split()[:2] == ["NAME", "PHASE"] and table[1].split()[:2] == [name, "Succeeded"]
    described = kubectl("describe", "pj", name).stdout
    assert "Replica Specs" in described and "Events:" in described and "Succeeded" in described
    logs = kubectl("logs", "-l", f"tensorstack.dev/owner-name={name}", "--tail=-1", "-f").stdout
    assert "hello from 0" in logs
    pod = kubectl("get", "pj", name, "-o", "jsonpath={.status.tasks[0].replicas[0].name}").stdout
    assert "hello from 0" in kubectl("logs", pod).stdout
    assert kubectl("get", "pod", pod).stdout.splitlines()[1].split()[1:4] == ["0/1", "Completed", "0"]
    assert kubectl("describe", "pod", pod).returncode == 0
    deleted = kubectl("delete", "pj", name)
    assert deleted.stdout.startswith(f'pytorchtrainingjob.batch.tensorstack.dev "{name}" deleted')
    missing = kubectl("get", "pj", name, check=False)
    assert missing.returncode == 1 and f'pytorchtrainingjobs.batch.tensorstack.dev "{name}" not found' in missing.stderr
    wait_for("its pods to be collected", lambda: kubectl("get", "pods", "-o", "name", "-l", f"tensorstack.dev/owner-name={name}").stdout == "")


def test_apply_again_and_edit(kubectl, tmp_path):
    name = f"apply-{kubectl.suffix}"
    job = training_job(name, ["true"])
    assert kubectl("apply", "-f", "-", stdin=json.dumps(job)).stdout.endswith("created\n")
    assert kubectl("apply", "-f", "-", stdin=json.dumps(job)).stdout.endswith("unchanged\n")
    job["metadata"]["labels"] = {"team": "vision"}
    assert kubectl("apply", "-f", "-", stdin=json.dumps(job)).stdout.endswith("configured\n")
    assert f"{name}" in kubectl("get", "pj", "-l", "team=vision", "-o", "name").stdout
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/team: vision/team: speech/' \"$1\"\n")
    editor.chmod(0o755)
    edited = kubectl("edit", "pj", name, env={"KUBE_EDITOR": str(editor)})
    assert edited.stdout.endswith("edited\n")
    assert kubectl("get", "pj", name, "-o", "jsonpath={.metadata.labels.team}").stdout == "speech"
    kubectl("delete", "pj", name, "--wait=false")


def test_apply_of_a_built_in(kubectl):
    name = f"cm-{kubectl.suffix}"
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "1"}}
    assert kubectl("apply", "-f", "-", stdin=json.dumps(body)).stdout == f"configmap/{name} created\n"
    body["data"] = {"b": "2"}
    assert kubectl("apply", "-f", "-", stdin=json.dumps(body)).stdout == f"configmap/{name} configured\n"
    assert json.loads(kubectl("get", "cm", name, "-o", "jsonpath={.data}").stdout) == {"b": "2"}
    kubectl("delete", "cm", name)


def test_get_watch_shows_changes(kubectl):
    name = f"watch-{kubectl.suffix}"
    watch = kubectl.follow("get", "pj", "-w")
    kubectl("create", "-f", "-", stdin=manifest(name, ["true"]))
    seen = []
    for line in watch.stdout:
        if line.startswith(name):
            seen.append(line.split()[1])
        if "Succeeded" in seen:
            break
    watch.terminate()
    watch.communicate()
    assert seen[-1] == "Succeeded"
    kubectl("delete", "pj", name)


def test_a_typo_is_refused_by_strict_validation(kubectl):
    job = training_job(f"typo-{kubectl.suffix}", ["true"])
    job["spec"]["replicaSpecz"] = []
    done = kubectl("create", "-f", "-", stdin=json.dumps(job), check=False)
    assert done.returncode == 1 and 'unknown field "spec.replicaSpecz"' in done.stderr


def test_label_annotate_patch(kubectl):
    name = f"patch-{kubectl.suffix}"
    kubectl("create", "-f", "-", stdin=json.dumps(training_job(name, ["sleep", "60"])))
    assert kubectl("label", "pj", name, "a=b").stdout.endswith("labeled\n")
    assert " annotate" in kubectl("annotate", "pj", name, "note=x").stdout
    kubectl("patch", "pj", name, "--type=merge", "-p", '{"metadata":{"labels":{"a":null}}}')
    kubectl("patch", "pj", name, "--type=json", "-p", '[{"op":"test","path":"/metadata/annotations/note","value":"x"}]')
    shown = json.loads(kubectl("get", "pj", name, "-o", "json").stdout)
    assert "labels" not in shown["metadata"] or "a" not in shown["metadata"]["labels"]
    strategic = kubectl("patch", "pj", name, "-p", "{}", check=False)
    assert strategic.returncode == 1
    kubectl("delete", "pj", name, "--grace-period=1")


def test_get_sorted_and_as_yaml(kubectl):
    assert kubectl("get", "ns", "--sort-by=.metadata.name").stdout.split()[3::3][:1] == ["default"]
    text = kubectl("get", "ns", "default", "-o", "yaml").stdout
    assert "kind: Namespace" in text and "phase: Active" in text
    assert kubectl("get", "all", "-A").returncode == 0
    assert kubectl("get", "nodes", "-o", "wide").stdout.splitlines()[1].split()[1] == "Ready"
    assert kubectl("version").returncode == 0


def test_typed_generators(kubectl):
    """From 1.32 on, these commands send protobuf."""
    name = f"typed-{kubectl.suffix}"
    assert kubectl("create", "namespace", name).stdout == f"namespace/{name} created\n"
    here = ("-n", name)
    kubectl("create", "configmap", "c", "--from-literal=a=1", *here)
    assert kubectl("get", "cm", "c", "-o", "jsonpath={.data.a}", *here).stdout == "1"
    kubectl("create", "secret", "generic", "s", "--from-literal=key=value", *here)
    assert kubectl("get", "secret", "s", "-o", "jsonpath={.data.key}", *here).stdout == "dmFsdWU="
    kubectl("create", "service", "clusterip", "web", "--tcp=80:8080", *here)
    assert kubectl("get", "svc", "web", *here).stdout.splitlines()[1].split()[4] == "80/TCP"
    kubectl("create", "serviceaccount", "builder", *here)
    wait_for("the default account", lambda: kubectl("get", "sa", "-o", "name", *here).stdout ==
             "serviceaccount/builder\nserviceaccount/default\n")
    kubectl("create", "priorityclass", name, "--value=7")
    assert kubectl("get", "pc", name).stdout.splitlines()[1].split()[:3] == [name, "7", "false"]
    kubectl("delete", "pc", name)
    kubectl("delete", "namespace", name)
    assert kubectl("get", "namespace", name, check=False).returncode == 1


def test_auth_about_oneself(kubectl):
    assert kubectl("auth", "can-i", "create", "pods").stdout == "yes\n"
    assert kubectl("auth", "can-i", "get", "/metrics").stdout == "yes\n"
    assert "*.*" in kubectl("auth", "can-i", "--list").stdout
    if kubectl.minor >= 28:
        assert "muster-admin" in kubectl("auth", "whoami").stdout


def test_metrics(kubectl):
    text = kubectl("get", "--raw", "/metrics").stdout
    assert "# TYPE apiserver_request_total counter" in text and "muster_store_revision " in text
