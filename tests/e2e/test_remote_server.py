"""Our commands against a remote server: credentials that are renewed, and requests that are retried."""

import http.server
import json
import os
import socketserver
import subprocess
import threading
import time

import pytest
import yaml
from harness import MUSTER, wait_for

LIST = {"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": []}


class ScriptedServer:
    """Plain HTTP. Each request takes the next step of the script: (status, headers, body), or None to disconnect."""

    def __init__(self, steps):
        self.steps = list(steps)
        self.seen = []  # (method, token)
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                outer.seen.append((self.command, self.headers.get("Authorization")))
                step = outer.steps.pop(0) if outer.steps else (500, {}, {"message": "the script is at its end"})
                if step is None:
                    self.close_connection = True
                    return
                status, headers, body = step
                body = json.dumps(body).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def kubeconfig(self, folder, **user):
        path = folder / "remote"
        path.write_text(json.dumps({
            "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{self.server.server_port}"}}],
            "users": [{"name": "u", "user": user or {"token": "t"}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))
        return path


@pytest.fixture
def scripted():
    made = []

    def make(*steps):
        made.append(ScriptedServer(steps))
        return made[-1]

    yield make
    for one in made:
        one.server.shutdown()
        one.server.server_close()


def muster(kubeconfig, *words, stdin=None):
    env = {k: v for k, v in os.environ.items() if k != "KUBECONFIG"}
    return subprocess.run([MUSTER, *words, "--kubeconfig", kubeconfig], env=env, input=stdin, text=True, timeout=60,
                          capture_output=True, check=False)


def plugin(folder, status):
    """A credential plugin that counts its runs and prints `status`, expanded by the shell, in which $n is the count."""
    path = folder / "plugin"
    path.write_text(f"""#!/bin/sh
echo run >>"{folder}/runs"
n=$(wc -l <"{folder}/runs")
cat <<END
{{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": {status}}}
END
""")
    path.chmod(0o755)
    return {"apiVersion": "client.authentication.k8s.io/v1", "command": "./plugin", "interactiveMode": "Never"}


def runs(folder):
    return len((folder / "runs").read_text().splitlines())


def token_of(engine):
    return yaml.safe_load(engine.kubeconfig.read_text())["users"][0]["user"]["token"]


def engine_with(engine, folder, **user):
    """Returns the path of a copy of the engine's kubeconfig with another user."""
    config = yaml.safe_load(engine.kubeconfig.read_text())
    config["users"][0]["user"] = user
    path = folder / "kubeconfig"
    path.write_text(yaml.safe_dump(config))
    return path


def test_a_refused_credential_is_asked_for_once_more(engine, tmp_path):
    path = engine_with(engine, tmp_path, exec=plugin(tmp_path, f'{{"token": "$(cat {tmp_path}/token.$n)"}}'))
    (tmp_path / "token.1").write_text("revoked")
    (tmp_path / "token.2").write_text(token_of(engine))
    done = muster(path, "get", "namespaces", "-o", "name")
    assert done.returncode == 0 and "namespace/default" in done.stdout, done.stderr
    assert runs(tmp_path) == 2

    for n in range(3, 6):
        (tmp_path / f"token.{n}").write_text(f"revoked{n}")
    refused = muster(path, "get", "namespaces")
    assert refused.returncode != 0 and "nauthorized" in refused.stderr
    assert runs(tmp_path) == 4, "once when the kubeconfig is read, once after the refusal"


def disconnect(peer):
    peer.recv(4096)


def say_nothing(peer):
    while peer.recv(4096):
        pass


def speak_ssh(peer):
    peer.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
    say_nothing(peer)


def speak_html(peer):
    peer.recv(4096)
    peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>")
    say_nothing(peer)


