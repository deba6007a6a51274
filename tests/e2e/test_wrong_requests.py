"""Invalid requests, one row each, sent to a real engine over TLS: the test checks code, reason, parts of the message
and the named fields, and that the engine still works after each."""

import json
import re
import socket
import ssl
import time

import pytest

MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
NOTEBOOKS = "/apis/tensorstack.dev/v1beta1/namespaces/default/notebooks"
JOBS = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs"
JSON, YAML, MERGE, STEPS = "application/json", "application/yaml", "application/merge-patch+json", "application/json-patch+json"
STRATEGIC, APPLY = "application/strategic-merge-patch+json", "application/apply-patch+yaml"


class Wire:
    """Sends bytes over TLS that no client library would send."""

    def __init__(self, engine):
        self.port = engine.port
        text = engine.kubeconfig.read_text()
        self.token = re.search(r'token: "?([^"\s]+)"?', text).group(1)
        self.tls = ssl.create_default_context()
        self.tls.check_hostname = False
        self.tls.verify_mode = ssl.CERT_NONE

    def connect(self, tls=True):
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        return self.tls.wrap_socket(plain) if tls else plain

    def raw(self, text, tls=True):
        """Returns everything received until the engine closes the connection or a response is complete."""
        with self.connect(tls) as connection:
            try:
                connection.sendall(text)
            except OSError:
                pass  # rejected while we are still sending
            return read_answer(connection)

    def head(self, method, path, headers):
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", f"Authorization: Bearer {self.token}"]
        return "\r\n".join(lines + [f"{k}: {v}" for k, v in headers.items()]) + "\r\n\r\n"

    def send(self, method, path, body=b"", content_type=JSON, **headers):
        body = body if isinstance(body, bytes) else body.encode()
        sent = {"Content-Type": content_type, "Content-Length": len(body), "Connection": "close", **headers}
        return self.raw(self.head(method, path, sent).encode() + body)


class Answer:
    def __init__(self, data):
        head, _, body = data.partition(b"\r\n\r\n")
        self.raw = data
        self.code = int(head.split()[1]) if head.startswith(b"HTTP/1.1 ") else 0
        self.head = head.decode(errors="replace")
        self.text = body.decode(errors="replace")
        self.body = json.loads(body) if body.startswith(b"{") else {}
        self.reason = self.body.get("reason")
        self.message = self.body.get("message", "")
        self.fields = [c.get("field") for c in self.body.get("details", {}).get("causes", [])]


def read_answer(connection):
    data = b""
    try:
        while True:
            got = connection.recv(65536)
            if not got:
                break
            data += got
            head, found, body = data.partition(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head.lower())
            if found and length and len(body) >= int(length.group(1)):
                break
    except (ConnectionResetError, ssl.SSLError):
        pass
    return Answer(data)


@pytest.fixture(scope="module")
def wire(engine):
    made = Wire(engine)
    engine.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "there"}, "data": {"a": "1"}})
    engine.apply(json.loads(job("there")))
    return made


@pytest.fixture(autouse=True)
def goes_on(wire):
    yield
    answer = wire.send("GET", MAPS + "/there")
    assert answer.code == 200 and answer.body["data"] == {"a": "1"}, "the engine keeps running, and nothing was changed"


def config_map(name="x", **metadata):
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}})


def pod(**spec):
    container = {"name": "c", "image": "i", **spec.pop("container", {})}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {"containers": [container], **spec}})


def job(name="x", replicas=1, **template):
    spec = {"containers": [{"name": "pytorch", "image": "i", "command": ["true"]}], **template}
    return json.dumps({"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name},
                       "spec": {"runPolicy": {"suspend": True}, "pytorchReplicaSpecs": {"Master": {"replicas": replicas, "template": {"spec": spec}}}}})


def notebook(name="notebook-token", path="/home", queue="q"):
    template = {"spec": {"containers": [{"name": "c", "image": "i", "volumeMounts": [{"name": name, "mountPath": path}]}],
                         "volumes": [{"name": name, "emptyDir": {}}]}}
    return json.dumps({"apiVersion": "tensorstack.dev/v1beta1", "kind": "Notebook", "metadata": {"name": "x"},
                       "spec": {"template": template, "scheduler": {"t9kScheduler": {"queue": queue}}}})


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(8))
YAML_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"

