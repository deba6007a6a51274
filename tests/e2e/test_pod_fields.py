"""docs/pods.md, tried with the real engine: what works, what is refused with its path, and what gives one warning."""

import json
import resource
import shutil

import pytest
from harness import wait_for


def pod(name, script, spec=None, **container):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "x", "team": "y"}},
            "spec": {"restartPolicy": "Never", **(spec or {}),
                     "containers": [{"name": "main", "image": "python:3", "command": ["sh", "-c", script], **container}]}}


def output(engine, manifest):
    """What the pod writes until it ends."""
    name = manifest["metadata"]["name"]
    engine.apply(manifest)
    phase = wait_for(f"{name} to end", lambda: (lambda p: p if p in ("Succeeded", "Failed") else None)(
        engine.get("pod", name)["status"].get("phase")))
    text = engine.muster("logs", name).stdout
    assert phase == "Succeeded", text
    return text


def refusal(engine, manifest):
    done = engine.muster("apply", "-f", "-", stdin=json.dumps(manifest), check=False)
    assert done.returncode != 0, done.stdout
    return done.stderr


def test_a_field_without_effect_gives_one_warning_and_the_pod_runs(engine):
    manifest = pod("idle", "true", {
        "hostAliases": [{"ip": "10.0.0.1", "hostnames": ["a"]}, {"ip": "10.0.0.2", "hostnames": ["b"]}],
        "imagePullSecrets": [{"name": "key"}], "runtimeClassName": "nvidia", "setHostnameAsFQDN": True},
        securityContext={"allowPrivilegeEscalation": True})
    said = engine.apply(manifest).stderr
    for path in ("spec.hostAliases", "spec.imagePullSecrets", "spec.runtimeClassName", "spec.setHostnameAsFQDN",
                 "spec.containers[0].securityContext.allowPrivilegeEscalation"):
        assert said.count(f"{path} has no effect: ") == 1, said
    wait_for("the pod to succeed", lambda: engine.get("pod", "idle")["status"].get("phase") == "Succeeded")
    assert "has no effect" not in engine.apply(manifest).stderr, "told once, when the object gets the field"


def test_a_template_gives_the_same_warning_with_its_path(engine):
    done = engine.muster("apply", "--dry-run=server", "-f", "-", stdin=json.dumps({
        "apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "j"},
        "spec": {"pytorchReplicaSpecs": {"Master": {"template": {"spec": {
            "overhead": {"cpu": "1"}, "containers": [{"name": "pytorch", "image": "i", "command": ["true"]}]}}}}}}))
    assert "spec.pytorchReplicaSpecs.Master.template.spec.overhead has no effect: " in done.stderr


@pytest.mark.parametrize("spec, container, path", [
    ({"volumes": [{"name": "v", "nfs": {"server": "a", "path": "/b"}}]}, {}, "spec.volumes[0].nfs"),
    ({"volumes": [{"name": "v", "csi": {"driver": "a"}}]}, {}, "spec.volumes[0].csi"),
    ({"volumes": [{"name": "v", "emptyDir": {"medium": "HugePages"}}]}, {}, "spec.volumes[0].emptyDir.medium"),
    ({"runtimeClassName": "gvisor"}, {}, "spec.runtimeClassName"),
    ({"hostPID": True}, {}, "spec.hostPID"),
    ({"initContainers": [{"name": "s", "image": "i", "command": ["true"], "restartPolicy": "Always"}]}, {},
     "spec.initContainers[0].restartPolicy"),
    ({}, {"securityContext": {"privileged": True}}, "spec.containers[0].securityContext.privileged"),
    ({}, {"securityContext": {"seccompProfile": {"type": "Unconfined"}}},
     "spec.containers[0].securityContext.seccompProfile.type"),
    ({}, {"resources": {"claims": [{"name": "gpu"}]}}, "spec.containers[0].resources.claims"),
])
def test_what_a_pod_cannot_have_is_refused_with_its_path(engine, spec, container, path):
    assert f"{path}: Forbidden: " in refusal(engine, pod("refused", "true", spec, **container))


