"""The same console on a Kubernetes cluster: `muster console --kubeconfig F` with a real API server, where the test acts as the kubelet."""

import json
import os
import subprocess
import uuid

import pytest
from conftest import Console
from harness import MUSTER, training_job, wait_for


class ClusterConsole:
    """`muster console` for a cluster, with the interface that Console expects of an engine."""

    def __init__(self, kubeconfig, folder):
        self.kubeconfig = kubeconfig
        self.folder = folder

    def muster(self, *words, stdin=None, check=True):
        if words == ("console", "--no-open"):
            self.process = subprocess.Popen([MUSTER, "console", "--no-open", "--kubeconfig", self.kubeconfig], text=True,
                                            stdout=subprocess.PIPE, stderr=(self.folder / "console.log").open("a"))
            return subprocess.CompletedProcess(words, 0, stdout=self.process.stdout.readline())
        done = subprocess.run([MUSTER, *words, "--kubeconfig", self.kubeconfig], input=stdin, text=True, capture_output=True, check=False)
        assert not check or done.returncode == 0, done.stderr
        return done

    def stop(self):
        self.process.terminate()
        return self.process.wait(timeout=20)


@pytest.fixture
def cluster(tmp_path):
    path = os.environ.get("MUSTER_CONTRACT_KUBECONFIG")
    if not path:
        pytest.skip("there is no real API server: run this with tests/contract/real_kubernetes.sh")
    yield ClusterConsole(path, tmp_path)


def test_the_console_of_a_cluster_lists_creates_and_deletes_jobs(chromium, cluster, tmp_path):
    name = f"on-a-cluster-{uuid.uuid4().hex[:6]}"
    operator = subprocess.Popen([MUSTER, "operator", "--kubeconfig", cluster.kubeconfig, "--listen", ""], text=True, stdout=subprocess.PIPE,
                                stderr=(tmp_path / "operator.log").open("w"))
    assert operator.stdout.readline() == "ready\n"
    tab = Console(chromium, cluster)
    page = tab.open("jobs")
    job = training_job(name, ["true"])
    cluster.muster("create", "-f", "-", stdin=json.dumps(job))
    page.get_by_role("link", name=name, exact=True).click()
    page.get_by_role("heading", name=name).wait_for()

    def pods():
        listed = cluster.muster("get", "pods", "-l", f"tensorstack.dev/owner-name={name}", "-o", "name").stdout.split()
        return [one.split("/")[-1] for one in listed]
    pod = wait_for("the operator's pod", pods)[0]
    page.get_by_role("link", name="Replicas").click()
    page.get_by_text(pod).wait_for()
    cluster.muster("patch", "pod", pod, "--subresource", "status", "--type", "merge", "-p", '{"status": {"phase": "Running"}}')
    page.locator("td .state").filter(has_text="Running").wait_for()
    # What only an engine measures is said in one sentence.
    page.get_by_role("link", name="Monitoring").click()
    page.get_by_text("a service of Muster's own engine").first.wait_for()
    page.get_by_role("button", name=f"More for {name}").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    wait_for("the job to be gone", lambda: cluster.muster("get", "pj", name, check=False).returncode == 3)
    tab.close()
    assert cluster.stop() == 130
    operator.terminate()
    operator.wait(timeout=20)
