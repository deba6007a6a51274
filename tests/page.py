"""A browser without a screen: follows the one-time link to a page, keeps its cookies, and opens WebSockets."""

import base64
import http.cookiejar
import json
import os
import socket
import struct
import urllib.error
import urllib.parse
import urllib.request

from harness import wait_for


class Page:
    """The page of `muster COMMAND NAME`, where COMMAND is tensorboard or notebook."""

    def __init__(self, engine, command, name):
        self.link = engine.muster(command, name).stdout.strip()
        self.url = self.link.split("?", 1)[0]
        self.cookies = http.cookiejar.CookieJar()
        self.browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))
        self.status(self.link)
        wait_for(f"the page of {name}", lambda: self.status(self.url) == 200, timeout=120)

    def status(self, url):
        try:
            with self.browser.open(url, timeout=30) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def request(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        with self.browser.open(request, timeout=60) as answer:
            return json.loads(answer.read() or "null")

    def json(self, path):
        return self.request("GET", path)

    def web_socket(self, path, **headers):
        cookie = "; ".join(f"{one.name}={one.value}" for one in self.cookies)
        return WebSocket(self.url + path, {"Cookie": cookie, "Origin": self.url.split("/tb/")[0].split("/notebook/")[0], **headers})


class WebSocket:
    """The client's side of RFC 6455, for messages of text."""

    def __init__(self, url, headers):
        parts = urllib.parse.urlsplit(url)
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout=60)
        fields = {"Host": parts.netloc, "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
                  "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), **headers}
        lines = [f"GET {parts.path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items() if value)]
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self.stream = self.socket.makefile("rb")
        self.status = int(self.stream.readline().split()[1])
        while self.stream.readline() not in (b"\r\n", b""):
            pass

    def close(self):
        self.stream.close()
        self.socket.close()

    def send(self, message):
        self.send_frame(1, json.dumps(message).encode())

    def send_frame(self, opcode, payload):
        mask = os.urandom(4)
        size = len(payload)
        length = bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + struct.pack(">H", size)
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
        self.socket.sendall(bytes([0x80 | opcode]) + length + mask + masked)

    def receive(self):
        """Returns the next message, decoded from JSON."""
        message = b""
        while True:
            first, size = self.stream.read(2)
            if size == 126:
                size = struct.unpack(">H", self.stream.read(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.stream.read(8))[0]
            payload = self.stream.read(size)
            opcode = first & 15
            if opcode == 9:
                self.send_frame(10, payload)
            elif opcode == 8:
                raise EOFError(f"the server closed the WebSocket: {payload!r}")
            elif opcode in (0, 1):
                message += payload
                if first & 0x80:
                    return json.loads(message)

    def receive_until(self, is_wanted):
        while True:
            message = self.receive()
            if is_wanted(message):
                return message
