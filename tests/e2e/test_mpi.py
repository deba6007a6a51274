"""MPI jobs with a real Open MPI: mpirun in the launcher's pod starts ranks in the workers' pods, without sshd."""

import shutil

import pytest
from harness import wait_for

pytestmark = pytest.mark.skipif(not shutil.which("mpirun"), reason="Open MPI (openmpi-bin) is not installed")

WHO = "echo rank $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE on $(hostname) in $PWD with $COLOR"


def mpi_job(name, script, workers=2, flags=("-N", "1"), launcher=None, **spec):
    container = {"name": "worker", "image": "horovod", "env": [{"name": "COLOR", "value": "blue"}]}
    return {"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "MPIJob", "metadata": {"name": name},
            "spec": {"mpiConfig": {"home": "/usr/local", "extraArgs": list(flags), "script": ["sh", "-c", script]},
                     "replicaSpecs": [
                         {"type": "worker", "replicas": workers, "template": {"spec": {"containers": [container]}}},
                         {"type": "launcher", "restartPolicy": "Never", "template": {}, **(launcher or {})}],
                     **spec}}


def launcher_log(engine, job, container="launcher"):
    pod = next(task for task in job["status"]["tasks"] if task["type"] == "launcher")["replicas"][0]["name"]
    return engine.muster("logs", pod, "-c", container).stdout


def failure(job):
    return next(c["message"] for c in job["status"]["conditions"] if c["type"] == "Failed")


def test_ranks_run_in_the_workers_and_their_output_is_in_the_launchers_log(engine):
    engine.apply(mpi_job("ranks", WHO, workers=3, runPolicy={"cleanUpWorkers": True}))
    job = engine.wait_phase("ranks", "Succeeded", kind="mj")
    log = launcher_log(engine, job)
    for rank in range(3):
        assert f"rank {rank} of 3 on ranks-worker-{rank} in /root with blue" in log
    message = "/usr/local/bin/mpirun does not exist; /usr/bin/mpirun is used"
    assert message in log and message in engine.muster("get", "events").stdout
    job = wait_for("the workers to be removed", lambda: (lambda j: j if j["status"]["aggregate"]["deleted"] == 3 else None)(
        engine.get("mj", "ranks")))
    assert [task["type"] for task in job["status"]["tasks"]] == ["launcher", "worker"]


def test_a_rank_that_fails_fails_the_job_although_mpirun_returns_zero(engine):
    engine.apply(mpi_job("recovery", 'test "$OMPI_COMM_WORLD_RANK" != 1 || exit 3',
                         flags=("-N", "1", "--enable-recovery", "--max-restarts", "100")))
    job = engine.wait_phase("recovery", "Failed", kind="mj")
    assert "exit code 3: rank 1 (on recovery-worker-1) exited with code 3" in failure(job)


def test_a_rank_that_is_killed_ends_the_others(engine):
    # In a pod's command, $$ is a dollar sign.
    engine.apply(mpi_job("killed", 'test "$OMPI_COMM_WORLD_RANK" != 0 || kill -9 $$$$; sleep 600'))
    job = engine.wait_phase("killed", "Failed", kind="mj")
    assert "rank 0 (on killed-worker-0) was killed by signal 9" in failure(job)


def test_a_program_that_does_not_exist_is_named(engine):
    manifest = mpi_job("missing", "")
    manifest["spec"]["mpiConfig"]["script"] = ["pythn", "train.py"]
    engine.apply(manifest)
    job = engine.wait_phase("missing", "Failed", kind="mj")
    assert "pythn" in launcher_log(engine, job)


def test_a_module_that_is_missing_in_a_rank_is_named(engine):
    manifest = mpi_job("no-module", "")
    manifest["spec"]["mpiConfig"]["script"] = ["python3", "-c", "import horovod_of_nobody"]
    engine.apply(manifest)
    job = engine.wait_phase("no-module", "Failed", kind="mj")
    assert "exited with code 1: ModuleNotFoundError: No module named 'horovod_of_nobody'" in failure(job)
    assert "Traceback (most recent call last):" in launcher_log(engine, job)


