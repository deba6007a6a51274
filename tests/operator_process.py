"""`muster operator` as a process, for tests on a real API server."""

import contextlib
import subprocess

from harness import MUSTER


@contextlib.contextmanager
def running_operator(kubeconfig, folder):
    log = folder / "operator.log"
    with log.open("a") as errors:
        process = subprocess.Popen([MUSTER, "operator", "--kubeconfig", kubeconfig], text=True,
                                   stdout=subprocess.PIPE, stderr=errors)
    assert process.stdout.readline() == "ready\n", log.read_text()
    yield process
    assert process.poll() is None, log.read_text()
    process.terminate()
    process.wait(timeout=20)
