"""The tutorials run on a cluster from the same manifests as on one machine; the golden shows all that is changed."""

import difflib
import os
import pathlib

import yaml
from overlay import EXAMPLES, overlay

GOLDEN = pathlib.Path(__file__).parent / "testdata" / "overlay.diff"
MANIFESTS = ("pytorchtrainingjob/ddp/job_cpu.yaml", "pytorchtrainingjob/ps/job_cpu.yaml", "mpijob/horovod-torch/job.yaml",
             "parallel-training/job_cpu.yaml", "notebook.yaml", "kubeflow/pytorchjob.yaml", "kubeflow/mpijob.yaml")


def shown(manifest):
    return yaml.safe_dump(manifest, sort_keys=False).splitlines()


def changes(path):
    before = yaml.safe_load((EXAMPLES / path).read_text())
    return "".join(f"{line}\n" for line in difflib.unified_diff(shown(before), shown(overlay(before)), path, path, n=1, lineterm=""))


def test_only_images_and_requests_are_changed():
    found = "".join(map(changes, MANIFESTS))
    if os.environ.get("MUSTER_UPDATE_GOLDEN"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(found)
    assert found == GOLDEN.read_text()
