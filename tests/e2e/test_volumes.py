"""The files of a claim, through the API and with `muster volume`, whether a pod uses the claim or not."""

import json
import os
import socket
import ssl
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import pytest
from api_socket import SocketConnection
from harness import MUSTER, wait_for


class Files:
    """The files API of one claim, through the engine's socket."""

    def __init__(self, engine, claim):
        self.engine = engine
        self.base = f"/apis/muster.dev/v1/namespaces/default/persistentvolumeclaims/{claim}/files"

    def ask(self, method, path="", body=None, headers=None):
        connection = SocketConnection(self.engine.data / "api.sock", 30)
        try:
            connection.request(method, f"{self.base}/{path}", body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def json(self, method, path="", body=None, headers=None):
        status, _, text = self.ask(method, path, body, headers)
        return status, json.loads(text)

    def names(self, path=""):
        return [item["name"] for item in self.json("GET", path)[1]["items"]]


@pytest.fixture
def files(engine, request):
    name = request.node.name.replace("_", "-")[:40].strip("-")
    engine.muster("volume", "create", name)
    made = Files(engine, name)
    made.claim = name
    made.folder = engine.data / "volumes" / "default" / name
    return made


def test_a_file_is_written_read_in_parts_and_replaced(files):
    status, headers, text = files.ask("PUT", "model.bin?mode=0755", b"0123456789")
    assert status == 201
    written = json.loads(text)
    assert (written["kind"], written["name"], written["type"], written["size"], written["mode"]) == (
        "File", "model.bin", "file", 10, "0755")
    etag = headers["ETag"]

    status, headers, body = files.ask("GET", "model.bin")
    assert (status, body, headers["ETag"], headers["Content-Length"]) == (200, b"0123456789", etag, "10")
    assert headers["Content-Type"] == "application/octet-stream"
    status, headers, body = files.ask("GET", "model.bin", headers={"Range": "bytes=2-4"})
    assert (status, body, headers["Content-Range"]) == (206, b"234", "bytes 2-4/10")
    status, headers, body = files.ask("GET", "model.bin", headers={"Range": "bytes=10-"})
    assert (status, headers["Content-Range"], json.loads(body)["code"]) == (416, "bytes */10", 416)
    assert files.ask("GET", "model.bin", headers={"If-None-Match": etag})[0] == 304
    assert files.ask("GET", "model.bin", headers={"Range": "bytes=0-0", "If-Range": '"old"'})[0] == 200
    status, headers, body = files.ask("HEAD", "model.bin")
    assert (status, headers["Content-Length"], body) == (200, "10", b"")

    assert files.ask("PUT", "model.bin", b"new", {"If-Match": etag})[0] == 200
    status, refusal = files.json("PUT", "model.bin", b"late", {"If-Match": etag})
    assert (status, refusal["kind"], refusal["reason"]) == (409, "Status", "Conflict")
    assert files.json("PUT", "model.bin", b"x", {"If-None-Match": "*"})[1]["reason"] == "AlreadyExists"
    assert files.ask("GET", "model.bin")[2] == b"new"
    status, again = files.json("DELETE", "model.bin", headers={"If-Match": etag})
    assert (status, again["message"]) == (409, refusal["message"])
    assert files.ask("GET", "model.bin")[2] == b"new"
    assert files.json("PUT", "x?mode=4755", b"")[1]["message"] == 'mode: must be octal, from 0 to 0777, got "4755"'


def test_pages_of_names_that_are_no_text_come_to_an_end(files):
    assert files.ask("POST", "odd?makeFolder=true")[0] == 200
    for name in ("a", "%FE", "%FF%FD", "%FF%FE"):
        assert files.ask("PUT", f"odd/{name}", b"")[0] == 201
    seen, query = 0, "odd?limit=1"
    while query and seen < 10:
        status, page = files.json("GET", query)
        seen += len(page["items"])
        token = page["metadata"].get("continue")
        query = f"odd?limit=1&continue={urllib.parse.quote(token)}" if token else None
    assert seen == 4


def test_a_name_that_is_no_text_is_listed_with_its_address(files, tmp_path):
    assert files.names() == []  # the folder is made when it is first used
    path = os.fsencode(files.folder)
    with open(path + b"/caf\xe9.txt", "wb") as made_by_a_pod:
        made_by_a_pod.write(b"1")
    status, listed = files.json("GET")
    item = listed["items"][0]
    assert (item["name"], item["encodedName"]) == ("caf\ufffd.txt", "caf%E9.txt")
    assert files.ask("GET", item["encodedName"])[2] == b"1"
    assert files.json("GET", f"{item['encodedName']}?stat=true")[1]["encodedName"] == "caf%E9.txt"
    assert files.ask("PUT", "caf%E9.txt", b"22")[0] == 200
    assert files.ask("POST", "caf%E9.txt?moveTo=caf%E8.txt")[0] == 200
    assert os.listdir(path) == [b"caf\xe8.txt"]
    files.engine.muster("volume", "cp", f"{files.claim}:", str(tmp_path / "copy"))
    assert os.listdir(os.fsencode(tmp_path / "copy")) == [b"caf\xe8.txt"]
    assert files.ask("DELETE", "caf%E8.txt")[0] == 200
    assert files.names() == []


def test_a_file_behind_a_link_is_saved_where_it_is(files):
    assert files.ask("PUT", "real", b"1")[0] == 201
    os.symlink("real", files.folder / "link")
    etag = files.ask("GET", "link")[1]["ETag"]
    status, headers, _ = files.ask("PUT", "link", b"22", {"If-Match": etag})
    assert (status, headers["ETag"]) == (200, files.ask("GET", "link")[1]["ETag"])
    assert files.ask("PUT", "link", b"333")[0] == 200
    assert (files.ask("GET", "real")[2], os.readlink(files.folder / "link")) == (b"333", "real")


def test_what_is_no_file_is_refused_with_a_sentence(files):
    assert files.names() == []
    os.mkfifo(files.folder / "pipe")
    os.mknod(files.folder / "socket", 0o140600)
    for name in ("pipe", "socket"):
        why = f'"{name}": is a {name}; only the content of files can be read and written'
        for method in ("GET", "PUT"):
            status, refusal = files.json(method, name, b"x" if method == "PUT" else None)
            assert (status, refusal["message"]) == (400, why)
    assert files.ask("POST", "a?makeFolder=true")[0] == 200
    status, refusal = files.json("POST", "a?moveTo=a/b")
    assert (status, refusal["message"]) == (400, '"a": a folder cannot be moved into itself, got "a/b"; choose a folder outside of it')
    for method in ("GET", "PUT", "DELETE"):
        status, refusal = files.json(method, "%zz", b"x" if method == "PUT" else None)
        assert (status, refusal["message"].split(";")[0]) == (400, 'path: broken percent escape in "%zz"')


def test_folders_are_made_listed_moved_and_removed(files):
    assert files.ask("POST", "a/b%20c?makeFolder=true")[0] == 200
    for name in "zyx":
        assert files.ask("PUT", f"a/{name}", name.encode())[0] == 201
    assert files.names("a") == ["b c", "x", "y", "z"]
    status, page = files.json("GET", "a?limit=2")
    assert [item["name"] for item in page["items"]] == ["b c", "x"]
    assert [item["type"] for item in page["items"]] == ["folder", "file"]
    status, page = files.json("GET", "a?limit=2&continue=" + page["metadata"]["continue"])
    assert [item["name"] for item in page["items"]] == ["y", "z"]
    assert "continue" not in page["metadata"]
    assert files.json("GET", "a?stat=true")[1]["type"] == "folder"

    assert files.ask("POST", "a/x?moveTo=a/b%20c/moved")[0] == 200
    assert files.json("POST", "a/y?moveTo=a/z")[1]["reason"] == "AlreadyExists"
    assert files.ask("POST", "a/y?moveTo=a/z&overwrite=true")[0] == 200
    assert files.names("a") == ["b c", "z"]
    status, refusal = files.json("DELETE", "a")
    assert (status, refusal["message"]) == (409, '"a": the folder is not empty; add recursive=true to the query')
    assert files.ask("DELETE", "a?recursive=true")[0] == 200
    assert files.names() == []
    assert files.json("GET", "a")[0] == 404
    assert files.json("DELETE", "?recursive=true")[0] == 400


def test_nothing_outside_the_claim_is_reached(files, tmp_path):
    (tmp_path / "secret").write_text("secret")
    files.ask("PUT", "inside", b"inside")
    os.symlink(tmp_path, files.folder / "out")
    os.symlink("../../../kubeconfig", files.folder / "token")
    os.symlink("inside", files.folder / "fine")
    for method, path in [("GET", "out/secret"), ("GET", "out"), ("GET", "token"), ("PUT", "out/new"),
                         ("DELETE", "out/secret"), ("POST", "out/new?makeFolder=true"),
                         ("POST", "inside?moveTo=out/stolen")]:
        status, refusal = files.json(method, path, b"x" if method == "PUT" else None)
        assert (status, refusal["reason"]) == (403, "Forbidden"), (method, path)
        assert refusal["message"].endswith("leads outside the claim")
    assert files.ask("GET", "fine")[2] == b"inside"
    for path in ["%2e%2e/%2e%2e/kubeconfig", "a/../../b", "x%00y", "..%2f..%2fkubeconfig"]:
        assert files.ask("GET", path)[0] == 400, path
    assert files.json("POST", "inside?moveTo=../x")[0] == 400
    assert [entry.name for entry in tmp_path.iterdir()] == ["secret"]


def open_without_name(engine):
    """The files of claims that the engine writes and that have no name yet."""
    folder = f"/proc/{engine.process.pid}/fd"
    targets = [os.readlink(f"{folder}/{fd}") for fd in os.listdir(folder) if os.path.lexists(f"{folder}/{fd}")]
    return [target for target in targets if "/volumes/" in target and target.endswith(" (deleted)")]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may see the open files of an engine")
def test_an_upload_that_breaks_off_leaves_nothing(files, engine):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(engine.data / "api.sock"))
        client.sendall(f"PUT {files.base}/half HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf".encode())
        wait_for("the upload to begin", lambda: open_without_name(engine))
        assert files.names() == [], "a crash now leaves nothing"
    wait_for("nothing to be left", lambda: files.names() == [])


