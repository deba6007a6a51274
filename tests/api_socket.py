"""The API of an engine through its socket, without a client library: many small requests, and which were answered."""

import http.client
import json
import socket


class SocketConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Gone(Exception):
    """The engine ended before it answered: whether it executed the request is unknown."""


class Api:
    def __init__(self, engine, timeout=20):
        self.path = engine.data / "api.sock"
        self.timeout = timeout
        self.connection = None

    def request(self, method, target, body=None):
        """Returns (status, document), or raises Gone when the response is not complete."""
        try:
            if self.connection is None:
                self.connection = SocketConnection(self.path, self.timeout)
            self.connection.request(method, target, None if body is None else json.dumps(body),
                                    {"Content-Type": "application/json"})
            answer = self.connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.connection = None
            raise Gone(str(error)) from error

    def watch(self, target):
        """Yields the events of a watch until the engine ends; any other response becomes one ERROR event."""
        connection = SocketConnection(self.path, self.timeout)
        try:
            connection.request("GET", target)
            answer = connection.getresponse()
            if answer.status != 200:
                yield {"type": "ERROR", "object": json.loads(answer.read())}
                return
            while line := answer.readline():
                if not line.endswith(b"\n"):
                    return
                yield json.loads(line)
        except (OSError, http.client.HTTPException, ValueError):
            return
        finally:
            connection.close()


CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


def config_map(name, value, revision=None):
    metadata = {"name": name, "namespace": "default"}
    if revision:
        metadata["resourceVersion"] = revision
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"value": value}}


def listed(api):
    """Returns (revision, {name: value}) of what the engine has."""
    status, answer = api.request("GET", CONFIG_MAPS)
    assert status == 200, answer
    return int(answer["metadata"]["resourceVersion"]), {i["metadata"]["name"]: i["data"]["value"] for i in answer["items"]}
