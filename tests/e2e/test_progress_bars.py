"""Progress bars: what a terminal shows while they run, and what is stored of them."""

import re
import subprocess

import pytest
from harness import MUSTER, wait_for
from pseudo_terminal import OnTerminal

UPDATES = 200_000
MANY_UPDATES = f"""
import sys
for done in range({UPDATES} + 1):
    sys.stderr.write("\\r{{:3.0f}}%|{{:<40}}| {{}}/{UPDATES}".format(done / 2000, "#" * (done // 5000), done))
print(file=sys.stderr)
print("trained")
"""
STOPS_HALF_WAY = """
import os, sys, time
rank = os.environ["RANK"]
print(f"hello of {rank}", flush=True)
sys.stderr.write(f"\\r {rank}: half way")
sys.stderr.flush()
while not os.path.exists("go"):
    time.sleep(0.02)
sys.stderr.write(f"\\r {rank}: all of it\\n")
"""


def screen(seen):
    """What a terminal shows in the end of what it was sent: lines, a cursor that goes up, and all below it erased."""
    lines, row = [""], 0
    for part in re.findall(r"\x1b\[\d+A|\x1b\[J|\x1b\[[\d;]*m|\r|\n|[^\x1b\r\n]+", seen):
        if up := re.fullmatch(r"\x1b\[(\d+)A", part):
            row -= int(up[1])
        elif part == "\x1b[J":
            del lines[row:]
            lines.append("")
        elif part == "\n":
            row += 1
            lines.extend([""] * (row + 1 - len(lines)))
        elif part != "\r" and not part.startswith("\x1b"):
            lines[row] += part
    return [line for line in lines if line]


@pytest.fixture
def terminal(engine, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    opened = []

    def start(script, *words):
        (project / "train.py").write_text(script)
        opened.append(OnTerminal([MUSTER, *words], {**engine.environment(), "PWD": str(project)}, cwd=project))
        return opened[-1]
    start.project = project
    yield start
    for one in opened:
        one.close()


def test_a_bar_of_many_updates_takes_a_fiftieth_of_its_bytes_on_a_terminal(engine, terminal):
    user = terminal(MANY_UPDATES, "run", "--name", "bar", "train.py")
    assert user.wait(60) == 0, user.seen
    written = sum(len(f"\r{done / 2000:3.0f}%|{'#' * (done // 5000):<40}| {done}/{UPDATES}") for done in range(UPDATES + 1))
    assert len(user.seen.encode()) <= 0.02 * written
    last = f"100%|{'#' * 40}| {UPDATES}/{UPDATES}"
    assert [line for line in screen(user.seen) if "|" in line] == [last], user.seen
    assert sorted(engine.muster("logs", "bar").stdout.splitlines()) == sorted([last, "trained"])
    stored = sum(f.stat().st_size for f in engine.data.glob("pods/*/logs/*/*"))
    assert stored < 0.01 * written


def test_bars_of_several_ranks_change_in_place_below_the_lines(engine, terminal):
    user = terminal(STOPS_HALF_WAY, "run", "--ranks", "2", "--name", "two", "train.py")
    wait_for("both bars", lambda: all(f"{rank}: half way" in "".join(screen(user.read())[-2:]) for rank in (0, 1)))
    assert sum("half way" in line for line in screen(user.seen)) == 2
    assert engine.muster("logs", "two").stdout.count(": half way") == 2, "as it is now"
    follower = terminal(STOPS_HALF_WAY, "logs", "-f", "two")
    wait_for("both bars", lambda: screen(follower.read()) and "half way" in screen(follower.seen)[-1])
    (terminal.project / "go").touch()
    for one in (user, follower):
        assert one.wait() == 0, one.seen
        shown = screen(one.seen)
        assert sum("all of it" in line for line in shown) == 2 and not any("half way" in line for line in shown), shown
    assert "half way" not in engine.muster("logs", "two").stdout


def test_elsewhere_a_bar_is_its_last_state(engine, terminal):
    (terminal.project / "train.py").write_text(MANY_UPDATES)
    done = subprocess.run([MUSTER, "run", "train.py"], cwd=terminal.project, env=engine.environment(), text=True, timeout=60, stdout=subprocess.PIPE)
    assert sorted(done.stdout.splitlines()) == sorted([f"100%|{'#' * 40}| {UPDATES}/{UPDATES}", "trained"])
