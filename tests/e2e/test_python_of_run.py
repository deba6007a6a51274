"""`muster run` with the Pythons that people have: each trains with two ranks, as it would without Muster."""

import os
import pathlib
import shutil
import subprocess
import textwrap

import pytest

from harness import MUSTER

# The machine's Python has torch; environments see it through its packages.
PYTHON = os.path.realpath("/usr/bin/python3")
VERSION = pathlib.Path(PYTHON).name  # python3.11
SCRIPT = """
    import os, sys
    import torch, torch.distributed as dist
    dist.init_process_group("gloo")
    sum_of_ranks = torch.tensor([dist.get_rank() + 1.0])
    dist.all_reduce(sum_of_ranks)
    names = ("LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "OMP_NUM_THREADS")
    if dist.get_rank() == 1:
        print(int(sum_of_ranks), sys.prefix, *(os.environ[name] for name in names))
    try:
        import mine
        print("mine", mine.VALUE)
    except ImportError:
        pass
"""


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(textwrap.dedent(SCRIPT))
    return folder


def run(engine, project, *words, **variables):
    """As in a shell of the user's: nothing of this test's own Python is active."""
    environment = {name: value for name, value in engine.environment().items() if name not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    environment["PATH"] = "/usr/local/bin:/usr/bin:/bin"
    return subprocess.run([MUSTER, "run", "--ranks", "2", *words], cwd=project, env={**environment, **variables}, text=True, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def assert_trains(done, prefix, why):
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"[worker-1] 3 {prefix} 1 2 0 1" in done.stdout.splitlines(), done.stdout
    said = next(line for line in done.stderr.splitlines() if line.startswith("python: "))
    assert f"({why})" in said, said
    return said


def make_environment(folder, *options):
    subprocess.run([PYTHON, "-m", "venv", "--system-site-packages", "--without-pip", *options, folder], check=True)
    return folder


def make_installation(prefix):
    """An installation outside of the system's folders, as pyenv and conda have it, that finds the machine's torch."""
    (prefix / "bin").mkdir(parents=True)
    shutil.copy(PYTHON, prefix / "bin" / VERSION)
    (prefix / "bin" / "python").symlink_to(VERSION)
    library = prefix / "lib" / VERSION
    shutil.copytree(f"/usr/lib/{VERSION}", library, symlinks=True, ignore=shutil.ignore_patterns("test", "__pycache__", "config-*", "dist-packages"))
    packages = prefix / "lib/python3/dist-packages"  # where Debian's Python looks
    packages.mkdir(parents=True)
    (packages / "machine.pth").write_text("/usr/lib/python3/dist-packages\n")
    return prefix


def test_the_machines_own(engine, project):
    said = assert_trains(run(engine, project, "train.py"), "/usr", "first in PATH")
    assert ", torch " in said, "the user learns which torch it is"


def test_an_active_virtual_environment(engine, project, tmp_path):
    folder = make_environment(tmp_path / "envs" / "ml")
    assert_trains(run(engine, project, "train.py", VIRTUAL_ENV=str(folder)), folder, "active virtual environment")


def test_the_environment_of_a_project_that_uv_made(engine, project, tmp_path):
    tools = tmp_path / "tools"
    subprocess.run([PYTHON, "-m", "venv", tools], check=True)
    if subprocess.run([tools / "bin/pip", "install", "-q", "--disable-pip-version-check", "uv"], check=False).returncode != 0:
        pytest.skip("uv cannot be installed here")
    subprocess.run([tools / "bin/uv", "venv", "-q", "--no-config", "--offline", "--system-site-packages", "--python", PYTHON, project / ".venv"], check=True)
    assert_trains(run(engine, project, "train.py"), project / ".venv", f"environment of {project}")
    (project / "src").mkdir()
    shutil.move(project / "train.py", project / "src/train.py")
    assert_trains(run(engine, project / "src", "train.py"), project / ".venv", f"environment of {project}")


def test_a_version_of_pyenv_behind_its_shim(engine, project, tmp_path):
    version = make_installation(tmp_path / "pyenv/versions/3")
    shims = tmp_path / "pyenv/shims"
    shims.mkdir()
    (shims / "python").write_text(f'#!/usr/bin/env bash\nexec "{version}/bin/python" "$@"\n')
    (shims / "python").chmod(0o755)
    assert_trains(run(engine, project, "train.py", PATH=f"{shims}:/usr/bin:/bin"), version, "first in PATH")


def test_a_conda_environment(engine, project, tmp_path):
    prefix = make_installation(tmp_path / "miniconda/envs/ml")
    (prefix / "conda-meta").mkdir()
    assert_trains(run(engine, project, "train.py", CONDA_PREFIX=str(prefix)), prefix, "active virtual environment")


def test_an_environment_that_only_path_has_with_an_editable_install(engine, project, tmp_path):
    folder = make_environment(tmp_path / "env")
    package = tmp_path / "library" / "src"
    package.mkdir(parents=True)
    (package / "mine.py").write_text("VALUE = 7\n")
    (folder / "lib" / VERSION / "site-packages" / "library.pth").write_text(f"{package}\n")
    done = run(engine, project, "train.py", PATH=f"{folder}/bin:/usr/bin:/bin")
    assert_trains(done, folder, "first in PATH")
    assert "[worker-0] mine 7" in done.stdout


def test_one_that_is_named(engine, project, tmp_path):
    folder = make_environment(tmp_path / "env")
    assert_trains(run(engine, project, "--python", "../env", "train.py"), folder, "--python")


def test_a_module_and_a_launcher_of_the_environment(engine, project, tmp_path):
    folder = make_environment(tmp_path / "env")
    assert_trains(run(engine, project, "-m", "train", VIRTUAL_ENV=str(folder)), folder, "active virtual environment")
    (folder / "bin/torchrun").write_text(f'#!{folder}/bin/python\nimport sys\nfrom torch.distributed.run import main\nsys.exit(main())\n')
    (folder / "bin/torchrun").chmod(0o755)
    done = run(engine, project, "--ranks=1", "-e", "PET_REDIRECTS=1", "-e", "PET_TEE=1", "torchrun", "--nproc_per_node=2", "--master_port=29611", "train.py", VIRTUAL_ENV=str(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"3 {folder} 1 2" in done.stdout


@pytest.mark.parametrize("make, within, why", [
    (make_environment, "envs/ml", "active virtual environment"),
    (make_installation, ".pyenv/versions/3", "first in PATH"),
    (make_installation, "miniconda3/envs/ml", "active virtual environment"),
])
def test_environments_in_the_home_of_the_user(engine, project, make, within, why):
    """Where people have them: a job sees these folders and nothing else of the home."""
    folder = engine.home / within
    if not folder.exists():
        make(folder)
    if "miniconda" in within:
        (folder / "conda-meta").mkdir(exist_ok=True)
        variables = {"CONDA_PREFIX": str(folder)}
    else:
        variables = {"VIRTUAL_ENV": str(folder)} if make is make_environment else {"PATH": f"{folder}/bin:/usr/bin:/bin"}
    (engine.home / "private").write_text("secret")
    with open(project / "train.py", "a") as script:
        script.write(f"print('sees', os.path.exists('{engine.home}/private'))\n")
    done = run(engine, project, "train.py", **variables)
    assert_trains(done, folder, why)
    assert "[worker-0] sees False" in done.stdout


def test_programs_by_their_whole_path(engine, project, tmp_path):
    (project / "ver.py").write_text("import sys; print(sys.prefix, sys.argv[1:])\n")
    done = run(engine, project, "--ranks=1", "/usr/bin/python3", "-u", "ver.py", "x")
    assert done.stdout == "/usr ['x']\n", done.stderr
    assert f"python: {PYTHON} (as the command names it)" in done.stderr
    assert run(engine, project, "--ranks=1", "/bin/echo", "hello").stdout == "hello\n"
    assert run(engine, project, "--ranks=1", "/usr/bin/env", "python3", "ver.py").stdout == "/usr []\n"
    folder = make_environment(tmp_path / "env")
    done = run(engine, project, "--ranks=1", folder / "bin/python", "ver.py")
    assert done.stdout == f"{folder} []\n", done.stderr
    assert f"python: {folder}/bin/python (as the command names it)" in done.stderr and "mount:" not in done.stderr
    (folder / "bin/tool").write_text(f"#!{folder}/bin/python\nimport sys\nprint('tool of', sys.prefix)\n")
    (folder / "bin/tool").chmod(0o755)
    done = run(engine, project, "--ranks=1", folder / "bin/tool")
    assert done.stdout == f"tool of {folder}\n", done.stderr
    refused = run(engine, project, "--python", "/usr/bin/python3", folder / "bin/python", "ver.py")
    assert refused.returncode == 2 and "the command names another one" in refused.stderr


def test_a_version_that_only_a_shim_has(engine, project, tmp_path):
    version = make_installation(tmp_path / "pyenv/versions/3")
    shims = tmp_path / "pyenv/shims"
    shims.mkdir()
    for name, command in ((VERSION, f'exec "{version}/bin/{VERSION}" "$@"'), ("python3.99", 'echo "pyenv: python3.99: command not found" >&2; exit 127')):
        (shims / name).write_text(f"#!/usr/bin/env bash\n{command}\n")
        (shims / name).chmod(0o755)
    path = f"{shims}:/usr/bin:/bin"
    assert_trains(run(engine, project, VERSION, "train.py", PATH=path), version, "as the command names it")
    refused = run(engine, project, "python3.99", "train.py", PATH=path)
    assert refused.returncode == 2 and f"{shims}/python3.99 is a script that finds no Python here" in refused.stderr, refused.stderr
    refused = run(engine, project, "python3.98", "train.py", PATH=path)
    assert refused.returncode == 2 and "there is no python3.98 in PATH" in refused.stderr, refused.stderr


@pytest.fixture(scope="module")
def accelerate(tmp_path_factory):
    """An environment with the real package, which finds the machine's torch."""
    folder = tmp_path_factory.mktemp("accelerate") / "env"
    subprocess.run([PYTHON, "-m", "venv", "--system-site-packages", folder], check=True)
    installed = subprocess.run([folder / "bin/pip", "install", "-q", "--disable-pip-version-check", "accelerate<0.30"], check=False, timeout=300)
    if installed.returncode != 0:
        pytest.skip("accelerate cannot be installed here")
    return folder


ACCELERATED = """
    import torch
    from accelerate import Accelerator
    accelerator = Accelerator(cpu=True)
    total = accelerator.reduce(torch.tensor([accelerator.process_index + 1.0]))
    print(int(total), accelerator.local_process_index, accelerator.num_processes)
"""


def test_a_script_of_accelerate_under_both_launchers(engine, project, accelerate):
    (project / "train.py").write_text(textwrap.dedent(ACCELERATED))
    done = run(engine, project, "train.py", VIRTUAL_ENV=str(accelerate))
    assert {"[worker-0] 3 0 2", "[worker-1] 3 1 2"} <= set(done.stdout.splitlines()), done.stdout + done.stderr
    # On processors, `accelerate launch` starts one process without mpirun.
    done = run(engine, project, "--ranks=1", "accelerate", "launch", "--cpu", "--num_processes=1", "--num_machines=1", "--mixed_precision=no",
               "--dynamo_backend=no", "train.py", VIRTUAL_ENV=str(accelerate))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 0 1" in done.stdout.splitlines()


def test_an_interpreter_of_another_architecture_is_named(engine, project, tmp_path):
    folder = make_environment(tmp_path / "env")
    program = bytearray(pathlib.Path(PYTHON).read_bytes()[:4096])
    program[18:20] = (0xF3).to_bytes(2, "little")  # RISC-V
    (folder / "bin/python").unlink()
    (folder / "bin/python").write_bytes(program)
    (folder / "bin/python").chmod(0o755)
    done = run(engine, project, "train.py", VIRTUAL_ENV=str(folder))
    assert done.returncode == 2
    assert f"{folder}/bin/python is a program of another processor architecture" in done.stderr


def test_a_broken_environment_is_named_before_anything_starts(engine, project, tmp_path):
    folder = make_environment(tmp_path / "env")
    (folder / "bin/python").unlink()
    (folder / "bin/python").symlink_to("/opt/removed/bin/python3")
    done = run(engine, project, "train.py", VIRTUAL_ENV=str(folder))
    assert done.returncode == 2
    assert f"{folder}/bin/python is a link to /opt/removed/bin/python3, which does not exist" in done.stderr


def test_a_missing_module_is_blamed_on_the_python_and_another_one_is_named(engine, project, tmp_path):
    version = make_installation(tmp_path / "versions/3")
    (version / "lib/python3/dist-packages/machine.pth").unlink()
    done = run(engine, project, "train.py", PATH=f"{version}/bin:/usr/bin:/bin")
    assert done.returncode == 1
    assert f"note: {PYTHON} has it: muster run --python {PYTHON}" in done.stderr


def test_the_doctor_names_the_same_python(engine, project, tmp_path):
    folder = make_environment(tmp_path / "env")
    said = subprocess.run([MUSTER, "doctor"], cwd=project, env={**engine.environment(), "VIRTUAL_ENV": str(folder)}, text=True,
                          stdout=subprocess.PIPE, check=False).stdout
    line = next(line for line in said.splitlines() if " python " in line)
    assert f"{folder}/bin/python" in line and "muster run" in line
