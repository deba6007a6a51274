"""How the code of a job arrives besides git over http: from an rsync daemon, from git over ssh with a key, from a
repository of this machine."""
import json
import os
import pathlib
import shutil
import socket
import subprocess

import pytest
from harness import MUSTER, Engine, free_port, wait_for

ARENA = MUSTER.parent / "arena"
RSYNC_PORT, SSH_PORT = free_port(), free_port()
SSHD = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    made = Engine(tmp_path_factory.mktemp("sync"), config=f"""
network: {{allow: ['127.0.0.1:{RSYNC_PORT}', '127.0.0.1:{SSH_PORT}']}}
environments:
- {{image: '*', host: true}}  # as in docs/config.md; it does not hide muster-git-sync
""").start()
    yield made
    made.stop()


@pytest.fixture
def daemon():
    """Starts a server on loopback, waits until it listens, and ends it after the test."""
    started = []

    def start(command, port):
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        started.append(process)

        def listens():
            assert process.poll() is None, f"{command[0]} has ended"
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0
        wait_for(f"{command[0]} to listen", listens)
    yield start
    for process in started:
        process.terminate()
        process.wait(timeout=20)


def run_job(engine, name, *flags):
    engine.run([ARENA, "submit", "pytorch", f"--name={name}", "--image=i", *flags, "cat /root/code/project/hello.txt"])

    def ended():
        job = json.loads(engine.run([ARENA, "get", name, "-o", "json"]).stdout)
        return job["status"] if job["status"] in ("SUCCEEDED", "FAILED") else None
    status = wait_for(f"{name} to end", ended, 120)
    return status, engine.run([ARENA, "logs", name], check=False).stdout


@pytest.fixture
def project(tmp_path):
    """A repository named project with one commit, in which hello.txt says where the code comes from."""
    folder = tmp_path / "mine" / "project"
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost", "-C", str(folder)]
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    (folder / "hello.txt").write_text("by path\n")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "first"], check=True)
    return folder


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_code_comes_from_a_repository_of_this_machine(engine, project, scheme):
    name = "by-file" if scheme else "by-path"
    assert run_job(engine, name, "--sync-mode=git", f"--sync-source={scheme}{project}", "--env=GIT_SYNC_DEPTH=1") == ("SUCCEEDED", "by path\n")
    if os.geteuid() == 0:  # git distrusts repositories of others
        shutil.chown(project / ".git", 1000, 1000)
        assert run_job(engine, name + "-of-other", "--sync-mode=git", f"--sync-source={scheme}{project}") == ("SUCCEEDED", "by path\n")


def test_a_failed_clone_is_explained_without_asking(engine, project):
    status, _ = run_job(engine, "no-branch", "--sync-mode=git", f"--sync-source={project}", "--env=GIT_SYNC_BRANCH=nope", "--retry=0")
    assert status == "FAILED"
    shown = engine.run([ARENA, "get", "no-branch"]).stdout
    assert "no-branch-master-0 failed first: container init-code ended with exit code 1" in shown
    assert "git clone ended with exit code 128: Remote branch nope not found in upstream origin" in shown
    missing = engine.run([ARENA, "submit", "pytorch", "--name=missing", "--image=i", "--sync-mode=git", f"--sync-source={project}/nothing", "true"], check=False)
    assert missing.returncode == 1 and "missing-code-source" in missing.stderr and "(to make it: mkdir -p" in missing.stderr
    assert "missing" not in engine.muster("get", "pytorchjobs").stdout, "the job goes with what belongs to it"


