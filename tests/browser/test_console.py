"""The console with quick jobs: login, list, detail and logs, in both languages; what the page says and what the API says."""

import json
import re
import urllib.error
import urllib.request

import pytest
from harness import training_job, wait_for
from looks import assert_looks_right

JOB = "jobs/default/pytorchtrainingjobs.batch.tensorstack.dev"
NASTY = "<script>alert(1)</script>"
RESOURCES = {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"cpu": 2, "memory": "1Gi"}}


def with_resources(job, resources):
    job["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0]["resources"] = resources
    return job


@pytest.fixture(scope="module")
def jobs(engine):
    """One job in each state, with output that a page must not trust."""
    engine.volume("work")
    speak = f"echo '{NASTY}'; printf '\\033[31mred\\033[0m \\033]0;title\\007end\\n'; echo rank $RANK; while [ ! -e stop ]; do sleep 0.2; done"
    engine.apply(with_resources(training_job("talks", ["sh", "-c", speak], 2), RESOURCES))
    engine.apply(training_job("done", ["true"]))
    engine.apply(training_job("broken", ["python3", "-c", "raise ValueError('no such data')"]))
    engine.apply(with_resources(training_job("waits", ["true"]), {"limits": {"nvidia.com/gpu": 4}}))
    engine.apply(dict(training_job("labelled", ["true"]), metadata={"name": "labelled", "labels": {"team": "vision"}}))
    engine.wait_phase("done", "Succeeded")
    engine.wait_phase("labelled", "Succeeded")
    engine.wait_phase("broken", "Failed")
    engine.wait_phase("talks", "Running")
    yield engine
    (engine.data / "volumes" / "default" / "work" / "stop").write_text("")


def row(page, name):
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))


def names(page):
    return [link.inner_text() for link in page.locator(".table-body .name-cell a").all()]


def status_of(url, **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def test_a_link_logs_in_once_and_leaves_no_code_in_the_address(console, jobs, chromium):
    link = jobs.muster("console", "--no-open").stdout.strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/console/#login=[0-9a-f]{64}&server=[0-9a-f]{32}", link)
    page = chromium.new_context().new_page()
    page.goto(link)
    page.wait_for_selector("header.top")
    page.wait_for_url("**/console/overview")
    page.reload()
    page.wait_for_selector("header.top")  # the tab stays logged in
    assert page.context.cookies() == []
    other = chromium.new_context().new_page()
    other.goto(link)
    other.get_by_text("this link has been used or has expired; run muster console for a new one").wait_for()
    other.get_by_text("muster console", exact=True).wait_for()
    token = page.evaluate("JSON.parse(sessionStorage.getItem('muster-login')).token")
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("heading", name="Log in to Muster").wait_for()
    url = f"http://127.0.0.1:{jobs.port}/api/v1/namespaces"
    wait_for("the token to be refused", lambda: status_of(url, Authorization=f"Bearer {token}") == 401)
    for tab in (page, other):
        tab.context.close()


def test_other_sites_and_names_are_refused(jobs):
    base = f"http://127.0.0.1:{jobs.port}"
    assert status_of(f"{base}/console/") == 200
    assert status_of(f"{base}/console/", Host="evil.example") == 403
    assert status_of(f"{base}/console/", Origin="http://evil.example") == 403
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
               "Sec-WebSocket-Protocol": "stream.muster.dev"}
    assert status_of(f"{base}/apis/muster.dev/v1/watch", **upgrade) == 401


def test_the_list_shows_states_amounts_and_causes(console, jobs):
    tab = console()
    page = tab.page
    for name, word in {"talks": "Running", "done": "Succeeded", "broken": "Failed", "waits": "Pending"}.items():
        row(page, name).get_by_role("cell", name=word, exact=True).wait_for()
    assert "200.00m / 4.00" in row(page, "talks").inner_text() and "128.00Mi / 2.00Gi" in row(page, "talks").inner_text()
    assert "needs 4 nvidia.com/gpu" in row(page, "waits").inner_text()
    assert "exit code 1" in row(page, "broken").inner_text()
    tab.picture("jobs")


