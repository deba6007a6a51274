"""The overview, machines, queues, events, Secrets and ConfigMaps: what the page says, and what the API then has."""

import base64
import re
import time

import pytest
from event_files import scalar_event
from harness import Engine, training_job, wait_for
from looks import assert_looks_right
from test_console import names, row, with_resources


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    config = ("resources:\n  nvidia.com/gpu: 2\nqueues:\n- name: vision\n  quota: {nvidia.com/gpu: 1}\n  priority: 5\n"
              "- name: nightly\n  closed: true\n")
    made = Engine(tmp_path_factory.mktemp("overview"), config=config).start()
    if "has no console" in made.run(["curl", "-s", f"http://127.0.0.1:{made.port}/console/"]).stdout:
        made.stop()
        pytest.skip("this build has no console: npm or its packages were missing")
    yield made
    made.stop()


@pytest.fixture(scope="module")
def world(engine):
    engine.volume("work")
    engine.apply(with_resources(training_job("holds", ["sleep", "600"]), {"limits": {"nvidia.com/gpu": 1, "cpu": 1}}))
    engine.wait_phase("holds", "Running")
    engine.apply(training_job("broken", ["python3", "-c", "raise ValueError('no such data')"]))
    engine.apply(with_resources(training_job("waits", ["true"]), {"limits": {"nvidia.com/gpu": 2}}))
    closed = training_job("tonight", ["true"])
    closed["spec"]["scheduler"] = {"t9kScheduler": {"queue": "nightly"}}
    engine.apply(closed)
    engine.wait_phase("broken", "Failed")
    wait_for("the reason", lambda: any(one.get("reason") == "Unschedulable" for one in engine.get("pj", "waits")["status"].get("conditions", [])))
    return engine


def card(page, title):
    return page.locator("section.card").filter(has=page.get_by_role("heading", name=title))


def node_of(engine):
    return engine.muster("get", "nodes", "-o", "name").stdout.strip().split("/")[1]


def test_the_overview_answers_the_four_questions(console, world):
    tab = console("overview")
    page = tab.page
    needs = card(page, "Needs attention")
    needs.get_by_text("ValueError: no such data").wait_for()
    needs.get_by_text("needs 2 nvidia.com/gpu, 1 free, held by default/holds").wait_for()
    card(page, "Running now").get_by_role("link", name="holds").wait_for()
    machine = card(page, "Machine")
    wait_for("a measure of the machine", lambda: re.search(r"[\d.]+Gi of [\d.]+Gi", machine.inner_text()))
    machine.get_by_role("link", name="holds").wait_for()
    assert machine.get_by_role("meter").count() == 4  # CPU, memory and two GPUs
    wait_for("the counts", lambda: re.sub(r"\s+", " ", page.locator(".counts").inner_text()).startswith("1 Running 2 Pending 0 Paused"))
    card(page, "Latest events").get_by_role("link", name=re.compile("waits|tonight|broken|holds")).first.wait_for()
    tab.picture("overview")
    world.apply(training_job("another", ["sleep", "600"]))
    card(page, "Running now").get_by_role("link", name="another").wait_for()
    world.muster("delete", "pj", "another", "--grace-period=1")
    card(page, "Running now").get_by_role("link", name="another").wait_for(state="detached")
    page.locator(".counts").get_by_role("link", name="Failed").click()
    page.wait_for_url("**/jobs?phase=Failed")


def test_the_loss_of_a_running_job_is_on_the_overview(console, world):
    logs = world.data / "volumes" / "default" / "work" / "log"
    logs.mkdir()
    (logs / "events.out.tfevents.1").write_bytes(b"".join(scalar_event(step, "train/loss", 2.0 / step) for step in range(1, 9)))
    world.apply(training_job("learns", ["sleep", "600"], tensorboardSpec={"trainingLogFilesets": ["t9k://pvc/work/log"], "image": "python:3"}))
    world.wait_phase("learns", "Running")
    tab = console("overview")
    card(tab.page, "Running now").get_by_role("img", name="train/loss of learns: 0.2500").wait_for()
    tab.picture("overview-loss")
    world.muster("delete", "pj", "learns", "--grace-period=1")


