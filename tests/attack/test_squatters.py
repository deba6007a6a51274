"""A program of another namespace that takes the address of a notebook before the notebook listens: who gets its token."""

import urllib.error
import urllib.request

import pytest

from harness import Engine, wait_for
from test_network import start

PORT = 8888
# Listens where JupyterLab would, once its folder has the file `go`; answers and prints the Authorization that it gets.
PROGRAM = """
import http.server, os, sys, time
print("started", flush=True)
while not os.path.exists("/tmp/go"):
    time.sleep(0.05)
class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        print("got", self.headers.get("Authorization"), flush=True)
        self.send_response(200)
        self.send_header("Content-Length", "8")
        self.end_headers()
        self.wfile.write(b"notebook")
http.server.ThreadingHTTPServer.allow_reuse_address = True
http.server.ThreadingHTTPServer((os.environ["POD_IP"], %d), Answer).serve_forever()
""" % PORT
# Takes whatever comes, also what comes late on connections that it accepted before it was told to stop listening.
SQUATTER = """
import os, socket, sys, threading
server = socket.create_server((%r, %d))
print("listening", flush=True)
def take(peer):
    while said := peer.recv(4096):
        print("got", said, flush=True)
        peer.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 8\\r\\n\\r\\nsquatter")
while True:
    threading.Thread(target=take, args=(server.accept()[0],), daemon=True).start()
"""


@pytest.fixture(scope="module", params=["job", "host"])
def engine(request, tmp_path_factory):
    started = Engine(tmp_path_factory.mktemp("engine"), config=f"network: {request.param}\n").start()
    started.network = request.param
    started.muster("create", "namespace", "elsewhere")
    yield started
    started.stop()


class Browser:
    """Somebody who is logged in to the page."""

    def __init__(self, engine, name):
        link = engine.muster("notebook", name).stdout.strip()
        self.url = link.split("?", 1)[0]
        try:
            answer = urllib.request.build_opener(NoRedirect()).open(link, timeout=30)
        except urllib.error.HTTPError as redirect:
            answer = redirect
        self.cookie = answer.headers["Set-Cookie"].split(";", 1)[0]

    def get(self):
        try:
            with urllib.request.urlopen(urllib.request.Request(self.url, headers={"Cookie": self.cookie}), timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def test_a_squatter_at_the_address_of_a_notebook_gets_no_token(engine):
    engine.apply({"apiVersion": "tensorstack.dev/v1beta1", "kind": "Notebook", "metadata": {"name": "victim"},
                  "spec": {"template": {"spec": {"containers": [{"name": "notebook", "image": "host", "command": ["python3", "-uc", PROGRAM]}]}}}})
    wait_for("the notebook's pod", lambda: "started" in engine.muster("logs", "-l", "muster.dev/notebook-uid", check=False).stdout)
    running = engine.muster("get", "pods", "-l", "muster.dev/notebook-uid", "-o", "jsonpath={.items[0].metadata.name} {.items[0].status.podIP}").stdout
    name, address = running.split()
    token = engine.muster("exec", name, "--", "sh", "-c", 'cat "$JUPYTER_TOKEN_FILE"').stdout.strip()
    assert len(token) > 20
    engine.wait_phase("victim", "Running", kind="notebook")
    start(engine, "squatter", SQUATTER % (address, PORT), namespace="elsewhere")
    browser = Browser(engine, "victim")
    for _ in range(20):  # before and after the squatter has accepted the connection
        status, text = browser.get()
        if engine.network == "host":
            assert status == 502 and f"port {PORT} is taken by another process" in text, text
        else:
            assert status == 503 and "is starting" in text, text
    assert "got" not in engine.muster("logs", "squatter", "-n", "elsewhere").stdout
    if engine.network == "host":
        engine.muster("delete", "pod", "squatter", "-n", "elsewhere", "--grace-period=0", "--force")
    engine.muster("exec", name, "--", "touch", "/tmp/go")
    wait_for("the notebook's own page", lambda: browser.get() == (200, "notebook"))
    wait_for("the token", lambda: f"got token {token}" in engine.muster("logs", name).stdout)
    if engine.network == "job":
        assert "got" not in engine.muster("logs", "squatter", "-n", "elsewhere").stdout
    engine.muster("delete", "notebook", "victim")
    engine.muster("delete", "pod", "squatter", "-n", "elsewhere", "--grace-period=0", "--force", check=False)
