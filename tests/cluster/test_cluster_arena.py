"""Arena's tutorial (004) on a real cluster: the commands as they are printed, but for the images and the host of the code."""

import json
import re
import shutil
import subprocess

import pytest
from harness import MUSTER, wait_for
from overlay import EXAMPLES, IMAGE
from real_cluster import open_to_pods, place_images

ARENA = MUSTER.parent / "arena"
CODE_HOST = "http://code-host:8418/370272561/mnist-pytorch.git"
SUBMIT = ["submit", "pytorch", "--name=pytorch-dist", "--gpus=1", "--workers=3", "--working-dir=/root", f"--image={IMAGE}",
          "--sync-mode=git", f"--sync-image={IMAGE}", f"--sync-source={CODE_HOST}", "--image-pull-policy=IfNotPresent",
          "--data=training-data:/mnist_data",
          "--tensorboard", f"--tensorboard-image={IMAGE}", "--logdir=/mnist_data/pytorch_data/logs",
          "python /root/code/mnist-pytorch/mnist.py --epochs 10 --backend nccl --dir /mnist_data/pytorch_data/logs"
          " --data /mnist_data/pytorch_data/"]


def make_repository(folder):
    """A bare repository with the tutorial's program, which a plain web server can serve."""
    work, bare = folder / "work", folder / "git" / "370272561" / "mnist-pytorch.git"
    shutil.copytree(EXAMPLES / "arena" / "mnist-pytorch", work)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main", "-C", work]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "mnist"]):
        subprocess.run([*git, *words], check=True)
    subprocess.run(["git", "clone", "-q", "--bare", work, bare], check=True)
    subprocess.run(["git", "-C", bare, "update-server-info"], check=True)
    return folder / "git"


def serve_code(cluster, folder):
    """Its host, as the headless Service code-host."""
    labels = {"app": "code-host"}
    container = {"name": "web", "image": IMAGE, "command": ["python", "-m", "http.server", "8418", "--directory", "/served"],
                 "readinessProbe": {"httpGet": {"port": 8418, "path": "/"}, "periodSeconds": 1}, "volumeMounts": [{"name": "served", "mountPath": "/served"}]}
    cluster.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "code-host", "labels": labels},
                    "spec": {"containers": [container], "terminationGracePeriodSeconds": 0,
                             "volumes": [{"name": "served", "hostPath": {"path": str(make_repository(folder))}}]}})
    cluster.create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "code-host"},
                    "spec": {"clusterIP": "None", "selector": labels, "ports": [{"port": 8418}]}})
    wait_for("the host of the code", lambda: cluster.is_ready("code-host"), timeout=60)


@pytest.fixture(scope="module")
def prepared(whole_cluster, tmp_path_factory):
    """What the tutorial takes for granted: a claim with data, a host with the code, and nodes with GPUs, here declared ones."""
    logs = whole_cluster.make_claim("training-data") / "pytorch_data"
    place_images(logs)
    open_to_pods(logs.parent)
    folder = tmp_path_factory.mktemp("code")
    folder.chmod(0o755)
    serve_code(whole_cluster, folder)
    for node in ("node-1", "node-2"):
        whole_cluster.muster("patch", "node", node, "--subresource=status", "--type=merge", "-p",
                             '{"status": {"capacity": {"nvidia.com/gpu": "2"}, "allocatable": {"nvidia.com/gpu": "2"}}}')


def arena(cluster, *words, check=True, timeout=120):
    done = subprocess.run([ARENA, *words], env=cluster.environment, text=True, timeout=timeout, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert not check or done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def status_of(cluster, name):
    return json.loads(arena(cluster, "get", name, "-o", "json").stdout)["status"]


def test_004_from_submit_to_delete(cluster, prepared):
    assert arena(cluster, "top", "node").stdout.splitlines()[-1] == "0/4 (0%)"
    assert arena(cluster, *SUBMIT).stdout.splitlines() == [
        "configmap/pytorch-dist-pytorchjob created", "configmap/pytorch-dist-pytorchjob labeled", "service/pytorch-dist-tensorboard created",
        "deployment.apps/pytorch-dist-tensorboard created", "pytorchjob.kubeflow.org/pytorch-dist created"]
    wait_for("the job to run", lambda: status_of(cluster, "pytorch-dist") != "PENDING", timeout=120)
    assert status_of(cluster, "pytorch-dist") == "RUNNING", cluster.muster("get", "events").stdout
    assert re.search(r"pytorch-dist +RUNNING +PYTORCHJOB", arena(cluster, "list").stdout)
    assert re.search(r"pytorch-dist +3 +3 +RUNNING", arena(cluster, "top", "job").stdout)
    assert arena(cluster, "top", "node").stdout.splitlines()[-1] == "3/4 (75%)"
    log = arena(cluster, "logs", "pytorch-dist", "-f", timeout=400).stdout
    wait_for("the job to succeed", lambda: status_of(cluster, "pytorch-dist") == "SUCCEEDED", timeout=60)
    assert "accuracy" in log, log[-2000:]
    # The master decides the result; a worker may still be ending.
    for instance in ("master-0", "worker-0", "worker-1"):
        row = re.compile(rf"pytorch-dist +SUCCEEDED +PYTORCHJOB +\S+ +pytorch-dist-{instance} ")
        wait_for(f"the end of {instance}", lambda row=row: row.search(arena(cluster, "get", "pytorch-dist").stdout))
    assert re.search(r"training-data +ReadWriteMany", arena(cluster, "data", "list").stdout)
    runs = "/api/v1/namespaces/default/services/pytorch-dist-tensorboard:6006/proxy/data/runs"
    wait_for("TensorBoard", lambda: cluster.read(runs) is not None, timeout=120)
    arena(cluster, "delete", "pytorch-dist")
    wait_for("its pods to go", lambda: not cluster.pods_of("pytorch-dist"), timeout=60)
