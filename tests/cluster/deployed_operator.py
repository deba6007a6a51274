"""The operator as people run it on a cluster: the image of tools/build_image, installed by `muster install`."""

import json
import os
import subprocess

from harness import MUSTER, ROOT, wait_for

NAMESPACE = "muster-system"
LABELS = "app.kubernetes.io/name=muster,app.kubernetes.io/component=operator"


def containers(socket, *words):
    done = subprocess.run(["ctr", "--address", socket, "-n", "k8s.io", *words], text=True, timeout=120, check=True, stdout=subprocess.PIPE)
    return done.stdout


def sockets():
    """Those of the nodes' containerds."""
    return os.environ["MUSTER_NODE_SOCKETS"].split()


def import_image(folder):
    """Brings the image onto each node, as there is no registry."""
    archive = folder / "muster-image.tar"
    subprocess.run([ROOT / "tools" / "build_image", "--binary", MUSTER, "--output", archive], check=True, timeout=120, stdout=subprocess.DEVNULL)
    for socket in sockets():
        containers(socket, "images", "import", str(archive))


class DeployedOperator:
    def __init__(self, cluster, folder):
        self.cluster = cluster
        import_image(folder)
        cluster.muster("install", timeout=300)

    def pods(self):
        found = self.cluster.muster("get", "pods", "-n", NAMESPACE, "-l", LABELS, "-o", "json").stdout
        return json.loads(found)["items"]

    def containers(self):
        return [one for pod in self.pods() for one in pod.get("status", {}).get("containerStatuses", [])]

    def restarts(self):
        return sum(one["restartCount"] for one in self.containers())

    def kill(self):
        """Kills its process as the machine could, and waits until the kubelet has started it again."""
        restarts = self.restarts()
        for one in self.containers():
            self.kill_container(one["containerID"].removeprefix("containerd://"))
        wait_for("the operator to be ready again", lambda: self.restarts() > restarts and all(one["ready"] for one in self.containers()),
                 timeout=120)

    @staticmethod
    def kill_container(container):
        for socket in sockets():
            if container in containers(socket, "tasks", "list", "-q").split():
                containers(socket, "tasks", "kill", "-s", "KILL", container)
