"""The tutorials on a real cluster: containers of a kubelet, names of CoreDNS, logs and exec through the API server."""

import re

from harness import wait_for
from overlay import example


def accuracies(log):
    return [float(text) for text in re.findall(r"test set: .*accuracy: ([0-9.]+)", log)]


def test_000_torchrun_trains_and_tensorboard_shows_it(cluster):
    manifest = example("pytorchtrainingjob/ddp/job_cpu.yaml")
    job, log = cluster.train(manifest, "pj")
    assert job["status"]["phase"] == "Succeeded", log
    for rank in range(4):
        assert f"rank {rank} of 4" in log
    assert accuracies(log)[0] > 0.5
    folder = cluster.volume / "tutorial-examples/job/pytorchtrainingjob/ddp"
    assert (folder / "model_state_dict.pt").exists()
    board = job["status"]["tensorboard"]["dependent"]["name"]
    wait_for("the TensorBoard", lambda: cluster.get("tensorboard", board)["status"]["phase"] == "Running", timeout=120)
    runs = f"/api/v1/namespaces/default/services/{board}-tb:80/proxy/tb/default/{board}/data/runs"
    wait_for("its runs", lambda: cluster.read(runs) == ["."], timeout=120)


def test_001_a_parameter_server_and_its_workers(cluster):
    job, log = cluster.train(example("pytorchtrainingjob/ps/job_cpu.yaml"), "pj")
    assert job["status"]["phase"] == "Succeeded", log
    assert accuracies(log)[0] > 0.3


def test_002_horovod_over_mpi(cluster):
    manifest = example("mpijob/horovod-torch/job.yaml")
    cluster.add_programs(manifest["spec"]["replicaSpecs"][0]["template"]["spec"])
    job, log = cluster.train(manifest, "mj")
    assert job["status"]["phase"] == "Succeeded", log
    assert "4 ranks on cpu" in log


def one_pod(name, *command):
    """A job of one pod that runs this command."""
    manifest = example("pytorchtrainingjob/ddp/job_cpu.yaml")
    manifest["metadata"]["name"] = name
    for unused in ("tensorboardSpec", "torchrunConfig"):
        manifest["spec"].pop(unused)
    manifest["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0].update(command=command, args=[])
    return manifest


def test_a_failure_names_the_rank_its_exit_code_and_its_last_words(cluster):
    manifest = one_pod("fails", "python", "-c", "raise ValueError('no such dataset')")
    manifest["spec"]["runPolicy"] = {"backoffLimit": 0}
    job, _ = cluster.train(manifest, "pj")
    assert job["status"]["phase"] == "Failed"
    message = next(c["message"] for c in job["status"]["conditions"] if c["type"] == "Failed")
    assert "ended with exit code 1: ValueError: no such dataset" in message


def test_a_job_outlives_the_operator(cluster):
    cluster.create(one_pod("outlives", "sleep", "20"))

    def status():
        return cluster.get("pj", "outlives").get("status", {})

    wait_for("the job to run", lambda: status().get("phase") == "Running", timeout=60)
    before = status()["tasks"][0]["replicas"][0]["uid"]
    cluster.operator.kill()
    wait_for("its end", lambda: status()["phase"] == "Succeeded", timeout=90)
    assert status()["tasks"][0]["replicas"][0]["uid"] == before