def test_ranks_go_on_while_the_engine_is_killed_and_started_again(fresh_engine):
    engine = fresh_engine.start()
    work = engine.volume("work")
    job = mpi_job("survives", "echo ready $OMPI_COMM_WORLD_RANK; until test -e /work/go; do sleep 0.1; done; echo done")
    pod = job["spec"]["replicaSpecs"][0]["template"]["spec"]
    pod["volumes"] = [{"name": "work", "persistentVolumeClaim": {"claimName": "work"}}]
    pod["containers"][0]["volumeMounts"] = [{"name": "work", "mountPath": "/work"}]
    engine.apply(job)
    running = engine.wait_phase("survives", "Running", kind="mj")
    wait_for("both ranks to run", lambda: launcher_log(engine, running).count("ready") == 2)
    engine.kill()
    engine.start()
    (work / "go").touch()
    job = engine.wait_phase("survives", "Succeeded", kind="mj")
    assert launcher_log(engine, job).count("done") == 2
    assert all(task["restartCount"] == 0 for task in job["status"]["tasks"])


def test_the_older_shape_runs_several_ranks_in_a_worker(engine):
    engine.apply({"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "MPIJob", "metadata": {"name": "older"},
                  "spec": {"worker": {"replicas": 2, "processesPerWorker": 2, "cmd": ["sh", "-c", WHO],
                                      "template": {"spec": {"containers": [
                                          {"name": "mpi-worker", "image": "i", "workingDir": "/work"}]}}}}})
    job = engine.wait_phase("older", "Succeeded", kind="mj")
    log = launcher_log(engine, job)
    for rank in range(4):
        assert f"rank {rank} of 4 on older-worker-{rank // 2} in /work" in log


@pytest.mark.parametrize("version", ["v1", "v2beta1"])
def test_kubeflows_mpijob(engine, version):
    name = "kubeflow-" + version
    worker = {"name": "mpi", "image": "mpioperator/mpi-pi"}
    if version == "v2beta1":
        worker.update(command=["/usr/sbin/sshd"], args=["-De"])
    launcher = {"name": "mpi", "image": "mpioperator/mpi-pi", "command": ["mpirun"],
                "args": ["-n", "4", "sh", "-c", WHO]}
    engine.apply({"apiVersion": f"kubeflow.org/{version}", "kind": "MPIJob", "metadata": {"name": name},
                  "spec": {"slotsPerWorker": 2, "runPolicy": {"cleanPodPolicy": "Running"}, "mpiReplicaSpecs": {
                      "Launcher": {"replicas": 1, "template": {"spec": {"containers": [launcher]}}},
                      "Worker": {"replicas": 2, "template": {"spec": {"containers": [worker]}}}}}})
    engine.muster("wait", f"mpijobs.kubeflow.org/{name}", "--for=condition=Succeeded", "--timeout=60s")
    log = engine.muster("logs", f"{name}-launcher").stdout
    for rank in range(4):
        assert f"rank {rank} of 4 on {name}-worker-{rank // 2}" in log


def test_kubeflows_mpijob_on_the_hosts_network(engine):
    launcher = {"name": "mpi", "image": "i", "command": ["mpirun"], "args": ["-n", "1", "sh", "-c", "echo here I am"]}
    engine.apply({"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": {"name": "host-network"},
                  "spec": {"mpiReplicaSpecs": {
                      "Launcher": {"template": {"spec": {"hostNetwork": True, "containers": [launcher]}}},
                      "Worker": {"replicas": 1, "template": {"spec": {"hostNetwork": True, "containers": [{"name": "mpi", "image": "i"}]}}}}}})
    engine.muster("wait", "mpijobs.kubeflow.org/host-network", "--for=condition=Succeeded", "--timeout=60s")
    assert "here I am" in engine.muster("logs", "-f", "host-network-launcher").stdout
