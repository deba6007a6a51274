"""A browser on the console: Debian's Chromium, driven by Playwright. Nothing on a page may break its content policy."""

import os
import pathlib

import pytest
from harness import NO_GPUS, Engine

CHROMIUM = "/usr/bin/chromium"
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync"]
PICTURES = os.environ.get("MUSTER_PICTURES")  # a folder for screenshots of every page that a test looks at


@pytest.fixture(scope="session")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed; tools/install_packages browser installs it")
    if not os.path.exists(CHROMIUM):
        pytest.skip("Chromium is not installed; tools/install_packages browser installs it")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


class Console:
    """A tab that is logged in."""

    def __init__(self, chromium, engine, language="en", width=1280, theme="light"):
        self.engine = engine
        self.language = language
        self.context = chromium.new_context(viewport={"width": width, "height": 800}, locale="zh-CN" if language == "zh" else "en-US",
                                            color_scheme=theme, timezone_id="Asia/Shanghai")
        self.page = self.context.new_page()
        self.page.set_default_timeout(30_000)
        self.problems = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", self.on_message)
        self.page.on("dialog", lambda dialog: self.problems.append(f"dialog {dialog.message}"))

    def on_message(self, message):
        # The browser reports every refused request; what the page makes of it is what tests look at.
        if message.type == "error" and not message.text.startswith(("Failed to load resource", "WebSocket connection to")):
            self.problems.append(message.text)

    def open(self, path="jobs"):
        """Follows a one-time link to the page."""
        link = self.engine.muster("console", "--no-open").stdout.strip()
        self.page.goto(link.replace("/console/#", f"/console/{path}#"))
        self.page.wait_for_selector("header.top")
        return self.page

    def picture(self, name):
        if PICTURES:
            pathlib.Path(PICTURES).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=f"{PICTURES}/{name}.png")

    def close(self):
        self.context.close()
        assert self.problems == []


@pytest.fixture
def console(chromium, engine, request):
    """Opens tabs; at the end of the test no page may have reported an error."""
    tabs = []

    def open_tab(path="jobs", **options):
        tabs.append(Console(chromium, engine, **options))
        tabs[-1].open(path)
        return tabs[-1]
    yield open_tab
    for tab in tabs:
        tab.close()


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    made = Engine(tmp_path_factory.mktemp("console"), config=NO_GPUS).start()
    if "has no console" in made.run(["curl", "-s", f"http://127.0.0.1:{made.port}/console/"]).stdout:
        made.stop()
        pytest.skip("this build has no console: npm or its packages were missing")
    yield made
    made.stop()
