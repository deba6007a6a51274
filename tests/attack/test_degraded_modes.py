"""What an engine says and does on a machine that lacks something: pods run or say why not, doctor and the Node say what is in force."""

import json
import os
import pathlib
import shutil
import signal
import subprocess

import pytest

from harness import MUSTER, Engine, wait_for

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: only root covers files of the machine")
PASTA = next((path for path in ("/usr/local/bin/pasta", "/usr/bin/pasta") if os.access(path, os.X_OK)), None)
BROKEN = "#!/bin/sh\necho 'pasta: cannot work' >&2\nexit 1\n"
OLD = "#!/bin/sh\necho 'Usage: pasta [--config-net] [--netns PATH] [--userns PATH]'\nexit 1\n"


def pod(name, script="echo hello"):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "host", "command": ["sh", "-c", script]}]}}


def condition(engine, kind):
    node = json.loads(engine.muster("get", "nodes", "-o", "json").stdout)["items"][0]
    return next(c for c in node["status"]["conditions"] if c["type"] == kind)


def doctor(engine, name):
    text = engine.run([*engine.through, MUSTER, "doctor", "--data-dir", engine.data], check=False).stdout
    return next(line for line in text.splitlines() if f" {name} " in line)


def runs(engine, name):
    engine.apply(pod(name))
    wait_for("the pod to end", lambda: engine.get("pod", name)["status"].get("phase") in ("Succeeded", "Failed"))
    return engine.muster("logs", name).stdout == "hello\n"


def covering(path, cover):
    """Runs a command where another file hides this one."""
    return ("unshare", "-m", "sh", "-c", f'mount --bind {cover} {os.path.realpath(path)} && exec "$@"', "sh")


@needs_root
@pytest.mark.skipif(PASTA is None, reason="needs pasta")
@pytest.mark.parametrize("text,mode,config,own,said", [
    ("", 0o644, "", "False", "pods share the network of the machine, and reach its ports and each other's: pasta is not installed"),
    ("", 0o644, "network: job\n", "True", "without a way to the outside: pasta is not installed"),
    (BROKEN, 0o755, "", "False", "does not work or is too old: it has no option --config-net"),
    (OLD, 0o755, "", "False", "does not work or is too old: it has no option --no-map-gw"),
    (OLD, 0o755, "network: job\n", "True", "without a way to the outside: /usr/"),
], ids=["missing", "missing-job", "broken", "old", "old-job"])
def test_without_a_pasta_that_works_pods_run_and_the_node_says_so(tmp_path, text, mode, config, own, said):
    cover = tmp_path / "cover"
    cover.write_text(text)
    cover.chmod(mode)
    engine = Engine(tmp_path, config=config, through=covering(PASTA, cover)).start()
    try:
        assert runs(engine, "p")
        assert condition(engine, "JobNetworks")["status"] == own
        assert said in condition(engine, "JobNetworks")["message"]
        assert "–" in doctor(engine, "network") and said in doctor(engine, "network")
    finally:
        engine.stop()


@needs_root
@pytest.mark.skipif(PASTA is None, reason="needs pasta")
def test_without_the_tun_device_pods_run_and_the_node_says_so(tmp_path):
    hidden = ("unshare", "-m", "sh", "-c", 'mount -t tmpfs none /dev/net && exec "$@"', "sh")
    engine = Engine(tmp_path, through=hidden).start()
    try:
        assert runs(engine, "p")
        assert condition(engine, "JobNetworks")["status"] == "False"
        assert "/dev/net/tun is missing" in condition(engine, "JobNetworks")["message"]
        assert "/dev/net/tun is missing" in doctor(engine, "network")
    finally:
        engine.stop()


