"""Connections without a token cost the engine almost nothing, and requests with the token are served at once."""

import contextlib
import http.client
import os
import re
import resource
import socket
import ssl
import time

import pytest

from api_socket import Api
from harness import wait_for

MEBIBYTE = 1024 * 1024
NAMESPACES = "/api/v1/namespaces"


@pytest.fixture(scope="module", autouse=True)
def many_descriptors():
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def memory_of(engine):
    with open(f"/proc/{engine.process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+) kB", status.read()).group(1)) * 1024


def seconds_for_the_owner(engine):
    """Returns how long a request with the token takes, from opening a TLS connection to the complete response."""
    token = re.search(r'token: "?([^"\s]+)"?', engine.kubeconfig.read_text()).group(1)
    began = time.monotonic()
    connection = http.client.HTTPSConnection("127.0.0.1", engine.port, timeout=20, context=ssl._create_unverified_context())
    connection.request("GET", NAMESPACES, headers={"Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    answer.read()
    connection.close()
    return time.monotonic() - began


def is_closed(connection):
    try:
        return connection.recv(1, socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def dial(engine, stack):
    return stack.enter_context(socket.create_connection(("127.0.0.1", engine.port), timeout=20))


def test_bodies_of_strangers_are_not_kept(engine):
    body = b"x" * (3 * MEBIBYTE - 100)
    head = (f"POST {NAMESPACES} HTTP/1.1\r\nHost: 127.0.0.1:{engine.port}\r\n"
            f"Content-Length: {len(body) + 10}\r\n\r\n").encode()
    before = memory_of(engine)
    with contextlib.ExitStack() as stack:
        answers = []
        for _ in range(300):
            stranger = dial(engine, stack)
            with contextlib.suppress(OSError):  # the engine closes the connection while we send
                stranger.sendall(head + body)
            with contextlib.suppress(OSError):
                answers.append(stranger.recv(100))
        assert all(answer.startswith(b"HTTP/1.1 401 ") for answer in answers if answer)
        assert len(answers) > 250, "most of them have read why they were refused"
        assert seconds_for_the_owner(engine) < 1
        grown = memory_of(engine) - before
    assert grown < 32 * MEBIBYTE, f"{grown / MEBIBYTE:.0f} MiB for 300 strangers"


@pytest.mark.parametrize("first_bytes", [b"", b"GET /api HTTP/1.1\r\nX: ", b"\x16\x03\x01\x02\x00\x01"],
                         ids=["silent", "half a head", "half a handshake"])
def test_idle_strangers_do_not_lock_the_owner_out(engine, first_bytes):
    before = memory_of(engine)
    with contextlib.ExitStack() as stack:
        strangers = [dial(engine, stack) for _ in range(4200)]
        for stranger in strangers:
            with contextlib.suppress(OSError):
                stranger.sendall(first_bytes)
        wait_for("the first 3600 to have made room for the others", lambda: is_closed(strangers[3600]))
        assert seconds_for_the_owner(engine) < 1
        began = time.monotonic()
        assert Api(engine).request("GET", NAMESPACES)[0] == 200
        assert time.monotonic() - began < 1, "over the Unix socket"
        grown = memory_of(engine) - before
    assert grown < 64 * MEBIBYTE, f"{grown / MEBIBYTE:.0f} MiB for 4200 strangers"


def test_descriptors_of_strangers_are_given_back(engine):
    held = f"/proc/{engine.process.pid}/fd"
    if not os.access(held, os.R_OK):
        pytest.skip("only root may count the descriptors of an engine")
    before = len(os.listdir(held))
    with contextlib.ExitStack() as stack:
        for _ in range(600):
            dial(engine, stack)
    wait_for("the descriptors to be closed", lambda: len(os.listdir(held)) <= before + 5, timeout=15)