def test_an_empty_project_says_how_to_begin(console, world):
    world.muster("create", "namespace", "empty", check=False)
    page = console("overview?ns=empty", language="zh").page
    page.get_by_text("该项目中还没有 Job。").wait_for()
    page.get_by_role("heading", name="机器").wait_for()


def test_a_machine_shows_who_holds_its_gpus(console, world):
    node = node_of(world)
    tab = console("nodes")
    page = tab.page
    row(page, node).get_by_role("cell", name="1 / 2", exact=True).wait_for()
    page.get_by_role("link", name=node).click()
    page.get_by_role("cell", name="nvidia.com/gpu").wait_for()
    pods = card(page, "Pods on this node")
    pods.get_by_role("link", name="holds", exact=True).wait_for()
    card(page, "Conditions").get_by_role("cell", name="Ready", exact=True).wait_for()
    tab.picture("node")
    page.goto(f"http://127.0.0.1:{world.port}/console/nodes/nobody")
    page.get_by_text("Node nobody does not exist.").wait_for()


def test_queues_show_quota_and_what_waits(console, world):
    tab = console("queues")
    page = tab.page
    row(page, "vision").get_by_text("nvidia.com/gpu 0/1").wait_for()
    row(page, "nightly").get_by_role("cell", name="Closed", exact=True).wait_for()
    assert names(page)[0] == "vision"  # the highest priority is first
    tab.picture("queues")
    row(page, "nightly").get_by_role("cell").nth(5).get_by_role("link", name="1").click()
    wait_for("the job that waits", lambda: names(page) == ["tonight"])
    page.goto(f"http://127.0.0.1:{world.port}/console/jobs?ns=*&queue=default")
    wait_for("the jobs that name no queue", lambda: sorted(names(page)) == ["broken", "holds", "waits"])


def test_events_are_filtered_and_lead_to_their_objects(console, world):
    tab = console("events")
    page = tab.page
    page.locator("label").filter(has_text=re.compile("^Type")).get_by_role("combobox").select_option("Warning")
    page.get_by_role("cell", name="▲ Warning").first.wait_for()
    wait_for("warnings alone", lambda: page.get_by_role("cell", name="● Normal").count() == 0)
    page.get_by_label("Object type").select_option("PyTorchTrainingJob")
    tab.picture("events")
    page.get_by_role("link", name="PyTorchTrainingJob broken").first.click()
    page.get_by_role("heading", name="broken").wait_for()


def test_a_secret_is_made_shown_changed_and_deleted(console, world):
    tab = console("secrets")
    page = tab.page
    page.get_by_role("button", name="Create Secret").click()
    dialog = page.get_by_role("dialog", name="Create Secret")
    dialog.get_by_label("Name").fill("Bad_Name")
    dialog.get_by_label("Key", exact=True).fill("token")
    dialog.get_by_label("Value of token").fill("s3cret é")
    dialog.get_by_role("button", name="Create", exact=True).click()
    dialog.get_by_role("alert").get_by_text("metadata.name").first.wait_for()  # the server's words; nothing typed is lost
    dialog.get_by_label("Name").fill("hub")
    dialog.get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("heading", name="hub").wait_for()
    assert base64.b64decode(world.get("secret", "hub")["data"]["token"]).decode() == "s3cret é"
    assert "s3cret" not in page.locator("main").inner_text() and "s3cret" not in page.content()
    page.get_by_role("button", name="Show: token").click()
    assert page.get_by_label("Value of token").input_value() == "s3cret é" and "s3cret" not in page.url
    page.get_by_label("Value of token").fill("other")
    page.get_by_role("button", name="Add a key").click()
    page.get_by_label("Key", exact=True).fill("more")
    page.get_by_label("Value of more").fill("two\nlines\n")
    tab.picture("secret")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("hub saved").wait_for()
    data = world.get("secret", "hub")["data"]
    assert {key: base64.b64decode(value).decode() for key, value in data.items()} == {"token": "other", "more": "two\nlines\n"}
    page.get_by_role("button", name="More for hub").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog", name="Delete hub?").get_by_role("button", name="Delete").click()
    page.get_by_text("This object was deleted.").wait_for()
    assert world.get("secret", "hub", check=False) is None


