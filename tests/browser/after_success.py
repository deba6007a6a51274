"""What the page of a job shows after it has succeeded: every replica with its log, and charts of all of them, whichever pods clean-up has taken."""

import re

from harness import wait_for

WORDS = {"zh": {"replicas": "副本", "log": "日志", "logs": "日志", "metrics": "资源监测", "more": "{} 的更多操作", "each": "各个副本", "cpu": "CPU（核）"},
         "en": {"replicas": "Replicas", "log": "Logs", "logs": "Logs", "metrics": "Monitoring", "more": "More for {}", "each": "Each replica", "cpu": "CPU (cores)"}}


def look_at_everything(page, language, logs):
    """`logs` has, by replica, a text of its log; None for a replica that writes nothing. The page is opened again, so that it knows nothing from before."""
    words = WORDS[language]
    page.reload()
    page.get_by_role("link", name=words["replicas"]).click()
    rows = page.locator("tbody tr")
    wait_for("a row for each replica", lambda: rows.count() == len(logs))
    for replica, text in logs.items():
        page.get_by_role("button", name=words["more"].format(replica), exact=True).click()
        page.get_by_role("menuitem", name=words["log"], exact=True).click()
        log = page.get_by_role("dialog").get_by_role("log")
        log.wait_for()
        if text is not None:
            log.get_by_text(re.compile(text)).first.wait_for()
        page.keyboard.press("Escape")

    page.get_by_role("link", name=words["logs"], exact=True).click()
    choices = page.locator("label.select select").first.locator("option")
    wait_for("all of them and each", lambda: choices.count() == (len(logs) + 1 if len(logs) > 1 else 1))

    page.get_by_role("link", name=words["metrics"]).click()
    page.get_by_role("img", name=re.compile(f"^{re.escape(words['cpu'])}")).wait_for()
    if len(logs) > 1:
        page.locator("label.select select").first.select_option(label=words["each"])
        chart = page.locator("figure.chart").filter(has=page.get_by_role("img", name=re.compile(f"^{re.escape(words['cpu'])}")))
        for replica in logs:
            chart.locator(".series").filter(has_text=re.compile(f"^{re.escape(replica)} ")).wait_for()
