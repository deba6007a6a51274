"""What every page must look like, in both languages and themes and on a phone: found by machine, not by eye."""

import pytest
from harness import ROOT

AXE = ROOT / "console" / "node_modules" / "axe-core" / "axe.min.js"

# Texts that wider ones are cut to, without a way to read the rest. What scrolls is not cut.
CUT = """
() => {
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data.trim();
    if (!text || !node.parentElement.checkVisibility({ visibilityProperty: true }) || node.parentElement.closest("[aria-hidden=true], title, option")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const right = range.getBoundingClientRect().right;
    for (let at = node.parentElement; at !== document.body; at = at.parentElement) {
      const { overflowX, position } = getComputedStyle(at);
      if (overflowX === "auto" || overflowX === "scroll" || position === "fixed" || at.matches(".table-head")) break;  // the head scrolls with its table
      if (overflowX === "visible" || right <= at.getBoundingClientRect().right + 1) continue;
      if (!node.parentElement.closest("[title]")) found.add(text);
      break;
    }
  }
  return [...found];
}
"""

# What a person must move sideways to read the rest of. That is never the page, nor messages on a phone; a list only where one asked for more columns.
SIDEWAYS = """
() => {
  const isPhone = innerWidth <= 720;
  const lists = isPhone || !new URLSearchParams(location.search).has("hide") ? document.querySelectorAll(".table-scroll") : [];
  const messages = isPhone ? [...document.querySelectorAll(".message")].map((one) => one.closest(".scroll-x, main")) : [];
  return [document.documentElement, ...lists, ...messages].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.className || one.localName);
}
"""

# Words of the console itself; what objects, events and the server say is left as it is.
WORDS = """
() => [...document.querySelectorAll("h1, h2, h3, th, [role=columnheader], dt, label, button, summary, legend, figcaption, .frame > nav a, .tabs a, .empty p")]
  .filter((one) => one.checkVisibility() && !one.matches(".object, .brand") && !one.querySelector(".object, .shape, select"))
  .map((one) => one.innerText.trim())
  .concat([...document.querySelectorAll("[placeholder]")].map((one) => one.placeholder))
"""

# Names that have no Chinese one in the tutorials.
NAMES = {"Job", "Notebook", "TensorBoard", "Pod", "PodGroup", "Secret", "ConfigMap", "YAML", "CPU", "GPU", "UID", "Rank", "Shell", "English"}


def is_english(text):
    return any(letter.isascii() and letter.isalpha() for letter in text) and not any("\u4e00" <= letter <= "\u9fff" for letter in text)


def serious_problems(page):
    """What axe finds; it is evaluated, not loaded, because the page's policy allows no foreign scripts."""
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in found["violations"] if one["impact"] in ("serious", "critical")]


def assert_looks_right(tab, where, names=()):
    """`names` are those of kinds and roles that the page has as headings or tabs."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed; the build of the console installs it")
    page = tab.page
    width = page.viewport_size["width"]
    assert serious_problems(page) == [], (where, width)
    assert page.evaluate("[innerWidth, document.documentElement.scrollWidth]") == [width, width], (where, width)
    assert page.evaluate(SIDEWAYS) == [], (where, width)
    assert (cut := page.evaluate(CUT)) == [], (where, width, cut)
    if tab.language == "zh":
        words = {text for text in page.evaluate(WORDS) if is_english(text)}
        assert words - NAMES - set(names) == set(), (where, width)