# name, method, path, content type, body, code, reason, parts of the message, named fields
ROWS = [
    ("yaml alias bomb", "POST", MAPS, YAML, YAML_MAP + BOMB, 400, "BadRequest", "aliases expand to more than 10000 nodes", []),
    ("yaml 100,000 deep", "POST", MAPS, YAML, "[" * 100_000, 400, "BadRequest", "nested deeper than", []),
    ("json 100,000 deep", "POST", MAPS, JSON, '{"a":' * 100_000, 400, "BadRequest", "nested deeper than 200 levels", []),
    ("yaml tag of a program", "POST", MAPS, YAML, YAML_MAP + "data: {a: !!python/object:os.system x}\n", 400, "BadRequest", "tag", []),
    ("yaml tag of somebody", "POST", MAPS, YAML, YAML_MAP + "data: {a: !custom x}\n", 400, "BadRequest", "tag", []),
    ("yaml .inf for a number", "POST", JOBS, YAML, job().replace('"replicas": 1', '"replicas": .inf'), 400, "BadRequest", ".inf has no JSON form", []),
    ("yaml number for a text", "POST", MAPS, YAML, YAML_MAP + "data: {a: 012}\n", 400, "BadRequest", "data", []),
    ("yaml tabs", "POST", MAPS, YAML, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: x\n", 400, "BadRequest", "line 4", []),
    ("yaml in UTF-16", "POST", MAPS, YAML, YAML_MAP.encode("utf-16"), 400, "BadRequest", "UTF-", []),
    ("yaml duplicate keys", "POST", MAPS + "?fieldValidation=Strict", YAML, YAML_MAP + "data: {a: '1'}\ndata: {a: '2'}\n", 400, "BadRequest",
     "already set in map", []),
    ("two yaml documents", "POST", MAPS, YAML, YAML_MAP + "---\n" + YAML_MAP, 400, "BadRequest", "", []),
    ("json with invalid UTF-8", "POST", MAPS, JSON, b'{"kind":"\xff"}', 400, "BadRequest", "invalid UTF-8", []),
    ("json with an overlong byte", "POST", MAPS, JSON, b'{"kind":"\xc0\xaf"}', 400, "BadRequest", "invalid UTF-8", []),
    ("json cut short", "POST", MAPS, JSON, '{"kind":', 400, "BadRequest", "line 1", []),
    ("json that is a list", "POST", MAPS, JSON, "[]", 400, "BadRequest", "", []),
    ("an empty body", "POST", MAPS, JSON, "", 400, "BadRequest", "", []),
    ("an unknown content type", "POST", MAPS, "text/plain", config_map(), 415, "UnsupportedMediaType", "accepted media types include: application/json", []),
    ("protobuf that is none", "POST", MAPS, "application/vnd.kubernetes.protobuf", b"k8s\0\xff\xff", 400, "BadRequest", "", []),
    ("a cluster's kind in a namespace", "GET", "/api/v1/namespaces/default/nodes", JSON, "", 404, "NotFound", "", []),
    ("another kind than the path says", "POST", MAPS, JSON, config_map().replace("ConfigMap", "Secret"), 400, "BadRequest", "Secret", []),
    ("another namespace than the path says", "POST", MAPS, JSON, config_map(namespace="b"), 400, "BadRequest", "namespace", []),
    ("another name than the path says", "PUT", MAPS + "/there", JSON, config_map("other"), 400, "BadRequest", "name", []),
    ("an unknown field", "POST", JOBS + "?fieldValidation=Strict", JSON, job(replcias=1), 400, "BadRequest", 'unknown field', []),
    ("no such fieldValidation", "POST", MAPS + "?fieldValidation=Maybe", JSON, config_map(), 422, "Invalid", "fieldValidation", ["fieldValidation"]),
    ("no such dryRun", "POST", MAPS + "?dryRun=Some", JSON, config_map(), 422, "Invalid", "dryRun", ["dryRun"]),
    ("a quantity with a typo", "POST", PODS, JSON, pod(container={"resources": {"limits": {"memory": "1GiB"}}}), 400, "BadRequest",
     'spec.containers[0].resources.limits.memory: must be a quantity such as 500m, 2 or 4Gi, got "1GiB"', []),
    ("a quantity below zero", "POST", PODS, JSON, pod(container={"resources": {"limits": {"memory": "-5Mi"}}}), 422, "Invalid", "must be greater than or equal to 0",
     ["spec.containers[0].resources.limits[memory]"]),
    ("a quantity of wide digits", "POST", PODS, JSON, pod(container={"resources": {"limits": {"memory": "１Gi"}}}), 400, "BadRequest", "memory", []),
    ("a name with an emoji", "POST", MAPS, JSON, config_map("a😀"), 422, "Invalid", "metadata.name", ["metadata.name"]),
    ("a name that turns the text around", "POST", MAPS, JSON, config_map("a\u202eb"), 422, "Invalid", "metadata.name", ["metadata.name"]),
    ("a name with Cyrillic letters", "POST", MAPS, JSON, config_map("раyload"), 422, "Invalid", "metadata.name", ["metadata.name"]),
    ("a name with a line break", "POST", MAPS, JSON, config_map("a\nb"), 422, "Invalid", "metadata.name", ["metadata.name"]),
    ("a name with an escape", "POST", MAPS, JSON, config_map("a\x1b[31m"), 422, "Invalid", "metadata.name", ["metadata.name"]),
    ("a name that is too long", "POST", MAPS, JSON, config_map("a" * 254), 422, "Invalid", "253", ["metadata.name"]),
    ("a name that leaves the folder", "POST", "/api/v1/namespaces/default/persistentvolumeclaims", JSON,
     '{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"../x"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}',
     422, "Invalid", "metadata.name", ["metadata.name"]),
    ("no name", "POST", MAPS, JSON, config_map(""), 422, "Invalid", "name or generateName is required", ["metadata.name"]),
    ("a name that is taken", "POST", MAPS, JSON, config_map("there"), 409, "AlreadyExists", 'configmaps "there" already exists', []),
    ("a label that is none", "POST", MAPS, JSON, config_map(labels={"a b": "c"}), 422, "Invalid", "metadata.labels", ["metadata.labels"]),
    ("a revision on create", "POST", MAPS, JSON, config_map(resourceVersion="5"), 500, "InternalError", "resourceVersion should not be set", []),
    ("an env without a name", "POST", PODS, JSON, pod(container={"env": [{"name": "", "value": "1"}]}), 422, "Invalid", "name",
     ["spec.containers[0].env[0].name"]),
    ("an env name with =", "POST", PODS, JSON, pod(container={"env": [{"name": "A=B", "value": "1"}]}), 422, "Invalid", "A=B",
     ["spec.containers[0].env[0].name"]),
    ("a subPath that leaves the volume", "POST", PODS, JSON,
     pod(volumes=[{"name": "v", "emptyDir": {}}], container={"volumeMounts": [{"name": "v", "mountPath": "/v", "subPath": "../../etc"}]}), 422, "Invalid",
     "'..'", ["spec.containers[0].volumeMounts[0].subPath"]),
    ("an owner without a uid", "POST", MAPS, JSON, config_map(ownerReferences=[{"apiVersion": "v1", "kind": "Pod", "name": "p"}]), 422, "Invalid", "uid",
     ["metadata.ownerReferences.uid"]),
    ("a revision that is a word", "GET", MAPS + "?resourceVersion=abc", JSON, "", 400, "BadRequest", "resource version", []),
    ("a revision below zero", "GET", MAPS + "?resourceVersion=-1", JSON, "", 400, "BadRequest", "resource version", []),
    ("a revision of 31 digits", "GET", MAPS + "?resourceVersion=1" + "0" * 30, JSON, "", 400, "BadRequest", "resource version", []),
    ("a revision that is yet to come", "GET", MAPS + "?resourceVersion=999999999", JSON, "", 504, "Timeout", "Too large resource version", []),
    ("a token to continue that is forged", "GET", MAPS + "?limit=1&continue=forged", JSON, "", 400, "BadRequest", "continue", []),
    ("a broken label selector", "GET", MAPS + "?labelSelector=a%20in%20(", JSON, "", 400, "BadRequest", "unable to parse requirement", []),
    ("a label selector with a bad value", "GET", MAPS + "?labelSelector=a%3D%3D%3Db", JSON, "", 400, "BadRequest", "", []),
    ("a field that cannot be selected", "GET", MAPS + "?fieldSelector=data.a%3D1", JSON, "", 400, "BadRequest", "field label not supported", []),
    ("a broken escape in the query", "GET", MAPS + "?labelSelector=%zz", JSON, "", 400, "BadRequest", "", []),
    ("a watch of a time that is none", "GET", MAPS + "?watch=1&timeoutSeconds=soon", JSON, "", 400, "BadRequest", "soon", []),
    ("a json patch sent as a merge", "PATCH", MAPS + "/there", MERGE, '[{"op":"add","path":"/data/b","value":"1"}]', 400, "BadRequest", "must be an object", []),
    ("a merge patch sent as steps", "PATCH", MAPS + "/there", STEPS, '{"data":{"b":"1"}}', 400, "BadRequest", "", []),
    ("an unknown patch type", "PATCH", MAPS + "/there", JSON, "{}", 415, "UnsupportedMediaType", "application/json", []),
    ("a strategic patch of a job", "PATCH", JOBS + "/there", STRATEGIC, "{}", 415, "UnsupportedMediaType", "application/merge-patch+json", []),
    ("a test of what is not there", "PATCH", MAPS + "/there", STEPS, '[{"op":"test","path":"/data/zz","value":"1"}]', 422, "Invalid", "/data/zz", []),
    ("a pointer with ~2", "PATCH", MAPS + "/there", STEPS, '[{"op":"add","path":"/data/~2","value":"1"}]', 422, "Invalid", "is not a JSON pointer", []),
    ("10,001 steps", "PATCH", MAPS + "/there", STEPS, "[" + ",".join(['{"op":"test","path":"/data/a","value":"1"}'] * 10_001) + "]", 413,
     "RequestEntityTooLarge", "10000", []),
    ("steps that double each time", "PATCH", MAPS + "/there", STEPS, json.dumps([{"op": "copy", "from": "/data", "path": f"/data/{i}"} for i in range(40)]), 413,
     "RequestEntityTooLarge", "", []),
    ("a patch of the uid", "PATCH", MAPS + "/there", MERGE, '{"metadata":{"uid":"other"}}', 422, "Invalid", "field is immutable", ["metadata.uid"]),
    ("a patch of the name", "PATCH", MAPS + "/there", MERGE, '{"metadata":{"name":"other"}}', 400, "BadRequest", "name", []),
    ("null for what is required", "PATCH", JOBS + "/there", MERGE, '{"spec":{"pytorchReplicaSpecs":null}}', 422, "Invalid", "spec.pytorchReplicaSpecs",
     ["spec.pytorchReplicaSpecs"]),
    ("a strategic list without its key", "PATCH", PODS + "/none", STRATEGIC, '{"spec":{"containers":[{"image":"x"}]}}', 404, "NotFound", "", []),
    ("apply without a manager", "PATCH", MAPS + "/there", APPLY, YAML_MAP, 422, "Invalid", "is required for apply patch", ["fieldManager"]),
    ("apply by a manager with a long name", "PATCH", MAPS + "/there?fieldManager=" + "m" * 200, APPLY, YAML_MAP.replace("x", "there"), 422, "Invalid",
     "128", ["fieldManager"]),
    ("apply with forged owners", "PATCH", MAPS + "/there?fieldManager=m", APPLY,
     '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"there","managedFields":[{"manager":"x"}]}}', 400, "BadRequest", "managedFields must be nil", []),
    ("a notebook with the volume of its token", "POST", NOTEBOOKS, JSON, notebook(), 422, "Invalid", "give this one another name",
     ["spec.template.spec.volumes[0].name"]),
    ("a notebook with something where its token is", "POST", NOTEBOOKS, JSON, notebook("v", "/run/notebook-token/x"), 422, "Invalid",
     "must not be at or below /run/notebook-token", ["spec.template.spec.containers[0].volumeMounts[0].mountPath"]),
    ("a notebook in a queue that is not a label", "POST", NOTEBOOKS, JSON, notebook("v", queue="a b"), 422, "Invalid", "a valid label must be",
     ["spec.scheduler.t9kScheduler.queue"]),
    ("a time after the last one", "POST", "/api/v1/namespaces/default/events", JSON,
     json.dumps({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "x"}, "firstTimestamp": "2263-01-01T00:00:00Z"}), 400, "BadRequest",
     "in the years 1678 to 2261", []),
    ("a broken escape", "GET", MAPS + "/%zz", JSON, "", 400, "BadRequest", 'broken percent escape in "%zz"', []),
    ("a method that is none", "BREW", MAPS, JSON, "", 405, "MethodNotAllowed", "", []),
    ("a path that is none", "GET", "/api/v1/../../etc/passwd", JSON, "", 400, "BadRequest", 'segment ".." is not allowed', []),
    ("a path with escaped slashes", "GET", "/api/v1/namespaces/default/configmaps/..%2f..%2fx", JSON, "", 404, "NotFound", "", []),
    ("a delete of another uid", "DELETE", MAPS + "/there", JSON, '{"preconditions":{"uid":"other"}}', 409, "Conflict", "UID", []),
    ("a delete policy that is none", "DELETE", MAPS + "/there", JSON, '{"propagationPolicy":"Maybe"}', 422, "Invalid", "propagationPolicy", ["propagationPolicy"]),
]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_wrong_request(wire, row):
    _, method, path, content_type, body, code, reason, words, fields = row
    begin = time.monotonic()
    answer = wire.send(method, path, body, content_type)
    assert (answer.code, answer.reason) == (code, reason), answer.text
    assert answer.body["kind"] == "Status" and answer.body["status"] == "Failure" and answer.body["code"] == code
    assert words in answer.message, answer.message
    if fields:
        assert set(fields) <= set(answer.fields), answer.text
    assert time.monotonic() - begin < 5, "refused in no time"
    assert "\u202e" not in answer.message and "\x1b" not in answer.message, "what a terminal would obey is escaped"


