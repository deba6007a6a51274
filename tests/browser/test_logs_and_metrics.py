"""Long logs, links to lines, and charts on one time axis."""

import re

import pytest
from after_success import look_at_everything
from harness import training_job, wait_for

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed; tools/install_packages browser installs it")

JOB = "jobs/default/pytorchtrainingjobs.batch.tensorstack.dev"
# 60,000 lines with a number each, one of 10 MB, terminal escapes, and a progress bar that draws over itself.
LONG = r"""
import sys
for n in range(60000): print(f"line {n:06d}")
print("\033[2J\033]0;title\007" + "y" * 10_000_000)
for n in range(500): sys.stdout.write(f"\rprogress {n}/499")
print("\nthe end", flush=True)
"""


@pytest.fixture(scope="module")
def jobs(engine):
    engine.volume("work")
    engine.apply(training_job("long", ["python3", "-c", LONG]))
    burn = "n=0; while [ ! -e stop ]; do n=$((n+1)); done"
    engine.apply(training_job("burns", ["sh", "-c", burn], 2))
    again = "if [ ! -e tried ]; then touch tried; exit 1; fi; sleep 600"
    engine.apply(training_job("again", ["sh", "-c", again], role={"restartPolicy": "OnFailure"}))
    engine.wait_phase("long", "Succeeded")
    engine.wait_phase("burns", "Running")
    yield engine
    (engine.data / "volumes" / "default" / "work" / "stop").write_text("")


def shown(page):
    return [line.inner_text() for line in page.get_by_role("log").locator(".line .text").all()]


def test_a_long_log_opens_at_its_end_and_more_comes_on_demand(console, jobs):
    tab = console(f"{JOB}/long?tab=logs")
    page = tab.page
    log = page.get_by_role("log")
    log.get_by_text("the end", exact=True).wait_for()
    log.get_by_text("progress 499/499", exact=True).wait_for()
    assert log.get_by_text(re.compile("^progress")).count() == 1, "a progress bar is one line"
    assert len(page.content()) < 2_000_000, "a line of 10 MB is not on the page"
    page.get_by_label("Search (regular expression)").fill("line 000007")
    page.get_by_text("No match").wait_for()
    page.get_by_role("button", name="Load earlier lines").click()
    page.get_by_role("button", name="Load earlier lines").click()
    page.get_by_text("1 of 1").wait_for()
    page.get_by_role("button", name="Next match").click()
    log.get_by_text("line 000007", exact=True).wait_for()
    page.get_by_label("Wrap").check()
    page.get_by_role("button", name="Next match").click()
    log.get_by_text("line 000007", exact=True).wait_for()
    assert "line 059999" not in shown(page)
    tab.picture("long-log")


def test_a_link_leads_to_its_line(console, jobs):
    page = console(f"{JOB}/long?tab=logs").page
    log = page.get_by_role("log")
    log.get_by_text("the end", exact=True).wait_for()
    page.get_by_role("button", name="Load earlier lines").click()
    page.get_by_label("Search (regular expression)").fill("line 030000")
    page.get_by_text("1 of 1").wait_for()
    line = log.locator(".line").filter(has_text="line 030000")

    def follow_link():
        """Earlier lines that still arrive move the others, so it may have to be looked for again."""
        page.get_by_role("button", name="Next match").click()
        try:
            line.hover(timeout=2000)
            line.get_by_role("link", name="Link to this line").click(timeout=2000)
        except playwright.TimeoutError:
            return False
        return "#Lworker-0@" in page.url
    wait_for("the link", follow_link)
    page.reload()
    log.locator(".line.current").get_by_text("line 030000", exact=True).wait_for()
    page.get_by_role("button", name="Go to the end").click()
    log.get_by_text("the end", exact=True).wait_for()
    page.get_by_label("Since").select_option("3600")
    wait_for("the choice in the address", lambda: "since=3600" in page.url)
    log.get_by_text("the end", exact=True).wait_for()


def chart(page, title):
    return page.locator("figure").filter(has_text=title)


