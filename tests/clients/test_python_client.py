"""The official Python client, unchanged: core objects and job kinds, every verb and patch type, watches, logs."""

import threading

import pytest
from harness import wait_for

kubernetes = pytest.importorskip("kubernetes", reason="the Python client is not installed")
from kubernetes import client, config, dynamic, watch  # noqa: E402
from kubernetes.client.rest import ApiException  # noqa: E402

GROUP = ("kubeflow.org", "v1", "default", "pytorchjobs")


@pytest.fixture(scope="module")
def api(engine):
    return config.new_client_from_config(str(engine.kubeconfig))


def sending(engine, content_type):
    """A client for the patch types that the generated methods do not select by themselves."""
    made = config.new_client_from_config(str(engine.kubeconfig))
    made.set_default_header("Content-Type", content_type)
    return made


@pytest.fixture(scope="module")
def core(api):
    return client.CoreV1Api(api)


@pytest.fixture(scope="module")
def jobs(api):
    return client.CustomObjectsApi(api)


def pytorch_job(name, command, **run_policy):
    template = {"spec": {"containers": [{"name": "pytorch", "image": "python:3", "command": command}]}}
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name},
            "spec": {"runPolicy": run_policy, "pytorchReplicaSpecs": {"Master": {"replicas": 1, "restartPolicy": "Never", "template": template}}}}


def refused(status, call, *args, **kwargs):
    with pytest.raises(ApiException) as caught:
        call(*args, **kwargs)
    assert caught.value.status == status, caught.value.body
    return caught.value


def test_every_verb_on_a_configmap(core, engine):
    body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="verbs", labels={"a": "b"}), data={"x": "1"})
    made = core.create_namespaced_config_map("default", body)
    assert made.metadata.uid and made.metadata.creation_timestamp.tzinfo is not None
    refused(409, core.create_namespaced_config_map, "default", body)
    made.data["x"] = "2"
    replaced = core.replace_namespaced_config_map("verbs", "default", made)
    assert replaced.data == {"x": "2"}
    made.data["x"] = "3"
    assert "the object has been modified" in refused(409, core.replace_namespaced_config_map, "verbs", "default", made).body
    # The client chooses by the body: a list is a JSON patch, an object a strategic merge patch.
    core.patch_namespaced_config_map("verbs", "default", [{"op": "add", "path": "/data/y", "value": "5"}])
    core.patch_namespaced_config_map("verbs", "default", {"data": {"x": None}})
    merging = client.CoreV1Api(sending(engine, "application/merge-patch+json"))
    merging.patch_namespaced_config_map("verbs", "default", {"data": {"z": "6"}})
    applied = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "verbs"}, "data": {"applied": "7"}}
    applying = client.CoreV1Api(sending(engine, "application/apply-patch+yaml"))
    applying.patch_namespaced_config_map("verbs", "default", applied, field_manager="python")
    assert core.read_namespaced_config_map("verbs", "default").data == {"y": "5", "z": "6", "applied": "7"}
    assert [item.metadata.name for item in core.list_namespaced_config_map("default", label_selector="a in (b)").items] == ["verbs"]
    dry = client.V1ConfigMap(metadata=client.V1ObjectMeta(generate_name="dry-"))
    assert core.create_namespaced_config_map("default", dry, dry_run="All").metadata.name.startswith("dry-")
    assert core.delete_namespaced_config_map("verbs", "default").status == "Success"
    refused(404, core.read_namespaced_config_map, "verbs", "default")
    core.delete_collection_namespaced_config_map("default")
    assert core.list_namespaced_config_map("default").items == []


def test_lists_come_in_pages(core):
    for i in range(7):
        core.create_namespaced_config_map("default", client.V1ConfigMap(metadata=client.V1ObjectMeta(name=f"page-{i}", labels={"paged": "yes"})))
    names, token = [], None
    for _ in range(10):
        page = core.list_namespaced_config_map("default", label_selector="paged=yes", limit=3, _continue=token)
        names += [item.metadata.name for item in page.items]
        token = page.metadata._continue
        if not token:
            break
    assert names == [f"page-{i}" for i in range(7)]
    core.delete_collection_namespaced_config_map("default", label_selector="paged=yes")


def test_a_watch_sees_what_others_do(core):
    seen = []
    since = core.list_namespaced_config_map("default").metadata.resource_version

    def follow():
        for event in watch.Watch().stream(core.list_namespaced_config_map, "default", resource_version=since, timeout_seconds=20):
            seen.append((event["type"], event["object"].metadata.name))
            if event["type"] == "DELETED":
                return
    thread = threading.Thread(target=follow)
    thread.start()
    core.create_namespaced_config_map("default", client.V1ConfigMap(metadata=client.V1ObjectMeta(name="seen")))
    core.patch_namespaced_config_map("seen", "default", {"data": {"a": "1"}})
    core.delete_namespaced_config_map("seen", "default")
    thread.join(30)
    assert seen == [("ADDED", "seen"), ("MODIFIED", "seen"), ("DELETED", "seen")]


