"""The tutorials: their manifests, unchanged, train real models. Each trains once; several tests look at the result."""

import json
import re
import urllib.error
import urllib.request

import pytest
from harness import NO_GPUS, Engine, wait_for
from page import Page
from tutorials import EXAMPLES, SHORT, TIMEOUT, bring_script, check_networks, configured, prepare


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    made = Engine(tmp_path_factory.mktemp("tutorials"), config=configured(SHORT, "--gpus", "4")).start()
    check_networks(made)
    prepare(MUSTER_DATA_DIR=str(made.data))
    yield made
    made.stop()


def train(engine, manifest, name):
    """Runs a tutorial's manifest to its end and returns the job and its whole log, followed because cleanUpPolicy may take pods away."""
    engine.muster("create", "-f", manifest)
    log = engine.muster("logs", "-f", f"pj/{name}", timeout=TIMEOUT, check=False).stdout
    done = engine.muster("wait", f"pj/{name}", "--timeout", "30s", check=False)
    assert done.returncode == 0, engine.muster("describe", "pj", name).stdout + log[-4000:]
    return engine.get("pj", name), log


def accuracies(log):
    return [float(text) for text in re.findall(r"test set: .*accuracy: ([0-9.]+)", log)]


def folder_of(engine, tutorial):
    return engine.data / "volumes" / "default" / "tutorial" / "tutorial-examples" / "job" / "pytorchtrainingjob" / tutorial


SCALARS = {"train/loss", "val/loss", "val/accuracy"}


def wait_for_runs(page, runs):
    """TensorBoard shows runs before it has read all of their scalars."""
    def has_all():
        return {run: set(tags) for run, tags in page.json("data/plugin/scalars/tags").items()} == {run: SCALARS for run in runs}
    wait_for(f"the scalars of the runs {runs}", has_all, timeout=60)


# ---- 000: data-parallel training by torchrun ----

@pytest.fixture(scope="module")
def ddp(engine):
    return train(engine, EXAMPLES / "pytorchtrainingjob" / "ddp" / "job_cpu.yaml", "torch-mnist-trainingjob")


def test_ddp_trains_with_four_processes_in_one_pod(ddp):
    job, log = ddp
    assert [(task["type"], len(task["replicas"])) for task in job["status"]["tasks"]] == [("node", 1)]
    assert re.fullmatch(r"torch-mnist-trainingjob-[0-9a-f]{5}-node-0", job["status"]["tasks"][0]["replicas"][0]["name"])
    for rank in range(4):
        assert f"rank {rank} of 4" in log
    assert len(re.findall(r"epoch 1/\d+, validation set: loss: \S+ accuracy: \S+", log)) == 4, "every rank prints it"
    assert accuracies(log)[-1] > 0.5


def test_ddp_leaves_model_and_logs_on_the_claim(engine, ddp):
    folder = folder_of(engine, "ddp")
    assert (folder / "model_state_dict.pt").stat().st_size > 100_000
    assert list((folder / "log").glob("events.out.tfevents.*"))


def test_ddp_has_a_tensorboard_that_stays_after_the_job(engine, ddp):
    job, _ = ddp
    pod = job["status"]["tasks"][0]["replicas"][0]["name"]
    name = job["status"]["tensorboard"]["dependent"]["name"]
    assert pod.startswith(name + "-"), "its name has the infix of the pods"
    page = Page(engine, "tensorboard", "torch-mnist-trainingjob")
    assert page.url == engine.get("tb", name)["status"]["url"]
    wait_for_runs(page, ["."])
    job = wait_for("the job to show it", lambda: ready_tensorboard(engine.get("pj", "torch-mnist-trainingjob")))
    assert job["status"]["phase"] == "Succeeded"


def test_ddp_has_curves_without_tensorboard(engine, ddp):
    path = "/apis/muster.dev/v1/namespaces/default/jobs/pytorchtrainingjobs.batch.tensorstack.dev/torch-mnist-trainingjob/scalars"
    found = json.loads(engine.run(["kubectl", "get", "--raw", path]).stdout)
    assert found["complete"]
    series = {one["tag"]: one["points"] for run in found["runs"] for one in run["series"]}
    assert set(series) == SCALARS
    for points in series.values():
        assert [step for step, _, _ in points] == sorted({step for step, _, _ in points})


