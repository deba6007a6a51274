"""How far jobs are: the last line of a run, `get jobs`, and curves that nobody has configured."""

import json
import os
import re
import shutil
import subprocess

import fake_tensorboard
import pytest
from harness import MUSTER, ROOT, Engine, wait_for
from page import Page

EVENTS = ROOT / "src" / "agent" / "testdata" / "events.out.tfevents.pytorch"  # train/loss ends with 0.25, test/accuracy
TRAINS = """
import os, shutil, sys, time
for epoch in range(1, 4):
    print({"loss": 0.5 / epoch, "epoch": epoch}, flush=True)
if "--curves" in sys.argv:
    os.makedirs("runs/today")
    shutil.copyfile("recorded", "runs/today/events.out.tfevents.1")
while "--wait" in sys.argv and not os.path.exists("go"):
    time.sleep(0.02)
if "--fail" in sys.argv:
    raise ValueError("Expected input batch_size (64) to match target batch_size (32).")
"""


@pytest.fixture
def project(engine, tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(TRAINS)
    shutil.copyfile(EVENTS, folder / "recorded")
    return folder


def muster(engine, project, *words):
    return subprocess.run([MUSTER, *words], cwd=project, env=engine.environment(), text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def rows(engine, project, *words):
    lines = muster(engine, project, "get", "jobs", *words).stdout.splitlines()
    header = re.split(r"   +", lines[0])
    return {line.split()[0]: dict(zip(header, re.split(r"   +", line))) for line in lines[1:]}


def of_job(engine, name, what):
    path = f"/apis/muster.dev/v1/namespaces/default/jobs/pytorchtrainingjobs.batch.tensorstack.dev/{name}/{what}"
    return json.loads(engine.run(["curl", "-s", "--unix-socket", str(engine.data / "api.sock"), f"http://x{path}"]).stdout)


def test_a_run_ends_with_what_it_has_reached(engine, project):
    done = muster(engine, project, "run", "--name", "plain", "train.py")
    assert done.returncode == 0, done.stderr
    last, following = done.stderr.splitlines()[-2:]
    assert re.fullmatch(r"Succeeded in (less than 1|\d+) s, loss 0\.1667", last), done.stderr
    assert following == "next: muster logs plain, muster describe plain, muster rerun plain"
    assert len(done.stdout.splitlines()) == 3, "the log, and nothing of ours"


def test_the_list_says_how_far_jobs_are_and_how_they_differ(engine, project):
    for name, arguments in (("long", ["--lr", "0.1", "--wait"]), ("short", ["--lr", "0.01"]), ("broken", ["--lr", "0.01", "--fail"])):
        assert muster(engine, project, "run", "-d", "--name", name, "train.py", *arguments).returncode == 0
    engine.wait_phase("short", "Succeeded")
    engine.wait_phase("broken", "Failed")
    wait_for("the first epochs", lambda: rows(engine, project).get("long", {}).get("PROGRESS") == "epoch 3, loss 0.1667")
    listed = rows(engine, project)
    assert listed["long"]["PHASE"] == "Running" and listed["long"]["ARGUMENTS"] == "--lr 0.1 --wait"
    assert listed["short"]["PHASE"] == "Succeeded" and re.fullmatch(r"\d+s", listed["short"]["DURATION"])
    assert listed["broken"]["REASON"].startswith("ValueError: Expected input batch_size (64)")
    assert list(rows(engine, project, "--phase", "failed,running", "--sort-by", "name")) == ["broken", "long"]
    assert rows(engine, project, "-o", "wide")["short"]["KIND"] == "PyTorchTrainingJob"
    assert muster(engine, project, "get", "jobs", "--since", "0s").stderr == "No resources found in default namespace.\n"
    wrong = muster(engine, project, "get", "jobs", "--phase", "Runing")
    assert wrong.returncode == 2 and 'got "Runing"' in wrong.stderr
    status = muster(engine, project, "status").stdout
    assert re.search(r"\n\d+ jobs: 1 Running, \d+ Succeeded, 1 Failed\n", status) and "broken" not in status
    (project / "go").touch()


def test_curves_are_found_without_configuration(engine, project):
    (project / "runs" / "before").mkdir(parents=True)
    old = project / "runs" / "before" / "events.out.tfevents.0"
    shutil.copyfile(EVENTS, old)
    subprocess.run(["touch", "-d", "2 days ago", old], check=True)
    done = muster(engine, project, "run", "--name", "curves", "train.py", "--curves")
    assert done.returncode == 0, done.stderr
    last, following = done.stderr.splitlines()[-2:]
    assert "loss 0.25, accuracy" in last, "the event files say more than the log"
    assert following.endswith("muster tensorboard curves")
    scalars = of_job(engine, "curves", "scalars")
    assert [run["folder"] for run in scalars["runs"]] == ["runs/today"]
    assert {series["tag"] for series in scalars["runs"][0]["series"]} == {"test/accuracy", "train/loss"}
    progress = of_job(engine, "curves", "progress")
    assert progress["progress"]["epoch"] == 3 and progress["progress"]["step"] == 20
    assert [folder["folder"] for folder in progress["curves"]] == ["runs/today"]
    # A file that is not an event file, or is far too large, harms nothing else.
    today = project / "runs" / "today"
    (today / "events.out.tfevents.2").write_bytes(EVENTS.read_bytes() + b"\xff" * 100_000)
    with open(today / "events.out.tfevents.3", "wb") as large:
        large.truncate(2 << 30)
    written = (today / "events.out.tfevents.1").stat().st_mtime
    for number in "23":
        os.utime(today / f"events.out.tfevents.{number}", (written, written))
    damaged = of_job(engine, "curves", "scalars")
    assert not damaged["complete"] and damaged["runs"][0]["series"] == scalars["runs"][0]["series"]
    assert damaged["problems"] == [
        f"runs/today/events.out.tfevents.2: is damaged from byte {EVENTS.stat().st_size}; the values that cannot be read are left out",
        "runs/today/events.out.tfevents.3: is too large, got 2048 MiB; only its last 64 MiB are shown",
        "runs/today/events.out.tfevents.3: has no event from byte 2080374784 on; is it a file of TensorBoard?"]
    compared = muster(engine, project, "compare", "curves", "curves")
    assert f"warning: curves of curves: {damaged['problems'][0]}\n" in compared.stderr


def test_found_curves_open_in_tensorboard(tmp_path, project):
    modules = tmp_path / "modules"
    modules.mkdir()
    fake_tensorboard.write_program(modules)
    engine = Engine(tmp_path / "engine", config=f"environments:\n- {{image: '*', host: true, env: {{PYTHONPATH: {modules}}}}}\nvisible: [{modules}]\n").start()
    try:
        assert muster(engine, project, "run", "--name", "curves", "train.py", "--curves").returncode == 0
        page = Page(engine, "tensorboard", "curves")
        assert page.url.endswith("/tb/default/curves/")
        with page.browser.open(page.url + "data/runs", timeout=30) as answer:
            path, *arguments = answer.read().decode().split()
        assert path == "/tb/default/curves/data/runs"
        (claim,) = (folder["claim"] for folder in of_job(engine, "curves", "progress")["curves"])
        assert arguments[:2] == ["--logdir", f"/pvc-{claim}/runs/today"]
        # It is the job's: it comes again by the same name, and leaves with it.
        assert engine.muster("tensorboard", "curves").stdout.startswith(page.url)
        engine.muster("delete", "pj", "curves")
        wait_for("its TensorBoard to go", lambda: "curves" not in engine.muster("get", "tb", "-o", "name").stdout)
    finally:
        engine.stop()


def test_a_job_without_curves_says_how_to_have_some(engine, project):
    assert muster(engine, project, "run", "--name", "none", "train.py").returncode == 0
    missing = of_job(engine, "none", "scalars")
    assert missing["code"] == 404
    assert missing["message"] == ('PyTorchTrainingJob "none" has left no event files in the claims that it can write to; '
                                  "write them there, or set spec.tensorboardSpec")
    board = muster(engine, project, "tensorboard", "none")
    assert board.returncode == 3 and "write event files into a volume" in board.stderr


LOGS_LIKE_PYTORCH = """
import os, sys, time
from event_files import SummaryWriter
writer = SummaryWriter()
loss = float(sys.argv[1])
for step in range(1, 4):
    writer.add_scalar("train/loss", loss * (4 - step), step)
while "--wait" in sys.argv and not os.path.exists("end"):
    time.sleep(0.02)
"""


@pytest.fixture
def writers(project):
    shutil.copyfile(ROOT / "tests" / "event_files.py", project / "event_files.py")
    (project / "train.py").write_text(LOGS_LIKE_PYTORCH)
    return project


def last_values(scalars):
    return [series["points"][-1][2] for run in scalars["runs"] for series in run["series"]]


def test_runs_of_one_project_have_their_own_curves(engine, writers):
    for name, loss in (("first", "0.5"), ("second", "0.25")):
        assert muster(engine, writers, "run", "--name", name, "train.py", loss).returncode == 0
    for name, loss in (("left", "1"), ("right", "2")):
        assert muster(engine, writers, "run", "-d", "--name", name, "train.py", loss, "--wait").returncode == 0
    wait_for("curves of both", lambda: len(list(writers.glob("runs/*/events.*"))) == 4)
    for name, loss in (("first", 0.5), ("second", 0.25), ("left", 1), ("right", 2)):
        wait_for(f"all values of {name}", lambda: last_values(of_job(engine, name, "scalars")) == [loss])
        progress = of_job(engine, name, "progress")
        assert progress["progress"]["loss"] == loss and progress["progress"]["step"] == 3
        assert len(progress["curves"]) == 1 and name in progress["curves"][0]["folder"], progress
    for pair, values in ((("first", "second"), ["0.5", "0.25"]), (("left", "right"), ["1", "2"])):
        rows_of_pair = json.loads(muster(engine, writers, "compare", *pair, "-o", "json").stdout)["items"]
        assert {row["name"]: row["values"] for row in rows_of_pair if "loss" in row["name"]} == {
            "train/loss, last": values, "train/loss, lowest": values}
    (writers / "end").touch()
    engine.wait_phase("right", "Succeeded")


def test_the_list_knows_what_event_files_say_also_after_clean_up(engine, writers):
    for name, loss in (("low", "0.125"), ("high", "4")):
        assert muster(engine, writers, "run", "-d", "--name", name, "train.py", loss, "--wait").returncode == 0

    def progress(name):
        return rows(engine, writers).get(name, {}).get("PROGRESS")

    wait_for("what running jobs have reached", lambda: (progress("low"), progress("high")) == ("step 3, loss 0.125", "step 3, loss 4"))
    (writers / "end").touch()
    engine.wait_phase("low", "Succeeded")
    engine.wait_phase("high", "Succeeded")
    pods = json.loads(engine.muster("get", "pods", "-o", "json").stdout)["items"]
    engine.muster("delete", "pod", *[pod["metadata"]["name"] for pod in pods if pod["metadata"]["name"].startswith("low")])
    engine.kill()  # what it remembers
    engine.start()
    assert progress("low") == "step 3, loss 0.125"
    by_loss = [name for name in rows(engine, writers, "--sort-by", "loss") if name in ("low", "high")]
    assert by_loss == ["low", "high"]


def test_the_list_reads_the_log_of_a_pod_that_is_gone(fresh_engine, project):
    fresh_engine.start()
    assert muster(fresh_engine, project, "run", "--name", "printed", "train.py").returncode == 0

    def pods():
        return json.loads(fresh_engine.muster("get", "pods", "-o", "json").stdout)["items"]

    fresh_engine.muster("delete", "pod", *[pod["metadata"]["name"] for pod in pods()])
    wait_for("the pod to be gone", lambda: not pods())
    assert rows(fresh_engine, project)["printed"]["PROGRESS"] == "epoch 3, loss 0.1667"
    assert of_job(fresh_engine, "printed", "progress")["progress"]["epoch"] == 3