def test_what_is_no_text_is_kept_and_a_change_elsewhere_is_not_overwritten(console, world):
    world.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"lr": "0.1"}, "binaryData": {"blob": "/wD+"}})
    page = console("configmaps/default/settings").page
    page.get_by_text("3 B, binary").wait_for()
    page.get_by_role("button", name="Show: lr").click()
    page.get_by_label("Value of lr").fill("0.2")
    world.muster("patch", "configmap", "settings", "--type=merge", "-p", '{"data": {"lr": "0.3"}}')
    page.get_by_text("It was changed elsewhere while you edited it.").wait_for()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("alert").get_by_text("the object has been modified").wait_for()
    assert page.get_by_label("Value of lr").input_value() == "0.2"
    page.get_by_role("button", name="Discard changes").click()
    wait_for("the new value", lambda: page.get_by_label("Value of lr").input_value() == "0.3")
    page.get_by_label("Value of lr").fill("0.4")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("settings saved").wait_for()
    stored = world.get("configmap", "settings")
    assert stored["data"] == {"lr": "0.4"} and stored["binaryData"] == {"blob": "/wD+"}


def test_jobs_are_ticked_and_handled_together(console, world):
    for name in ("bulk-a", "bulk-b", "bulk-c"):
        world.apply(training_job(name, ["sleep", "600"]))
    for name in ("bulk-a", "bulk-b", "bulk-c"):
        world.wait_phase(name, "Running")
    tab = console("jobs?q=bulk&sort=name:asc")
    page = tab.page
    row(page, "bulk-c").wait_for()
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.get_by_role("checkbox", name="Select bulk-b").check()
    page.get_by_role("button", name="Pause 2").click()
    world.wait_phase("bulk-a", "Paused")
    world.wait_phase("bulk-b", "Paused")
    page.get_by_role("button", name="Resume 2").click()
    world.wait_phase("bulk-b", "Running")
    page.get_by_role("checkbox", name="Select all on this page").check()
    tab.picture("jobs-selected")
    page.get_by_role("button", name="Delete 3 jobs").click()
    dialog = page.get_by_role("dialog", name="Delete 3 jobs?")
    dialog.get_by_text("bulk-c").wait_for()
    assert dialog.get_by_role("listitem").all_inner_texts() == ["bulk-a", "bulk-b", "bulk-c"]
    dialog.get_by_role("button", name="Delete 3 jobs").click()
    page.get_by_text("3 jobs are being deleted").wait_for()
    wait_for("the jobs to be gone", lambda: all(world.get("pj", name, check=False) is None for name in ("bulk-a", "bulk-b", "bulk-c")))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_other_pages_are_accessible_and_fit(console, world, language, theme):
    world.apply({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "looked-at"}, "stringData": {"token": "x", "config.json": "{}\n"}})
    world.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "looked-at"}, "data": {"lr": "0.1"}})
    for width in (1280, 390):
        tab = console("overview", language=language, theme=theme, width=width)
        page = tab.page
        for place in ("overview", "nodes", f"nodes/{node_of(world)}", "queues", "events", "secrets", "configmaps", "secrets/default/looked-at"):
            page.goto(f"http://127.0.0.1:{world.port}/console/{place}")
            page.wait_for_selector("h1")
            page.locator("main .object").first.wait_for()
            assert_looks_right(tab, place)
            tab.picture(f"{language}-{theme}-{width}-{place.replace('/', '-')}")
