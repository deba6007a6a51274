"""The operator as people run it on a cluster: the image of tools/build_image, in a Deployment, under its own account."""

import json
import os
import pathlib
import subprocess

from harness import MUSTER, ROOT, wait_for

IMAGE = "muster.dev/muster:test"
NAMESPACE = "muster-system"
HERE = pathlib.Path(__file__).parent


def containers(socket, *words):
    done = subprocess.run(["ctr", "--address", socket, "-n", "k8s.io", *words], text=True, timeout=120, check=True, stdout=subprocess.PIPE)
    return done.stdout


def sockets():
    """Those of the nodes' containerds."""
    return os.environ["MUSTER_NODE_SOCKETS"].split()


def import_image(folder):
    archive = folder / "muster-image.tar"
    subprocess.run([ROOT / "tools" / "build_image", "--binary", MUSTER, "--output", archive, "--name", IMAGE], check=True, timeout=120)
    for socket in sockets():
        containers(socket, "images", "import", str(archive))


def install(cluster):
    cluster.muster("create", "-f", HERE / "operator.yaml")


class DeployedOperator:
    def __init__(self, cluster, folder):
        self.cluster = cluster
        import_image(folder)
        install(cluster)
        try:
            wait_for("the operator to be ready", self.is_ready, timeout=120)
        except AssertionError as late:
            raise AssertionError(f"{late}\n{self.log()}{cluster.muster('get', 'events', '-n', NAMESPACE).stdout}") from late

    def pods(self):
        found = self.cluster.muster("get", "pods", "-n", NAMESPACE, "-l", "app=muster-operator", "-o", "json").stdout
        return json.loads(found)["items"]

    def restarts(self):
        return sum(one["restartCount"] for pod in self.pods() for one in pod.get("status", {}).get("containerStatuses", []))

    def log(self):
        return "".join(self.cluster.muster("logs", "-n", NAMESPACE, pod["metadata"]["name"], check=False).stdout for pod in self.pods())

    def is_ready(self):
        return "ready" in self.log().splitlines()

    def kill(self):
        """Kills its process as the machine could. The kubelet starts it again."""
        for pod in self.pods():
            self.kill_container(pod["status"]["containerStatuses"][0]["containerID"].removeprefix("containerd://"))

    @staticmethod
    def kill_container(container):
        for socket in sockets():
            if container in containers(socket, "tasks", "list", "-q").split():
                containers(socket, "tasks", "kill", "-s", "KILL", container)
