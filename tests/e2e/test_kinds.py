"""The job kinds other than PyTorch's and MPI's: a plain program in every replica checks its environment and meets the others."""

import pytest
from harness import wait_for

KUBEFLOW, TENSORSTACK = "kubeflow.org/v1", "batch.tensorstack.dev/v1beta1"

# Listens at its own address, connects to all others, and ends when all others have connected to it.
MEET = """
import os, socket, threading, time
def meet(own_host, own_port, others):
    server = socket.create_server((own_host, own_port))
    def accept():
        for _ in others: server.accept()
    reached = threading.Thread(target=accept); reached.start()
    for host, port in others:
        while True:
            try: socket.create_connection((host, int(port))).close(); break
            except OSError: time.sleep(0.01)
    reached.join()
    print("met", len(others), flush=True)
"""

TENSORFLOW = """
import json, os
from meet import meet
config = json.loads(os.environ["TF_CONFIG"])
kind, index = config["task"]["type"], config["task"]["index"]
own = (config["cluster"].get(kind) or [None])[index]
print(kind, index, "knows", {role: len(list) for role, list in sorted(config["cluster"].items())}, flush=True)
if own:
    everyone = [address for list in config["cluster"].values() for address in list]
    assert len({address.rsplit(":", 1)[1] for address in everyone}) == len(everyone), everyone
    meet("0.0.0.0", int(own.rsplit(":", 1)[1]), [address.rsplit(":", 1) for address in everyone if address != own])
"""


@pytest.fixture(scope="module", autouse=True)
def work(engine):
    folder = engine.volume("work")
    (folder / "meet.py").write_text(MEET)
    (folder / "tf.py").write_text(TENSORFLOW)
    return folder


def template(container, *command):
    return {"spec": {
        "containers": [{"name": container, "image": "python:3", "command": list(command), "workingDir": "/work",
                        "volumeMounts": [{"name": "work", "mountPath": "/work"}]}],
        "volumes": [{"name": "work", "persistentVolumeClaim": {"claimName": "work"}}]}}


def logs_of(engine, pods, ending):
    """The logs by pod, once all of them end as they should."""
    def read():
        logs = {pod: engine.muster("logs", pod, check=False).stdout for pod in pods}
        return logs if all(text.rstrip().endswith(ending) for text in logs.values()) else None
    return wait_for(f"every log to end with {ending!r}", read)


def test_every_replica_of_a_tfjob_listens_where_tf_config_says(engine):
    counts = {"Chief": 1, "PS": 1, "Worker": 2, "Evaluator": 1}
    replicas = {role: {"replicas": count, "template": template("tensorflow", "python3", "tf.py")} for role, count in counts.items()}
    engine.apply({"apiVersion": KUBEFLOW, "kind": "TFJob", "metadata": {"name": "tf"}, "spec": {"tfReplicaSpecs": replicas}})
    engine.muster("wait", "tfjob/tf", "--timeout", "60s")
    pods = ["tf-chief-0", "tf-ps-0", "tf-worker-0", "tf-worker-1", "tf-evaluator-0"]
    for pod, text in logs_of(engine, pods, "met 4").items():
        role, index = pod.split("-")[1:]
        assert f"{role} {index} knows {{'chief': 1, 'evaluator': 1, 'ps': 1, 'worker': 2}}" in text
    status = engine.get("tfjob", "tf")["status"]
    assert status["conditions"][-1]["type"] == "Succeeded"
    assert status["replicaStatuses"]["Chief"]["succeeded"] == 1


def test_a_tfjob_fails_with_its_first_failure(engine):
    replica = {"replicas": 2, "template": template("tensorflow", "sh", "-c", 'case $HOSTNAME in *-1) exit 3;; esac; sleep 600')}
    engine.apply({"apiVersion": KUBEFLOW, "kind": "TFJob", "metadata": {"name": "tf-fails"},
                  "spec": {"runPolicy": {"cleanPodPolicy": "Running"}, "tfReplicaSpecs": {"Worker": replica}}})
    assert engine.muster("wait", "tfjob/tf-fails", "--timeout", "60s", check=False).returncode == 1
    failed = engine.get("tfjob", "tf-fails")["status"]["conditions"][-1]
    assert failed["type"] == "Failed" and "worker-1" in failed["message"] and "exit code 3" in failed["message"]


