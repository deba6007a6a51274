"""Real PyTorch: two ranks of the example train together."""

import re
import shutil

import pytest
from harness import ROOT, Engine

EXAMPLE = ROOT / "examples" / "pytorchtrainingjob" / "ddp"
FOLDER = "tutorial-examples/job/pytorchtrainingjob/ddp"


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    made = Engine(tmp_path_factory.mktemp("training"),
                  config="environments:\n- {image: '*pytorch*', host: true, env: {PET_REDIRECTS: '1', PET_TEE: '1'}}\n").start()
    made.muster("apply", "-f", ROOT / "examples" / "claims.yaml")
    folder = made.data / "volumes" / "default" / "tutorial" / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for script in EXAMPLE.glob("*.py"):
        shutil.copy(script, folder)
    yield made
    made.stop()


def accuracy_in(text):
    found = re.findall(r"test set.*accuracy: ([0-9.]+)", text)
    return float(found[-1]) if found else None


def test_the_example_trains_a_model(engine):
    assert "deprecated" not in engine.muster("create", "-f", EXAMPLE / "job_two_ranks.yaml").stderr
    assert engine.muster("wait", "pj/torch-mnist-two-ranks", "--timeout", "300s", timeout=320).returncode == 0
    text = engine.muster("logs", "pj/torch-mnist-two-ranks").stdout
    assert accuracy_in(text) > 0.80
    folder = engine.data / "volumes" / "default" / "tutorial" / FOLDER
    assert (folder / "model_state_dict.pt").stat().st_size > 1000


def test_the_same_script_as_a_kubeflow_pytorchjob(engine):
    engine.muster("create", "-f", ROOT / "examples" / "kubeflow" / "pytorchjob.yaml")
    assert engine.muster("wait", "pytorchjob/pytorch-mnist", "--timeout", "300s", timeout=320).returncode == 0
    assert accuracy_in(engine.muster("logs", "pytorchjob/pytorch-mnist").stdout) > 0.5


def test_torchrun_starts_the_ranks_of_one_node(engine):
    manifest = (EXAMPLE / "job_cpu.yaml").read_text()
    assert 'procPerNode: "4"' in manifest and "- --no_cuda" in manifest
    indent = "\n" + 16 * " "
    short = manifest.replace('procPerNode: "4"', 'procPerNode: "2"')
    short = short.replace("- --no_cuda", indent.join(["- --no_cuda", "- --epochs", "- '1'", "- --limit", "- '1200'"]))
    engine.muster("delete", "pj", "torch-mnist-trainingjob", "--ignore-not-found")
    engine.muster("create", "-f", "-", stdin=short)
    done = engine.muster("wait", "pj/torch-mnist-trainingjob", "--timeout", "300s", timeout=320, check=False)
    assert done.returncode == 0, engine.muster("logs", "pj/torch-mnist-trainingjob", check=False).stdout[-4000:]
    assert accuracy_in(engine.muster("logs", "pj/torch-mnist-trainingjob").stdout) is not None


def test_the_rank_that_failed_is_blamed_and_not_the_launcher_that_ended_first(engine):
    script = engine.data / "volumes" / "default" / "tutorial" / "fails.py"
    script.write_text(
        "import torch, torch.distributed as dist\n"
        "dist.init_process_group('gloo')\n"
        "dist.all_reduce(torch.ones(1))\n"
        "if dist.get_rank() == 3: raise ValueError('no data')\n"
        "dist.all_reduce(torch.ones(1))\n")
    engine.apply({
        "apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "PyTorchTrainingJob", "metadata": {"name": "blame"},
        "spec": {"torchrunConfig": {"enabled": True, "procPerNode": "2"},
                 "replicaSpecs": [{"type": "worker", "replicas": 2, "restartPolicy": "Never", "template": {"spec": {
                     "containers": [{"name": "pytorch", "image": "pytorch", "args": ["/work/fails.py"],
                                     "volumeMounts": [{"name": "work", "mountPath": "/work"}]}],
                     "volumes": [{"name": "work", "persistentVolumeClaim": {"claimName": "tutorial"}}]}}}]}})
    job = engine.wait_phase("blame", "Failed", timeout=180)
    failed = next(c for c in job["status"]["conditions"] if c["type"] == "Failed")
    assert re.match(r"replica worker-\d \(pod blame-\w+-worker-\d\) ended with exit code 1: (rank 3: )?ValueError: no data; ", failed["message"]), failed
