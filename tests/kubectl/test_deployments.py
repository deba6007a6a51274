"""Deployments as kubectl makes, scales, restarts and removes them, with pods that run."""

import json

from harness import wait_for


def pods(place):
    return {pod["metadata"]["name"]: pod for pod in place.json("get", "pods")["items"]}


def rolled_out(place, name="web"):
    return place.out("rollout", "status", f"deployment/{name}", "--timeout=60s").splitlines()[-1]


def test_a_deployment_from_its_creation_to_its_end(place):
    assert place.out("create", "deployment", "web", "--image=python:3", "--replicas=2", "--", "sleep", "1000") == (
        "deployment.apps/web created\n")
    assert rolled_out(place) == 'deployment "web" successfully rolled out'
    first = pods(place)
    assert len(first) == 2 and all(pod["status"]["phase"] == "Running" for pod in first.values())
    assert {pod["metadata"]["ownerReferences"][0]["kind"] for pod in first.values()} == {"Deployment"}
    assert place.lines("get", "deployment", "web")[1][:4] == ["web", "2/2", "2", "2"]
    assert "condition met" in place.out("wait", "--for=condition=Available", "deployment/web", "--timeout=60s")

    assert place.out("scale", "deployment/web", "--replicas=3") == "deployment.apps/web scaled\n"
    assert rolled_out(place) == 'deployment "web" successfully rolled out'
    assert len(pods(place)) == 3 and set(first) < set(pods(place))
    place("scale", "deployment/web", "--replicas=1")
    wait_for("two pods to go", lambda: len(pods(place)) == 1)

    assert place.out("rollout", "restart", "deployment/web") == "deployment.apps/web restarted\n"
    assert rolled_out(place) == 'deployment "web" successfully rolled out'
    assert len(pods(place)) == 1 and not set(first) & set(pods(place))
    assert "Recreating" in place.out("describe", "deployment", "web")

    assert place.out("delete", "deployment", "web") == 'deployment.apps "web" deleted\n'
    wait_for("its pods to go", lambda: not pods(place))


def test_a_paused_deployment_keeps_its_pods(place):
    place("create", "deployment", "web", "--image=python:3", "--", "sleep", "1000")
    rolled_out(place)
    before = set(pods(place))
    assert place.out("rollout", "pause", "deployment/web") == "deployment.apps/web paused\n"
    place("patch", "deployment", "web", "-p",
          json.dumps({"spec": {"template": {"metadata": {"annotations": {"changed": "yes"}}}}}))
    status = lambda: place.json("get", "deployment", "web")  # noqa: E731
    wait_for("the change to be seen", lambda: status()["status"]["observedGeneration"] == status()["metadata"]["generation"])
    assert set(pods(place)) == before
    assert place.out("rollout", "resume", "deployment/web") == "deployment.apps/web resumed\n"
    assert rolled_out(place) == 'deployment "web" successfully rolled out'
    assert not set(pods(place)) & before