def test_a_tensorflowtrainingjob_leaves_its_evaluator_out_of_the_cluster(engine):
    counts = {"chief": 1, "ps": 1, "worker": 2, "evaluator": 1}
    replicas = [{"type": role, "replicas": count, "template": template("tensorflow", "python3", "tf.py")} for role, count in counts.items()]
    engine.apply({"apiVersion": TENSORSTACK, "kind": "TensorFlowTrainingJob", "metadata": {"name": "tj"}, "spec": {"replicaSpecs": replicas}})
    job = engine.wait_phase("tj", "Succeeded", kind="tj")
    pods = {task["type"]: [replica["name"] for replica in task["replicas"]] for task in job["status"]["tasks"]}
    knows = "knows {'chief': 1, 'ps': 1, 'worker': 2}"
    assert f"evaluator 0 {knows}" in logs_of(engine, pods["evaluator"], "}")[pods["evaluator"][0]]
    for pod, text in logs_of(engine, pods["chief"] + pods["ps"] + pods["worker"], "met 3").items():
        role, index = pod.split("-")[-2:]
        assert f"{role} {index} {knows}" in text


def generic_job(name, replicas, **spec):
    return {"apiVersion": TENSORSTACK, "kind": "GenericJob", "metadata": {"name": name}, "spec": {"replicaSpecs": replicas, **spec}}


def test_the_replicas_of_a_genericjob_reach_each_other_by_its_variables(engine, work):
    (work / "generic.py").write_text(
        "import sys\n"
        "from meet import meet\n"
        "own, rank, count, port, *hosts = sys.argv[1:]\n"
        "print(own, 'is', rank, 'of', count, flush=True)\n"
        "meet(own, int(port), [(host, port) for host in hosts])\n")
    program, port = ["python3", "generic.py"], "$(service.port[http])"
    server = template("main", *program, "gj-$(type)-$(rank)", "$(rank)", "$(replicas[server])", port,
                      "$(service.worker[0].host)", "$(service.worker[1].host)")
    worker = template("main", *program, "gj-$(type)-$(rank)", "$(rank)", "$(replicas[worker])", port, "$(service.server[0].host)")
    engine.apply(generic_job("gj", service={"ports": [{"name": "http", "port": 80}]}, successRules=[{"server": [0]}],
                             replicas=[{"type": "server", "template": server}, {"type": "worker", "replicas": 2, "template": worker}]))
    job = engine.wait_phase("gj", "Succeeded", kind="gj")
    completed = next(c["message"] for c in job["status"]["conditions"] if c["type"] == "Completed")
    assert completed == "replica server-0 ended with exit code 0, as spec.successRules[0] requires"
    pods = [replica["name"] for task in job["status"]["tasks"] for replica in task["replicas"]]
    texts = logs_of(engine, pods[:1], "met 2")
    texts.update(logs_of(engine, pods[1:], "met 1"))
    said = [text.splitlines()[0] for text in texts.values()]
    assert said == ["gj-server-0 is 0 of 1", "gj-worker-0 is 0 of 2", "gj-worker-1 is 1 of 2"]
    assert "each must listen on the address of its own pod name" in engine.muster("describe", "gj", "gj").stdout


def test_a_genericjob_fails_by_the_rule_that_fired(engine):
    role = {"type": "w", "replicas": 2, "template": template("main", "sh", "-c", "exit $(rank)")}
    engine.apply(generic_job("gj-fails", [role], successRules=[{"w": [0, 1]}], failureRules=[{"w": [0]}, {"w": [1]}]))
    job = engine.wait_phase("gj-fails", "Failed", kind="gj")
    failed = next(c["message"] for c in job["status"]["conditions"] if c["type"] == "Failed")
    assert "replica w-1" in failed and "spec.failureRules[1]" in failed


def test_the_master_of_an_xgboosttrainingjob_is_rank_0(engine, work):
    (work / "xgboost.py").write_text(
        "import os, socket, time\n"
        "rank, world, address = int(os.environ['RANK']), int(os.environ['WORLD_SIZE']), (os.environ['MASTER_ADDR'], int(os.environ['MASTER_PORT']))\n"
        "print('rank', rank, 'of', world, flush=True)\n"
        "if rank == 0:\n"
        "    tracker = socket.create_server(('0.0.0.0', address[1]))\n"
        "    print('tracks', sorted(tracker.accept()[0].recv(10) for _ in range(world - 1)))\n"
        "while rank:\n"
        "    try: socket.create_connection(address).send(b'%d' % rank); break\n"
        "    except OSError: time.sleep(0.01)\n")
    pod = template("xgboost", "python3", "xgboost.py")
    engine.apply({"apiVersion": TENSORSTACK, "kind": "XGBoostTrainingJob", "metadata": {"name": "xj"}, "spec": {"replicaSpecs": [
        {"type": "worker", "replicas": 2, "template": pod}, {"type": "master", "template": pod}]}})
    job = engine.wait_phase("xj", "Succeeded", kind="xj")
    pods = {task["type"]: [replica["name"] for replica in task["replicas"]] for task in job["status"]["tasks"]}
    assert engine.muster("logs", pods["master"][0]).stdout == "rank 0 of 3\ntracks [b'1', b'2']\n"
    assert [engine.muster("logs", pod).stdout for pod in pods["worker"]] == ["rank 1 of 3\n", "rank 2 of 3\n"]