def ready_tensorboard(job):
    return job if job["status"]["tensorboard"]["ready"] else None


def test_tensorboard_asks_for_a_login(engine, ddp):
    page = Page(engine, "tensorboard", "torch-mnist-trainingjob")
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(page.url, timeout=30)
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(page.link, timeout=30)
    token = (engine.data / "token").read_text().strip()
    bearer = urllib.request.Request(page.url, headers={"Authorization": f"Bearer {token}"})
    assert urllib.request.urlopen(bearer, timeout=30).status == 200


# ---- 001: a parameter server over RPC ----

@pytest.fixture(scope="module")
def parameter_server(engine):
    return train(engine, EXAMPLES / "pytorchtrainingjob" / "ps" / "job_cpu.yaml", "torch-mnist-trainingjob-ps")


def test_parameter_server_trains_with_four_workers(engine, parameter_server):
    job, log = parameter_server
    assert [(task["type"], len(task["replicas"])) for task in job["status"]["tasks"]] == [("ps", 1), ("worker", 4)]
    assert "parameter server has shut down RPC" in log
    for rank in range(1, 5):
        assert f"rank {rank} of 5 starts RPC" in log
    assert len(accuracies(log)) == 4 and max(accuracies(log)) > 0.4
    assert re.search(r"^\[worker-0\] .*rank 1 of 5", log, re.MULTILINE), "ranks follow the list: ps, then the workers"


def test_parameter_server_leaves_models_and_a_run_per_worker(engine, parameter_server):
    folder = folder_of(engine, "ps")
    for rank in range(1, 5):
        assert (folder / f"model_state_dict.pt.{rank}").stat().st_size > 100_000
        assert list((folder / "log" / f"worker_{rank}").glob("events.out.tfevents.*"))


def test_parameter_server_has_a_run_per_worker_in_tensorboard(engine, parameter_server):
    wait_for_runs(Page(engine, "tensorboard", "torch-mnist-trainingjob-ps"), [f"worker_{rank}" for rank in range(1, 5)])


# ---- 003: the get-started job ----

def test_get_started_job_runs_on_declared_gpus(engine):
    bring_script(engine)
    job, log = train(engine, EXAMPLES / "parallel-training" / "job.yaml", "mnist")
    assert log.count("using backend gloo") == 4 and "there is no GPU here" in log
    assert accuracies(log)[-1] > 0.5
    folder = engine.data / "volumes" / "default" / "mnist"
    assert (folder / "model_state_dict.pt").exists() and list((folder / "log").iterdir())


def test_get_started_job_without_gpus_says_what_it_waits_for_and_its_cpu_variant_runs(tmp_path):
    bare = Engine(tmp_path, config=configured({"MNIST_EPOCHS": "1", "MNIST_LIMIT": "1280"}) + NO_GPUS).start()
    try:
        prepare(MUSTER_DATA_DIR=str(bare.data))
        bring_script(bare)
        bare.muster("create", "-f", EXAMPLES / "parallel-training" / "job.yaml")
        waiting = wait_for("the reason", lambda: reason_of(bare.get("pj", "mnist")))
        assert "nvidia.com/gpu" in waiting
        bare.muster("delete", "pj", "mnist")
        assert accuracies(train(bare, EXAMPLES / "parallel-training" / "job_cpu.yaml", "mnist")[1])
    finally:
        bare.stop()


def reason_of(job):
    messages = [c.get("message", "") for c in job.get("status", {}).get("conditions", []) if c.get("reason") == "Unschedulable"]
    return messages[0] if messages else None


# ---- errors ----

def test_a_broken_script_fails_the_job_with_its_cause(engine):
    bring_script(engine)
    manifest = (EXAMPLES / "parallel-training" / "job_cpu.yaml").read_text()
    engine.muster("create", "-f", "-", stdin=manifest.replace("name: mnist  ", "name: broken").replace("--log_dir", "--log_folder"))
    job = engine.wait_phase("broken", "Failed", timeout=120)
    failed = next(c for c in job["status"]["conditions"] if c["type"] == "Failed")
    assert "node-0" in failed["message"] and "exit code" in failed["message"], json.dumps(failed)
