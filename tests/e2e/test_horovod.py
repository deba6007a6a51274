"""Tutorial 002, unchanged: four workers train with a real Horovod on a real Open MPI."""

import re
import shutil
import subprocess

import pytest
from harness import ROOT, Engine

EXAMPLE = ROOT / "examples" / "mpijob" / "horovod-torch"
FOLDER = "tutorial-examples/job/mpijob/horovod-torch"


@pytest.fixture(scope="module")
def horovod():
    found = subprocess.run([ROOT / "tools" / "install_packages", "horovod"], stdout=subprocess.PIPE, text=True, check=False)
    folder = found.stdout.strip()
    if not folder:
        pytest.skip("Horovod cannot be built on this machine")
    return folder


@pytest.fixture(scope="module")
def engine(horovod, tmp_path_factory):
    made = Engine(tmp_path_factory.mktemp("horovod"), config=(
        "environments:\n"
        f"- {{image: '*horovod*', venv: {horovod}, env: {{MNIST_EPOCHS: '1', MNIST_LIMIT: '2000'}}}}\n")).start()
    folder = made.volume("tutorial") / FOLDER
    folder.mkdir(parents=True)
    shutil.copy(EXAMPLE / "torch_mnist_mpijob.py", folder)
    yield made
    made.stop()


def test_the_tutorials_manifest_trains_a_model(engine):
    engine.muster("create", "-f", EXAMPLE / "job.yaml")
    job = engine.wait_phase("torch-mnist-mpijob", "Succeeded", kind="mj", timeout=600)
    launcher = job["status"]["tasks"][0]["replicas"][0]["name"]
    log = engine.muster("logs", launcher).stdout
    assert "4 ranks on cpu" in log
    assert re.findall(r"^epoch 1/1, batch .* with loss", log, re.MULTILINE), log
    assert len(re.findall(r"^test set: .*accuracy", log, re.MULTILINE)) == 1, "only rank 0 prints"


def test_kubeflows_mpijob_trains_the_same(engine):
    engine.muster("create", "-f", ROOT / "examples" / "kubeflow" / "mpijob.yaml")
    engine.muster("wait", "mpijobs.kubeflow.org/horovod-mnist", "--timeout", "600s", timeout=620)
    assert "2 ranks on cpu" in engine.muster("logs", "horovod-mnist-launcher").stdout
