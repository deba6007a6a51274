"""The credentials of a repository stay with its server, whatever its submodules and redirects say."""

import base64
import http.server
import subprocess
import threading

import pytest
from harness import wait_for

PASSWORD = "pa55-word"
SECRETS = (PASSWORD, "sub-s3cret")
BASIC = base64.b64encode(f"me:{PASSWORD}".encode()).decode()


class Host(http.server.SimpleHTTPRequestHandler):
    """Serves bare repositories. Wants a login everywhere, and records what it is sent."""

    def do_GET(self):
        sent = self.headers.get("Authorization", "")
        self.server.received.append((self.path, sent))
        target = self.server.redirects.get(self.path.split("/")[1])
        if target:
            self.send_response(302)
            self.send_header("Location", target + self.path)
        elif sent != f"Basic {BASIC}" or self.server.closed:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
        else:
            return super().do_GET()
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def host(folder, closed):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *a: Host(*a, directory=str(folder)))
    server.received, server.redirects, server.closed = [], {}, closed
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture
def servers(tmp_path):
    """The server of the repository, and a stranger's."""
    served = tmp_path / "served"
    served.mkdir()
    own, other = host(served, False), host(served, True)
    yield own, other, served
    own.shutdown()
    other.shutdown()


def make_repository(served, name, modules=""):
    work = served.parent / name
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-C", str(work)]
    subprocess.run(["git", "init", "-q", "-b", "main", str(work)], check=True)
    (work / "train.py").write_text("print('hello')\n")
    subprocess.run([*git, "add", "."], check=True)
    if modules:
        (work / ".gitmodules").write_text(modules)
        subprocess.run([*git, "add", ".gitmodules"], check=True)
        subprocess.run([*git, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "first"], check=True)
    bare = served / f"{name}.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(work), str(bare)], check=True)
    subprocess.run(["git", "-C", str(bare), "update-server-info"], check=True)


def fetched(engine, name, address, then="cat /code/p/.git/config"):
    """Fetches the repository in a pod. Returns how the pod ended, its log and its message."""
    script = f"/run/muster/bin/muster-git-sync && {then}"
    env = {"GIT_SYNC_REPO": address, "GIT_SYNC_DEST": "p", "GIT_SYNC_ROOT": "/code", "GIT_SYNC_ONE_TIME": "true"}
    engine.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {
        "restartPolicy": "Never", "hostNetwork": True, "volumes": [{"name": "code", "emptyDir": {}}],
        "containers": [{"name": "git", "image": "any", "command": ["sh", "-c", script],
                        "env": [{"name": n, "value": v} for n, v in env.items()],
                        "volumeMounts": [{"name": "code", "mountPath": "/code"}]}]}})
    ended = wait_for("the fetch to end", lambda: next(
        (p for p in [engine.get("pod", name)] if p["status"].get("phase") in ("Succeeded", "Failed")), None), timeout=60)
    log = engine.muster("logs", name).stdout
    message = ended["status"]["containerStatuses"][0]["state"]["terminated"].get("message", "")
    return ended["status"]["phase"], log, message


def test_a_login_in_the_address_fetches_and_is_written_nowhere(engine, servers):
    own, _, served = servers
    make_repository(served, "plain")
    phase, log, message = fetched(engine, "git-plain", f"http://me:{PASSWORD}@127.0.0.1:{own.server_port}/plain.git")
    assert phase == "Succeeded", log
    assert f"url = http://127.0.0.1:{own.server_port}/plain.git" in log and PASSWORD not in log + message


def test_a_submodule_of_another_server_gets_no_credentials(engine, servers):
    own, other, served = servers
    make_repository(served, "main", f'[submodule "sub"]\n\tpath = sub\n\turl = http://127.0.0.1:{other.server_port}/sub.git\n')
    phase, log, message = fetched(engine, "git-sub", f"http://me:{PASSWORD}@127.0.0.1:{own.server_port}/main.git")
    assert phase == "Failed" and "git submodule ended with exit code" in message
    assert f"no credentials for Username for 'http://127.0.0.1:{other.server_port}'" in log
    assert any(sent == f"Basic {BASIC}" for _, sent in own.received)
    assert other.received and all(sent == "" for _, sent in other.received), other.received
    assert PASSWORD not in log + message


def test_a_redirect_to_another_server_gets_no_credentials(engine, servers):
    own, other, served = servers
    make_repository(served, "moved")
    own.redirects["moved.git"] = f"http://127.0.0.1:{other.server_port}"
    phase, log, message = fetched(engine, "git-moved", f"http://me:{PASSWORD}@127.0.0.1:{own.server_port}/moved.git")
    assert phase == "Failed" and "git clone ended with exit code" in message
    assert other.received and all(sent == "" for _, sent in other.received), other.received
    assert PASSWORD not in log + message


def test_a_password_in_the_address_of_a_submodule_is_not_in_the_log(engine, servers):
    own, other, served = servers
    make_repository(served, "open", '[submodule "sub"]\n\tpath = sub\n'
                                    f"\turl = http://it:sub-s3cret@127.0.0.1:{other.server_port}/sub.git\n")
    phase, log, message = fetched(engine, "git-open", f"http://me:{PASSWORD}@127.0.0.1:{own.server_port}/open.git")
    assert phase == "Failed" and "it:***@127.0.0.1" in log
    assert all(secret not in log + message for secret in SECRETS)
