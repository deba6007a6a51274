"""The installation itself, looked at with the commands that it comes with."""

import json

from deployed_operator import NAMESPACE
from overlay import IMAGE


def test_check_and_verify_find_nothing_wrong(cluster):
    assert "✖" not in cluster.muster("check").stdout
    verified = cluster.muster("verify", "--image", IMAGE, timeout=300).stdout
    assert "loss" in verified


def test_the_operator_runs_restricted(cluster):
    namespace = json.loads(cluster.muster("get", "namespace", NAMESPACE, "-o", "json").stdout)
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    (pod,) = cluster.operator.pods()
    assert all(one["ready"] for one in pod["status"]["containerStatuses"])
    assert pod["status"]["containerStatuses"][0]["restartCount"] == 0
