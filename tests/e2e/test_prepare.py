"""What examples/prepare configures, without building anything: the programs that install packages only print a folder."""

import fnmatch
import os
import shutil
import subprocess

import pytest
import yaml
from harness import ROOT

HOROVOD = "horovod/horovod:0.28.1"


@pytest.fixture
def prepare(tmp_path):
    """A copy of it, whose environments are /environments/GROUP."""
    for folder in ("examples", "tools"):
        (tmp_path / folder).mkdir()
    shutil.copy(ROOT / "examples" / "prepare", tmp_path / "examples")
    installs = tmp_path / "tools" / "install_packages"
    installs.write_text('#!/bin/sh\necho "/environments/$1"\n')
    installs.chmod(0o755)

    def run(*words):
        env = dict(os.environ, HOME=str(tmp_path), XDG_CACHE_HOME=str(tmp_path / "cache"))
        return subprocess.run([tmp_path / "examples" / "prepare", *words], env=env, check=True, text=True, capture_output=True).stdout
    return run


def environment_of(config, image):
    """The first match counts."""
    environments = yaml.safe_load(config)["environments"]
    return next((one["venv"] for one in environments if fnmatch.fnmatch(image, one["image"])), None)


def images_of(manifest):
    text = (ROOT / "examples" / manifest).read_text()
    return {line.split("image:")[1].strip() for line in text.splitlines() if "image:" in line}


def test_images_of_horovod_get_an_environment_that_has_it(prepare, tmp_path):
    images = images_of("mpijob/horovod-torch/job.yaml") | images_of("kubeflow/mpijob.yaml")
    horovod = [image for image in images if "horovod" in image]
    assert horovod, images
    assert all(environment_of(prepare("--print-config"), image) != "/environments/horovod" for image in horovod)
    assert all(environment_of(prepare("--print-config", "--horovod"), image) == "/environments/horovod" for image in horovod)
    assert environment_of(prepare("--print-config", "--horovod"), "pytorch/pytorch:2.0") == "/environments/tutorials"


def test_horovod_that_was_built_is_used_without_the_flag(prepare, tmp_path):
    built = tmp_path / "cache" / "muster" / "horovod-0.28.1"
    built.mkdir(parents=True)
    assert "horovod" not in prepare("--print-config"), "its build has not ended"
    (built / "complete").touch()
    assert environment_of(prepare("--print-config"), HOROVOD) == str(built)


def test_other_flags_add_what_they_say(prepare):
    config = prepare("--print-config", "--gpus", "2", "--tensorflow", "--arena")
    assert environment_of(config, "tensorflow/tensorflow:2.13.0") == "/environments/tensorflow"
    assert yaml.safe_load(config)["resources"] == {"nvidia.com/gpu": 2}
    assert "https://code.aliyun.com/" in yaml.safe_load(config)["git"]["insteadOf"]
    assert "resources" not in yaml.safe_load(prepare("--print-config"))
