"""What a pod cannot do, whoever runs the engine."""

import json
import os
import pathlib
import subprocess

import pytest
from harness import MUSTER, Engine, wait_for

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: an ordinary user's pods have that user's rights")


def pod(name, script, image="python:3", mounts=(), volumes=(), **spec):
    container = {"name": "main", "image": image, "command": ["sh", "-c", script], "volumeMounts": list(mounts)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"restartPolicy": "Never", "volumes": list(volumes), "containers": [container], **spec}}


def finished(engine, name):
    """Waits for the pod's end and returns its log."""
    wait_for(f"{name} to end", lambda: engine.get("pod", name)["status"].get("phase") in ("Succeeded", "Failed"))
    return engine.muster("logs", name).stdout


def refusal(engine, manifest):
    done = engine.muster("create", "-f", "-", check=False, stdin=json.dumps(manifest))
    assert done.returncode != 0, done.stdout
    return done.stderr


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("host")
    for name in ("allowed", "closed"):
        (root / name).mkdir()
        (root / name).chmod(0o777)
    (root / "closed" / "secret").write_text("closed\n")
    root.chmod(0o755)
    return root


@pytest.fixture(scope="module")
def engine(tmp_path_factory, folders):
    config = {"hostPaths": [f"{folders}/allowed"]}
    running = Engine(tmp_path_factory.mktemp("engine"), config=json.dumps(config)).start()
    yield running
    running.stop()


@needs_root
def test_a_pods_root_reaches_nothing_of_the_host(engine, folders, tmp_path):
    private = pathlib.Path("/etc/muster-test-private")
    private.write_text("private\n")
    private.chmod(0o600)
    try:
        engine.apply({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "attack"},
                      "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})
        engine.apply(pod("attack", f"""
            cat {private}; ls {engine.data} /root/.ssh /home {folders}/closed
            python3 -c "import socket; s = socket.socket(socket.AF_UNIX); s.connect('{engine.data}/api.sock')" 2>&1 | tail -1
            python3 -c "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)" 2>&1 | tail -1
            python3 -c "import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)" 2>&1 | tail -1
            cp /bin/sh /vol/shell; chmod 4755 /vol/shell; stat -c %a:%u /vol/shell
            mknod /vol/disk b 8 0; mount -t tmpfs none /vol; unshare -Ur true; cat /proc/1/environ
        """, mounts=[{"name": "v", "mountPath": "/vol"}], volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "attack"}}]))
        log = finished(engine, "attack")
    finally:
        private.unlink()
    assert f"cat: {private}: Permission denied" in log
    assert f"ls: cannot access '{engine.data}'" in log and f"ls: cannot access '{folders}/closed'" in log
    assert "FileNotFoundError" in log
    assert log.count("PermissionError: [Errno 1] Operation not permitted") == 2
    assert "chmod: changing permissions of '/vol/shell': Operation not permitted" in log and "755:0\n" in log
    assert "mknod: /vol/disk: Operation not permitted" in log
    shell = engine.data / "volumes" / "default" / "attack" / "shell"
    assert shell.stat().st_uid == 100000 and shell.stat().st_mode & 0o7000 == 0


@needs_root
def test_another_engines_socket_refuses_a_pod(tmp_path, folders, engine):
    """Even where its folder is shown to the pod: the pod's root is another user, in another user namespace."""
    other = Engine(tmp_path / "other").start()
    try:
        shared = folders / "allowed" / "socket"
        os.link(other.data / "api.sock", shared) if os.stat(other.data).st_dev == os.stat(folders).st_dev else None
        assert shared.exists()
        shared.chmod(0o777)
        engine.apply(pod("caller", """python3 - <<'END'
import socket
s = socket.socket(socket.AF_UNIX); s.connect('/host/socket')
s.sendall(b'GET /api/v1/secrets HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n')
print(s.recv(100).split(b'\\r\\n')[0])
END
""", mounts=[{"name": "h", "mountPath": "/host"}], volumes=[{"name": "h", "hostPath": {"path": f"{folders}/allowed"}}]))
        log = finished(engine, "caller")
        assert "403 Forbidden" in log or "401 Unauthorized" in log, log
    finally:
        other.stop()


def test_host_path_lies_where_the_configuration_allows(engine, folders):
    volume = [{"name": "h", "hostPath": {"path": f"{folders}/closed"}}]
    why = refusal(engine, pod("closed", "true", volumes=volume))
    assert "spec.volumes[0].hostPath.path" in why and "add it to `hostPaths` in config.yaml" in why
    (folders / "allowed" / "link").symlink_to(folders / "closed")
    mounts = [{"name": "h", "mountPath": "/h"}]
    engine.apply(pod("linked", "cat /h/secret", mounts=mounts, volumes=[{"name": "h", "hostPath": {"path": f"{folders}/allowed/link"}}]))
    wait_for("the reason", lambda: "must lie in a folder that the configuration allows" in engine.muster("get", "events").stdout)
    engine.muster("delete", "pod", "linked")


@pytest.mark.parametrize("path", ["/", "/proc", "relative", "/a/../etc"])
def test_a_claims_folder_is_clean(engine, path):
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c", "annotations": {"muster.dev/path": path}},
             "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
    assert "metadata.annotations.muster.dev/path" in refusal(engine, claim)


def test_a_volume_may_be_mounted_at_run_again_and_again(engine):
    engine.muster("volume", "create", "run-folder")
    for name in ("run-first", "run-second"):
        engine.apply(pod(name, "touch /run/$HOSTNAME; ls /run", mounts=[{"name": "v", "mountPath": "/run"}],
                         volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "run-folder"}}]))
        log = finished(engine, name)
    assert {"run-first", "run-second"} <= set(log.split())


def test_the_data_directory_is_nobodys_volume(engine):
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
             "metadata": {"name": "c", "annotations": {"muster.dev/path": str(engine.data.parent)}},
             "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
    assert "must not be the engine's data directory" in refusal(engine, claim)


def test_power_that_a_pod_cannot_have_is_refused(engine):
    privileged = pod("p", "true")
    privileged["spec"]["containers"][0]["securityContext"] = {"privileged": True}
    assert "spec.containers[0].securityContext.privileged" in refusal(engine, privileged)
    assert "spec.hostPID" in refusal(engine, pod("p", "true", hostPID=True))


def test_an_image_without_a_rule_is_a_warning_at_create(engine):
    done = engine.muster("create", "-f", "-", stdin=json.dumps(pod("unmapped", "true", image="unknown:1")))
    assert 'spec.containers[0].image: no environment is configured for "unknown:1"' in done.stderr


def test_a_venv_that_does_not_exist_is_an_error_at_the_start(tmp_path):
    broken = Engine(tmp_path, config="environments: [{image: '*', venv: /nowhere}]\n")
    done = subprocess.run([MUSTER, "serve", "--data-dir", broken.data, "--listen", "127.0.0.1:0"],
                          capture_output=True, text=True, timeout=30)
    assert done.returncode != 0 and 'environments[0].venv: "/nowhere" has no bin/python' in done.stderr
