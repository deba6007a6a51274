"""Jobs as a user runs them, with small programs instead of training, so that each case takes a second."""

import os

import pytest
from harness import training_job, wait_for


@pytest.fixture(scope="module", autouse=True)
def work(engine):
    return engine.volume("work")


def test_ranks_find_each_other_and_the_job_succeeds(engine, work):
    (work / "meet.py").write_text(
        "import os, socket\n"
        "rank, port = int(os.environ['RANK']), int(os.environ['MASTER_PORT'])\n"
        "address = os.environ['MASTER_ADDR']\n"
        "if rank == 0:\n"
        "    server = socket.create_server(('0.0.0.0', port))\n"
        "    peer, _ = server.accept()\n"
        "    print('rank 0 heard', peer.recv(100).decode())\n"
        "else:\n"
        "    import time\n"
        "    while True:\n"
        "        try:\n"
        "            s = socket.create_connection((address, port)); break\n"
        "        except ConnectionRefusedError: time.sleep(0.01)\n"
        "    s.send(f'rank {rank} of {os.environ[\"WORLD_SIZE\"]}'.encode())\n")
    engine.apply(training_job("meet", ["python3", "meet.py"], replicas=2))
    engine.wait_phase("meet", "Succeeded")
    job = engine.wait_succeeded_ranks("meet", 2)  # rank 0 decides; the other rank may end a moment later
    assert "rank 0 heard rank 1 of 2" in engine.muster("logs", "pj/meet").stdout
    conditions = {c["type"]: c["status"] for c in job["status"]["conditions"]}
    assert conditions["Completed"] == "True" and conditions["Running"] == "False"
    assert job["status"]["backoffCount"] == 0


def test_a_script_that_raises_fails_the_job_and_says_why(engine, work):
    (work / "raises.py").write_text("raise ValueError('no such column: price')\n")
    engine.apply(training_job("raises", ["python3", "raises.py"]))
    job = engine.wait_phase("raises", "Failed")
    assert "no such column: price" in engine.muster("logs", "pj/raises").stdout
    failed = next(c for c in job["status"]["conditions"] if c["type"] == "Failed")
    assert failed["status"] == "True" and "exit code 1" in failed["message"]
    assert engine.muster("wait", "pj/raises", check=False).returncode == 1


def test_a_command_that_does_not_exist_is_named_on_the_pod_and_the_job(engine):
    engine.apply(training_job("nocmd", ["pythn", "train.py"]))
    engine.wait_phase("nocmd", "Failed")
    text = engine.muster("describe", "pj", "nocmd").stdout
    assert '"pythn"' in text and "ENOENT" in text


def test_a_missing_volume_is_named_and_the_pod_starts_when_it_comes(engine):
    manifest = training_job("late", ["python3", "-c", "print('started')"])
    manifest["spec"]["replicaSpecs"][0]["template"]["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"] = "later"
    engine.apply(manifest)
    wait_for("the event about the volume",
             lambda: 'persistentvolumeclaim "later" not found' in engine.muster("get", "events").stdout)
    assert engine.get("pj", "late")["status"]["phase"] == "Pending"
    engine.volume("later")
    engine.wait_phase("late", "Succeeded")


def test_a_failed_rank_is_started_again_within_its_budget(engine, work):
    (work / "third.py").write_text(
        "import os, pathlib, sys\n"
        "tries = pathlib.Path('tries'); n = int(tries.read_text()) + 1 if tries.exists() else 1\n"
        "tries.write_text(str(n)); print('try', n); sys.exit(0 if n == 3 else 1)\n")
    engine.apply(training_job("third", ["python3", "third.py"], role={"restartPolicy": "OnFailure"}))
    job = engine.wait_phase("third", "Succeeded")
    assert job["status"]["backoffCount"] == 2
    assert (work / "tries").read_text() == "3"


def test_delete_ends_the_whole_tree(engine, work):
    seconds = f"1234.{os.getpid()}"  # unlike those of this test where it runs for another user at the same time
    (work / "tree.py").write_text(
        "import os, subprocess, time\n"
        f"subprocess.Popen(['setsid', 'nohup', 'sleep', '{seconds}'])\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0: time.sleep(1000)\n"
        "    os._exit(0)\n"
        "print('up', flush=True); time.sleep(1000)\n")
    engine.apply(training_job("tree", ["python3", "tree.py"]))
    wait_for("the program to be up", lambda: "up" in engine.muster("logs", "pj/tree", check=False).stdout)
    count = ["pgrep", "-fc", f"sleep {seconds}"]
    wait_for("its detached child", lambda: engine.run(count, check=False).stdout.strip() == "1")
    engine.muster("delete", "pj", "tree", "--grace-period=1")
    wait_for("no process of the job", lambda: engine.run(count, check=False).stdout.strip() == "0")
    pods = ["get", "pods", "-l", "tensorstack.dev/owner-name=tree", "-o", "name"]
    wait_for("its pods to be collected", lambda: engine.muster(*pods).stdout == "")


def test_a_kubeflow_pytorchjob_runs_the_same_program(engine, work):
    (work / "env.py").write_text("import os\nprint(os.environ['RANK'], os.environ['WORLD_SIZE'], os.environ['MASTER_ADDR'])\n")
    template = {"spec": {
        "containers": [{"name": "pytorch", "image": "python:3", "command": ["python3", "env.py"], "workingDir": "/work",
                        "volumeMounts": [{"name": "work", "mountPath": "/work"}]}],
        "volumes": [{"name": "work", "persistentVolumeClaim": {"claimName": "work"}}]}}
    engine.apply({"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "kf"}, "spec": {
        "pytorchReplicaSpecs": {"Master": {"replicas": 1, "template": template}, "Worker": {"replicas": 1, "template": template}}}})
    text = engine.muster("logs", "-f", "pytorchjob/kf").stdout
    engine.muster("wait", "pytorchjob/kf", "--timeout", "60s")
    assert "0 2 kf-master-0" in text and "1 2 kf-master-0" in text
    status = engine.get("pytorchjob", "kf")["status"]
    assert status["conditions"][-1]["type"] == "Succeeded"
    assert status["replicaStatuses"]["Master"]["succeeded"] == 1


def test_the_pod_leaves_the_host_as_it_was(engine, work):
    (work / "write.py").write_text(
        "import os\n"
        "open('/tmp/muster-e2e-in-pod', 'w').write('x')\n"
        "try:\n"
        "    open('/usr/muster-e2e-in-pod', 'w'); print('wrote to /usr')\n"
        "except OSError as e: print('refused:', e.strerror)\n"
        "print('sees', os.path.exists('/t9k'))\n")
    engine.apply(training_job("write", ["python3", "write.py"]))
    engine.wait_phase("write", "Succeeded")
    assert "refused: Read-only file system" in engine.muster("logs", "pj/write").stdout
    assert not os.path.exists("/tmp/muster-e2e-in-pod") and not os.path.exists("/usr/muster-e2e-in-pod")
