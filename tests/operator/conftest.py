"""`muster operator` against the API server in $MUSTER_CONTRACT_KUBECONFIG; the tests play the kubelet.

    tests/contract/real_kubernetes.sh python3 -m pytest tests/operator
"""
import os
import subprocess
import uuid

import pytest
from cluster import Cluster
from harness import MUSTER


@pytest.fixture(scope="session")
def kubeconfig():
    path = os.environ.get("MUSTER_CONTRACT_KUBECONFIG")
    if not path:
        pytest.skip("there is no real API server: run this with tests/contract/real_kubernetes.sh")
    return path


@pytest.fixture(scope="session")
def operator(kubeconfig, tmp_path_factory):
    log = tmp_path_factory.mktemp("operator") / "operator.log"
    with log.open("w") as errors:
        process = subprocess.Popen([MUSTER, "operator", "--kubeconfig", kubeconfig], text=True,
                                   stdout=subprocess.PIPE, stderr=errors)
    assert process.stdout.readline() == "ready\n", log.read_text()
    yield process
    assert process.poll() is None, log.read_text()
    process.terminate()
    process.wait(timeout=20)


@pytest.fixture
def cluster(operator, kubeconfig, tmp_path):
    cluster = Cluster(kubeconfig, f"test-{uuid.uuid4().hex[:8]}", tmp_path)
    yield cluster
    cluster.remove()