def test_charts_show_each_replica_and_a_part_of_the_time(console, jobs):
    tab = console(f"{JOB}/burns?tab=metrics")
    page = tab.page
    page.get_by_role("img", name=re.compile(r"CPU \(cores\), now ")).wait_for()
    page.get_by_label("Timeline marks").get_by_text("Started").wait_for()
    page.get_by_label("Replicas").select_option("*")
    for worker in ("worker-0", "worker-1"):
        chart(page, "CPU (cores)").get_by_text(re.compile(f"^{worker} ")).wait_for()
    wait_for("several measurements", lambda: chart(page, "CPU (cores)").locator("path.usage").first.get_attribute("d").count("L") > 3)

    def drag():
        """Charts that arrive later move the others, so it may have to be done again."""
        box = page.get_by_role("img", name=re.compile(r"CPU \(cores\), now ")).bounding_box()
        page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 40)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 40, steps=5)
        page.mouse.up()
        return re.search(r"from=\d+.*to=\d+", page.url)
    wait_for("the range in the address", drag)
    tab.picture("metrics-part")
    page.get_by_role("button", name="Full range").click()
    wait_for("the whole range", lambda: "from=" not in page.url)
    page.get_by_text("Custom range").click()
    page.get_by_label("From", exact=True).fill("2026-01-01T00:00:00")
    page.get_by_label("From", exact=True).blur()
    wait_for("the range in the address", lambda: "from=" in page.url)


def test_restarts_are_marked(console, jobs):
    wait_for("the second attempt", lambda: jobs.get("pj", "again")["status"].get("backoffCount") == 1)
    jobs.wait_phase("again", "Running")
    page = console(f"{JOB}/again?tab=metrics").page
    page.get_by_label("Timeline marks").get_by_text("Attempt 2").wait_for()
    page.locator("line.mark-line").first.wait_for(state="attached")
    jobs.muster("delete", "pj", "again", "--grace-period=1")


# A bar for each rank, as far as the test says.
BARS = r"""
import os, sys, time
rank = os.environ["RANK"]
print(f"hello of {rank}", flush=True)
done = None
while done != "100":
    time.sleep(0.02)
    now = open("done").read().strip()
    if now != done:
        done = now
        sys.stderr.write(f"\rrank {rank} {done:>3}/100")
        sys.stderr.flush()
sys.stderr.write("\n")
while not os.path.exists("enough"):
    time.sleep(0.02)
"""


def test_bars_of_two_ranks_move_in_place_and_stay_after_a_pause_and_the_end(console, jobs):
    work = jobs.data / "volumes" / "default" / "work"

    def go_to(percent):
        (work / "done.new").write_text(str(percent))
        (work / "done.new").rename(work / "done")
    go_to(10)
    jobs.apply(training_job("bars", ["python3", "-c", BARS], 2))
    jobs.wait_phase("bars", "Running")
    tab = console(f"{JOB}/bars?tab=logs")
    page = tab.page
    log = page.get_by_role("log")
    moving = log.locator(".line.unfinished")

    def bars():
        return sorted((line.locator(".source").inner_text(), line.locator(".text").inner_text()) for line in moving.all())

    for percent in (10, 35, 60):
        go_to(percent)
        wait_for(f"{percent} of both ranks", lambda: bars() == [(f"worker-{rank}", f"rank {rank} {percent:>3}/100") for rank in (0, 1)])
        assert log.get_by_text("/100").count() == 2, "one line for each rank, however often it changes"
    assert len({round(source.bounding_box()["x"]) for source in log.locator(".source").all()}) == 1, "they stand below the lines"
    tab.picture("bars")
    go_to(100)
    wait_for("both lines to be whole", lambda: moving.count() == 0)
    assert sorted(text for text in shown(page) if "/100" in text) == [f"rank {rank} 100/100" for rank in (0, 1)]

    # Its pods go with a pause, and the job itself when it is deleted; its page shows what they left.
    logs = {f"worker-{rank}": f"hello of {rank}" for rank in (0, 1)}
    page.get_by_role("link", name="Monitoring").click()
    wait_for("several measurements", lambda: (chart(page, "CPU (cores)").locator("path.usage").first.get_attribute("d") or "").count("L") > 3)
    page.get_by_role("button", name="Pause", exact=True).click()
    jobs.wait_phase("bars", "Paused")
    wait_for("its pods to end", lambda: "bars-" not in jobs.muster("get", "pods", "-o", "name").stdout)
    look_at_everything(page, "en", logs)
    page.locator(".title-row").get_by_role("img", name="Paused").wait_for()
    jobs.muster("delete", "pj", "bars", "--grace-period=1")
    page.get_by_text("This job was deleted.").wait_for()
    look_at_everything(page, "en", logs)
    page.get_by_text("This job was deleted. What its replicas wrote and used is still kept.").wait_for()
    tab.picture("deleted-job")
    (work / "enough").touch()