def test_a_claim_grows_and_never_shrinks(files, engine):
    def resize(size):
        patch = json.dumps({"spec": {"resources": {"requests": {"storage": size}}}})
        return engine.muster("patch", "pvc", files.claim, "--type=merge", "-p", patch, check=False)

    def status():
        return engine.get("pvc", files.claim).get("status", {})
    wait_for("the claim to be bound", lambda: status().get("phase") == "Bound")  # no other one may be resized
    assert resize("30Gi").returncode == 0
    wait_for("the capacity to follow", lambda: status()["capacity"] == {"storage": "30Gi"})
    refused = resize("20Gi")
    assert refused.returncode != 0
    assert "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity" in refused.stderr


def test_a_large_file_streams_while_others_are_served(files, engine):
    size = 64 << 20

    def blocks():
        yield b"m" * (size // 2)
        assert engine.get("pvc", files.claim)["status"]["phase"] == "Bound"
        yield b"m" * (size // 2)
    assert files.json("PUT", "large", blocks())[1]["size"] == size
    assert len(files.ask("GET", "large")[2]) == size


def test_a_pod_and_the_api_share_the_files(files, engine):
    files.ask("PUT", "in", b"from outside")
    engine.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "sharer"}, "spec": {
        "restartPolicy": "Never",
        "containers": [{"name": "c", "image": "i", "command": ["sh", "-c", "cp /d/in /d/out && echo more >> /d/in"],
                        "volumeMounts": [{"name": "d", "mountPath": "/d"}]}],
        "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": files.claim}}]}})
    engine.wait_phase("sharer", "Succeeded", kind="pod")
    assert files.ask("GET", "out")[2] == b"from outside"
    assert files.ask("PUT", "out", b"replaced")[0] == 200


