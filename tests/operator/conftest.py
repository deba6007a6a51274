"""`muster operator` against the API server in $MUSTER_CONTRACT_KUBECONFIG; the tests play the kubelet.

    tests/contract/real_kubernetes.sh python3 -m pytest tests/operator
"""
import os
import uuid

import pytest
from cluster import Cluster
from operator_process import running_operator


@pytest.fixture(scope="session")
def kubeconfig():
    path = os.environ.get("MUSTER_CONTRACT_KUBECONFIG")
    if not path:
        pytest.skip("there is no real API server: run this with tests/contract/real_kubernetes.sh")
    return path


@pytest.fixture(scope="session")
def operator(kubeconfig, tmp_path_factory):
    with running_operator(kubeconfig, tmp_path_factory.mktemp("operator")) as process:
        yield process


@pytest.fixture
def cluster(operator, kubeconfig, tmp_path):
    cluster = Cluster(kubeconfig, f"test-{uuid.uuid4().hex[:8]}", tmp_path)
    yield cluster
    cluster.remove()