def test_names_of_yaml_stay_texts(wire):
    """Texts that YAML 1.1 would read as a boolean or a number in another base stay texts in a string field."""
    body = YAML_MAP.replace("x}", "traps, labels: {a: 'on'}}") + "data: {a: 'on', b: '012', c: '1:30', 'no': '~'}\n"
    made = wire.send("POST", MAPS + "?dryRun=All", "\ufeff" + body.replace("\n", "\r\n"), YAML)
    assert made.code == 201 and made.body["data"] == {"a": "on", "b": "012", "c": "1:30", "no": "~"}, made.text


# The head of a request as sent, the expected first line of the response, and parts of the response.
AUTH = "Authorization: Bearer TOKEN\r\n"
HEADS = [
    ("HTTP/0.9", "GET /\r\n\r\n", 400, ""),
    ("an HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "HTTP/1.1"),
    ("a chunk of negative size", f"POST {MAPS} HTTP/1.1\r\nHost: localhost\r\n{AUTH}Transfer-Encoding: chunked\r\n\r\n-2\r\nab\r\n", 400, ""),
    ("an endless chunk extension", f"POST {MAPS} HTTP/1.1\r\nHost: localhost\r\n{AUTH}Transfer-Encoding: chunked\r\n\r\n1;" + "e" * 200_000, 431, ""),
    ("10,000 headers", "GET / HTTP/1.1\r\nHost: localhost\r\n" + "".join(f"X-{i}: y\r\n" for i in range(10_000)) + "\r\n", 431, ""),
    ("a body of 4 MiB", f"POST {MAPS} HTTP/1.1\r\nHost: localhost\r\n{AUTH}Content-Length: 4194304\r\n\r\n", 413, "3145728"),
    ("two lengths", f"POST {MAPS} HTTP/1.1\r\nHost: localhost\r\n{AUTH}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400, ""),
    ("a length and chunks", f"POST {MAPS} HTTP/1.1\r\nHost: localhost\r\n{AUTH}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, ""),
    ("an absolute address", f"GET http://evil.example{MAPS} HTTP/1.1\r\nHost: localhost\r\n{AUTH}\r\n", 400, "must begin with /"),
    ("no Host", f"GET {MAPS} HTTP/1.1\r\n{AUTH}\r\n", 400, "Host"),
    ("two Hosts", f"GET {MAPS} HTTP/1.1\r\nHost: localhost\r\nHost: b\r\n{AUTH}\r\n", 400, "Host"),
    ("an address that continues", f"GET {MAPS} HTTP/1.1\r\nHost: [::1].evil.com\r\n{AUTH}\r\n", 400, "Host"),
    ("a port that is a name", f"GET {MAPS} HTTP/1.1\r\nHost: 127.0.0.1:evil.com\r\n{AUTH}\r\n", 400, "Host"),
    ("two tokens", f"GET {MAPS} HTTP/1.1\r\nHost: localhost\r\n{AUTH}{AUTH}\r\n", 400, "Authorization"),
    ("the same length twice", f"POST {MAPS} HTTP/1.1\r\nHost: localhost\r\n{AUTH}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{{}}", 400, "Content-Length"),
    ("a list of lengths", f"POST {MAPS} HTTP/1.1\r\nHost: localhost\r\n{AUTH}Content-Length: 2, 2\r\n\r\n{{}}", 400, "Content-Length"),
    ("a port that is too large", f"GET {MAPS} HTTP/1.1\r\nHost: 127.0.0.1:65536\r\n{AUTH}\r\n", 400, "Host"),
    ("a folded header", f"GET {MAPS} HTTP/1.1\r\nHost: localhost\r\n{AUTH}Accept: application/json,\r\n text/html\r\n\r\n", 400, "next line"),
    ("two slashes", f"GET /{MAPS} HTTP/1.1\r\nHost: localhost\r\n{AUTH}\r\n", 404, ""),
    ("another Host", f"GET {MAPS} HTTP/1.1\r\nHost: evil.example\r\n{AUTH}\r\n", 403, ""),
    ("another Origin", f"GET {MAPS} HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n{AUTH}\r\n", 403, ""),
    ("no token", f"GET {MAPS} HTTP/1.1\r\nHost: localhost\r\n\r\n", 401, "Unauthorized"),
    ("an empty token", f"GET {MAPS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \r\n\r\n", 401, "Unauthorized"),
    ("a token of other letters", f"GET {MAPS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \u00e9\u00e8\r\n\r\n", 401, "Unauthorized"),
    ("a token in the query", f"GET {MAPS}?token=TOKEN&access_token=TOKEN HTTP/1.1\r\nHost: localhost\r\n\r\n", 401, "Unauthorized"),
    ("a token of 60 KB", f"GET {MAPS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + "t" * 60_000 + "\r\n\r\n", 401, "Unauthorized"),
]


@pytest.mark.parametrize("row", HEADS, ids=[row[0] for row in HEADS])
def test_a_wrong_head(wire, row):
    _, text, code, words = row
    text = text.replace("localhost", f"127.0.0.1:{wire.port}").replace("TOKEN", wire.token)
    answer = wire.raw(text.encode())
    assert answer.code == code and words in answer.text, answer.raw[:500]
    assert answer.body["kind"] == "Status", answer.text


def test_a_chunked_request_may_come_byte_by_byte(wire):
    head = wire.head("POST", MAPS, {"Transfer-Encoding": "chunked", "Content-Type": JSON, "Connection": "close"})
    with wire.connect() as connection:
        for byte in (head + "0\r\n\r\n").encode():
            connection.sendall(bytes([byte]))
            time.sleep(0.0005)
        assert read_answer(connection).code == 400


def test_tls_that_breaks_off_or_is_none(wire):
    for garbage in (b"\x16\x03\x01\xff\xff" + b"\0" * 500, b"\x16", b"\0" * 100, b"\x80\x2e\x01\x03\x01"):
        with socket.create_connection(("127.0.0.1", wire.port), timeout=5) as connection:
            connection.sendall(garbage)
            connection.shutdown(socket.SHUT_WR)
            try:
                connection.recv(100)
            except ConnectionResetError:
                pass


def test_old_tls_is_refused(wire):
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname = False
    old.verify_mode = ssl.CERT_NONE
    old.minimum_version = ssl.TLSVersion.TLSv1
    old.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises((ssl.SSLError, ConnectionError)):
        old.wrap_socket(socket.create_connection(("127.0.0.1", wire.port), timeout=5))


def test_tls_1_2_has_authenticated_encryption_only(wire):
    def handshake(cipher):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers(cipher)
        with socket.create_connection(("127.0.0.1", wire.port), timeout=20) as plain:
            with context.wrap_socket(plain) as connection:
                return connection.cipher()[0]

    for cipher in ("ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305"):
        assert handshake(cipher) == cipher
    for cipher in ("ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA", "ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES256-SHA384"):
        with pytest.raises(ssl.SSLError):
            handshake(cipher)


def test_slow_senders_are_let_go_and_others_served(wire):
    """A request head that never ends is rejected after ten seconds."""
    with wire.connect() as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: ")
        begin = time.monotonic()
        assert wire.send("GET", MAPS + "/there").code == 200
        answer = read_answer(slow)
    assert answer.code == 408 and 8 < time.monotonic() - begin < 15


def test_a_megabyte_for_a_manager_and_for_a_token(wire):
    assert wire.send("PATCH", MAPS + "/there?fieldManager=" + "m" * 1_000_000, YAML_MAP, APPLY).code in (414, 431)
    assert wire.raw(f"GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {'t' * 1_000_000}\r\n\r\n".encode()).code == 431
