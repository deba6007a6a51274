"""What an image would bring comes from the configuration: a root file system, a place to write, folders, a home, a command."""

import os
import shutil
import subprocess

import pytest

from harness import Engine, wait_for

PROGRAM = 'int puts(const char*);\nint main(void) { puts("from the root file system"); return 0; }\n'


BOARD = """
import http.server, sys
address, port = (sys.argv[sys.argv.index(flag) + 1] for flag in ("--host", "--port"))
http.server.HTTPServer((address, int(port)), http.server.SimpleHTTPRequestHandler).serve_forever()
"""


def make_venv(venv):
    """A virtual environment with packages that say who they are: torch, whose launcher it lacks, and tensorboard."""
    subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", venv], check=True)
    (packages,) = venv.glob("lib/python3.*/site-packages")
    for path, text in (("torch/distributed/run.py", "import sys; print('torch of', sys.prefix, sys.argv[1:])\n"), ("tensorboard/main.py", BOARD)):
        (packages / path).parent.mkdir(parents=True)
        (packages / path).write_text(text)
    for package in ("torch", "torch/distributed", "tensorboard"):
        (packages / package / "__init__.py").touch()


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("environments")
    for name in ("home", "models", "root/bin"):
        (folder / name).mkdir(parents=True)
    (folder / "models" / "weights").write_text("w")
    (folder / "program.c").write_text(PROGRAM)
    assert shutil.which("musl-gcc"), "the shim is built with it, so it is there"
    subprocess.run(["musl-gcc", "-static", "-o", folder / "root/bin/hello", folder / "program.c"], check=True)
    make_venv(folder / "venv")
    made = Engine(folder, config=f"""
environments:
- {{image: "torch*", venv: {folder}/venv}}
- {{image: "writable*", host: true, writable: true, workingDir: /opt/app}}
- {{image: "home*", host: true, home: {folder}/home}}
- {{image: "root*", rootfs: {folder}/root, command: [/bin/hello]}}
- {{image: "models*", host: true, mounts: [{{path: /models, from: {folder}/models}}]}}
""").start()
    yield made
    made.stop()


def log_of(engine, name, image, script=None):
    container = {"name": "main", "image": image}
    if script:
        container["command"] = ["sh", "-c", script]
    engine.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
                  "spec": {"restartPolicy": "Never", "containers": [container]}})
    wait_for(f"{name} to end", lambda: engine.get("pod", name)["status"].get("phase") in ("Succeeded", "Failed"))
    return engine.muster("logs", name).stdout


def test_changes_of_a_writable_environment_vanish_with_the_container(engine):
    # The files of the machine's root are nobody's in the pods of an ordinary user, who can only add to them.
    change = "rm -r /usr/share/doc/base-files" if os.geteuid() == 0 else "true"
    script = f"pwd; test -e /usr/muster-was-here && echo old; touch /usr/muster-was-here && {change} && echo changed"
    assert log_of(engine, "first", "writable:1", script) == "/opt/app\nchanged\n"
    assert log_of(engine, "second", "writable:1", script) == "/opt/app\nchanged\n"


def test_a_home_is_kept_across_pods(engine):
    log_of(engine, "writes", "home:1", "echo token > $HOME/login")
    assert log_of(engine, "reads", "home:1", "cat $HOME/login") == "token\n"


def test_a_root_file_system_brings_its_programs_and_its_command(engine):
    assert log_of(engine, "hello", "root:1") == "from the root file system\n"


def test_folders_of_the_machine_are_read_only(engine):
    assert log_of(engine, "lists", "models:1", "ls /models; touch /models/x 2>/dev/null || echo refused") == "weights\nrefused\n"


def test_torchrun_is_that_of_the_environments_python(engine):
    """The machine's own would run the machine's Python."""
    assert log_of(engine, "torchrun", "torch:1", "torchrun --nproc-per-node 2 train.py") == f"torch of {engine.folder}/venv ['--nproc-per-node', '2', 'train.py']\n"


def test_a_tensorboard_whose_image_nobody_mapped_gets_what_can_serve_it(engine):
    if subprocess.run(["/usr/bin/python3", "-c", "import tensorboard"], stderr=subprocess.DEVNULL).returncode == 0:
        pytest.skip("the machine's own Python has TensorBoard")
    engine.volume("logs")
    engine.apply({"apiVersion": "tensorstack.dev/v1beta1", "kind": "TensorBoard", "metadata": {"name": "unmapped"},
                  "spec": {"logDir": {"pvc": [{"name": "logs"}]}}})
    engine.wait_phase("unmapped", "Running", kind="tensorboard")
    pod = engine.get("tensorboard", "unmapped")["status"]["pod"]["reference"]["name"]
    said = " ".join(engine.muster("describe", "pod", pod).stdout.split())
    assert f"virtualenv {engine.folder}/venv" in said and "because no environment is configured for the image and this one has tensorboard" in said
