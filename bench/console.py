"""B12 in Debian's Chromium: bench/console.py LINK, with a one-time login link of an engine that has many jobs, prints what it measured.

It runs in the environment of `tools/install_packages browser`. All times are of the browser's own clock, in milliseconds.
"""

import json
import re
import sys
import urllib.request

from playwright.sync_api import sync_playwright

TURNS = 5
CHANGES = 60
OPTIONS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
JOBS = "/console/jobs"
LONG_LOG = "/console/pods/default/long?tab=logs"  # of a pod whose last line says "the end"
ALL_COLUMNS = "?hide=none"  # labels are not shown otherwise

# Something counts when its text is there, and a frame with it has been shown. The page says so itself: whatever else
# looked at it meanwhile would take its time.
ROW = """() => document.querySelector(".table-body .name-cell a")?.textContent"""
LAST_LINE = """() => [...document.querySelectorAll(".line")].some((line) => line.textContent.includes("the end"))"""
WATCH = """
(login, seen) => {
  sessionStorage.setItem("muster-login", JSON.stringify(login));
  const observer = new MutationObserver(() => {
    if (!seen()) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => { console.log("visible", performance.now()); }));
  });
  observer.observe(document, { childList: true, subtree: true });
}
"""

# From before the request that changes a label to the frame that shows it.
CHANGE = """
async ([path, value]) => {
  const { token } = JSON.parse(sessionStorage.getItem("muster-login"));
  const body = document.querySelector(".table-body");
  const begin = performance.now();
  const shown = new Promise((resolve) => {
    const look = () => {
      if (!body.textContent.includes(value)) return false;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begin)));
      return true;
    };
    const observer = new MutationObserver(look);
    observer.observe(body, { childList: true, subtree: true, characterData: true });
  });
  const answer = await fetch(path, { method: "PATCH", body: JSON.stringify({ metadata: { labels: { turn: value } } }),
    headers: { "Content-Type": "application/merge-patch+json", Authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(await answer.text());
  return shown;
}
"""

# Down through all rows, some rows in each frame; the time of each frame.
SCROLL = """
() => new Promise((resolve) => {
  const frames = [];
  let last;
  const step = (now) => {
    if (last !== undefined) frames.push(now - last);
    last = now;
    const before = scrollY;
    scrollBy(0, 600);
    if (scrollY > before && frames.length < 600) requestAnimationFrame(step);
    else resolve(frames);
  };
  requestAnimationFrame(step);
})
"""


def log_in(link):
    home, code, server = re.fullmatch(r"(.*)#login=([0-9a-f]+)&server=([0-9a-f]+)", link).groups()
    request = urllib.request.Request(home + "login", method="POST", headers={"Authorization": f"Bearer {code}"})
    return home.removesuffix("/console/"), {"token": json.load(urllib.request.urlopen(request))["token"], "server": server}


def blank_paint(browser, base):
    """A page of the same server with two letters on it."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(base + "/healthz")
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length > 0")
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    context.close()
    return paint


def open_page(browser, base, login, path, seen):
    """Returns also when what `seen` looks for was there. A new context has an empty cache."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.add_init_script(f"({WATCH})({json.dumps(login)}, {seen})")
    with page.expect_console_message(lambda message: message.text.startswith("visible")) as said:
        page.goto(base + path, wait_until="commit")
    return context, page, float(said.value.text.split()[-1])


def main():
    base, login = log_in(sys.argv[1])
    measured = {"blank": [], "rows": [], "changes": [], "frames": [], "log": []}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=OPTIONS)
        blank_paint(browser, base)  # the first page of a browser pays for its start
        for _ in range(TURNS):
            measured["blank"].append(blank_paint(browser, base))
            context, page, visible = open_page(browser, base, login, JOBS, ROW)
            measured["rows"].append(visible)
            page.wait_for_selector("text=/ of 10000$/")  # the engine is at rest before the next turn
            context.close()
        for _ in range(TURNS):
            context, _, visible = open_page(browser, base, login, LONG_LOG, LAST_LINE)
            measured["log"].append(visible)
            context.close()
        context, page, _ = open_page(browser, base, login, JOBS + ALL_COLUMNS, ROW)
        page.wait_for_selector("text=/ of 10000$/")
        names = page.locator(".table-body .name-cell a").all_inner_texts()[:10]
        for change in range(CHANGES):
            path = f"/apis/kubeflow.org/v1/namespaces/default/pytorchjobs/{names[change % len(names)]}"
            measured["changes"].append(page.evaluate(CHANGE, [path, f"value-{change}"]))
        measured["frames"] = page.evaluate(SCROLL)
        browser.close()
    print(json.dumps(measured))


if __name__ == "__main__":
    main()
