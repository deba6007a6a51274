"""A real TensorFlow: the TFJob of examples/kubeflow trains on two workers with MultiWorkerMirroredStrategy."""

import re
import shutil
import subprocess

import pytest
from harness import ROOT, Engine

EXAMPLE = ROOT / "examples" / "kubeflow"
FOLDER = "tutorial-examples/job/kubeflow"


@pytest.fixture(scope="module")
def tensorflow():
    found = subprocess.run([ROOT / "tools" / "install_packages", "tensorflow"], stdout=subprocess.PIPE, text=True, check=False)
    folder = found.stdout.strip()
    if not folder:
        pytest.skip("TensorFlow cannot be installed on this machine")
    return folder


@pytest.fixture(scope="module")
def engine(tensorflow, tmp_path_factory):
    made = Engine(tmp_path_factory.mktemp("tensorflow"), config=(
        "environments:\n"
        f"- {{image: 'tensorflow/tensorflow:*', venv: {tensorflow}, env: {{MNIST_EPOCHS: '1', MNIST_LIMIT: '4000'}}}}\n")).start()
    folder = made.volume("tutorial") / FOLDER
    (folder / "data" / "MNIST" / "raw").mkdir(parents=True)
    shutil.copy(EXAMPLE / "tf_mnist.py", folder)
    packed = subprocess.run(["dpkg", "-L", "dataset-fashion-mnist"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    for path in (p for p in packed if p.endswith("ubyte.gz")):
        with open(folder / "data" / "MNIST" / "raw" / path.rsplit("/", 1)[1][:-3], "wb") as out:
            subprocess.run(["gzip", "-dc", path], stdout=out, check=True)
    yield made
    made.stop()


def test_two_workers_train_one_model(engine):
    engine.muster("create", "-f", EXAMPLE / "tfjob.yaml")
    log = engine.muster("logs", "-f", "tfjob/tf-mnist", timeout=240, check=False).stdout
    done = engine.muster("wait", "tfjob/tf-mnist", "--timeout", "60s", check=False)
    assert done.returncode == 0, engine.muster("describe", "tfjob", "tf-mnist").stdout + log[-4000:]
    assert "worker 0 of 2" in log and "worker 1 of 2" in log
    assert float(re.search(r"test set: accuracy: ([0-9.]+)", log)[1]) > 0.5
    assert (engine.data / "volumes" / "default" / "tutorial" / FOLDER / "model.npz").exists()
