"""Kubeflow's kinds on a real cluster, from the manifests of examples/kubeflow: logs, exec and delete as well."""

import json

from harness import wait_for
from overlay import IMAGE, REQUESTS, example

# Both workers say what TF_CONFIG tells them, and the second one calls the first by the name that it has there.
RENDEZVOUS = """
import json, os, socket, time
config = json.loads(os.environ["TF_CONFIG"])
host, port = config["cluster"]["worker"][0].split(":")
print("task", config["task"]["type"], config["task"]["index"], "of", len(config["cluster"]["worker"]), flush=True)
if config["task"]["index"] == 0:
    with socket.create_server(("", int(port))) as server:
        print("heard", server.accept()[0].recv(100).decode(), flush=True)
else:
    for _ in range(600):
        try:
            socket.create_connection((host, int(port)), timeout=5).sendall(b"worker 1")
            break
        except OSError:
            time.sleep(0.1)
"""


def condition(job):
    """The type of the newest condition that is true."""
    true = [one["type"] for one in job.get("status", {}).get("conditions", []) if one["status"] == "True"]
    return true[-1] if true else None


def run(cluster, kind, manifest):
    """Runs the job to its end and returns its log."""
    name = manifest["metadata"]["name"]
    cluster.create(manifest)
    log = cluster.follow(f"{kind}/{name}")
    job = wait_for(f"the end of {name}", lambda: (found := cluster.get(kind, name)) and condition(found) in ("Succeeded", "Failed") and found,
                   timeout=120)
    assert condition(job) == "Succeeded", json.dumps(job["status"], indent=1) + log[-3000:]
    return log


def test_a_pytorchjob_trains(cluster):
    log = run(cluster, "pytorchjob", example("kubeflow/pytorchjob.yaml"))
    assert "rank 0 of 2" in log and "rank 1 of 2" in log
    cluster.delete("pytorchjob", "pytorch-mnist")


def test_an_mpijob_trains(cluster):
    manifest = example("kubeflow/mpijob.yaml")
    for role in manifest["spec"]["mpiReplicaSpecs"].values():
        cluster.add_programs(role["template"]["spec"])
    log = run(cluster, "mpijobs.v2beta1.kubeflow.org", manifest)
    assert "2 ranks on cpu" in log
    cluster.delete("mpijobs.v2beta1.kubeflow.org", "horovod-mnist")


def test_the_workers_of_a_tfjob_find_each_other(cluster):
    container = {"name": "tensorflow", "image": IMAGE, "command": ["python", "-c", RENDEZVOUS], "resources": {"requests": REQUESTS}}
    log = run(cluster, "tfjob", {
        "apiVersion": "kubeflow.org/v1", "kind": "TFJob", "metadata": {"name": "rendezvous"},
        "spec": {"tfReplicaSpecs": {"Worker": {"replicas": 2, "restartPolicy": "Never", "template": {"spec": {"containers": [container]}}}}}})
    assert "task worker 0 of 2" in log and "task worker 1 of 2" in log and "heard worker 1" in log
    cluster.delete("tfjob", "rendezvous")


def test_a_rank_is_entered_while_it_runs(cluster):
    container = {"name": "pytorch", "image": IMAGE, "command": ["sleep", "600"], "resources": {"requests": REQUESTS}}
    template = {"spec": {"containers": [container], "terminationGracePeriodSeconds": 1}}
    cluster.create({"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "enter"}, "spec": {"pytorchReplicaSpecs": {
        "Master": {"replicas": 1, "template": template}, "Worker": {"replicas": 1, "template": template}}}})
    wait_for("the job to run", lambda: condition(cluster.get("pytorchjob", "enter")) == "Running", timeout=60)
    assert cluster.muster("exec", "enter-worker-0", "--", "sh", "-c", "echo rank $RANK of $WORLD_SIZE").stdout == "rank 1 of 2\n"
    nodes = {cluster.get("pod", name)["spec"]["nodeName"] for name in ("enter-master-0", "enter-worker-0")}
    assert nodes == {"node-1", "node-2"}, "the scheduler spreads pods over the nodes"
    cluster.delete("pytorchjob", "enter")
