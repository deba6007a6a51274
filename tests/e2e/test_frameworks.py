"""Scripts of frameworks that run under torchrun run unchanged under `muster run`, with the real packages."""

import pathlib
import shutil
import subprocess

import pytest
from harness import MUSTER, ROOT, Engine

SCRIPTS = pathlib.Path(__file__).parent / "frameworks"


@pytest.fixture(scope="module")
def python():
    found = subprocess.run([ROOT / "tools" / "install_packages", "frameworks"], stdout=subprocess.PIPE, text=True, check=False)
    folder = found.stdout.strip()
    if not folder:
        pytest.skip("the frameworks cannot be installed on this machine")
    return f"{folder}/bin/python"


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    started = Engine(tmp_path_factory.mktemp("engine")).start()
    yield started
    started.stop()


@pytest.mark.parametrize("framework", ["accelerate", "transformers", "deepspeed"])
def test_each_rank_finds_its_place(engine, python, framework, tmp_path):
    script = tmp_path / "project" / f"with_{framework}.py"
    script.parent.mkdir()
    shutil.copy(SCRIPTS / script.name, script)
    done = subprocess.run([MUSTER, "run", "--ranks", "2", "--python", python, script.name], cwd=script.parent, env=engine.environment(),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stdout
    for rank in (0, 1):
        assert f"process {rank} of 2, local {rank}: 4 steps" in done.stdout, done.stdout


def test_accelerates_launcher(engine, python, tmp_path):
    """With one process: Debian's torch starts several only where its own torchrun is told to write files."""
    script = tmp_path / "project" / "with_accelerate.py"
    script.parent.mkdir()
    shutil.copy(SCRIPTS / script.name, script)
    launch = ["accelerate", "launch", "--cpu", "--num_processes", "1", "--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no"]
    done = subprocess.run([MUSTER, "run", "--python", python, *launch, script.name], cwd=script.parent, env=engine.environment(),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stdout
    assert f"python: {python} (--python)" in done.stdout and "process 0 of 1, local 0: 8 steps" in done.stdout, done.stdout