def test_fields_amounts_and_expressions_reach_the_program(engine):
    folder = engine.volume("out")
    text = output(engine, pod(
        "fields", "cat /info/labels /info/cpu; echo; echo $OTHER; echo here > /out/file; cat /info/token | wc -c",
        {"volumes": [{"name": "out", "persistentVolumeClaim": {"claimName": "out"}},
                     {"name": "info", "projected": {"sources": [
                         {"downwardAPI": {"items": [
                             {"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}},
                             {"path": "cpu", "resourceFieldRef": {"containerName": "main", "resource": "limits.cpu", "divisor": "1m"}}]}},
                         {"serviceAccountToken": {"path": "token"}}]}}],
         "initContainers": [{"name": "before", "image": "python:3", "command": ["true"], "resources": {"limits": {"cpu": "3"}}}]},
        resources={"limits": {"cpu": "500m"}},
        env=[{"name": "ME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
             {"name": "OTHER", "valueFrom": {"resourceFieldRef": {"containerName": "before", "resource": "limits.cpu"}}}],
        volumeMounts=[{"name": "out", "mountPath": "/out", "subPathExpr": "of-$(ME)"}, {"name": "info", "mountPath": "/info"}]))
    assert text.startswith('app="x"\nteam="y"500\n3\n') and int(text.split()[-1]) > 100, text
    assert (folder / "of-fields" / "file").read_text() == "here\n"


def test_the_sandbox_is_as_the_page_says(engine):
    text = output(engine, pod(
        "sandbox", "grep NoNewPrivs /proc/self/status; touch /usr/x /tmp/x /root/x 2>&1; echo $(id -u):$(id -g); hostname",
        {"hostname": "chosen"}, securityContext={"runAsUser": 1000, "runAsGroup": 1000, "readOnlyRootFilesystem": True}))
    assert "NoNewPrivs:\t1\n" in text and text.count("Read-only file system") == 3 and "1000:1000\nchosen\n" in text


def test_a_pod_waits_until_its_gates_are_removed(engine):
    engine.apply(pod("gated", "true", {"schedulingGates": [{"name": "later"}]}))
    engine.apply(pod("not-gated", "true"))
    wait_for("the other to succeed", lambda: engine.get("pod", "not-gated")["status"].get("phase") == "Succeeded")
    assert "nodeName" not in engine.get("pod", "gated")["spec"]
    done = engine.muster("patch", "pod", "gated", "--type=json", "-p",
                         '[{"op": "add", "path": "/spec/schedulingGates/-", "value": {"name": "more"}}]', check=False)
    assert "only deletion is allowed, but found new scheduling gate 'more'" in done.stderr
    engine.muster("patch", "pod", "gated", "--type=json", "-p", '[{"op": "remove", "path": "/spec/schedulingGates"}]')
    wait_for("the pod to succeed", lambda: engine.get("pod", "gated")["status"].get("phase") == "Succeeded")


def test_the_containers_of_a_pod_share_their_processes(engine):
    manifest = pod("shared", "while ! grep -lz 'sleep.1234' /proc/[0-9]*/cmdline 2>/dev/null; do sleep 0.1; done; echo seen",
                   {"shareProcessNamespace": True})
    manifest["spec"]["containers"].append({"name": "other", "image": "python:3", "command": ["sleep", "1234"]})
    engine.apply(manifest)
    wait_for("one to see the other", lambda: "seen" in engine.muster("logs", "shared", "-c", "main", check=False).stdout)
    engine.muster("delete", "pod", "shared", "--grace-period=0", "--force")


def test_a_container_with_ipc_lock_may_lock_memory(engine):
    script = "import resource; print(resource.getrlimit(resource.RLIMIT_MEMLOCK)); print(open('/proc/self/status').read())"
    wished = pod("locks", "", securityContext={"capabilities": {"add": ["IPC_LOCK"]}})
    usual = pod("locks-not", "")
    for manifest in (wished, usual):
        manifest["spec"]["containers"][0]["command"] = ["python3", "-c", script]
    text = output(engine, wished)
    may_raise = int(open("/proc/self/status").read().split("CapEff:")[1].split()[0], 16) >> 24 & 1  # CAP_SYS_RESOURCE
    most = -1 if may_raise else resource.getrlimit(resource.RLIMIT_MEMLOCK)[1]
    assert text.startswith(f"({most}, {most})"), text
    events = engine.muster("get", "events").stdout
    assert (f"with IPC_LOCK the pod can lock {most // 1024} KiB of memory" in events) == (most > 0)
    assert int(text.split("CapEff:")[1].split()[0], 16) >> 14 & 1 == 1
    assert int(output(engine, usual).split("CapEff:")[1].split()[0], 16) >> 14 & 1 == 0


def test_a_notebook_with_ssh_is_accepted_with_a_warning(engine):
    done = engine.muster("apply", "--dry-run=server", "-f", "-", stdin=json.dumps({
        "apiVersion": "tensorstack.dev/v1beta1", "kind": "Notebook", "metadata": {"name": "n"},
        "spec": {"ssh": {"enabled": True, "authorizedKeys": ["key"], "serviceType": "ClusterIP"},
                 "template": {"spec": {"containers": [{"name": "notebook", "image": "python:3"}]}}}}))
    assert done.stderr.count("spec.ssh has no effect: notebooks run no sshd") == 1


def xgboost(name, script, port):
    def role(kind, **more):
        return {"type": kind, "replicas": 1, "restartPolicy": "Never", "template": {"spec": {"containers": [
            {"name": "xgboost", "image": "python:3", "command": ["python3", "-c", script], **more}]}}}
    return {"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "XGBoostTrainingJob", "metadata": {"name": name},
            "spec": {"replicaSpecs": [role("master", ports=[{"name": "xgboost-port", "containerPort": port}]), role("worker")]}}


MEET_AT_MASTER = """
import os, socket, time
host, port, rank = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), os.environ["RANK"]
if rank == "0":
    server = socket.create_server(("0.0.0.0", port)); server.accept()
else:
    while True:
        try: socket.create_connection((host, port)).close(); break
        except OSError: time.sleep(0.05)
print("met at", port, flush=True)
"""


def test_two_jobs_meet_at_the_port_that_both_manifests_name(engine):
    if not engine.has_own_networks():
        pytest.skip("pods share the network of this machine")
    for name in ("first", "second"):
        engine.apply(xgboost(name, MEET_AT_MASTER, 9991))
    for name in ("first", "second"):
        engine.wait_phase(name, "Succeeded", kind="xgboosttrainingjobs")
        logs = engine.muster("logs", name, "--all-pods", check=False).stdout or engine.muster("logs", name).stdout
        assert "met at 9991" in logs


def test_services_of_an_ended_job_live_as_long_as_its_pods(engine):
    engine.apply({
        "apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "kept"},
        "spec": {"runPolicy": {"cleanPodPolicy": "Running"}, "pytorchReplicaSpecs": {"Master": {"template": {"spec": {
            "containers": [{"name": "pytorch", "image": "python:3", "command": ["true"]}]}}}}}})

    def ended():
        conditions = engine.get("pytorchjobs", "kept").get("status", {}).get("conditions", [])
        return any(c["type"] == "Succeeded" and c["status"] == "True" for c in conditions)
    wait_for("the job to succeed", ended)
    assert engine.get("service", "kept-master-0") and engine.get("pod", "kept-master-0")
    engine.muster("delete", "pod", "kept-master-0")
    wait_for("the Service to go with the pod", lambda: engine.get("service", "kept-master-0", check=False) is None)


@pytest.mark.skipif(not shutil.which("mpirun"), reason="Open MPI (openmpi-bin) is not installed")
def test_a_v2beta1_launcher_is_retried_up_to_its_backoff_limit(engine):
    folder = engine.volume("tries")
    launcher = {"spec": {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "tries"}}], "containers": [
        {"name": "mpi", "image": "python:3", "command": ["sh", "-c", "echo try >> /v/tries; exit 3"],
         "volumeMounts": [{"name": "v", "mountPath": "/v"}]}]}}
    engine.apply({
        "apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": {"name": "tries"},
        "spec": {"runPolicy": {"backoffLimit": 2}, "mpiReplicaSpecs": {
            "Launcher": {"replicas": 1, "restartPolicy": "Never", "template": launcher},
            "Worker": {"replicas": 1, "template": {"spec": {"containers": [{"name": "mpi", "image": "python:3"}]}}}}}})

    def failed():
        conditions = engine.get("mpijobs.kubeflow.org", "tries").get("status", {}).get("conditions", [])
        return next((c for c in conditions if c["type"] == "Failed" and c["status"] == "True"), None)
    assert "backoffLimit 2 is used up" in wait_for("the job to fail", failed, 90)["message"]
    assert (folder / "tries").read_text() == "try\n" * 3
