"""Arena's commands on a real API server with Kubeflow's kinds; `muster operator` makes the pods."""
import http.server
import json
import signal
import socket
import subprocess
import threading
import urllib.request

import pytest
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


def test_what_a_running_job_shows(cluster):
    arena(cluster, "submit", "pytorch", "--name=mnist", "--image=i", "--workers=2", "--gpus=1", "--toleration=k",
          "--toleration=k=v:NoSchedule,Equal", "--toleration=all", "train")
    pods = cluster.pods(2)
    cluster.start(*pods)
    wait_for("the job to run", lambda: status_of(cluster, "mnist") == "RUNNING")
    shown = [line.split() for line in arena(cluster, "get", "mnist").stdout.splitlines()]
    assert shown[:3] == [["STATUS:", "RUNNING"], ["NAMESPACE:", cluster.namespace], ["PRIORITY:", "N/A"]]
    assert shown[5] == ["NAME", "STATUS", "TRAINER", "AGE", "INSTANCE", "NODE"]
    assert [row[4] for row in shown[6:8]] == pods
    header, row = arena(cluster, "list", "-o", "wide").stdout.splitlines()
    assert header.split()[3:6] == ["DURATION", "GPU(Requested)", "GPU(Allocated)"] and row.split()[4:6] == ["2", "2"]
    assert listed(cluster) == ("pytorchjob", pods)
    assert cluster.get("pod", pods[0])["spec"]["tolerations"][:3] == [
        {"key": "k", "operator": "Exists"}, {"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"}, {"operator": "Exists"}]
    done = arena(cluster, "logs", "mnist", "-i", "nope", check=False)
    assert done.returncode == 1
    assert "invalid instance name nope in job mnist,please use 'arena get mnist' to make sure instance name" in done.stderr
    arena(cluster, "delete", "mnist")


def test_prune_leaves_what_runs_and_what_waits(cluster):
    for name in ("done", "runs", "waits"):
        arena(cluster, "submit", "pytorch", f"--name={name}", "--image=i", "train")
    cluster.pods(3)
    cluster.end("done-master-0")
    cluster.start("runs-master-0")
    wait_for("the first to succeed", lambda: status_of(cluster, "done") == "SUCCEEDED")
    done = arena(cluster, "prune", check=False)
    assert done.returncode == 1 and "cleaned by --since. Like --since 10h" in done.stderr
    wait_for("it to be old enough", lambda: "Delete pytorchjob done with Age " in arena(cluster, "prune", "--since", "1s").stdout)
    left = [line.split()[0] for line in arena(cluster, "list").stdout.splitlines()[1:]]
    assert sorted(left) == ["runs", "waits"]


def test_a_tfjob_of_one_worker_is_its_chief(cluster):
    arena(cluster, "submit", "tf", "--name=alone", "--image=i", "train")
    cluster.pods(1)
    assert listed(cluster) == ("tfjob", ["alone-chief-0"])


def test_claims_that_jobs_can_use(cluster):
    cluster.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "training-data"},
                    "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}})
    cluster.muster("patch", "pvc", "training-data", "--subresource=status", "--type=merge", "-p", '{"status": {"phase": "Bound"}}')
    header, row = arena(cluster, "data", "list").stdout.splitlines()
    assert header.split() == ["NAME", "ACCESSMODE", "DESCRIPTION", "OWNER", "AGE"]
    assert row.split()[:2] == ["training-data", "ReadWriteMany"]
    done = arena(cluster, "submit", "pytorch", "--name=x", "--image=i", "--data=none:/d", "train", check=False)
    assert done.returncode == 1 and f"the PVC none of --data doesn't exist in namespace {cluster.namespace}" in done.stderr


def test_submit_replaces_no_service_of_others(cluster):
    cluster.create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "mine-tensorboard"}, "spec": {"ports": [{"port": 1}]}})
    before = cluster.get("service", "mine-tensorboard")["metadata"]["uid"]
    done = arena(cluster, "submit", "pytorch", "--name=mine", "--image=i", "--tensorboard", "train", check=False)
    assert done.returncode == 1 and "service/mine-tensorboard: " in done.stderr
    assert cluster.get("service", "mine-tensorboard")["metadata"]["uid"] == before
    wait_for("nothing to be left of the job", lambda: not cluster.items("pytorchjobs") and not cluster.find("configmap", "mine-pytorchjob"))


def test_a_tensorboard_that_does_not_run_is_an_error(cluster):
    arena(cluster, "submit", "pytorch", "--name=mnist", "--image=i", "--tensorboard", "train")
    done = arena(cluster, "tensorboard", "mnist", "--timeout=0s", check=False)
    assert done.returncode == 1
    assert done.stderr == ("ERRO[0000] the tensorboard of the job mnist does not run\n  why: it has no pod yet\n"
                           f"  fix: muster describe pods -n {cluster.namespace} -l release=mnist,role=tensorboard\n")


class Board(http.server.BaseHTTPRequestHandler):
    """Stands in for the TensorBoard of a job."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"TensorBoard was asked for {self.path}".encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def board(cluster):
    """The job mnist, and behind the Service of its TensorBoard a program on this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("203.0.113.1", 9))  # sends nothing
        except OSError:
            pytest.skip("this machine has no address besides loopback, which a Service must not lead to")
        address = probe.getsockname()[0]
    server = http.server.ThreadingHTTPServer((address, 0), Board)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    arena(cluster, "submit", "pytorch", "--name=mnist", "--image=i", "--tensorboard", "train")
    cluster.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "board", "labels": {"release": "mnist", "role": "tensorboard"}},
                    "spec": {"containers": [{"name": "tensorboard", "image": "i"}]}})
    cluster.start("board")
    status = {"podIP": address, "podIPs": [{"ip": address}]}
    cluster.muster("patch", "pod", "board", "--subresource=status", "--type=merge", "-p", json.dumps({"status": status}))
    target = {"ip": address, "targetRef": {"kind": "Pod", "namespace": cluster.namespace, "name": "board"}}
    cluster.create({"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "mnist-tensorboard"},
                    "subsets": [{"addresses": [target], "ports": [{"name": "tensorboard", "port": server.server_port}]}]})
    yield
    server.shutdown()


def test_a_tensorboard_comes_through_the_api_server(cluster, board):
    process = subprocess.Popen([ARENA, "tensorboard", "mnist", "--no-open", "-n", cluster.namespace], env=cluster.environment,
                               stdout=subprocess.PIPE, text=True)
    try:
        link = process.stdout.readline().strip()
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        assert browser.open(link, timeout=60).read() == b"TensorBoard was asked for /"
        assert browser.open(link.split("?")[0] + "data/runs?x=1", timeout=60).read() == b"TensorBoard was asked for /data/runs?x=1"
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
