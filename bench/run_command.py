"""The measure of `muster run`, against the same script without it."""

import pathlib
import statistics
import subprocess
import tempfile
import time

from harness import MUSTER, Engine
from report import bound

TURNS = 25


def seconds_to_last_line(command, folder, environment):
    begin = time.monotonic()
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        said = [(line, time.monotonic() - begin) for line in process.stdout]
    if process.returncode != 0 or [line for line, _ in said] != ["hello\n"]:
        raise SystemExit(f"cannot measure: {command} ended with {process.returncode} and said {said}")
    return said[-1][1]


def b27(_wanted):
    """`muster run hello.py` from its start to the last line of the script, minus the same of Python alone."""
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(folder).start()
        project = pathlib.Path(folder) / "project"
        project.mkdir()
        (project / "hello.py").write_text("print('hello')\n")
        run = [MUSTER, "run", "hello.py"]
        seconds_to_last_line(run, project, engine.environment())  # what is cached afterwards
        ours, bare = [], []
        for _ in range(TURNS):
            ours.append(seconds_to_last_line(run, project, engine.environment()))
            bare.append(seconds_to_last_line(["python", "hello.py"], project, engine.environment()))
        bound("B27", (statistics.median(ours) - statistics.median(bare)) * 1000, 60, "ms")
        engine.stop()
