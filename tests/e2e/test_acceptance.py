"""What TensorStack's documents promise about jobs, as a user sees it; a comment says which row of them a test is."""

import json

import pytest
from harness import Engine, training_job, wait_for


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    # Debian's torch 1.13 cannot run torchrun on Python 3.11 without these two.
    started = Engine(tmp_path_factory.mktemp("engine"),
                     config="environments:\n- {image: '*', host: true, env: {PET_REDIRECTS: '1', PET_TEE: '1'}}\n").start()
    started.volume("work")
    yield started
    started.stop()


@pytest.fixture
def work(engine):
    return engine.data / "volumes" / "default" / "work"


def condition(thing, kind):
    return next(c for c in thing["status"]["conditions"] if c["type"] == kind)


def test_torchrun_takes_the_place_of_python_and_gets_its_arguments(engine, work):  # 4
    (work / "ranks.py").write_text(
        "import os, sys\n"
        "print('rank', os.environ['RANK'], 'local', os.environ['LOCAL_RANK'], 'of', os.environ['WORLD_SIZE'], sys.argv[1:], flush=True)\n")
    job = training_job("ranks", ["python"], replicas=2, torchrunConfig={"enabled": True, "procPerNode": "2"})
    job["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0]["args"] = ["ranks.py", "--x"]
    engine.apply(job)
    engine.wait_phase("ranks", "Succeeded", timeout=180)
    text = engine.muster("logs", "-f", "pj/ranks").stdout
    for rank in range(4):
        assert f"rank {rank} local {rank % 2} of 4 ['--x']" in text


def test_variables_are_replaced_unless_their_dollar_is_doubled(engine):  # 8
    engine.apply(training_job("variables", ["echo", "$(MASTER_ADDR):$(MASTER_PORT)", "$$(X)"]))
    job = engine.wait_phase("variables", "Succeeded")
    said = engine.muster("logs", "-f", "pj/variables", "--prefix=false").stdout
    assert said.endswith(f":{job['status']['masterPort']} $(X)\n") and not said.startswith(":"), said


def test_an_exit_code_that_is_not_retried_fails_the_job_with_its_cause(engine, work):  # 10
    (work / "local.py").write_text("import os\nos.environ['LOCAL_RANK']\n")
    engine.apply(training_job("local", ["python3", "local.py"], role={"restartPolicy": "ExitCode"}))
    job = engine.wait_phase("local", "Failed")
    assert job["status"]["backoffCount"] == 0
    assert "exit code 1: KeyError: 'LOCAL_RANK'" in condition(job, "Failed")["message"]


def test_a_retryable_exit_code_is_started_again_and_every_attempt_has_its_log(engine, work):  # 11
    (work / "twice.sh").write_text("echo x >> tried; n=$(wc -l < tried); echo try $n; [ $n = 3 ] || exit 138\n")
    engine.apply(training_job("twice", ["sh", "twice.sh"], role={"restartPolicy": "ExitCode"}))
    job = engine.wait_phase("twice", "Succeeded")
    assert job["status"]["backoffCount"] == 2
    for attempt in range(3):
        assert engine.muster("logs", "pj/twice", f"--attempt={attempt}").stdout == f"try {attempt + 1}\n"


def test_without_a_limit_there_are_three_restarts(engine):  # 14
    engine.apply(training_job("hopeless", ["sh", "-c", "exit 1"], role={"restartPolicy": "OnFailure"}))
    job = engine.wait_phase("hopeless", "Failed")
    assert job["status"]["backoffCount"] == 3
    assert job["status"]["tasks"][0]["restartCount"] == 3
    assert "backoffLimit 3 is used up" in condition(job, "Failed")["message"]


def test_a_deadline_ends_the_job_and_its_processes(engine):  # 16
    engine.apply(training_job("late", ["sleep", "60"], runPolicy={"activeDeadlineSeconds": 2}))
    job = engine.wait_phase("late", "Failed")
    assert "activeDeadlineSeconds (2 s)" in condition(job, "Failed")["message"]
    pod = job["status"]["tasks"][0]["replicas"][0]["name"]
    wait_for("its pod to go", lambda: engine.get("pod", pod, check=False) is None)


MPI = """
apiVersion: batch.tensorstack.dev/v1beta1
kind: MPIJob
metadata: {{name: {}}}
spec:
  runPolicy: {{cleanUpWorkers: true}}
  mpiConfig: {{script: [hostname]}}
  replicaSpecs:
  - {{type: launcher, template: {{}}}}
  - {{type: worker, template: {{spec: {{containers: [{{name: worker, image: i}}]}}}}}}
  runPolicy: {{cleanUpWorkers: {}}}
"""


def test_a_field_that_is_written_twice_must_say_the_same(engine):  # 35
    same = engine.muster("create", "-f", "-", stdin=MPI.format("same", "true"))
    assert 'line 11: key "runPolicy" repeats line 6 with the same value' in same.stderr, same.stderr
    other = engine.muster("create", "-f", "-", stdin=MPI.format("other", "false"), check=False)
    assert other.returncode != 0
    for text in ('"runPolicy"', "line 6", "11"):
        assert text in other.stderr, other.stderr


def test_a_tensorboard_whose_claim_is_missing_says_so_on_its_page(engine):  # 47
    engine.apply({"apiVersion": "tensorstack.dev/v1beta1", "kind": "TensorBoard", "metadata": {"name": "lost"},
                  "spec": {"logDir": {"pvc": [{"name": "nowhere"}]}}})

    def said():
        shown = engine.get("tb", "lost").get("status", {})
        return shown if '"nowhere" not found' in json.dumps(shown.get("conditions", [])).replace('\\"', '"') else None
    url = wait_for("the condition", said)["url"]
    token = (engine.data / "token").read_text().strip()
    page = engine.run(["curl", "-s", "-H", f"Authorization: Bearer {token}", url]).stdout
    assert 'persistentvolumeclaim "nowhere" not found' in page, page
    engine.muster("delete", "tb", "lost")