def test_filters_are_in_the_address_and_survive_a_reload(console, jobs):
    page = console().page
    row(page, "talks").wait_for()
    page.get_by_label("Phase").select_option("Succeeded")
    page.keyboard.press("Escape")
    wait_for("the finished jobs", lambda: sorted(names(page)) == ["done", "labelled"])
    page.get_by_role("textbox", name="Labels").fill("team=vision")
    page.get_by_role("textbox", name="Labels").press("Enter")
    wait_for("the labelled job", lambda: names(page) == ["labelled"])
    page.reload()
    wait_for("the same after a reload", lambda: names(page) == ["labelled"])
    page.get_by_role("button", name="Remove Phase: Succeeded").click()
    page.get_by_role("button", name="Clear all").click()
    wait_for("all jobs", lambda: len(names(page)) == 5)
    page.get_by_label("Sort").select_option("name:asc")
    wait_for("the order", lambda: names(page) == ["broken", "done", "labelled", "talks", "waits"])
    page.get_by_role("searchbox").fill("Error")
    wait_for("the other word for Failed", lambda: names(page) == ["broken"])
    page.get_by_role("searchbox").fill("no-such-job")
    page.get_by_text("No job matches these filters.").wait_for()
    page.get_by_role("searchbox").fill("")
    page.get_by_text("Columns").click()
    page.get_by_role("checkbox", name="Memory").uncheck()
    page.get_by_label("Rows per page").select_option("10")
    page.reload()
    row(page, "talks").wait_for()
    assert page.get_by_role("columnheader", name="Memory").count() == 0 and page.get_by_text("1–5 of 5").is_visible()


def test_the_newest_rows_are_there_before_the_others(console, engine):
    engine.muster("create", "namespace", "many")
    job = training_job("", ["true"], runMode={"pause": {"enabled": True}})
    engine.apply("\n---\n".join(json.dumps({**job, "metadata": {"name": f"job-{i:02}", "namespace": "many"}}) for i in range(60)))
    page = console("overview").page
    page.route_web_socket(re.compile("/v1/watch"), lambda held: None)  # it opens, and brings nothing
    page.goto(f"http://127.0.0.1:{engine.port}/console/jobs?ns=many")
    page.get_by_role("status").filter(has_text="Showing the newest of 60; loading the rest").wait_for()
    assert len(names(page)) > 10 and page.get_by_role("link", name="job-", exact=False).first.get_attribute("href").startswith("/console/jobs/many/pytorchtrainingjobs.")
    assert "Paused (" not in page.get_by_label("Phase").inner_text()  # nobody knows yet how many
    page.get_by_label("Sort").select_option("name:asc")  # the newest are not the first ones of this order
    wait_for("no rows", lambda: names(page) == [])
    page.get_by_role("button", name="Remove Sort: Name ascending").click()
    wait_for("the newest rows", lambda: len(names(page)) > 10)
    page = console("jobs?ns=many").page
    page.get_by_text("1–60 of 60").wait_for()
    assert "Paused (60)" in page.get_by_label("Phase").inner_text()


def test_a_table_that_is_too_wide_scrolls_within_its_card(console, jobs):
    page = console("jobs?ns=*&hide=none&q=talks").page
    name = row(page, "talks").get_by_role("link", name="talks", exact=True)
    name.wait_for()
    assert page.get_by_role("columnheader").count() == 13  # twelve and the boxes
    sideways = page.locator(".table-scroll")
    assert sideways.evaluate("one => one.scrollWidth > one.clientWidth")
    left, right = name.bounding_box()["x"], row(page, "talks").get_by_role("button").bounding_box()["x"]
    sideways.evaluate("one => one.scrollTo(10_000, 0)")
    wait_for("the head to follow", lambda: page.evaluate("document.querySelector('.table-head').scrollLeft === document.querySelector('.table-scroll').scrollLeft"))
    assert (name.bounding_box()["x"], row(page, "talks").get_by_role("button").bounding_box()["x"]) == (left, right)
    assert page.evaluate("([x, y]) => document.elementFromPoint(x, y).textContent", [left + 2, name.bounding_box()["y"] + 4]) == "talks"


def test_changes_appear_by_themselves(console, jobs):
    page = console().page
    row(page, "talks").wait_for()
    jobs.apply(training_job("later", ["true"]))
    row(page, "later").get_by_role("cell", name="Succeeded", exact=True).wait_for()
    row(page, "later").get_by_role("button", name="More for later").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog", name="Delete later?").get_by_role("button", name="Delete").click()
    row(page, "later").wait_for(state="detached")
    wait_for("the job to be gone", lambda: jobs.get("pj", "later", check=False) is None)


def test_a_broken_connection_comes_back(console, jobs):
    page = console().page
    row(page, "talks").wait_for()
    jobs.kill()
    page.get_by_role("status").filter(has_text="Reconnecting").wait_for()
    assert row(page, "talks").is_visible()
    jobs.start()
    page.get_by_text("Live", exact=True).wait_for()
    jobs.apply(training_job("after", ["true"]))
    row(page, "after").wait_for()
    jobs.muster("delete", "pj", "after")


