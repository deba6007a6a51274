"""Habits of people who start their training with torchrun and tmux: docs/coming-from-torchrun.md has a row for each test."""

import json
import os
import re
import shlex
import signal
import subprocess
import textwrap

import pytest

from harness import MUSTER, Engine, free_port, wait_for
from pseudo_terminal import OnTerminal

PYTHON = os.path.realpath("/usr/bin/python3")  # it has torch

SUM = """
    import torch, torch.distributed as dist
    dist.init_process_group("gloo")
    total = torch.tensor([dist.get_rank() + 1.0])
    dist.all_reduce(total)
    if dist.get_rank() == 0:
        print("sum", int(total))
"""
WAIT = """
    import os, time
    print("starts", flush=True)
    while not os.path.exists("done"):
        time.sleep(0.05)
    print("ends")
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    started = Engine(tmp_path_factory.mktemp("engine"), "resources: {nvidia.com/gpu: 2}\n").start()
    yield started
    started.stop()


class Shell:
    """A shell of the user in the folder of a project."""

    def __init__(self, engine, folder):
        self.engine = engine
        self.folder = folder

    def script(self, text, name="train.py"):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text))

    def environment(self, **variables):
        return {**self.engine.environment(), "PATH": "/usr/local/bin:/usr/bin:/bin", **variables}

    def muster(self, *words, code=0, **variables):
        done = subprocess.run([MUSTER, *map(str, words)], cwd=self.folder, env=self.environment(**variables), text=True, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def run(self, *words, **kwargs):
        return self.muster("run", *words, **kwargs)

    def has_started(self, name):
        wait_for("it to start", lambda: "starts" in self.engine.muster("logs", name, check=False).stdout)


@pytest.fixture
def shell(engine, tmp_path):
    return Shell(engine, tmp_path)


def test_torchrun_itself(shell):
    shell.script(SUM)
    # Debian's torch needs the two variables; where jobs have no networks of their own, another program may use torchrun's usual port.
    done = shell.run("--gpus", "2", "-e", "PET_REDIRECTS=1", "-e", "PET_TEE=1", "torchrun", "--nproc_per_node=2", f"--master_port={free_port()}",
                     "train.py")
    assert "sum 3" in done.stdout


def test_torchrun_as_a_module(shell):
    shell.script(SUM)
    for words in (["-m"], ["python", "-m"]):
        done = shell.run("--gpus", "2", "-e", "PET_REDIRECTS=1", "-e", "PET_TEE=1", *words, "torch.distributed.run", "--nproc_per_node=2",
                         f"--master_port={free_port()}", "train.py")
        assert "sum 3" in done.stdout
        assert f"python: {PYTHON} " in done.stderr and ", 2 GPUs\n" in done.stderr


def test_mpirun(shell):
    shell.script("import os; print('rank', os.environ['OMPI_COMM_WORLD_RANK'], 'of', os.environ['CUDA_VISIBLE_DEVICES'])")
    as_root = ["-e", "OMPI_ALLOW_RUN_AS_ROOT=1", "-e", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"]
    done = shell.run("--gpus", "2", *as_root, "mpirun", "--oversubscribe", "-n", "2", "python3", "train.py")
    assert sorted(done.stdout.splitlines()) == ["rank 0 of 0,1", "rank 1 of 0,1"]


def test_a_launcher_says_which_python_it_finds_and_which_gpus_it_leaves(shell):
    shell.script("import no_such_module")
    shell.script("python train.py", "train.sh")
    unused = ", no GPU (this machine has 2: muster run --gpus N)\n"
    torchrun = ["-e", "PET_REDIRECTS=1", "-e", "PET_TEE=1", "torchrun", "--nproc_per_node=2", f"--master_port={free_port()}", "train.py"]
    for words in (["train.sh"], torchrun, ["mpirun", "--allow-run-as-root", "-n", "1", "python", "train.py"]):
        said = shell.run(*words, code=1).stderr
        line = next(line for line in said.splitlines(keepends=True) if line.startswith("python: "))
        assert line.startswith(f"python: {PYTHON} (first in PATH), torch ") and line.endswith(unused)
        assert f"note: python was {PYTHON};" in said, "the hint about the missing module"


def test_processes_per_node(shell):
    shell.script(SUM)
    for flag in ("--ranks", "--nproc-per-node", "--nproc_per_node"):
        assert shell.run(flag, "2", "train.py").stdout == "[worker-0] sum 3\n"


def test_the_variables_that_torchrun_sets(shell):
    names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "OMP_NUM_THREADS")
    shell.script(f"import os; print(*(os.environ[name] for name in {names}), 'MASTER_ADDR' in os.environ, 'MASTER_PORT' in os.environ)")
    assert "[worker-1] 1 1 2 2 0 1 True True\n" in shell.run("--ranks", "2", "train.py").stdout


def test_two_trainings_at_once_need_no_other_port(shell):
    shell.script(SUM + "    import time, os\n    while not os.path.exists('done'): time.sleep(0.05)\n")
    for name in ("left", "right"):
        shell.run("-d", "--ranks", "2", "--name", name, "train.py")
    for name in ("left", "right"):
        wait_for(f"{name} to compute", lambda: "sum 3" in shell.engine.muster("logs", name, check=False).stdout, 60)
    (shell.folder / "done").touch()
    for name in ("left", "right"):
        shell.engine.wait_phase(name, "Succeeded")


def test_cuda_visible_devices(shell):
    shell.script("import os; print(os.environ['RANK'], os.environ.get('CUDA_VISIBLE_DEVICES'))")
    done = shell.run("--gpus", "2", "train.py")
    assert sorted(done.stdout.splitlines()) == ["[worker-0] 0 0,1", "[worker-1] 1 0,1"]
    assert shell.run("--gpus", "2", "--ranks", "1", "train.py").stdout == "0 0,1\n"
    assert shell.run("--gpus", "1", "train.py").stdout == "0 0\n", "the job sees no other"
    assert shell.run("train.py", CUDA_VISIBLE_DEVICES="0,1").stdout == "0 None\n", "without --gpus it has none, whatever the shell says"


def test_a_gpu_that_is_taken_is_waited_for(shell):
    shell.script(WAIT)
    shell.run("-d", "--gpus", "2", "--ranks", "1", "--name", "holds", "train.py")
    shell.has_started("holds")
    shell.run("-d", "--gpus", "1", "--name", "queued", "train.py")
    wait_for("the reason", lambda: "nvidia.com/gpu" in shell.muster("get", "jobs").stdout)
    (shell.folder / "done").touch()
    shell.engine.wait_phase("queued", "Succeeded")


def test_max_restarts(shell):
    shell.script("""
        import os, sys
        open("tries", "a").write("x")
        sys.exit(os.path.getsize("tries") < 2)
    """)
    done = shell.run("--restarts", "1", "train.py")
    assert (shell.folder / "tries").read_text() == "xx"
    assert re.search(r"^pj/train-\w+ PodRestarted: .* exit code 1; restarting it in \S+ \(restart 1 of 1\)$", done.stderr, re.MULTILINE), done.stderr


def test_one_rank_fails_and_all_end(shell):
    shell.script("""
        import os, time
        if os.environ["RANK"] == "1":
            raise ValueError("no such optimiser")
        time.sleep(600)
    """)
    done = shell.run("--ranks", "2", "train.py", code=1)
    assert "worker-1" in done.stderr and "no such optimiser" in done.stderr


def test_the_exit_code_in_a_chain_of_commands(shell):
    shell.script("raise SystemExit(3)")
    command = f"{shlex.quote(str(MUSTER))} run train.py && touch next"
    subprocess.run(["sh", "-c", command], cwd=shell.folder, env=shell.environment(), timeout=60, check=False, capture_output=True)
    assert not (shell.folder / "next").exists()


def test_detach_from_tmux_and_attach_again(shell):
    shell.script(WAIT)
    shell.run("-d", "--name", "long", "train.py")
    shell.has_started("long")
    (shell.folder / "done").touch()
    assert shell.muster("logs", "-f", "long").stdout == "starts\nends\n"


def test_ctrl_c_and_a_closed_terminal_leave_the_training_alone(shell):
    shell.script(WAIT)
    for how, code in ((signal.SIGINT, 130), (signal.SIGHUP, None)):
        name = f"kept-{how}"
        # nohup, under which tests may run, leaves SIGHUP ignored.
        command = ["env", "--default-signal=HUP", MUSTER, "run", "--name", name, "train.py"]
        with subprocess.Popen(command, cwd=shell.folder, env=shell.environment(), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as following:
            assert following.stdout.readline() == "starts\n"
            following.send_signal(how)
            ended = following.wait(timeout=30)
            assert code in (None, ended)
    (shell.folder / "done").touch()
    for how in (signal.SIGINT, signal.SIGHUP):
        shell.engine.wait_phase(f"kept-{how}", "Succeeded")
    (shell.folder / "done").unlink()


def test_killing_a_training(shell):
    shell.script(WAIT)
    shell.run("-d", "--name", "unwanted", "train.py")
    shell.has_started("unwanted")
    shell.muster("stop", "unwanted")
    wait_for("its end", lambda: "stopped" in shell.muster("get", "jobs").stdout)


def test_a_log_file(shell):
    shell.script("print('line 1'); print('line 2')")
    shell.run("--name", "logged", "train.py")
    assert shell.muster("logs", "logged").stdout == "line 1\nline 2\n"
    assert shell.muster("logs", "logged", "--tail=1").stdout == "line 2\n"


def test_relative_paths(shell):
    shell.script("open('checkpoints/model.pt', 'w').write('trained')")
    (shell.folder / "checkpoints").mkdir()
    shell.run("train.py")
    assert (shell.folder / "checkpoints/model.pt").read_text() == "trained"


def test_data_elsewhere(shell, tmp_path_factory):
    data = tmp_path_factory.mktemp("data")
    (data / "labels.txt").write_text("cat\n")
    shell.script("import sys; print(open(sys.argv[2] + '/labels.txt').read(), end='')")
    assert shell.run("train.py", "--data", data).stdout == "cat\n"


def test_a_variable_in_front_of_the_command(shell):
    shell.script("import os; print(os.environ['SEED'], os.environ['NCCL_DEBUG'])")
    assert shell.run("-e", "SEED", "-e", "NCCL_DEBUG=INFO", "train.py", SEED="7").stdout == "7 INFO\n"


def test_a_login_that_stays(shell):
    shell.script("import pathlib; pathlib.Path.home().joinpath('.netrc').write_text('machine api.wandb.ai')", "login.py")
    shell.script("import pathlib; print(pathlib.Path.home().joinpath('.netrc').read_text())")
    shell.run("login.py")
    assert shell.run("train.py").stdout == "machine api.wandb.ai\n"


def test_an_active_environment(shell, tmp_path_factory):
    folder = tmp_path_factory.mktemp("envs") / "ml"
    subprocess.run([PYTHON, "-m", "venv", "--system-site-packages", "--without-pip", folder], check=True)
    shell.script("import sys, torch; print(sys.prefix)")
    assert shell.run("train.py", VIRTUAL_ENV=str(folder)).stdout == f"{folder}\n"


def test_a_module(shell):
    shell.script("print(__package__)", "pkg/train.py")
    assert shell.run("-m", "pkg.train").stdout == "pkg\n"


def test_a_shell_script(shell):
    shell.script("#!/usr/bin/env bash\nset -euo pipefail\nnames=(a b)\npython -c \"print('${names[1]}')\"\n", "train.sh")
    assert shell.run("train.sh").stdout == "b\n"
    (shell.folder / "train.sh").chmod(0o755)
    assert shell.run("./train.sh").stdout == "b\n"


def test_breakpoint(shell):
    shell.script("lr = 1\nbreakpoint()\nprint('lr', lr)\n")
    command = f"cd {shlex.quote(str(shell.folder))} && exec {shlex.quote(str(MUSTER))} run -it train.py"
    terminal = OnTerminal(["sh", "-c", command], shell.environment())
    wait_for("the debugger", lambda: "(Pdb)" in terminal.read())
    terminal.type("lr = 2\rcontinue\r")
    assert terminal.wait() == 0, terminal.seen
    assert "lr 2" in terminal.seen
    assert "note: a debugger needs a terminal: muster run -it" in shell.run("train.py", code=1).stderr


def test_a_time_limit(shell):
    shell.script("import time; time.sleep(600)")
    shell.run("--time", "1s", "train.py", code=1)


def test_after_a_reboot_the_training_is_there_again(shell):
    shell.script("open('tries', 'a').write('x')\n" + textwrap.dedent(WAIT))
    shell.run("-d", "--name", "comes-back", "train.py")
    shell.has_started("comes-back")
    pod = json.loads(shell.muster("get", "pods", "-l", "tensorstack.dev/owner-name=comes-back", "-o", "json").stdout)["items"][0]
    for path in shell.engine.data.glob(f"pods/{pod['metadata']['uid']}/*/shim.json"):
        os.kill(json.loads(path.read_text().splitlines()[0])["pid"], signal.SIGKILL)  # nobody records its end, as in a power cut
    wait_for("a second try", lambda: (shell.folder / "tries").read_text() == "xx", 60)
    (shell.folder / "done").touch()
    shell.engine.wait_phase("comes-back", "Succeeded")
    assert shell.engine.get("pj", "comes-back")["status"]["backoffCount"] == 0
