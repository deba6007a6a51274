"""Pods in the console: the list with its filters, the page of one, and a shell in the browser."""

import re

import pytest
from harness import Engine, training_job, wait_for
from looks import assert_looks_right

TWO = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "two", "labels": {"team": "vision"}},
       "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1,
                "initContainers": [{"name": "prepare", "image": "python:3", "command": ["echo", "prepared"]}],
                "containers": [{"name": "main", "image": "python:3", "command": ["sleep", "600"]},
                               {"name": "helper", "image": "python:3", "command": ["sh", "-c", "echo from the helper; exec sleep 600"]}]}}
LOST = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "lost"},
        "spec": {"containers": [{"name": "main", "image": "python:3", "command": ["true"], "env": [
            {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "nobody-made-this", "key": "token"}}}]}]}}


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    made = Engine(tmp_path_factory.mktemp("pods"), config="resources:\n  nvidia.com/gpu: 2\nqueues:\n- name: vision\n  priority: 5\n").start()
    if "has no console" in made.run(["curl", "-s", f"http://127.0.0.1:{made.port}/console/"]).stdout:
        made.stop()
        pytest.skip("this build has no console: npm or its packages were missing")
    yield made
    made.stop()


@pytest.fixture(scope="module")
def pods(engine):
    engine.volume("work")
    engine.apply(TWO)
    engine.apply(LOST)
    talks = training_job("talks", ["sleep", "600"], 2)
    talks["spec"]["scheduler"] = {"t9kScheduler": {"queue": "vision"}}
    talks["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0]["resources"] = {"limits": {"cpu": 1, "nvidia.com/gpu": 1}}
    engine.apply(talks)
    engine.apply(training_job("broken", ["python3", "-c", "raise ValueError('no such data')"]))
    engine.wait_phase("talks", "Running")
    engine.wait_phase("broken", "Failed")
    engine.wait_phase("two", "Running", "pod")
    return engine


def names(page):
    return sorted(link.inner_text() for link in page.locator(".table-body .name-cell a").all())


def row(page, name):
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=name))


def screen(page):
    return page.locator(".xterm-rows").inner_text().replace("\xa0", " ")


def type_line(page, text):
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def test_the_list_says_what_each_pod_needs(console, pods):
    tab = console("pods")
    page = tab.page
    row(page, "two").get_by_role("cell", name="2/2", exact=True).wait_for()
    wait_for("why it waits", lambda: 'secret "nobody-made-this" not found' in row(page, "lost").inner_text())
    wait_for("how it failed", lambda: "exit code 1: ValueError: no such data" in row(page, re.compile("^broken-")).inner_text())
    tab.picture("pods")
    page.get_by_label("Queue").select_option("vision")
    wait_for("the pods of the queue", lambda: [name.split("-")[0] for name in names(page)] == ["talks", "talks"])
    page.reload()
    wait_for("the same after a reload", lambda: len(names(page)) == 2)
    page.get_by_label("Queue").select_option("")
    page.get_by_label("Extended resources").select_option("nvidia.com/gpu")
    wait_for("the pods with GPUs", lambda: len(names(page)) == 2)
    page.get_by_label("Extended resources").select_option("")
    page.get_by_role("textbox", name="Labels").fill("team=vision")
    page.get_by_role("textbox", name="Labels").press("Enter")
    wait_for("the labelled pod", lambda: names(page) == ["two"])


def test_a_pod_is_deleted_after_its_name_is_confirmed(console, pods):
    pods.apply(dict(TWO, metadata={"name": "goes"}))
    page = console("pods").page
    row(page, "goes").get_by_role("button", name="More for goes").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog", name="Delete goes?").get_by_role("button", name="Delete").click()
    row(page, "goes").wait_for(state="detached")
    wait_for("the pod to be gone", lambda: pods.get("pod", "goes", check=False) is None)