def test_nobody_but_the_owner_names_a_folder(engine, project):
    script = "cat /var/run/secrets/kubernetes.io/serviceaccount/token"
    engine.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "guest"}, "spec": {"containers": [
        {"name": "c", "image": "i", "command": ["sh", "-c", f"{script}; echo; sleep 1000"]}]}})
    token = wait_for("the token", lambda: engine.muster("logs", "guest", check=False).stdout.strip())
    kubeconfig = engine.folder / "guest"
    text = engine.kubeconfig.read_text()
    kubeconfig.write_text("\n".join(line if "token:" not in line else line.split("token:")[0] + f"token: {token}" for line in text.splitlines()) + "\n")
    kubeconfig.chmod(0o600)
    refused = engine.run([ARENA, "--config", kubeconfig, "submit", "pytorch", "--name=guests", "--image=i", "--sync-mode=git", f"--sync-source={project}", "true"],
                         check=False, env={"KUBECONFIG": str(kubeconfig)})
    assert refused.returncode == 1 and "muster.dev/path" in refused.stderr, refused.stderr


@pytest.mark.skipif(not shutil.which("rsync"), reason="rsync is not installed")
def test_code_comes_from_an_rsync_daemon(engine, daemon, tmp_path):
    project = tmp_path / "served" / "project"
    project.mkdir(parents=True)
    (project / "hello.txt").write_text("by rsync\n")
    port = RSYNC_PORT
    config = tmp_path / "rsyncd.conf"
    config.write_text(f"use chroot = no\npid file = {tmp_path}/pid\n[code]\npath = {project.parent}\nread only = yes\n")
    daemon(["rsync", "--daemon", "--no-detach", f"--config={config}", "--address=127.0.0.1", f"--port={port}"], port)
    source = f"rsync://127.0.0.1:{port}/code"
    assert run_job(engine, "by-rsync", "--sync-mode=rsync", f"--sync-source={source}/project") == ("SUCCEEDED", "by rsync\n")
    status, log = run_job(engine, "no-rsync", "--sync-mode=rsync", f"--sync-source={source}/nothing", "--retry=0")
    assert status == "FAILED" and "No such file or directory" in log


@pytest.fixture
def keys(tmp_path):
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    return tmp_path


@pytest.mark.skipif(not SSHD or os.geteuid() != 0, reason="sshd is not installed, or may not be started by this user")
def test_code_comes_by_ssh_with_the_key_of_a_secret(engine, daemon, keys, tmp_path):
    work = tmp_path / "work"
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost", "-C", str(work)]
    subprocess.run(["git", "init", "-q", "-b", "main", str(work)], check=True)
    (work / "hello.txt").write_text("by ssh\n")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "first"], check=True)
    subprocess.run(["git", "clone", "-q", "--bare", str(work), str(tmp_path / "project.git")], check=True)
    port = SSH_PORT
    (keys / "authorized").write_text((keys / "user.pub").read_text())
    config = keys / "sshd_config"
    config.write_text(f"Port {port}\nListenAddress 127.0.0.1\nHostKey {keys}/host\nAuthorizedKeysFile {keys}/authorized\n"
                      f"PidFile {keys}/sshd.pid\nStrictModes no\nUsePAM no\nPermitRootLogin prohibit-password\n")
    pathlib.Path("/run/sshd").mkdir(exist_ok=True)
    daemon([SSHD, "-D", "-f", str(config)], port)
    known = f"[127.0.0.1]:{port} {(keys / 'host.pub').read_text()}"
    engine.apply({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "git-key"},
                  "stringData": {"ssh": (keys / "user").read_text(), "known_hosts": known}})
    source = f"--sync-source=ssh://root@127.0.0.1:{port}{tmp_path}/project.git"
    assert run_job(engine, "by-ssh", "--sync-mode=git", source, "--sync-secret=git-key") == ("SUCCEEDED", "by ssh\n")

    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "stranger"], check=True)
    engine.apply({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "other-key"},
                  "stringData": {"ssh": (tmp_path / "stranger").read_text(), "known_hosts": known}})
    status, log = run_job(engine, "no-ssh", "--sync-mode=git", source, "--sync-secret=other-key")
    assert status == "FAILED" and "cannot fetch the code from" in log
