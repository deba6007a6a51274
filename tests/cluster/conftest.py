"""A whole Kubernetes: `MUSTER_NODE=1 tests/contract/real_kubernetes.sh python3 -m pytest tests/cluster`."""

import os

import pytest
from real_cluster import RealCluster


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    kubeconfig = os.environ.get("MUSTER_CONTRACT_KUBECONFIG")
    if not kubeconfig or not os.environ.get("MUSTER_NODE"):
        pytest.skip("there is no cluster: run this with MUSTER_NODE=1 tests/contract/real_kubernetes.sh")
    made = RealCluster(kubeconfig, tmp_path_factory.mktemp("cluster"))
    made.start_operator()
    yield made
    made.stop_operator()
