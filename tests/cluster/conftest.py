"""A whole Kubernetes: `MUSTER_NODE=1 tests/contract/real_kubernetes.sh python3 -m pytest tests/cluster`."""

import math
import os

import pytest
from audit_log import read_log, summarise
from real_cluster import RealCluster, open_to_pods


@pytest.fixture(scope="session")
def whole_cluster(tmp_path_factory):
    kubeconfig = os.environ.get("MUSTER_CONTRACT_KUBECONFIG")
    if not kubeconfig or not os.environ.get("MUSTER_NODE_SOCKETS"):
        pytest.skip("there is no cluster: run this with MUSTER_NODE=1 tests/contract/real_kubernetes.sh")
    return RealCluster(kubeconfig, tmp_path_factory.mktemp("cluster"))


@pytest.fixture
def cluster(whole_cluster, capsys):
    """The cluster; when the test has ended, the audit log must show nothing that the operator may not do."""
    audit = os.environ["MUSTER_CONTRACT_AUDIT"]
    begin = os.path.getsize(audit)
    open_to_pods(whole_cluster.volume)  # the pods of another test may have written there as another user
    yield whole_cluster
    events, _ = read_log(audit, begin)
    summary = summarise(events)
    with capsys.disabled():
        print(f"\n  {summary}", flush=True)
    assert not summary.duplicates
    assert not summary.unreadable, "the role of the operator lacks these"
    assert len(summary.refused) <= most_refused(summary), summary.refused


def most_refused(summary):
    return math.ceil(summary.creates * 0.02)