def test_detail_replicas_and_logs_in_chinese(console, jobs):
    tab = console(language="zh")
    page = tab.page
    page.get_by_role("link", name="talks").click()
    page.get_by_role("heading", name="基本信息").wait_for()
    for text in ("worker: 2", "200.00m / 4.00", "128.00Mi / 2.00Gi"):
        page.get_by_text(text).wait_for()
    page.get_by_role("cell", name="Initialized").wait_for()
    page.get_by_role("cell", name="Created", exact=True).wait_for()
    tab.picture("job-zh")
    page.get_by_label("详细事件").check()
    page.get_by_role("cell", name=re.compile("talks-.*-worker-0")).first.wait_for()
    page.get_by_role("link", name="副本").click()
    page.get_by_role("cell", name=re.compile("talks-.*-worker-1")).wait_for()
    assert page.get_by_role("img", name="该副本决定 Job 的结果").count() == 1
    tab.picture("replicas-zh")
    page.get_by_role("button", name="worker-1 的更多操作").click()
    assert page.get_by_role("menuitem").all_inner_texts() == ["日志", "YAML", "状况", "事件", "指标", "终端"]
    page.get_by_role("menuitem", name="日志").click()
    pod = jobs.get("pj", "talks")["status"]["tasks"][0]["replicas"][1]["name"]
    dialog = page.get_by_role("dialog", name=pod)
    dialog.get_by_text("rank 1").wait_for()
    dialog.get_by_text(NASTY).wait_for()
    dialog.get_by_text("red").wait_for()
    assert dialog.locator(".ansi-red").inner_text() == "red" and "title" not in dialog.get_by_role("log").inner_text()
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")


def test_logs_of_all_ranks_are_merged_and_searched(console, jobs):
    tab = console(f"{JOB}/talks?tab=logs")
    page = tab.page
    log = page.get_by_role("log")
    log.get_by_text("rank 0").wait_for()
    log.get_by_text("rank 1").wait_for()
    tab.picture("logs")
    page.get_by_label("Search (regular expression)").fill("^rank [01]$")
    page.get_by_text("1 of 2").wait_for()
    page.get_by_role("button", name="Next match").click()
    page.get_by_text("2 of 2").wait_for()
    page.get_by_label("Search (regular expression)").fill("(")
    page.get_by_text("Not a regular expression").wait_for()


def test_the_error_branch_names_the_cause(console, jobs):
    tab = console(f"{JOB}/broken")
    page = tab.page
    page.locator(".truth").get_by_text("exit code 1").wait_for()
    assert page.locator(".title-row").get_by_text("Failed", exact=True).is_visible()
    page.get_by_role("link", name="Logs").click()
    page.get_by_role("log").get_by_text("ValueError: no such data").wait_for()
    page.get_by_role("button", name="First error").click()
    page.get_by_role("link", name="YAML").click()
    page.get_by_role("region", name="YAML of broken").get_by_text("kind: PyTorchTrainingJob").wait_for()
    assert "managedFields" not in page.get_by_role("region", name="YAML of broken").inner_text()


def test_pause_and_resume(console, jobs):
    jobs.apply(training_job("pauses", ["sleep", "600"]))
    jobs.wait_phase("pauses", "Running")
    page = console(f"{JOB}/pauses").page
    page.get_by_role("button", name="Pause", exact=True).click()
    jobs.wait_phase("pauses", "Paused")
    page.get_by_role("button", name="Resume", exact=True).click()
    jobs.wait_phase("pauses", "Running")
    jobs.muster("delete", "pj", "pauses", "--grace-period=1")
    page.get_by_text("This job was deleted.").wait_for()
    assert page.get_by_role("button", name=re.compile("Clone|Pause|Resume|More")).count() == 0


def test_a_job_in_the_older_spelling_pauses(console, jobs):
    jobs.apply(training_job("older", ["sleep", "600"], runMode={"pause": {"enable": False}}))
    jobs.wait_phase("older", "Running")
    page = console(f"{JOB}/older").page
    page.get_by_role("button", name="Pause", exact=True).click()
    jobs.wait_phase("older", "Paused")
    assert jobs.get("pj", "older")["spec"]["runMode"]["pause"] == {"enable": True}
    page.locator(".title-row .state").filter(has_text="Paused").wait_for()
    page.get_by_role("button", name="Resume", exact=True).click()
    jobs.wait_phase("older", "Running")
    jobs.muster("delete", "pj", "older", "--grace-period=1")


