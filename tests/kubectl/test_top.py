"""kubectl top, which reads metrics.k8s.io."""

from harness import wait_for

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"team": "x"}},
       "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0,
                "containers": [{"name": "a", "image": "any", "command": ["sleep", "1000"]},
                               {"name": "b", "image": "any", "command": ["sleep", "1000"]}]}}


def test_top(place):
    place.make(POD, {**POD, "metadata": {"name": "q"}})
    place("wait", "--for=condition=Ready", "pod/p", "pod/q", "--timeout=60s")
    wait_for("both to be measured", lambda: len(place("top", "pod", "--no-headers", check=False).stdout.splitlines()) == 2)
    assert place.lines("top", "pod")[0] == ["NAME", "CPU(cores)", "MEMORY(bytes)"]
    assert [row[0] for row in place.lines("top", "pod", "--sort-by=memory", "--no-headers")] in (["p", "q"], ["q", "p"])
    assert [row[0] for row in place.lines("top", "pod", "-l", "team=x", "--no-headers")] == ["p"]
    assert [row[:2] for row in place.lines("top", "pod", "p", "--containers", "--no-headers")] == [["p", "a"], ["p", "b"]]
    assert [place.ns, "p"] in [row[:2] for row in place.lines("top", "pod", "-A", "--no-headers")]
    assert place.lines("top", "pod", "--sum")[-2] == ["________", "________"]
    assert "not found" in place.fails("top", "pod", "absent")
    node = place.lines("top", "node", "--no-headers")
    assert len(node) == 1 and len(node[0]) == 5 and node[0][2].endswith("%")
