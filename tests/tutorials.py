"""The tutorials' environment for tests: what examples/prepare makes, with trainings that are short."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest
from harness import FULL, MUSTER, ROOT, Engine

EXAMPLES = ROOT / "examples"
# Variables of the environment make the trainings short, so that the manifests stay as they are.
SHORT = {} if FULL else {"MNIST_EPOCHS": "2", "MNIST_LIMIT": "4000"}
TIMEOUT = 3000 if FULL else 240


def prepare(*words, **env):
    done = subprocess.run([EXAMPLES / "prepare", *words], env=dict(os.environ, MUSTER_BINARY=str(MUSTER), **env), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check_networks(engine):
    """The tutorials must work in the networks of jobs: where these can be had, the engine has not fallen back to the machine's."""
    if os.geteuid() == 0 and shutil.which("pasta") and os.path.exists("/dev/net/tun"):
        assert engine.has_own_networks(), engine.log()


def configured(variables, *words):
    """The configuration that examples/prepare makes, with more variables. It is then ours, so that prepare keeps it."""
    config = prepare("--print-config", *words).split("\n", 1)[1]
    for name, value in variables.items():
        config = config.replace("  env:\n", f"  env:\n    {name}: '{value}'\n")
    return config


def bring_script(engine):
    """What the first step of tutorial 003 does in the notebook."""
    engine.muster("volume", "cp", EXAMPLES / "pytorchtrainingjob" / "ddp" / "torch_mnist_trainingjob.py", "mnist:")


def horovod_engine(folder, variables):
    """An engine whose image of Horovod has a real one, with tutorial 002's script in its volume; skips where none can be built."""
    found = subprocess.run([ROOT / "tools" / "install_packages", "horovod"], stdout=subprocess.PIPE, text=True, check=False)
    venv = found.stdout.strip()
    if not venv:
        pytest.skip("Horovod cannot be built on this machine")
    made = Engine(folder, config=f"environments:\n- {{image: '*horovod*', venv: {venv}, env: {json.dumps(variables)}}}\n").start()
    check_networks(made)
    scripts = made.volume("tutorial") / "tutorial-examples/job/mpijob/horovod-torch"
    scripts.mkdir(parents=True)
    shutil.copy(EXAMPLES / "mpijob" / "horovod-torch" / "torch_mnist_mpijob.py", scripts)
    return made


def skip_without_jupyterlab():
    made = subprocess.run([ROOT / "tools" / "install_packages", "tutorials"], stdout=subprocess.PIPE, text=True, check=True)
    if not pathlib.Path(made.stdout.strip(), "bin", "jupyter-lab").exists():
        pytest.skip("JupyterLab could not be installed")
