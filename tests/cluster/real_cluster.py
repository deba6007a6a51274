"""A cluster with kubelets, with the operator in it and the tutorials' claims on folders of this machine."""

import gzip
import json
import os
import pathlib
import shutil
import subprocess

from deployed_operator import DeployedOperator
from harness import MUSTER, wait_for
from overlay import EXAMPLES

PROGRAMS = ("muster-rsh", "muster-rank", "muster-mpirun", "muster-git-sync", "muster-git-askpass")


class RealCluster:
    def __init__(self, kubeconfig, folder):
        self.kubeconfig = kubeconfig
        self.folder = folder
        self.environment = dict(os.environ, KUBECONFIG=str(kubeconfig), HOME=str(folder), NO_COLOR="1")
        self.volume = self.make_volume()
        self.programs = self.make_programs()
        self.let_launchers_enter_workers()
        self.operator = DeployedOperator(self, folder)

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
        """Runs a job of TensorStack to its end and returns it and its log."""
        name = manifest["metadata"]["name"]
        self.create(manifest)
        log = self.follow(f"{kind}/{name}")
        wait_for(f"the end of {name}", lambda: self.get(kind, name)["status"].get("phase") in ("Succeeded", "Failed"), timeout=120)
        return self.get(kind, name), log

    def follow(self, job):
        return self.muster("logs", "-f", job, timeout=600, check=False).stdout

    def pods_of(self, job):
        """The names of a job's pods."""
        pods = json.loads(self.muster("get", "pods", "-o", "json").stdout)["items"]
        owned = lambda pod: any(one["name"] == job for one in pod["metadata"].get("ownerReferences", []))
        return sorted(pod["metadata"]["name"] for pod in pods if owned(pod))

    def is_ready(self, pod):
        conditions = self.get("pod", pod)["status"].get("conditions", [])
        return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)

    def delete(self, kind, name):
        """Deletes a job; all that it had must go with it."""
        self.muster("delete", kind, name)
        wait_for(f"the pods of {name} to go", lambda: not self.pods_of(name), timeout=60)

    def make_volume(self):
        """The claim `tutorial`, with what examples/prepare puts there."""
        volume = self.make_claim("tutorial")
        examples = volume / "tutorial-examples"
        place_images(examples / "data")
        for kind in ("pytorchtrainingjob", "mpijob"):
            shutil.copytree(EXAMPLES / kind, examples / "job" / kind)
            for folder in (examples / "job" / kind).iterdir():
                (folder / "data").symlink_to("../../../data")
        open_to_pods(volume)
        return volume

    def make_claim(self, name):
        """A claim on a folder of this machine, which all nodes have."""
        folder = self.folder / name
        folder.mkdir()
        open_to_pods(folder)
        for parent in folder.parents:
            if parent.stat().st_mode & 0o1 == 0:
                parent.chmod(parent.stat().st_mode | 0o11)
        claim = {"accessModes": ["ReadWriteMany"], "storageClassName": "", "resources": {"requests": {"storage": "20Gi"}}}
        self.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
                     "spec": {"capacity": {"storage": "20Gi"}, "accessModes": ["ReadWriteMany"], "storageClassName": "",
                              "claimRef": {"namespace": "default", "name": name}, "hostPath": {"path": str(folder)}}})
        self.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": claim})
        return folder

    def let_launchers_enter_workers(self):
        """What the account of a job needs for MPI (docs/mpi.md)."""
        rights = "rbac.authorization.k8s.io"
        self.create({"apiVersion": f"{rights}/v1", "kind": "Role", "metadata": {"name": "mpi-launcher"},
                     "rules": [{"apiGroups": [""], "resources": ["pods/exec"], "verbs": ["get", "create"]}]})
        self.create({"apiVersion": f"{rights}/v1", "kind": "RoleBinding", "metadata": {"name": "mpi-launcher"},
                     "roleRef": {"apiGroup": rights, "kind": "Role", "name": "mpi-launcher"},
                     "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": "default"}]})

    def make_programs(self):
        """What an image for MPI needs in /run/muster/bin (docs/mpi.md)."""
        programs = self.folder / "programs"
        programs.mkdir(mode=0o755)
        shutil.copy(MUSTER, programs / "muster")
        for name in PROGRAMS:
            (programs / name).symlink_to("muster")
        return programs

    def add_programs(self, pod):
        """Mounts them."""
        pod.setdefault("volumes", []).append({"name": "programs", "hostPath": {"path": str(self.programs)}})
        pod["containers"][0].setdefault("volumeMounts", []).append({"name": "programs", "mountPath": "/run/muster/bin"})


def place_images(folder):
    """Unpacks the images in the form in which torchvision stores MNIST."""
    raw = folder / "MNIST" / "raw"
    raw.mkdir(parents=True)
    packed = subprocess.run(["dpkg", "-L", "dataset-fashion-mnist"], capture_output=True, text=True, check=True).stdout.split()
    for path in (pathlib.Path(p) for p in packed if p.endswith("-ubyte.gz")):
        with gzip.open(path) as source, open(raw / path.stem, "wb") as target:
            shutil.copyfileobj(source, target)


def open_to_pods(folder):
    subprocess.run(["chmod", "-R", "a+rwX", folder], check=True)
