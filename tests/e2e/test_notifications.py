"""Targets that are told how jobs go, with real HTTP, mail and programs."""
import http.server
import json
import os
import re
import shutil
import socketserver
import ssl
import subprocess
import textwrap
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest

from api_socket import Api
from harness import MUSTER, Engine, training_job, wait_for

TOKEN = "T0KEN-of-the-hook"


class Hook(http.server.ThreadingHTTPServer):
    """A web hook that answers as the test says."""
    daemon_threads = True
    scheme = "http"

    def __init__(self):
        self.got = []
        self.status = 200
        self.answer = "{}"
        self.let_go = threading.Event()
        self.let_go.set()
        hook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hook.got.append((self.path, json.loads(body)))
                hook.let_go.wait(60)
                self.send_response(hook.status)
                self.end_headers()
                self.wfile.write(hook.answer.encode())

            def log_message(self, *_):
                pass
        super().__init__(("127.0.0.1", 0), Handler)

    def start(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def serve_tls(self, certificate, key):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.socket = context.wrap_socket(self.socket, server_side=True)
        self.scheme = "https"

    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.server_address[1]}/services/{TOKEN}"

    def jobs(self):
        return [body.get("job") for _, body in self.got]


@pytest.fixture
def hook():
    made = Hook().start()
    yield made
    made.let_go.set()
    made.shutdown()


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text("import sys; sys.exit(int(sys.argv[1]))\n")
    return folder


def engine_with(tmp_path, config):
    return Engine(tmp_path / "engine", config)


def run(engine, project, *words):
    return subprocess.run([MUSTER, *words], cwd=project, env=engine.environment(), text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def reasons(engine, name):
    events = json.loads(engine.muster("get", "events", "-o", "json").stdout)["items"]
    return [event["reason"] for event in events if event["involvedObject"]["name"] == name]


def record(engine, name, target):
    return engine.get("pj", name)["metadata"].get("annotations", {}).get(f"notified.muster.dev/{target}", "")


def test_a_web_hook_is_told_how_jobs_end_and_its_token_stays_a_secret(tmp_path, project, hook):
    (tmp_path / "url").write_text(hook.url() + "\n")
    engine = engine_with(tmp_path, f"notify:\n- {{name: team, type: webhook, urlFile: {tmp_path}/url}}\n").start()
    try:
        assert run(engine, project, "run", "--name", "good", "--notify", "team", "train.py", "0").returncode == 0
        assert run(engine, project, "run", "--name", "bad", "--notify", "team", "train.py", "3").returncode == 1
        wait_for("both notices", lambda: len(hook.got) == 2)
        (path, good), (_, bad) = hook.got
        assert path == f"/services/{TOKEN}"
        assert (good["job"], good["occasion"]) == ("good", "success")
        assert (bad["job"], bad["occasion"]) == ("bad", "failure")
        assert "exit code 3" in bad["text"]
        wait_for("the record", lambda: record(engine, "bad", "team").endswith(" failure"))
        told = engine.muster("get", "pj,pods,events,configmaps", "-A", "-o", "yaml").stdout
        assert TOKEN not in told + engine.log() + engine.muster("describe", "pj", "bad").stdout
        # Another engine on the same data does not repeat them.
        engine.kill()
        engine.start()
        assert run(engine, project, "run", "--name", "next", "--notify", "team", "train.py", "0").returncode == 0
        wait_for("the next notice", lambda: hook.jobs() == ["good", "bad", "next"])
        unknown = run(engine, project, "run", "--notify", "taem", "train.py", "0")
        assert unknown.returncode == 2 or unknown.returncode == 1
        assert "did you mean team?" in unknown.stderr
    finally:
        engine.stop()


def test_a_url_on_the_command_line_goes_into_a_secret_that_leaves_with_the_job(tmp_path, project, hook):
    engine = engine_with(tmp_path, "").start()
    try:
        assert run(engine, project, "run", "--name", "once", "--notify", hook.url(), "train.py", "0").returncode == 0
        wait_for("the notice", lambda: hook.jobs() == ["once"])
        job = engine.get("pj", "once")
        assert job["metadata"]["annotations"]["muster.dev/notify"].startswith("secret/notify-")
        assert TOKEN not in json.dumps(job) + engine.log()
        engine.muster("delete", "pj", "once")
        wait_for("the Secret to go", lambda: "notify-" not in engine.muster("get", "secrets", "-o", "name").stdout)
        refused = engine.muster("annotate", "pj", "--all", f"muster.dev/notify={hook.url()}", check=False)
        assert TOKEN not in refused.stderr
    finally:
        engine.stop()


def test_a_hook_that_fails_or_hangs_is_reported_and_keeps_nobody_waiting(tmp_path, project, hook):
    quick = Hook().start()
    hook.status = 500
    engine = engine_with(tmp_path, textwrap.dedent(f"""
        notify:
        - {{name: broken, type: webhook, url: '{hook.url()}'}}
        - {{name: quick, type: webhook, url: '{quick.url()}'}}
        """)).start()
    try:
        assert run(engine, project, "run", "--name", "first", "--notify", "broken,quick", "train.py", "0").returncode == 0
        wait_for("the event", lambda: "NotificationFailed" in reasons(engine, "first"))
        wait_for("the other target", lambda: quick.jobs() == ["first"])
        hook.let_go.clear()  # from now on it hangs
        assert run(engine, project, "run", "--name", "second", "--notify", "broken,quick", "train.py", "0").returncode == 0
        wait_for("the other target again", lambda: quick.jobs() == ["first", "second"])
        engine.kill()  # while a request hangs
        hook.status = 200
        hook.let_go.set()
        engine.start()
        wait_for("both notices at last", lambda: record(engine, "first", "broken") and record(engine, "second", "broken"), timeout=60)
        assert {"first", "second"} <= set(hook.jobs())
    finally:
        quick.shutdown()
        engine.stop()


def test_chats_get_their_forms_and_dingtalk_its_sign(tmp_path, project, hook):
    (tmp_path / "sign").write_text("SEC-of-the-robot\n")
    hook.answer = '{"errcode":0,"code":0}'
    lines = [f"- {{name: {form}, type: {form}, url: '{hook.url()}/{form}?key=1', jobs: all"
             + (f", secretFile: {tmp_path}/sign" if form != "slack" else "") + "}" for form in ("slack", "feishu", "dingtalk")]
    engine = engine_with(tmp_path, "notify:\n" + "\n".join(lines) + "\n").start()
    try:
        assert run(engine, project, "run", "--name", "talk", "train.py", "0").returncode == 0
        wait_for("three notices", lambda: len(hook.got) == 3)
        by_form = {path.split("?")[0].rsplit("/", 1)[1]: (path, body) for path, body in hook.got}
        assert by_form["slack"][1]["text"].startswith("muster: talk succeeded")
        assert by_form["feishu"][1]["content"]["text"].startswith("muster: talk succeeded")
        assert by_form["feishu"][1]["sign"]
        path, body = by_form["dingtalk"]
        assert body["text"]["content"].startswith("muster: talk succeeded")
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(path).query)
        assert query["key"] == ["1"] and len(query["sign"][0]) == 44 and len(query["timestamp"][0]) == 13
    finally:
        engine.stop()