@pytest.mark.parametrize(("behave", "why"), [
    (disconnect, "lost before the answer was complete"),
    (say_nothing, "no answer to GET /version within 5s"),
    (speak_ssh, "does not answer in HTTP: bad version"),
    (speak_html, "its response to GET /version is not a version of Kubernetes"),
])
def test_the_console_soon_reports_a_server_that_is_none(tmp_path, behave, why):
    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            behave(self.request)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        (tmp_path / "kubeconfig").write_text(json.dumps({
            "current-context": "c", "clusters": [{"name": "c", "cluster": {"server": url}}],
            "contexts": [{"name": "c", "context": {"cluster": "c"}}]}))
        began = time.monotonic()
        failed = muster(tmp_path / "kubeconfig", "console", "--no-open")
        server.shutdown()
    assert time.monotonic() - began < 8
    assert failed.returncode == 6
    assert f"cannot reach the API server at {url}" in failed.stderr and why in failed.stderr


def test_an_expired_credential_is_not_shown(engine, tmp_path):
    status = {"token": token_of(engine), "expirationTimestamp": "2020-01-01T00:00:00Z"}
    path = engine_with(engine, tmp_path, exec=plugin(tmp_path, json.dumps(status)))
    assert muster(path, "get", "namespaces").returncode == 0
    assert runs(tmp_path) >= 2


def test_a_following_command_outlives_a_restart(engine, tmp_path):
    (tmp_path / "token").write_text(token_of(engine))
    path = engine_with(engine, tmp_path, tokenFile="token")
    env = {k: v for k, v in os.environ.items() if k != "KUBECONFIG"}
    watcher = subprocess.Popen([MUSTER, "get", "configmaps", "--watch", "-o", "name", "--kubeconfig", path], env=env,
                               stdout=open(tmp_path / "out", "w"), stderr=open(tmp_path / "err", "w"))
    try:
        engine.muster("create", "-f", "-", stdin="{apiVersion: v1, kind: ConfigMap, metadata: {name: before}}")
        wait_for("the first event", lambda: "configmap/before" in (tmp_path / "out").read_text())
        engine.kill()
        engine.start()
        engine.muster("create", "-f", "-", stdin="{apiVersion: v1, kind: ConfigMap, metadata: {name: after}}")
        wait_for("an event after the restart", lambda: "configmap/after" in (tmp_path / "out").read_text())
    finally:
        watcher.kill()
        watcher.wait()


def test_a_renewed_token_file_is_read_after_a_refusal(scripted, tmp_path):
    (tmp_path / "token").write_text("old\n")
    server = scripted((401, {}, {}), (200, {}, LIST))
    path = server.kubeconfig(tmp_path, tokenFile="token")
    # The server sees the old token; then the file has a new one.
    original = server.server.RequestHandlerClass.answer

    def answer(self):
        (tmp_path / "token").write_text("new\n")
        original(self)

    server.server.RequestHandlerClass.do_GET = answer
    done = muster(path, "get", "configmaps", "-o", "name")
    assert done.returncode == 0, done.stderr
    assert server.seen == [("GET", "Bearer old"), ("GET", "Bearer new")]


def test_a_busy_server_is_asked_again(scripted, tmp_path):
    server = scripted((429, {"Retry-After": "1"}, {}), (503, {"Retry-After": "0"}, {}), (200, {}, LIST))
    done = muster(server.kubeconfig(tmp_path), "get", "configmaps", "-o", "name")
    assert done.returncode == 0, done.stderr
    assert len(server.seen) == 3

    tired = scripted((429, {"Retry-After": "600"}, {"message": "come back tomorrow"}))
    assert muster(tired.kubeconfig(tmp_path), "get", "configmaps", "-o", "name").returncode != 0
    assert len(tired.seen) == 1


def test_only_what_can_be_done_twice_is_sent_twice(scripted, tmp_path):
    server = scripted(None, (200, {}, LIST))
    done = muster(server.kubeconfig(tmp_path), "get", "configmaps", "-o", "name")
    assert done.returncode == 0, done.stderr
    assert [method for method, _ in server.seen] == ["GET", "GET"]

    once = scripted(None)
    assert muster(once.kubeconfig(tmp_path), "delete", "configmap", "a").returncode != 0
    assert [method for method, _ in once.seen].count("DELETE") <= 1