def pastas_of(engine):
    """The processes that connect networks of this engine: children of the networks' owners."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            owner = pathlib.Path(f"/proc/{parent}/cmdline").read_bytes()
        except OSError:
            continue
        if words[0] == b"pasta" and os.fsencode(engine.data) in owner:
            found.append(int(entry.name))
    return found


@pytest.mark.skipif(PASTA is None or not os.access("/dev/net/tun", os.R_OK | os.W_OK), reason="needs pasta and /dev/net/tun")
def test_a_pasta_that_was_killed_comes_back(tmp_path):
    engine = Engine(tmp_path, config="network: job\n").start()
    try:
        engine.apply(pod("p", "sleep 1000"))
        [first] = wait_for("pasta", lambda: pastas_of(engine))
        os.kill(first, signal.SIGKILL)
        wait_for("another pasta", lambda: pastas_of(engine) not in ([], [first]))
        assert engine.get("pod", "p")["status"]["phase"] == "Running"
    finally:
        engine.stop()


def test_without_a_second_network_for_services_the_node_says_what_they_take(tmp_path):
    """The user namespace around the engine allows one network at a time."""
    user = os.geteuid() or 65534
    inner = f'echo 1 > /proc/sys/user/max_net_namespaces && exec unshare -U --map-user={user} --map-group={user} "$@"'
    limited = ("unshare", "-Ur", "sh", "-c", inner, "sh")
    if subprocess.run([*limited, "true"], check=False).returncode != 0:
        pytest.skip("this machine does not let the user make user namespaces")
    said = "pods of other jobs cannot listen on the port of a Service: make a link of type veth: ENOSPC"
    engine = Engine(tmp_path, config="network: job\n", through=limited).start()
    try:
        wait_for("the Node's status", lambda: said in engine.muster("get", "nodes", "-o", "json").stdout)
        assert condition(engine, "JobNetworks")["status"] == "True"
        wait_for("doctor", lambda: said in doctor(engine, "network"))  # when the network that the engine has tried is gone
        assert "–" in doctor(engine, "network")
    finally:
        engine.stop()


@pytest.mark.skipif(not shutil.which("setpriv"), reason="needs setpriv")
def test_without_user_namespaces_an_ordinary_users_pods_say_why_they_do_not_run(tmp_path):
    """The user namespace around the engine allows one more, which is the engine's own: its pods cannot have any."""
    user = os.geteuid() or 65534
    inner = f'echo 1 > /proc/sys/user/max_user_namespaces && exec unshare -U --map-user={user} --map-group={user} "$@"'
    refused = ("unshare", "-Ur", "sh", "-c", inner, "sh")
    if subprocess.run([*refused, "true"], check=False).returncode != 0:
        pytest.skip("this machine does not let the user make user namespaces")
    engine = Engine(tmp_path, through=refused).start()
    try:
        engine.apply(pod("p"))
        wait_for("the pod to fail", lambda: engine.get("pod", "p")["status"].get("phase") == "Failed")
        status = json.dumps(engine.get("pod", "p")["status"])
        assert "user namespace" in status or "unshare" in status, status
        assert "✖" in doctor(engine, "sandbox") and "user.max_user_namespaces" in engine.run(
            [*refused, MUSTER, "doctor", "--data-dir", engine.data], check=False).stdout
        assert condition(engine, "JobNetworks")["status"] == "False"
        assert "this machine makes no networks for this user" in condition(engine, "JobNetworks")["message"]
        engine.muster("delete", "pod", "p")
    finally:
        engine.stop()


def test_pods_of_an_engine_without_networks_stay_as_they_are_after_its_upgrade(tmp_path):
    """The engine of before had `network: host`. What still runs is found again, and can be read, entered and reached."""
    engine = Engine(tmp_path, config="network: host\n").start()
    serve = "echo $$; readlink /proc/self/ns/net; exec python3 -m http.server 8000 --bind $(hostname -i)"
    try:
        engine.apply(pod("old", serve))
        before = wait_for("the pod", lambda: len(lines := engine.muster("logs", "old", check=False).stdout.splitlines()) >= 2 and lines[:2])
        assert before[1] == os.readlink("/proc/self/ns/net")
        engine.kill()
        (engine.data / "config.yaml").write_text("network: job\n")
        engine.start()
        if not engine.has_own_networks():
            pytest.skip("this machine makes no networks for this user")
        assert engine.muster("exec", "old", "--", "readlink", "/proc/self/ns/net").stdout.strip() == before[1]
        with subprocess.Popen([MUSTER, "port-forward", "old", ":8000"], env=engine.environment(), text=True, stdout=subprocess.PIPE) as forward:
            port = forward.stdout.readline().split("127.0.0.1:")[1].split()[0]
            assert "Directory listing" in engine.run(["curl", "-sS", "--max-time", "10", f"http://127.0.0.1:{port}/"]).stdout
            forward.terminate()
        engine.apply(pod("new", "readlink /proc/self/ns/net"))
        wait_for("the new pod", lambda: engine.get("pod", "new")["status"].get("phase") == "Succeeded")
        assert engine.muster("logs", "new").stdout.strip() != before[1]
        status = engine.get("pod", "old")["status"]
        assert status["phase"] == "Running" and status["containerStatuses"][0]["restartCount"] == 0
        assert engine.muster("logs", "old").stdout.splitlines()[:2] == before
    finally:
        engine.stop()
