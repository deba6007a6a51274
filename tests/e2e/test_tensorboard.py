"""TensorBoard objects without a training: what their status says, suspension, and what is missing."""

import fake_tensorboard
import pytest
from harness import Engine, wait_for


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    made = Engine(tmp_path_factory.mktemp("tensorboard"), config=fake_tensorboard.CONFIG).start()
    fake_tensorboard.install(made)
    yield made
    made.muster("delete", "tb", "--all")
    made.stop()


def board(name, **spec):
    return {"apiVersion": "tensorstack.dev/v1beta1", "kind": "TensorBoard", "metadata": {"name": name},
            "spec": {"logDir": {"pvc": [{"name": "logs", "subPath": ["./run"]}]}, **spec}}


def test_it_runs_is_suspended_and_resumed_by_the_command(engine):
    engine.apply(board("mnist", image="fake"))
    shown = engine.wait_phase("mnist", "Running", kind="tb")
    url = shown["status"]["url"]
    assert url.startswith("http://127.0.0.1:") and url.endswith("/tb/default/mnist/")
    token = (engine.data / "token").read_text().strip()

    def body():
        return engine.run(["curl", "-s", "-H", f"Authorization: Bearer {token}", url + "data/runs"]).stdout
    wait_for("the program", lambda: "/tb/default/mnist/data/runs" in body())
    assert "--logdir /pvc-logs/run" in body()
    engine.muster("patch", "tb", "mnist", "-p", '{"spec":{"suspend":true}}')
    wait_for("no pod", lambda: "pod" not in engine.wait_phase("mnist", "Suspended", kind="tb")["status"])
    assert "is Suspended" in body()
    assert engine.muster("tensorboard", "mnist").stdout.startswith(url + "?token=")
    engine.wait_phase("mnist", "Running", kind="tb")
    engine.muster("delete", "tb", "mnist")
    wait_for("its children to go", lambda: "mnist-tb" not in engine.muster("get", "deployments,services,pods").stdout)


def test_an_environment_without_tensorboard_is_named(engine):
    engine.apply(board("bare", image="other"))
    shown = engine.wait_phase("bare", "Failed", kind="tb")
    ready = next(c for c in shown["status"]["conditions"] if c["type"] == "Ready")
    assert ready["message"].startswith("there is no tensorboard in this environment; pip install tensorboard")

    def refusal():
        done = engine.muster("tensorboard", "bare", check=False)
        return done.stderr if done.returncode == 1 else None  # it runs for a moment each time it is started again
    assert "there is no tensorboard in this environment" in wait_for("the refusal", refusal)


def test_logs_that_cannot_be_shown_are_named(engine):
    engine.apply(board("remote", logDir={"http": {"url": ["http://logs.example/run"]}}))
    shown = engine.wait_phase("remote", "Failed", kind="tb")
    assert "only folders of claims are supported, got http://logs.example/run" in shown["status"]["conditions"][0]["message"]


def test_it_stops_without_visitors_and_comes_back_with_one(tmp_path):
    engine = Engine(tmp_path, config=fake_tensorboard.CONFIG + "tensorboard: {idleAfter: 6s}\n").start()
    fake_tensorboard.install(engine, logged=False)
    engine.apply(board("quiet", image="fake"))
    url = wait_for("its address", lambda: engine.get("tb", "quiet").get("status", {}).get("url"))
    token = (engine.data / "token").read_text().strip()

    def page():
        done = engine.run(["curl", "-s", "-w", " %{http_code}", "-H", f"Authorization: Bearer {token}", url])
        return done.stdout

    def pods():
        return engine.muster("get", "pods", "-o", "name").stdout

    try:
        wait_for("the empty page", lambda: "nothing was logged yet (claim logs, folder run)" in page(), timeout=90)
        wait_for("it to stop", lambda: not pods(), timeout=90)
        idle = next(c for c in engine.wait_phase("quiet", "Suspended", kind="tb")["status"]["conditions"] if c["type"] == "Idle")
        assert idle["status"] == "True" and idle["message"].endswith("opening its page resumes it")

        (engine.data / "volumes/default/logs/run").mkdir()
        (engine.data / "volumes/default/logs/run/events.out.tfevents.1.host.1.0").touch()
        assert "is Suspended: suspended because it had no visitors" in page()
        wait_for("the page", lambda: page().startswith("/tb/default/quiet/ --logdir /pvc-logs/run"), timeout=90)
    finally:
        engine.muster("delete", "tb", "--all")
        engine.stop()
