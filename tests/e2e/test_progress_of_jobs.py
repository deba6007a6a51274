"""How far jobs are: the last line of a run, `get jobs`, and curves that nobody has configured."""

import json
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
    (project / "runs" / "today" / "events.out.tfevents.2").write_bytes(b"\xff" * 100_000)
    with open(project / "runs" / "today" / "events.out.tfevents.3", "wb") as large:
        large.truncate(2 << 30)
    damaged = of_job(engine, "curves", "scalars")
    assert not damaged["complete"] and damaged["runs"][0]["series"] == scalars["runs"][0]["series"]


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