@pytest.mark.skipif(not shutil.which("openssl"), reason="there is no openssl to make a certificate with")
def test_the_certificate_of_a_hook_is_checked_against_the_systems_authorities(tmp_path, project, monkeypatch):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=hook", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout", tmp_path / "key", "-out", tmp_path / "cert"], check=True, capture_output=True)
    hook = Hook()
    hook.serve_tls(tmp_path / "cert", tmp_path / "key")
    hook.start()
    engine = engine_with(tmp_path, f"notify:\n- {{name: team, type: webhook, url: '{hook.url()}'}}\n").start()
    try:
        assert run(engine, project, "run", "--name", "tls", "--notify", "team", "train.py", "0").returncode == 0
        wait_for("the event", lambda: "NotificationFailed" in reasons(engine, "tls"))
        assert "certificate not accepted" in engine.log()
        assert TOKEN not in engine.log() and hook.got == []
        # An authority that the system knows.
        engine.kill()
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert"))
        engine.start()
        wait_for("the notice", lambda: hook.jobs() == ["tls"])
    finally:
        engine.stop()
        hook.shutdown()


class MailServer(socketserver.ThreadingTCPServer):
    """As much of SMTP as a client needs; it keeps what it is told."""
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self):
        self.lines = []
        server = self

        class Handler(socketserver.StreamRequestHandler):
            def say(self, text):
                self.wfile.write((text + "\r\n").encode())

            def handle(self):
                self.say("220 test")
                for raw in self.rfile:
                    line = raw.decode().rstrip("\r\n")
                    server.lines.append(line)
                    if line.startswith("EHLO"):
                        self.say("250-test\r\n250 8BITMIME")
                    elif line == "DATA":
                        self.say("354 send it")
                    elif line == "." or line.startswith(("MAIL", "RCPT")):
                        self.say("250 ok")
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


def test_mail_goes_to_a_server_and_a_program_gets_the_notice(tmp_path, project):
    mail = MailServer()
    program = tmp_path / "tell"
    program.write_text(f"#!/bin/sh\ncat >{tmp_path}/input\nprintf '%s' \"$MUSTER_TEXT\" >{tmp_path}/text\nmv {tmp_path}/input {tmp_path}/told\n")
    os.chmod(program, 0o755)
    config = textwrap.dedent(f"""
        notify:
        - {{name: me, type: mail, to: [me@example.org], from: muster@example.org, smtp: '127.0.0.1:{mail.server_address[1]}', security: none}}
        - {{name: desk, type: command, command: [{program}], on: [failure]}}
        """)
    engine = engine_with(tmp_path, config).start()
    try:
        assert run(engine, project, "run", "--name", "letter", "--notify", "me,desk", "train.py", "4").returncode == 1
        wait_for("the program", lambda: (tmp_path / "told").exists())
        assert json.loads((tmp_path / "told").read_text())["job"] == "letter"
        assert (tmp_path / "text").read_text().startswith("letter failed")
        wait_for("the mail", lambda: "." in mail.lines)
        assert "RCPT TO:<me@example.org>" in mail.lines
        assert any(line.startswith("Subject: muster: letter failed") for line in mail.lines)
    finally:
        mail.shutdown()
        engine.stop()


