"""A cluster with a kubelet, with `muster operator` and the tutorials' claims on folders of this machine."""

import contextlib
import gzip
import json
import os
import pathlib
import shutil
import subprocess

import yaml
from harness import MUSTER, ROOT, wait_for
from operator_process import running_operator

EXAMPLES = ROOT / "examples"
PROGRAMS = ("muster-rsh", "muster-rank", "muster-mpirun", "muster-git-sync", "muster-git-askpass")


class RealCluster:
    def __init__(self, kubeconfig, folder):
        self.kubeconfig = kubeconfig
        self.folder = folder
        self.environment = dict(os.environ, KUBECONFIG=str(kubeconfig), HOME=str(folder), NO_COLOR="1")
        self.volume = self.make_volume()
        self.programs = self.make_programs()
        self.operator = None

    def start_operator(self):
        self.stack = contextlib.ExitStack()
        self.operator = self.stack.enter_context(running_operator(self.kubeconfig, self.folder))

    def stop_operator(self):
        self.stack.close()

    def muster(self, *words, check=True, stdin=None, timeout=120):
        done = subprocess.run([MUSTER, *words], env=self.environment, input=stdin, text=True, timeout=timeout,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        assert not check or done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def get(self, kind, name):
        return json.loads(self.muster("get", kind, name, "-o", "json").stdout)

    def read(self, path):
        """What the API server answers; None for an error."""
        done = subprocess.run(["kubectl", "get", "--raw", path], env=self.environment, capture_output=True, text=True, check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def create(self, manifest):
        self.muster("create", "-f", "-", stdin=json.dumps(manifest))

    def train(self, manifest, kind):
        """Runs a job to its end and returns it and its log."""
        name = manifest["metadata"]["name"]
        self.create(manifest)
        log = self.muster("logs", "-f", f"{kind}/{name}", timeout=600, check=False).stdout
        wait_for(f"the end of {name}", lambda: self.get(kind, name)["status"].get("phase") in ("Succeeded", "Failed"), timeout=120)
        return self.get(kind, name), log

    def make_volume(self):
        """The claim `tutorial`, with what examples/prepare puts there."""
        volume = self.folder / "tutorial"
        examples = volume / "tutorial-examples"
        raw = examples / "data" / "MNIST" / "raw"
        raw.mkdir(parents=True)
        packed = subprocess.run(["dpkg", "-L", "dataset-fashion-mnist"], capture_output=True, text=True, check=True).stdout.split()
        for path in (pathlib.Path(p) for p in packed if p.endswith("-ubyte.gz")):
            with gzip.open(path) as source, open(raw / path.stem, "wb") as target:
                shutil.copyfileobj(source, target)
        for kind in ("pytorchtrainingjob", "mpijob"):
            shutil.copytree(EXAMPLES / kind, examples / "job" / kind)
            for folder in (examples / "job" / kind).iterdir():
                (folder / "data").symlink_to("../../../data")
        subprocess.run(["chmod", "-R", "a+rwX", self.folder], check=True)
        for parent in self.folder.parents:
            if parent.stat().st_mode & 0o1 == 0:
                parent.chmod(parent.stat().st_mode | 0o11)
        claim = {"accessModes": ["ReadWriteMany"], "storageClassName": "", "resources": {"requests": {"storage": "20Gi"}}}
        self.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "tutorial"},
                     "spec": {"capacity": {"storage": "20Gi"}, "accessModes": ["ReadWriteMany"], "storageClassName": "",
                              "claimRef": {"namespace": "default", "name": "tutorial"}, "hostPath": {"path": str(volume)}}})
        self.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "tutorial"}, "spec": claim})
        return volume

    def make_programs(self):
        """What an image for MPI needs in /run/muster/bin (docs/mpi.md)."""
        programs = self.folder / "programs"
        programs.mkdir(mode=0o755)
        shutil.copy(MUSTER, programs / "muster")
        for name in PROGRAMS:
            (programs / name).symlink_to("muster")
        return programs


def example(path):
    """A tutorial's manifest; the tests' node has two cores, so the pods ask for less than in the tutorial."""
    manifest = yaml.safe_load((EXAMPLES / path).read_text())
    for role in manifest["spec"]["replicaSpecs"]:
        for container in role["template"].get("spec", {}).get("containers", []):
            container["resources"] = {"requests": {"cpu": "50m", "memory": "256Mi"}, "limits": {"cpu": "2", "memory": "4Gi"}}
    return manifest
