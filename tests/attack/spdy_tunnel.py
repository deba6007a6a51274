"""A client of port-forward that keeps one WebSocket and opens streams in it when it likes, as kubectl's tunnel does."""

import base64
import os
import socket
import struct
import zlib

PROTOCOL = "SPDY/3.1+portforward.k8s.io"


class Tunnel:
    """Raises ConnectionError when the engine refuses the tunnel."""

    def __init__(self, engine, pod, namespace="default"):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(str(engine.data / "api.sock"))
        self.socket.sendall((f"GET /api/v1/namespaces/{namespace}/pods/{pod}/portforward HTTP/1.1\r\nHost: localhost\r\n"
                             "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                             f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n"
                             f"Sec-WebSocket-Protocol: {PROTOCOL}\r\n\r\n").encode())
        self.received = b""
        while b"\r\n\r\n" not in self.received:
            self.read_more()
        head, _, self.received = self.received.partition(b"\r\n\r\n")
        if b" 101 " not in head.splitlines()[0]:
            raise ConnectionError(head.decode() + self.received.decode())
        self.compressor = zlib.compressobj()
        self.frames = b""
        self.next_stream = 1
        self.closed = False

    def read_more(self):
        part = self.socket.recv(65536)
        if not part:
            raise ConnectionError("the engine has closed the connection")
        self.received += part

    def take(self, size):
        while len(self.received) < size:
            self.read_more()
        taken, self.received = self.received[:size], self.received[size:]
        return taken

    def send(self, payload):
        mask = b"\1\2\3\4"
        size = struct.pack("!BBH", 0x82, 0xFE, len(payload)) if len(payload) > 125 else struct.pack("!BB", 0x82, 0x80 | len(payload))
        self.socket.sendall(size + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload)))

    def read_message(self):
        """Takes one frame of the WebSocket; False after the engine has closed it."""
        kind, size = self.take(2)
        if size == 126:
            (size,) = struct.unpack("!H", self.take(2))
        elif size == 127:
            (size,) = struct.unpack("!Q", self.take(8))
        payload = self.take(size)
        if kind & 0xF == 8:
            self.closed = True
        elif kind & 0xF < 3:
            self.frames += payload
        return not self.closed

    def open_stream(self, kind, port, connection):
        stream, self.next_stream = self.next_stream, self.next_stream + 2
        headers = {"streamtype": kind, "port": str(port), "requestid": str(connection)}
        block = struct.pack("!I", len(headers)) + b"".join(
            struct.pack("!I", len(text)) + text.encode() for pair in headers.items() for text in pair)
        packed = self.compressor.compress(block) + self.compressor.flush(zlib.Z_SYNC_FLUSH)
        content = struct.pack("!IIH", stream, 0, 0) + packed
        self.send(struct.pack("!HHI", 0x8003, 1, len(content)) + content)
        return stream

    def ask(self, port, question, connection):
        """Opens a connection to the port. Returns (answer, error), both as bytes; the error says when the tunnel was closed."""
        answer, error, ended = b"", b"", set()
        try:
            errors = self.open_stream("error", port, connection)
            data = self.open_stream("data", port, connection)
            self.send(struct.pack("!II", data, 1 << 24 | len(question)) + question)
            while {data, errors} - ended:
                while len(self.frames) < 8 or len(self.frames) < 8 + struct.unpack("!I", b"\0" + self.frames[5:8])[0]:
                    if not self.read_message():
                        return answer, error + b" (closed)"
                size = struct.unpack("!I", b"\0" + self.frames[5:8])[0]
                head, content, self.frames = self.frames[:8], self.frames[8:8 + size], self.frames[8 + size:]
                (number,) = struct.unpack("!I", head[:4])
                if number == data:
                    answer += content
                elif number == errors:
                    error += content
                if number in (data, errors) and head[4] & 1:
                    ended.add(number)
        except ConnectionError as why:
            return answer, error + f" (closed: {why})".encode()
        return answer, error

    def is_closed(self):
        """Reads what the engine has sent so far."""
        self.socket.settimeout(0.2)
        try:
            while self.read_message():
                pass
        except TimeoutError:
            pass
        except ConnectionError:
            self.closed = True
        finally:
            self.socket.settimeout(20)
        return self.closed

    def close(self):
        self.socket.close()
