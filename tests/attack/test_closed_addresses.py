"""The addresses of the machine that pods in networks of their own do not reach, on a machine that is a network namespace here:
so it has the addresses that this needs, and gets more of them while a pod runs."""

import errno
import os
import shutil
import subprocess

import pytest

from harness import Engine, wait_for
from test_network import CONNECT, pod

pytestmark = pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("ip") or not os.access("/dev/net/tun", os.R_OK | os.W_OK),
                                reason="needs root, ip and /dev/net/tun")
MACHINE = """
ip link set lo up
ip link add wire type veth peer name far
ip link set wire up
ip link set far up
ip address add 10.77.0.2/24 dev wire
ip address add fd77::2/64 dev wire nodad
ip address add fe80::77/64 dev wire nodad
ip address add 10.78.0.1/32 dev lo
ip route add default via 10.77.0.1
ip -6 route add default via fd77::1
"""
# Says on stdout who has connected or sent a datagram.
LISTENER = """
import selectors, socket
waiting = selectors.DefaultSelector()
for family, address in (socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::"):
    for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM:
        made = socket.socket(family, kind)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        elif kind == socket.SOCK_DGRAM:
            made.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("224.0.1.7") + socket.inet_aton("10.77.0.2"))
        made.bind((address, 7077))
        if kind == socket.SOCK_STREAM:
            made.listen()
        waiting.register(made, selectors.EVENT_READ)
print("listening", flush=True)
while True:
    for key, _ in waiting.select():
        if key.fileobj.type == socket.SOCK_STREAM:
            print("connection from", key.fileobj.accept()[1], flush=True)
        else:
            print("datagram of", key.fileobj.recvfrom(1000), flush=True)
"""
# Tries the addresses that are its arguments, by TCP and UDP.
TRY = CONNECT + """
import struct
def send(host, port):
    try:
        family, _, _, _, to = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        return b"sent %d" % socket.socket(family, socket.SOCK_DGRAM).sendto(host.encode(), to)
    except OSError as error:
        return type(error).__name__.encode()
def bound(host, port, option):
    # The same by TCP from a socket that names the interface.
    try:
        family, kind, _, _, to = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as made:
            made.settimeout(3)
            made.setsockopt(*option)
            made.connect(to)
            return b"connected"
    except OSError as error:
        return type(error).__name__.encode()
def by_interface(host, port):
    # A datagram that names the interface itself, which no filter of system calls sees.
    try:
        family, kind, _, _, to = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        index = socket.if_nametoindex("wire")
        if family == socket.AF_INET:
            named = (socket.IPPROTO_IP, 8, struct.pack("@i8x", index))
        else:
            named = (socket.IPPROTO_IPV6, 50, struct.pack("@16xi", index))
        return b"sent %d" % socket.socket(family, kind).sendmsg([host.encode()], [named], 0, to)
    except OSError as error:
        return type(error).__name__.encode()
NAMED = [(1, 25, b"wire"), (1, 62, socket.if_nametoindex("wire")), (0, 50, struct.pack("!I", socket.if_nametoindex("wire")))]
for host in sys.argv[1:]:
    print("tried", host, reach(host, 7077), send(host, 7077), by_interface(host, 7077), [bound(host, 7077, option) for option in NAMED])
"""


@pytest.fixture
def machine(tmp_path):
    """An engine with `network: job` in a network namespace with addresses of its own, and what listens on all of them."""
    engine = Engine(tmp_path, config="network: job\n", through=("unshare", "-n", "sh", "-ec", MACHINE + 'exec "$@"', "sh"))

    def inside(*words):
        return ["nsenter", "-t", str(engine.process.pid), "-n", *words]
    engine.start()
    run = engine.run
    engine.run = lambda command, **kwargs: run(inside(*map(str, command)), **kwargs)
    engine.inside = inside
    listener = subprocess.Popen(inside("python3", "-c", LISTENER), stdout=subprocess.PIPE, text=True)
    assert listener.stdout.readline() == "listening\n"
    engine.listener = listener
    yield engine
    listener.kill()
    listener.wait()
    listener.stdout.close()
    engine.stop()


def test_no_address_of_the_machine_is_reached_also_none_that_it_gets_later(machine):
    machine.apply(pod("prober", "import time; time.sleep(10000)"))
    wait_for("the way to the outside", lambda: "wire" in machine.muster("exec", "prober", "--", "ip", "-6", "route", check=False).stdout)

    def routes():
        return machine.muster("exec", "prober", "--", "sh", "-c", "ip route; ip -6 route; ip -6 rule").stdout

    def try_addresses(*hosts):
        text = machine.muster("exec", "prober", "--", "python3", "-c", TRY, *hosts).stdout
        assert text.count("tried") == len(hosts), text

    wait_for("both ways to the outside", lambda: routes().count("default via") == 2)
    assert all(f"unreachable {cloud}" in routes() for cloud in ("169.254.169.254", "168.63.129.16")) and "to fd00:ec2::254" in routes(), "where clouds tell credentials"
    try_addresses("10.77.0.2", "10.78.0.1", "fd77::2", "fe80::77%wire", "ff02::1%wire", "224.0.1.7", "::ffff:10.78.0.1")
    # Loopback is the pod's own, unless somebody names the interface that leads to the machine.
    try_addresses("127.0.0.1", "127.8.9.10", "::1")
    for address in ("10.79.0.1/32", "fd79::1/128"):
        subprocess.run(machine.inside("ip", "address", "add", address, "dev", "wire"), check=True)
    wait_for("the new addresses to be closed off", lambda: "unreachable 10.79.0.1" in routes() and "to fd79::1" in routes())
    try_addresses("10.79.0.1", "fd79::1", "::ffff:10.79.0.1")
    subprocess.run(machine.inside("ip", "address", "del", "10.79.0.1/32", "dev", "wire"), check=True)
    wait_for("an address that another machine may have now", lambda: "10.79.0.1" not in routes())
    machine.listener.kill()
    assert machine.listener.stdout.read() == ""
    refused = machine.muster("exec", "prober", "--", "python3", "-c", "import socket\ntry: socket.socket(40, 1)\nexcept OSError as error: print(error.errno)")
    assert refused.stdout == f"{errno.EAFNOSUPPORT}\n", "sockets of virtual machines would be the machine's"
    assert machine.get("pod", "prober")["status"]["phase"] == "Running"
