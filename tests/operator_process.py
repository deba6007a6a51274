"""`muster operator` as a process, for tests on a real API server."""

import contextlib
import re
import subprocess
import urllib.error
import urllib.request

from harness import MUSTER, wait_for


class OperatorProcess:
    """It can be killed and started again; what it logs is in `log`."""

    def __init__(self, kubeconfig, folder, name="operator"):
        self.kubeconfig = kubeconfig
        self.log = folder / f"{name}.log"
        self.process = None
        self.begun = 0

    def launch(self, *flags):
        """Starts it without waiting for anything."""
        self.begun = len(self.text())
        with self.log.open("a") as errors:
            self.process = subprocess.Popen([MUSTER, "operator", "--kubeconfig", self.kubeconfig, "--listen", "127.0.0.1:0", *flags],
                                            text=True, stdout=subprocess.PIPE, stderr=errors)

    def start(self, *flags):
        self.launch(*flags)
        assert self.process.stdout.readline() == "ready\n", self.text()

    def text(self):
        """All that it has logged, since its first start."""
        return self.log.read_text() if self.log.exists() else ""

    def said(self):
        """What it has logged since its last start."""
        return self.text()[self.begun:]

    def ask(self, path):
        """The status and the body of a page of its port."""
        port = wait_for("its port", lambda: re.search(r'port"?[=:]"?(\d+)', self.said()))[1]
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read().decode()

    def metric(self, series):
        """The number of a series, such as `x{a="b"}`; None if there is no such series."""
        for line in self.ask("/metrics")[1].splitlines():
            if line.startswith(series + " "):
                return float(line.rsplit(" ", 1)[1])
        return None

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=20)

    def stop(self):
        assert self.process.poll() is None, self.text()
        self.process.terminate()
        assert self.process.wait(timeout=20) == 0, self.text()

    def restart(self, *flags):
        self.stop()
        self.start(*flags)


@contextlib.contextmanager
def running_operator(kubeconfig, folder):
    operator = OperatorProcess(kubeconfig, folder)
    operator.start()
    yield operator.process
    operator.stop()
