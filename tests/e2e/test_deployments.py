"""Deployments whose pods run real processes."""

import json

from harness import wait_for


def deployment(name, command, replicas=1):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}},
                     "template": {"metadata": {"labels": {"app": name}},
                                  "spec": {"containers": [{"name": "main", "image": "python:3", "command": command}]}}}}


def wait_available(engine, name, count):
    def reached():
        got = engine.get("deployment", name)
        status = got["status"]
        return (status.get("observedGeneration") == got["metadata"]["generation"]
                and status.get("updatedReplicas", 0) == status.get("availableReplicas", 0) == count and got)

    return wait_for(f"{count} pods of {name}", reached)


def pods_of(engine, name):
    listed = engine.muster("get", "pods", "-l", f"app={name}", "-o", "json").stdout
    return {pod["metadata"]["name"]: pod for pod in json.loads(listed)["items"]}


def test_pods_survive_the_engine_and_go_with_the_deployment(fresh_engine):
    engine = fresh_engine
    engine.start()
    engine.apply(deployment("web", ["sleep", "1000"], replicas=2))
    wait_available(engine, "web", 2)
    before = pods_of(engine, "web")
    assert len(before) == 2
    engine.kill()
    engine.start()
    wait_available(engine, "web", 2)
    after = pods_of(engine, "web")
    assert {name: pod["metadata"]["uid"] for name, pod in after.items()} == {
        name: pod["metadata"]["uid"] for name, pod in before.items()}
    assert all(pod["status"]["containerStatuses"][0]["restartCount"] == 0 for pod in after.values())
    engine.muster("delete", "deployment", "web")
    wait_for("its pods to go", lambda: not pods_of(engine, "web"))


def test_a_container_that_ends_starts_again_in_its_pod(engine):
    engine.apply(deployment("again", ["sh", "-c", "echo hello"]))
    restarted = wait_for("a restart", lambda: [
        pod for pod in pods_of(engine, "again").values()
        if any(c["restartCount"] > 0 for c in pod["status"].get("containerStatuses", []))])
    assert len(restarted) == 1
    engine.muster("delete", "deployment", "again")


def test_a_pod_that_is_deleted_comes_again(engine):
    engine.apply(deployment("back", ["sleep", "1000"]))
    wait_available(engine, "back", 1)
    name, pod = next(iter(pods_of(engine, "back").items()))
    engine.muster("delete", "pod", name)
    wait_for("another of its name", lambda: (
        pods_of(engine, "back").get(name, pod)["metadata"]["uid"] != pod["metadata"]["uid"]))
    wait_available(engine, "back", 1)
    engine.muster("delete", "deployment", "back")
