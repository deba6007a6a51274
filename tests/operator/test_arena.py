"""Arena's commands on a real API server with Kubeflow's kinds; `muster operator` makes the pods."""
import json
import subprocess

from harness import MUSTER, wait_for

ARENA = MUSTER.parent / "arena"


def arena(cluster, *words, check=True):
    done = subprocess.run([ARENA, *words, "-n", cluster.namespace], env=cluster.environment, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert not check or done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def status_of(cluster, name):
    return json.loads(arena(cluster, "get", name, "-o", "json").stdout)["status"]


def test_a_job_from_submit_to_delete(cluster):
    cluster.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "training-data"},
                    "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}})
    submit = ("submit", "pytorch", "--name=mnist", "--gpus=1", "--workers=2", "--image=torch", "--data=training-data:/data",
              "--sync-mode=git", "--sync-source=https://me:pa55@host/mnist.git", "--tensorboard", "--logdir=/data/logs", "python train.py")
    assert arena(cluster, *submit).stdout.splitlines() == [
        "configmap/mnist-pytorchjob created", "configmap/mnist-pytorchjob labeled", "secret/mnist-git-sync created",
        "service/mnist-tensorboard created", "deployment.apps/mnist-tensorboard created", "pytorchjob.kubeflow.org/mnist created"]
    again = arena(cluster, *submit, check=False)
    assert again.returncode == 1 and "the job mnist is already exist, please delete it first." in again.stderr
    pods = cluster.pods(2)
    assert pods == ["mnist-master-0", "mnist-worker-0"]
    assert status_of(cluster, "mnist") == "PENDING"
    cluster.start(*pods)
    wait_for("the job to run", lambda: status_of(cluster, "mnist") == "RUNNING")
    assert "mnist  RUNNING  PYTORCHJOB" in arena(cluster, "list").stdout
    assert "mnist  2              2               RUNNING" in arena(cluster, "top", "job").stdout
    assert "pa55" not in cluster.muster("get", "pytorchjobs,pods,configmaps", "-o", "yaml").stdout
    for pod in pods:
        cluster.end(pod)
    wait_for("the job to succeed", lambda: status_of(cluster, "mnist") == "SUCCEEDED")
    arena(cluster, "delete", "mnist")
    left = cluster.muster("get", "pytorchjobs,configmaps,secrets,services,deployments").stdout
    assert "mnist-pytorchjob" not in left and "mnist-git-sync" not in left and "mnist-tensorboard" not in left


def listed(cluster):
    job = json.loads(arena(cluster, "list", "-o", "json").stdout)[0]
    return job["trainer"], [one["name"] for one in job["instances"]]


def test_a_tfjob(cluster):
    arena(cluster, "submit", "tf", "--name=mnist", "--image=i", "--workers=2", "--ps=1", "train")
    cluster.pods(3)
    assert listed(cluster) == ("tfjob", ["mnist-worker-0", "mnist-ps-0", "mnist-worker-1"])
    arena(cluster, "delete", "mnist")


def test_an_mpijob_whose_launcher_follows_its_workers(cluster):
    arena(cluster, "submit", "mpi", "--name=mnist", "--image=i", "--workers=2", "train")
    cluster.start(*cluster.pods(2))
    cluster.pods(3)
    trainer, (launcher, *workers) = listed(cluster)
    assert trainer == "mpijob" and launcher.startswith("mnist-launcher") and workers == ["mnist-worker-0", "mnist-worker-1"]
    arena(cluster, "delete", "mnist")


def test_a_cluster_without_nodes_has_no_gpus(cluster):
    assert arena(cluster, "top", "node").stdout.splitlines()[-1] == "0/0 (0%)"
