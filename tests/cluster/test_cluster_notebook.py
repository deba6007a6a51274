"""Tutorial 003 on a real cluster: a notebook, the script that is written in it, and the job that runs the script."""

import base64
import contextlib
import json
import re
import subprocess
import urllib.request
import uuid

import pytest
from harness import MUSTER, wait_for
from overlay import EXAMPLES, example
from page import WebSocket
from real_cluster import open_to_pods, place_images

SCRIPT = "torch_mnist_trainingjob.py"


class Lab:
    """JupyterLab behind `muster port-forward`."""

    def __init__(self, port, token):
        self.url = f"http://127.0.0.1:{port}/notebook/default/mnist/"
        self.headers = {"Authorization": f"token {token}", "Content-Type": "application/json"}

    def request(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(urllib.request.Request(self.url + path, data, self.headers, method=method), timeout=60) as answer:
            return json.loads(answer.read() or "null")

    def answers(self):
        try:
            return self.request("GET", "api/status")
        except OSError:
            return None  # it is starting

    def run(self, code):
        """What a kernel answers."""
        kernel = self.request("POST", "api/kernels", {"name": "python3"})["id"]
        channels = WebSocket(f"{self.url}api/kernels/{kernel}/channels", self.headers)
        assert channels.status == 101
        header = {"msg_id": uuid.uuid4().hex, "session": uuid.uuid4().hex, "username": "", "date": "", "msg_type": "execute_request", "version": "5.3"}
        channels.send({"channel": "shell", "header": header, "parent_header": {}, "metadata": {}, "buffers": [],
                       "content": {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}})
        result = channels.receive_until(lambda message: message["msg_type"] in ("execute_result", "error"))
        channels.close()
        self.request("DELETE", f"api/kernels/{kernel}")
        return result["content"]


@contextlib.contextmanager
def port_forward(cluster, target):
    process = subprocess.Popen([MUSTER, "port-forward", target, ":80"], env=cluster.environment, text=True, stdout=subprocess.PIPE)
    try:
        yield int(re.search(r"127\.0\.0\.1:(\d+)", process.stdout.readline())[1])
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="module")
def volume(whole_cluster):
    """The claim of the tutorial, with the data that its script would download."""
    folder = whole_cluster.make_claim("mnist")
    place_images(folder / "data")
    open_to_pods(folder)
    return folder


def test_003_a_notebook_and_the_job_that_runs_its_script(cluster, volume):
    cluster.create(example("notebook.yaml"))
    wait_for("the notebook", lambda: cluster.get("notebook", "mnist").get("status", {}).get("phase") == "Running", timeout=120)
    token = base64.b64decode(cluster.get("secret", "mnist-nb")["data"]["token"]).decode()
    with port_forward(cluster, "svc/mnist-nb") as port:
        lab = Lab(port, token)
        wait_for("JupyterLab", lab.answers, timeout=60)
        script = (EXAMPLES / "pytorchtrainingjob" / "ddp" / SCRIPT).read_text()
        lab.request("PUT", f"api/contents/{SCRIPT}", {"type": "file", "format": "text", "content": script})
        assert lab.run("import torch; torch.ones(3).sum().item()")["data"] == {"text/plain": "3.0"}
    assert (volume / SCRIPT).read_text() == script
    job, log = cluster.train(example("parallel-training/job_cpu.yaml"), "pj")
    assert job["status"]["phase"] == "Succeeded", log[-3000:]
    assert "rank 3 of 4" in log and (volume / "model_state_dict.pt").exists()
    cluster.delete("pj", "mnist")
    cluster.muster("delete", "notebook", "mnist")
    wait_for("all that it had to go", lambda: not json.loads(
        cluster.muster("get", "deployments,services,secrets", "mnist-nb", "--ignore-not-found", "-o", "json").stdout or "{}").get("items"))