def test_a_job_from_create_to_its_log(core, jobs):
    jobs.create_namespaced_custom_object(*GROUP, pytorch_job("life", ["sh", "-c", "echo hello from a job"]))
    phases = set()
    for event in watch.Watch().stream(jobs.list_namespaced_custom_object, *GROUP, timeout_seconds=60):
        phases |= {c["type"] for c in event["object"].get("status", {}).get("conditions", []) if c["status"] == "True"}
        if "Succeeded" in phases:
            break
    assert {"Created", "Succeeded"} <= phases
    status = jobs.get_namespaced_custom_object_status(*GROUP, "life")["status"]
    assert status["replicaStatuses"]["Master"]["succeeded"] == 1 and status["completionTime"].endswith("Z")
    pods = core.list_namespaced_pod("default", label_selector="training.kubeflow.org/job-name=life").items
    assert [p.status.phase for p in pods] == ["Succeeded"]
    assert core.read_namespaced_pod_log(pods[0].metadata.name, "default") == "hello from a job\n"
    lines = list(watch.Watch().stream(core.read_namespaced_pod_log, pods[0].metadata.name, "default"))
    assert lines == ["hello from a job"]
    jobs.delete_namespaced_custom_object(*GROUP, "life", propagation_policy="Foreground")
    wait_for("the job and its pods to go", lambda: not jobs.list_namespaced_custom_object(*GROUP)["items"]
             and not core.list_namespaced_pod("default").items)


def test_a_job_is_patched_and_replaced(jobs, engine):
    jobs.create_namespaced_custom_object(*GROUP, pytorch_job("changed", ["true"], suspend=True))
    jobs.patch_namespaced_custom_object(*GROUP, "changed", {"metadata": {"labels": {"a": "1"}}})
    by_steps = client.CustomObjectsApi(sending(engine, "application/json-patch+json"))
    by_steps.patch_namespaced_custom_object(*GROUP, "changed", [{"op": "add", "path": "/metadata/labels/b", "value": "2"}])
    now = jobs.get_namespaced_custom_object(*GROUP, "changed")
    assert now["metadata"]["labels"] == {"a": "1", "b": "2"}
    now["metadata"]["labels"] = {"c": "3"}
    assert jobs.replace_namespaced_custom_object(*GROUP, "changed", now)["metadata"]["labels"] == {"c": "3"}
    wrong = refused(422, jobs.patch_namespaced_custom_object, *GROUP, "changed",
                    {"spec": {"pytorchReplicaSpecs": {"Master": {"replicas": "many"}}}})
    assert "spec.pytorchReplicaSpecs.Master.replicas" in wrong.body
    jobs.delete_collection_namespaced_custom_object(*GROUP)
    wait_for("the jobs to go", lambda: not jobs.list_namespaced_custom_object(*GROUP)["items"])


@pytest.mark.parametrize("plural, kind, replicas, container", [
    ("pytorchjobs", "PyTorchJob", "pytorchReplicaSpecs", "pytorch"), ("tfjobs", "TFJob", "tfReplicaSpecs", "tensorflow")])
def test_a_watch_sees_jobs_come_change_and_go(jobs, plural, kind, replicas, container):
    place = ("kubeflow.org", "v1", "default", plural)
    since = jobs.list_namespaced_custom_object(*place)["metadata"]["resourceVersion"]
    template = {"spec": {"containers": [{"name": container, "image": "python:3", "command": ["true"]}]}}
    jobs.create_namespaced_custom_object(*place, {
        "apiVersion": "kubeflow.org/v1", "kind": kind, "metadata": {"name": "watched"},
        "spec": {"runPolicy": {"suspend": True}, replicas: {"Worker" if kind == "TFJob" else "Master": {"template": template}}}})
    jobs.patch_namespaced_custom_object(*place, "watched", {"metadata": {"labels": {"a": "1"}}})
    jobs.delete_namespaced_custom_object(*place, "watched")
    seen = []
    for event in watch.Watch().stream(jobs.list_namespaced_custom_object, *place, resource_version=since, timeout_seconds=30):
        assert event["object"]["kind"] == kind
        seen.append((event["type"], event["object"]["metadata"].get("labels")))
        if event["type"] == "DELETED":
            break
    assert seen[0] == ("ADDED", None) and ("MODIFIED", {"a": "1"}) in seen and seen[-1] == ("DELETED", {"a": "1"})


def test_the_dynamic_client_finds_our_kinds(api):
    found = dynamic.DynamicClient(api).resources.get(api_version="batch.tensorstack.dev/v1beta1", kind="PyTorchTrainingJob")
    assert found.name == "pytorchtrainingjobs" and "pj" in found.short_names
    assert found.get(namespace="default").items == []


def test_a_connection_to_a_port_of_a_pod(core, engine):
    """The client's own protocol: two channels for each port."""
    from kubernetes.stream import portforward
    script = "import socket\ns = socket.create_server(('127.0.0.1', 7000))\nwhile True:\n c = s.accept()[0]\n c.sendall(c.recv(100)[::-1])\n c.close()"
    engine.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "ported"},
                  "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0,
                           "containers": [{"name": "a", "image": "host", "command": ["python3", "-c", script]}]}})
    wait_for("the pod to run", lambda: engine.get("pod", "ported")["status"].get("phase") == "Running")

    def ask(port, text):
        connection = portforward(core.connect_get_namespaced_pod_portforward, "ported", "default", ports=str(port))
        end = connection.socket(port)
        end.settimeout(30)
        if text:
            end.sendall(text)
        answer = end.recv(100)
        end.close()
        return answer, connection.error(port)

    def is_answered():
        try:
            return ask(7000, b"abc") == (b"cba", None)
        except OSError:
            return False
    wait_for("the program to listen", is_answered)
    # The client closes its socket at an error, which resets a connection with unread bytes.
    answer, error = ask(7001, b"")
    assert answer == b"" and "error forwarding port 7001 to pod ported" in error
