"""What an image would bring comes from the configuration: a root file system, a place to write, folders, a home, a command."""

import os
import shutil
import subprocess

import pytest

from harness import Engine, wait_for

PROGRAM = 'int puts(const char*);\nint main(void) { puts("from the root file system"); return 0; }\n'


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("environments")
    for name in ("home", "models", "root/bin"):
        (folder / name).mkdir(parents=True)
    (folder / "models" / "weights").write_text("w")
    (folder / "program.c").write_text(PROGRAM)
    assert shutil.which("musl-gcc"), "the shim is built with it, so it is there"
    subprocess.run(["musl-gcc", "-static", "-o", folder / "root/bin/hello", folder / "program.c"], check=True)
    made = Engine(folder, config=f"""
environments:
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
