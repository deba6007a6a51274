"""The real engine for tests: starts it on its own directory and port, kills it, restarts it, and sends it requests."""

import fcntl
import glob
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MUSTER = pathlib.Path(os.environ.get("MUSTER_BINARY", ROOT / "build" / "bin" / "muster")).resolve()
JOB_KINDS = "pytorchtrainingjobs,tensorflowtrainingjobs,xgboosttrainingjobs,genericjobs,mpijobs.batch.tensorstack.dev,pytorchjobs,tfjobs,mpijobs.kubeflow.org"
FULL = bool(os.environ.get("MUSTER_FULL"))
NO_GPUS = "resources: {nvidia.com/gpu: 0}\n"  # the configuration of tests that need a machine without any


def is_free(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def free_port():
    """One that is free, as is the next, which an engine takes for content: below those that the kernel gives to connections."""
    while True:
        port = random.randrange(10_000, 20_000, 2)
        if is_free(port) and is_free(port + 1):
            return port


def kubectls():
    """All versioned kubectls next to the one on the PATH, as {'1.29': path}."""
    found = {}
    plain = shutil.which("kubectl")
    folders = {os.path.dirname(os.path.realpath(plain))} if plain else set()
    for folder in folders | set(os.environ.get("PATH", "").split(":")):
        for path in glob.glob(os.path.join(folder, "kubectl.1.*")):
            version = path.rsplit("kubectl.", 1)[1]
            if re.fullmatch(r"1\.\d+", version) and int(version.split(".")[1]) >= 27:
                found[version] = path
    return dict(sorted(found.items(), key=lambda item: int(item[0].split(".")[1])))


def wait_for(what, condition, timeout=30.0):
    """Polls until `condition` returns something true, and returns that."""
    end = time.monotonic() + timeout
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError(f"waited {timeout:.0f} s for {what}")
        time.sleep(0.05)


def door_is_there(data):
    """Whether a process holds the ports of the engine of this folder."""
    try:
        with open(pathlib.Path(data) / "door.lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        pass
    return False


def end_door(data):
    """Ends what a killed engine leaves, with its pods."""
    if door_is_there(data):
        subprocess.run([MUSTER, "down", "--stop-jobs", "--data-dir", data], check=True, timeout=120, stdout=subprocess.DEVNULL)


def kill_door(data):
    """Frees the ports of a killed engine, as somebody who may kill its door could."""
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue  # it has ended
        if words[:2] == [b"muster-door", os.fsencode(data)]:
            os.kill(int(path.parent.name), signal.SIGKILL)
    wait_for("the door to end", lambda: not door_is_there(data))


class Engine:
    """`muster serve` on a directory; it stays the same engine across kill() and start()."""

    def __init__(self, folder, config="", through=()):
        """`through` is a command that runs the engine, such as one that changes the user."""
        self.folder = pathlib.Path(folder)
        self.through = through
        self.data = self.folder / "data"
        self.port = free_port()
        self.process = None
        self.home = self.folder / "home"
        self.home.mkdir(parents=True, exist_ok=True)
        self.data.mkdir(mode=0o700, exist_ok=True)
        if config:
            (self.data / "config.yaml").write_text(config)

    @property
    def kubeconfig(self):
        return self.data / "kubeconfig"

    def start(self):
        log = open(self.folder / "engine.log", "ab")
        self.process = subprocess.Popen(
            [*self.through, MUSTER, "serve", "--data-dir", self.data, "--listen", f"127.0.0.1:{self.port}"],
            stdout=subprocess.PIPE, stderr=log, text=True)
        log.close()
        line = self.process.stdout.readline()
        assert line.startswith("ready https://"), f"engine said {line!r}; log:\n{self.log()}"
        return self

    def log(self):
        return (self.folder / "engine.log").read_text()

    def kill(self, how=signal.SIGKILL):
        self.process.send_signal(how)
        code = self.process.wait()
        self.process.stdout.close()
        return code

    def stop(self):
        """Stops the engine in an orderly way, with everything that still runs."""
        if self.process and self.process.poll() is None:
            for kinds in ("crons," + JOB_KINDS + ",notebooks,tensorboards,deployments", "pods"):
                self.muster("delete", kinds, "--all", "-A", "--grace-period=1", check=False)
            assert self.kill(signal.SIGTERM) == 0, self.log()
        end_door(self.data)

    def environment(self):
        return dict(os.environ, HOME=str(self.home), KUBECONFIG=str(self.kubeconfig), MUSTER_DATA_DIR=str(self.data),
                    KUBE_EDITOR="true", NO_COLOR="1")

    def run(self, command, check=True, stdin=None, timeout=120, env=None):
        done = subprocess.run([str(c) for c in command], env={**self.environment(), **(env or {})}, input=stdin, text=True, timeout=timeout,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if check:
            assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def muster(self, *words, **kwargs):
        return self.run([MUSTER, *words], **kwargs)

    def apply(self, manifest):
        text = manifest if isinstance(manifest, str) else json.dumps(manifest)
        return self.muster("apply", "-f", "-", stdin=text)

    def get(self, kind, name, check=True):
        done = self.muster("get", kind, name, "-o", "json", check=check)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def wait_phase(self, name, phase, kind="pj", timeout=60):
        def reached():
            found = self.get(kind, name, check=False)
            return found if found and found.get("status", {}).get("phase") == phase else None
        return wait_for(f"{kind}/{name} to be {phase}", reached, timeout)

    def wait_succeeded_ranks(self, name, count):
        def reached():
            job = self.get("pj", name)
            return job if job["status"]["aggregate"]["succeeded"] == count else None
        return wait_for(f"{count} ranks of {name} to have succeeded", reached)

    def has_own_networks(self):
        """Whether each job has a network of its own."""
        def condition():
            [node] = json.loads(self.muster("get", "nodes", "-o", "json").stdout)["items"] or [{}]
            return next((one for one in node.get("status", {}).get("conditions", []) if one["type"] == "JobNetworks"), None)
        return wait_for("the Node's conditions", condition)["status"] == "True"

    def volume(self, name, namespace="default"):
        folder = self.data / "volumes" / namespace / name
        folder.mkdir(parents=True, exist_ok=True)
        self.apply({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": namespace},
                    "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}})
        return folder


def training_job(name, command, replicas=1, **spec):
    """A PyTorchTrainingJob whose ranks run `command` with the volume `work` as /work."""
    template = {"spec": {
        "containers": [{"name": "pytorch", "image": "python:3", "command": command, "workingDir": "/work",
                        "volumeMounts": [{"name": "work", "mountPath": "/work"}]}],
        "volumes": [{"name": "work", "persistentVolumeClaim": {"claimName": "work"}}]}}
    role = {"type": "worker", "replicas": replicas, "restartPolicy": "Never", "template": template}
    role.update(spec.pop("role", {}))
    return {"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "PyTorchTrainingJob", "metadata": {"name": name},
            "spec": {"replicaSpecs": [role], **spec}}
