"""Names resolve in jobs with networks of their own, also when the machine's name server is at an address that is closed to them."""

import os
import shutil
import subprocess

import pytest

from harness import Engine, wait_for
from test_network import pod

pytestmark = pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("ip") or not os.access("/dev/net/tun", os.R_OK | os.W_OK),
                                reason="needs root, ip and /dev/net/tun")
MACHINE = """
ip link set lo up
ip link add wire type veth peer name far
ip link set wire up
ip link set far up
ip address add 10.77.0.2/24 dev wire
ip address add 169.254.169.254/32 dev lo
ip address add 168.63.129.16/32 dev lo
ip route add default via 10.77.0.1
mount --bind {resolv} /etc/resolv.conf
exec "$@"
"""
# A name server that has the same address for all names.
NAME_SERVER = """
import socket, sys
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind((sys.argv[1], 53))
print("listening", flush=True)
while True:
    query, peer = server.recvfrom(512)
    end = query.index(b"\\0", 12) + 5
    is_ipv4 = query[end - 4:end - 2] == b"\\0\\1"
    head = query[:2] + b"\\x81\\x80" + query[4:6] + (b"\\0\\1" if is_ipv4 else b"\\0\\0") + bytes(4)
    address = b"\\xc0\\x0c\\0\\1\\0\\1\\0\\0\\0\\x3c\\0\\4" + socket.inet_aton("203.0.113.80")
    server.sendto(head + query[12:end] + (address if is_ipv4 else b""), peer)
"""


@pytest.mark.parametrize("server", ["10.77.0.2", "127.0.0.53", "169.254.169.254", "168.63.129.16"])
def test_names_resolve_if_the_name_server_is_closed_to_pods(tmp_path, server):
    resolv = tmp_path / "resolv.conf"
    resolv.write_text(f"nameserver {server}\noptions timeout:2 attempts:3\n")
    engine = Engine(tmp_path / "engine", config="network: job\n",
                    through=("unshare", "-nm", "sh", "-ec", MACHINE.format(resolv=resolv), "sh"))
    engine.start()
    inside = ["nsenter", "-t", str(engine.process.pid), "-n"]
    run = engine.run
    engine.run = lambda command, **kwargs: run([*inside, *map(str, command)], **kwargs)
    names = subprocess.Popen([*inside, "python3", "-c", NAME_SERVER, server], stdout=subprocess.PIPE, text=True)
    try:
        assert names.stdout.readline() == "listening\n"
        engine.apply(pod("asks", "import time; time.sleep(10000)"))

        def resolved():
            return engine.muster("exec", "asks", "--", "getent", "hosts", "data.example.com", check=False).stdout

        wait_for("the answer of the name server", lambda: "203.0.113.80" in resolved())
    finally:
        names.kill()
        names.wait()
        names.stdout.close()
        engine.stop()