def test_a_stopped_job_is_not_a_failed_one(console, jobs):
    jobs.apply(training_job("unwanted", ["sleep", "600"]))
    jobs.wait_phase("unwanted", "Running")
    tab = console()
    page = tab.page
    page.get_by_role("button", name="More for unwanted").click()
    page.get_by_role("menuitem", name="Stop").click()
    dialog = page.get_by_role("dialog", name="Stop unwanted?")
    dialog.get_by_role("button", name="Cancel").click()
    dialog.wait_for(state="detached")
    assert "muster.dev/stop" not in jobs.get("pj", "unwanted")["metadata"].get("annotations", {})
    page.get_by_role("button", name="More for unwanted").click()
    page.get_by_role("menuitem", name="Stop").click()
    dialog.get_by_role("button", name="Stop").click()
    row(page, "unwanted").get_by_role("cell", name="Stopped", exact=True).wait_for()
    tab.picture("stopped")
    page.get_by_label("Phase").select_option("Stopped")
    wait_for("the stopped job alone", lambda: names(page) == ["unwanted"])
    page.get_by_role("link", name="unwanted", exact=True).click()
    page.locator(".title-row .state").filter(has_text="Stopped").wait_for()
    assert page.locator(".truth.bad").count() == 0
    page.get_by_role("button", name="More for unwanted").click()
    assert page.get_by_role("menuitem").all_inner_texts() == ["Rerun", "Clone", "Delete"]
    jobs.muster("delete", "pj", "unwanted", "--grace-period=1")


def test_what_is_not_there_is_said(console, jobs):
    page = console(f"{JOB}/nobody").page
    page.get_by_text("Job nobody does not exist in project default.").wait_for()
    page.goto(page.url.split("/jobs/")[0] + "/no/such/page")
    page.get_by_role("heading", name="This page does not exist").wait_for()
    page.get_by_role("link", name="Go to jobs").click()
    row(page, "talks").wait_for()
    page.get_by_role("combobox", name="Project").select_option("*")
    page.get_by_role("columnheader", name="Project").wait_for()


def test_an_empty_project_says_what_to_do(console, engine):
    engine.muster("create", "namespace", "empty", check=False)
    page = console("jobs?ns=empty", language="zh").page
    page.get_by_text("暂无数据").wait_for()


def test_keys(console, jobs):
    page = console().page
    row(page, "talks").wait_for()
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keyboard shortcuts").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog", name="Keyboard shortcuts").wait_for(state="detached")
    page.keyboard.press("/")
    page.keyboard.type("brok")
    wait_for("the search", lambda: names(page) == ["broken"])
    page.get_by_role("searchbox").blur()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="broken").wait_for()
    page.go_back()
    page.keyboard.press(":")
    page.get_by_label("Go to").get_by_role("textbox").fill("talks")
    page.get_by_role("link", name="talks").last.wait_for()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_are_accessible_and_fit(console, jobs, language, theme):
    for width in (1280, 390):
        tab = console(language=language, theme=theme, width=width)
        page = tab.page
        row(page, "waits").wait_for()
        for place in ("jobs", "jobs?ns=*&hide=none&sort=name:asc", f"{JOB}/broken", *(f"{JOB}/talks?tab={name}" for name in ("replicas", "logs", "metrics", "yaml"))):
            page.goto(f"http://127.0.0.1:{jobs.port}/console/{place}")
            page.wait_for_selector("h1")
            page.get_by_text("talks" if "talks" in place else "broken").first.wait_for()
            assert_looks_right(tab, place, names=["PyTorchTrainingJob"])
            tab.picture(f"{language}-{theme}-{width}-job-{place.split('/')[-1].replace('?', '-')}")


def test_the_first_page_is_small(jobs):
    url = f"http://127.0.0.1:{jobs.port}/console/"
    page = urllib.request.urlopen(url).read().decode()
    scripts = re.findall(r'src="(/console/assets/[^"]+\.js)"', page)
    assert scripts
    total = 0
    for script in scripts:
        answer = urllib.request.urlopen(urllib.request.Request(url.replace("/console/", script, 1), headers={"Accept-Encoding": "gzip"}))
        assert answer.headers["Content-Encoding"] == "gzip" and "immutable" in answer.headers["Cache-Control"]
        total += len(answer.read())
    assert total <= 70_000, json.dumps(scripts)
