"""kill -9 of the engine in mid-training: ranks keep running, no restart is counted, no log line is lost."""

import re
import shutil

from harness import FULL, ROOT, training_job, wait_for

KILLS = 100 if FULL else 20

# Prints numbered lines, slowly enough to outlast all kills, and ends only when the test asks for it.
PROGRAM = """
import os, time, pathlib
rank = os.environ['RANK']
n = 0
while not pathlib.Path('/work/stop').exists():
    n += 1
    print(f'rank {rank} pid-start {os.stat("/proc/1").st_ctime_ns} line {n}', flush=True)
    time.sleep(0.005)
print(f'rank {rank} end after {n}', flush=True)
"""


def test_training_goes_on_over_kills_of_the_engine(fresh_engine):
    engine = fresh_engine.start()
    work = engine.volume("work")
    (work / "train.py").write_text(PROGRAM)
    engine.apply(training_job("steady", ["python3", "train.py"], replicas=2, role={"restartPolicy": "OnFailure"}))
    before = engine.wait_phase("steady", "Running")["status"]
    for _ in range(KILLS):
        engine.kill()
        engine.start()
        engine.get("pj", "steady")
    (work / "stop").touch()
    engine.wait_phase("steady", "Succeeded")
    status = engine.wait_succeeded_ranks("steady", 2)["status"]
    assert status["backoffCount"] == 0
    assert [t["restartCount"] for t in status["tasks"]] == [0]
    uids = lambda s: [r["uid"] for t in s["tasks"] for r in t["replicas"]]
    assert uids(status) == uids(before)

    for replica in status["tasks"][0]["replicas"]:
        text = engine.muster("logs", replica["name"]).stdout
        numbers = [int(n) for n in re.findall(r"line (\d+)$", text, re.M)]
        end = int(re.search(r"end after (\d+)", text).group(1))
        assert numbers == list(range(1, end + 1)), "every line once, in order"
        assert len(set(re.findall(r"pid-start (\d+)", text))) == 1, "one process from beginning to end"


def test_real_pytorch_trains_on_over_kills_of_the_engine(fresh_engine):
    engine = fresh_engine.start()
    work = engine.volume("work")
    shutil.copy(ROOT / "examples" / "pytorchtrainingjob" / "ddp" / "torch_mnist_trainingjob.py", work / "train.py")
    command = ["/usr/bin/python3", "train.py", "--no_cuda", "--epochs", "2", "--limit", "4000", "--save_path", "model.pt"]
    engine.apply(training_job("torch", command, replicas=2, role={"restartPolicy": "OnFailure"}))
    wait_for("the first epoch", lambda: "epoch 1/2" in engine.muster("logs", "pj/torch", check=False).stdout, timeout=120)
    for _ in range(KILLS):
        engine.kill()
        engine.start()
    engine.wait_phase("torch", "Succeeded", timeout=180)
    assert engine.wait_succeeded_ranks("torch", 2)["status"]["backoffCount"] == 0
    text = engine.muster("logs", "pj/torch").stdout
    for rank in (0, 1):
        assert len(re.findall(rf"rank {rank} of 2 trains", text)) == 1, "each rank began once"
    assert re.search(r"test set: .*accuracy: 0\.[0-9]+", text)
    assert (work / "model.pt").exists()


def test_what_was_acknowledged_is_there_after_a_kill(fresh_engine):
    engine = fresh_engine.start()
    acknowledged = []
    rounds = 20 if FULL else 5
    for round_ in range(rounds):
        for i in range(10):
            name = f"kept-{round_}-{i}"
            engine.muster("create", "-f", "-", stdin='{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s"}}' % name)
            acknowledged.append(name)
        engine.kill()
        engine.start()
        listed = engine.muster("get", "cm", "-o", "name").stdout
        assert all(f"configmap/{name}" in listed for name in acknowledged)


def test_a_rank_that_ends_while_the_engine_is_down_is_reported_exactly(fresh_engine):
    engine = fresh_engine.start()
    work = engine.volume("work")
    (work / "ends.py").write_text(
        "import pathlib, sys, time\n"
        "print('up', flush=True)\n"
        "while not pathlib.Path('/work/go').exists(): time.sleep(0.01)\n"
        "pathlib.Path('/work/ended').touch(); sys.exit(7)\n")
    engine.apply(training_job("ends", ["python3", "ends.py"]))
    wait_for("the program to be up", lambda: "up" in engine.muster("logs", "pj/ends", check=False).stdout)
    engine.kill()
    (work / "go").touch()
    wait_for("the program to end", (work / "ended").exists)
    engine.start()
    job = engine.wait_phase("ends", "Failed")
    assert job["status"]["tasks"][0]["replicas"][0]["containers"][0]["exitCode"] == 7