def test_an_account_reaches_the_claims_of_its_namespace_only(files, engine):
    files.ask("PUT", "x", b"x")
    engine.muster("create", "namespace", "elsewhere")
    certificates = ssl.create_default_context(cafile=str(engine.data / "pki" / "ca.crt"))

    def status_for(namespace):
        made = wait_for("a token", lambda: token(namespace))
        request = urllib.request.Request(f"https://127.0.0.1:{engine.port}{files.base}/x",
                                         headers={"Authorization": f"Bearer {made}"})
        try:
            with urllib.request.urlopen(request, context=certificates) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def token(namespace):
        connection = SocketConnection(engine.data / "api.sock", 30)
        connection.request("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts/default/token",
                           json.dumps({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}),
                           {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        return answer["status"]["token"] if answer["kind"] == "TokenRequest" else None  # its account is about to be made
    assert status_for("default") == 200
    assert status_for("elsewhere") == 403


# ---- muster volume ----

def test_folders_are_copied_in_and_out(engine, tmp_path):
    source = tmp_path / "project"
    (source / "pkg").mkdir(parents=True)
    (source / "train.py").write_text("print(1)\n")
    (source / "run.sh").write_text("#!/bin/sh\n")
    (source / "run.sh").chmod(0o755)
    (source / "pkg" / "empty").write_bytes(b"")
    os.symlink("train.py", source / "link")
    assert engine.muster("volume", "create", "code", "--size", "5Gi").stdout == 'persistentvolumeclaim "code" created\n'
    done = engine.muster("volume", "cp", source, "code:")
    assert done.stderr == f"skipped {source}/link: a symbolic link\n"
    listed = engine.muster("volume", "ls", "code:project").stdout.splitlines()
    assert [line.split()[-1] for line in listed] == ["NAME", "pkg/", "run.sh", "train.py"]
    assert listed[2].split()[:2] == ["0755", "10B"]

    engine.muster("volume", "cp", "code:project", tmp_path / "back")
    assert (tmp_path / "back" / "train.py").read_text() == "print(1)\n"
    assert (tmp_path / "back" / "pkg" / "empty").read_bytes() == b""
    assert (tmp_path / "back" / "run.sh").stat().st_mode & 0o777 == 0o755
    engine.muster("volume", "cp", "code:project/train.py", f"{tmp_path}/")
    assert (tmp_path / "train.py").read_text() == "print(1)\n"


def test_standard_streams_are_sources_and_destinations(engine):
    engine.muster("volume", "create", "streams")
    engine.muster("volume", "cp", "-", "streams:notes.txt", stdin="hello\n")
    assert engine.muster("volume", "cp", "streams:notes.txt", "-").stdout == "hello\n"
    done = engine.muster("volume", "cp", "-", "streams:", stdin="x", check=False)
    assert done.returncode == 2 and "is a folder; name the file to write" in done.stderr


def test_files_and_volumes_are_removed(engine):
    engine.muster("volume", "create", "old")
    engine.muster("volume", "cp", "-", "old:a", stdin="x")
    engine.muster("volume", "cp", __file__, "old:dir/")
    assert engine.muster("volume", "ls", "old:dir/test_volumes.py").stdout.splitlines()[1].endswith("test_volumes.py")
    full = engine.muster("volume", "rm", "old:dir", check=False)
    assert (full.returncode, full.stderr) == (
        4, "error: old:dir: the folder is not empty\n  fix: muster volume rm -r old:dir\n")
    engine.muster("volume", "rm", "-r", "old:dir")
    engine.muster("volume", "rm", "old:a")
    assert engine.muster("volume", "ls", "old").stdout.split() == ["MODE", "SIZE", "MODIFIED", "NAME"]
    gone = engine.muster("volume", "rm", "old:a", check=False)
    assert (gone.returncode, gone.stderr) == (3, 'error: "a": no such file or folder\n')
    assert 'persistentvolumeclaim "old" deleted' in engine.muster("volume", "rm", "old").stdout
    assert "old" not in [line.split()[0] for line in engine.muster("volume", "ls").stdout.splitlines()]
    assert engine.muster("volume", "ls", "old", check=False).returncode == 3


def test_what_a_volume_uses_is_shown(engine):
    engine.muster("volume", "create", "weighed")
    engine.muster("volume", "cp", "-", "weighed:text", stdin="x" * 300_000)

    def used():
        line = next(l for l in engine.muster("volume", "ls").stdout.splitlines() if l.startswith("weighed"))
        return line.split()[3] != "-" and line.split()[3]
    assert wait_for("the volume to be measured", used).endswith("KiB")
    assert int(engine.get("pvc", "weighed")["metadata"]["annotations"]["muster.dev/used"]) >= 300_000
    usage = Files(engine, "weighed").json("GET")[1]["usage"]
    assert usage["bytes"] >= 300_000 and usage["entries"] == 1 and usage["complete"] is True


def test_wrong_words_are_explained(engine):
    def said(*words):
        done = engine.muster("volume", *words, check=False)
        assert done.returncode == 2
        return done.stderr
    assert "name an action: create, ls, cp or rm" in said()
    assert 'unknown word "creat"; did you mean "create"?' in said("creat", "x")
    assert "one of the two must be in a volume" in said("cp", "a", "b")
    assert "--size: must be a quantity such as 10Gi, got \"much\"" in said("create", "x", "--size", "much")
    offered = subprocess.run([MUSTER, "__complete", "--", "volume", ""], env=engine.environment(), text=True,
                             stdout=subprocess.PIPE, check=True).stdout
    assert [line.split("\t")[0] for line in offered.splitlines()] == ["create", "ls", "cp", "rm"]


def test_a_mistyped_folder_is_refused_and_never_made(engine, tmp_path):
    (tmp_path / "dataset").mkdir()
    done = engine.muster("volume", "create", "typo", "--path", tmp_path / "datast", check=False)
    assert done.returncode == 1 and not (tmp_path / "datast").exists()
    assert f"mkdir -p {tmp_path}/datast" in done.stderr and f'did you mean "{tmp_path}/dataset"?' in done.stderr
    here = subprocess.run([MUSTER, "volume", "create", "typo", "--path", "dataset"], cwd=tmp_path, env=engine.environment(),
                          text=True, timeout=60, capture_output=True, check=True)
    assert here.stdout == 'persistentvolumeclaim "typo" created\n'
    assert str(tmp_path / "dataset") in engine.muster("volume", "ls").stdout