def test_containers_logs_and_yaml_of_a_pod(console, pods):
    tab = console("pods/default/two", language="zh")
    page = tab.page
    page.get_by_role("cell", name="PodScheduled").wait_for()
    page.get_by_role("cell", name="Started container helper").wait_for()
    page.get_by_role("link", name="容器").click()
    page.get_by_role("heading", name=re.compile("prepare")).wait_for()
    assert page.locator(".card").filter(has=page.get_by_role("heading", name=re.compile("prepare"))).get_by_text("Succeeded", exact=True).is_visible()
    page.get_by_role("link", name="日志").click()
    page.get_by_label("容器").select_option("helper")
    page.get_by_role("log").get_by_text("from the helper").wait_for()
    page.get_by_label("容器").select_option("prepare")
    page.get_by_role("log").get_by_text("prepared").wait_for()
    page.get_by_role("link", name="资源监测").click()
    page.get_by_text("CPU（核）").first.wait_for()
    page.get_by_role("link", name="YAML").click()
    page.get_by_role("region", name=re.compile("two")).get_by_text("kind: Pod").wait_for()


def test_a_shell_runs_in_the_browser(console, pods):
    tab = console("jobs")
    page = tab.page
    page.get_by_role("link", name="talks").click()
    page.get_by_role("link", name="Replicas").click()
    page.get_by_role("button", name="More for worker-1").click()
    page.get_by_role("menuitem", name="Terminal").click()
    page.wait_for_url("**/pods/default/talks-*-worker-1?tab=terminal")
    wait_for("a prompt", lambda: re.search(r"[$#] ", screen(page)))
    type_line(page, "echo rank $RANK is $((6*7)); printf '\\033[38;2;200;30;30mred\\033[0m\\n'; stty size")
    wait_for("the answer", lambda: "rank 1 is 42" in screen(page))
    rows = page.locator(".xterm-rows > div").count()
    size = wait_for("the size of the terminal", lambda: re.search(rf"^{rows} (\d+)", screen(page), re.MULTILINE))
    assert int(size[1]) > 80
    page.set_viewport_size({"width": 700, "height": 600})
    wait_for("fewer rows", lambda: page.locator(".xterm-rows > div").count() < rows)
    type_line(page, "clear; stty size")
    smaller = page.locator(".xterm-rows > div").count()
    wait_for("the new size", lambda: re.search(rf"^{smaller} (\d+)", screen(page), re.MULTILINE))
    tab.picture("terminal")
    type_line(page, "exit 3")
    page.get_by_text("The shell ended with exit code 3.").wait_for()
    page.get_by_role("button", name="Restart").click()
    page.get_by_text("The shell ended").wait_for(state="detached")
    wait_for("a new prompt", lambda: re.search(r"[$#] ", screen(page)))


def test_a_terminal_says_when_it_ends_with_its_pod_or_cannot_begin(console, pods):
    pods.apply(dict(TWO, metadata={"name": "ends"}))
    pods.wait_phase("ends", "Running", "pod")
    page = console("pods/default/ends?tab=terminal&container=helper&shell=sh").page
    wait_for("a prompt", lambda: re.search(r"[$#] ", screen(page)))
    pods.muster("delete", "pod", "ends", "--grace-period=1")
    page.get_by_text("This pod was deleted.").wait_for()
    assert page.get_by_role("link", name="Terminal").is_visible()
    broken = next(pod for pod in pods.muster("get", "pods", "-o", "name").stdout.split() if "broken-" in pod).split("/")[1]
    page.goto(f"http://127.0.0.1:{pods.port}/console/pods/default/{broken}?tab=terminal")
    page.get_by_text("The container is not running, so a terminal cannot be opened.").wait_for()
    page.goto(f"http://127.0.0.1:{pods.port}/console/pods/default/nobody")
    page.get_by_text("Pod nobody does not exist in project default.").wait_for()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_of_pods_are_accessible_and_fit(console, pods, language, theme):
    for width in (1280, 390):
        tab = console("pods?ns=*&hide=none", language=language, theme=theme, width=width)
        page = tab.page
        row(page, "two").wait_for()
        for tab_name in (None, "", "containers", "logs", "terminal"):
            if tab_name is not None:
                page.goto(f"http://127.0.0.1:{pods.port}/console/pods/default/two?tab={tab_name}")
                page.get_by_role("heading", name="two").wait_for()
            if tab_name == "terminal":
                wait_for("a prompt", lambda: re.search(r"[$#] ", screen(page)))
            assert_looks_right(tab, tab_name)
            tab.picture(f"{language}-{theme}-{width}-pod-{tab_name}")
