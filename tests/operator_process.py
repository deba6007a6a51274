"""`muster operator` as a process, for tests on a real API server."""

import contextlib
import subprocess

from harness import MUSTER


class OperatorProcess:
    """It can be killed and started again; what it logs is in `log`."""

    def __init__(self, kubeconfig, folder):
        self.kubeconfig = kubeconfig
        self.log = folder / "operator.log"
        self.process = None

    def start(self, *flags):
        with self.log.open("a") as errors:
            self.process = subprocess.Popen([MUSTER, "operator", "--kubeconfig", self.kubeconfig, *flags], text=True,
                                            stdout=subprocess.PIPE, stderr=errors)
        assert self.process.stdout.readline() == "ready\n", self.log.read_text()

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=20)

    def stop(self):
        assert self.process.poll() is None, self.log.read_text()
        self.process.terminate()
        self.process.wait(timeout=20)

    def restart(self, *flags):
        self.stop()
        self.start(*flags)


@contextlib.contextmanager
def running_operator(kubeconfig, folder):
    operator = OperatorProcess(kubeconfig, folder)
    operator.start()
    yield operator.process
    operator.stop()