def test_mail_goes_through_a_program_without_a_server(tmp_path, project):
    program = tmp_path / "sendmail"
    program.write_text(f"#!/bin/sh\ncat >{tmp_path}/mail\necho \"$@\" >{tmp_path}/said\nmv {tmp_path}/said {tmp_path}/arguments\n")
    program.chmod(0o755)
    config = f"notify:\n- {{name: me, type: mail, to: [me@example.org, you@example.org], from: muster@example.org, sendmail: {program}}}\n"
    engine = engine_with(tmp_path, config).start()
    try:
        assert run(engine, project, "run", "--name", "posted", "--notify", "me", "train.py", "4").returncode == 1
        wait_for("the program", lambda: (tmp_path / "arguments").exists())
        assert (tmp_path / "arguments").read_text() == "-i -f muster@example.org -- me@example.org you@example.org\n"
        mail = (tmp_path / "mail").read_bytes()
        assert b"\r" not in mail and b"\nTo: me@example.org, you@example.org\n" in mail
        assert b"Subject: muster: posted failed" in mail and b"exit code 4" in mail
        wait_for("the record", lambda: record(engine, "posted", "me").endswith(" failure"))
        # A program that fails is reported, as a server is.
        program.write_text("#!/bin/sh\nexit 75\n")
        assert run(engine, project, "run", "--name", "lost", "--notify", "me", "train.py", "0").returncode == 0
        wait_for("the event", lambda: "NotificationFailed" in reasons(engine, "lost"))
    finally:
        engine.stop()


def test_a_stall_and_a_start_after_a_wait_are_told(tmp_path, project, hook):
    (project / "holds.py").write_text("import os, time\nwhile not os.path.exists('go'): time.sleep(0.2)\n")
    (project / "waits.py").write_text("import os, time\nwhile not os.path.exists('end'): print('works', flush=True), time.sleep(0.2)\n")
    engine = engine_with(tmp_path, f"stalledAfter: 4s\nresources: {{nvidia.com/gpu: 1}}\nnotify:\n- {{name: team, type: webhook, url: '{hook.url()}'}}\n").start()

    def told(name):
        return [body["occasion"] for _, body in hook.got if body["job"] == name]
    try:
        for name in ("holds", "waits"):
            assert run(engine, project, "run", "-d", "--gpus", "1", "--name", name, "--notify", "team", f"{name}.py").returncode == 0
        created = time.monotonic()
        wait_for("the stall", lambda: told("holds") == ["stall"], timeout=60)
        assert "holds is stalled: all running replicas look idle" in hook.got[-1][1]["text"]
        # A start is news after a minute of waiting.
        wait_for("a minute", lambda: time.monotonic() - created > 61, timeout=70)
        assert told("waits") == []
        (project / "go").touch()
        wait_for("the start", lambda: told("waits") == ["start"], timeout=60)
        assert re.fullmatch(r"waits started after waiting (6|7)\ds", hook.got[-1][1]["text"]), hook.got[-1]
        (project / "end").touch()
        wait_for("the end", lambda: told("waits") == ["start", "success"])
        assert told("holds") == ["stall", "success"], "it did not wait for a minute"
    finally:
        engine.stop()


def ask(engine, token, path, body):
    """Returns the status of a POST with this token over HTTPS, and the answer."""
    certificates = ssl.create_default_context(cafile=str(engine.data / "pki" / "ca.crt"))
    request = urllib.request.Request(f"https://127.0.0.1:{engine.port}{path}", method="POST", data=json.dumps(body).encode(),
                                     headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, context=certificates) as answer:
            return answer.status, ""
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())["message"]


def test_a_service_account_names_targets_and_no_secrets(tmp_path, hook):
    engine = engine_with(tmp_path, f"notify:\n- {{name: team, type: webhook, url: '{hook.url()}'}}\n").start()
    try:
        def token_of_default():
            status, made = Api(engine).request("POST", "/api/v1/namespaces/default/serviceaccounts/default/token",
                                               {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
            return status == 201 and made["status"]["token"]
        token = wait_for("the account of the namespace", token_of_default)
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "mine"}, "type": "muster.dev/notify",
                  "stringData": {"url": "http://127.0.0.1:1/"}}
        status, message = ask(engine, token, "/api/v1/namespaces/default/secrets", secret)
        assert status == 403 and "only the owner of this engine may write Secrets" in message
        job = training_job("of-a-pod", ["true"])
        path = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs"
        job["metadata"]["annotations"] = {"muster.dev/notify": "secret/mine"}
        status, message = ask(engine, token, path, job)
        assert status == 403 and "may name a Secret here" in message
        job["metadata"]["annotations"] = {"muster.dev/notify": "team"}
        engine.volume("work")
        assert ask(engine, token, path, job)[0] == 201
        wait_for("the notice", lambda: hook.jobs() == ["of-a-pod"])
    finally:
        engine.stop()
