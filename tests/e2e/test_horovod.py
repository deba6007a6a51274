"""Tutorial 002, unchanged: four workers train with a real Horovod on a real Open MPI."""

import re

import pytest
from tutorials import EXAMPLES, horovod_engine


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    made = horovod_engine(tmp_path_factory.mktemp("horovod"), {"MNIST_EPOCHS": "1", "MNIST_LIMIT": "2000"})
    yield made
    made.stop()


def test_the_tutorials_manifest_trains_a_model(engine):
    engine.muster("create", "-f", EXAMPLES / "mpijob" / "horovod-torch" / "job.yaml")
    job = engine.wait_phase("torch-mnist-mpijob", "Succeeded", kind="mj", timeout=600)
    launcher = job["status"]["tasks"][0]["replicas"][0]["name"]
    log = engine.muster("logs", launcher).stdout
    assert "4 ranks on cpu" in log
    assert re.findall(r"^epoch 1/1, batch .* with loss", log, re.MULTILINE), log
    assert len(re.findall(r"^test set: .*accuracy", log, re.MULTILINE)) == 1, "only rank 0 prints"


def test_kubeflows_mpijob_trains_the_same(engine):
    engine.muster("create", "-f", EXAMPLES / "kubeflow" / "mpijob.yaml")
    engine.muster("wait", "mpijobs.kubeflow.org/horovod-mnist", "--timeout", "600s", timeout=620)
    assert "2 ranks on cpu" in engine.muster("logs", "horovod-mnist-launcher").stdout
