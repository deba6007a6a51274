"""The measures of the networks of jobs, against the same programs in the network of the machine."""

import collections
import contextlib
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from harness import Engine, free_port, training_job, wait_for
from report import bound, line

PYTHON = "/usr/bin/python3"
CONFIG = "network: job\n"
TURNS = 5

REDUCE = """
import time, torch, torch.distributed as dist
torch.set_num_threads(1)
dist.init_process_group("gloo")
numbers = torch.ones(16 * 1024 * 1024)  # 64 MB
dist.all_reduce(numbers)
dist.barrier()
begin = time.monotonic()
for _ in range(10):
    dist.all_reduce(numbers)
dist.barrier()
if dist.get_rank() == 0:
    print(10 * 64 / (time.monotonic() - begin), flush=True)
"""

SERVE = """
import socket
server = socket.create_server(("{address}", {port}))
print("listening", flush=True)
chunk = bytes(1 << 20)
while True:
    peer, _ = server.accept()
    with peer:
        for _ in range({megabytes}):
            peer.sendall(chunk)
"""

DOWNLOAD = """
import socket, time
begin = time.monotonic()
size = 0
with socket.create_connection(("{address}", {port})) as peer:
    while data := peer.recv(1 << 20):
        size += len(data)
print(size / 1e6 / (time.monotonic() - begin), flush=True)
"""


def run_ranks(script):
    """Two ranks in the network of the machine; what the first one prints."""
    port = str(free_port())
    ranks = []
    for rank in ("0", "1"):
        environment = {**os.environ, "RANK": rank, "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        ranks.append(subprocess.Popen([PYTHON, "-c", script], env=environment, stdout=subprocess.PIPE, text=True))
    first, _ = ranks[0].communicate()
    if ranks[0].returncode != 0 or ranks[1].wait() != 0:
        sys.exit("cannot measure: ranks in the network of the machine failed")
    return float(first)


def output_of_job(engine, name, script, replicas):
    engine.apply(training_job(name, [PYTHON, "-c", script], replicas=replicas))
    engine.muster("wait", f"pj/{name}", "--timeout", "120s")
    return float(engine.muster("logs", f"pj/{name}", "--prefix=false", "--tail=-1").stdout)


def b24(_wanted):
    """An all-reduce of 64 MB between two ranks of a job in its own network, against the same two processes outside."""
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(folder, config=CONFIG).start()
        engine.volume("work")
        ours, peer = [], []
        for turn in range(TURNS):
            ours.append(output_of_job(engine, f"reduce-{turn}", REDUCE, 2))
            peer.append(run_ranks(REDUCE))
        line("B24", statistics.median(ours), statistics.median(peer), 0.95, "MB/s", "more")
        engine.stop()


@contextlib.contextmanager
def far_machine():
    """A network namespace that this machine reaches by a pair of interfaces; its address."""
    name = f"far-{os.getpid()}"
    here, there = f"near{os.getpid() % 100000}", f"far{os.getpid() % 100000}"
    ip = lambda *words: subprocess.run(["ip", *words], check=True)
    ip("netns", "add", name)
    try:
        ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", name)
        ip("addr", "add", "198.51.100.1/30", "dev", here)
        ip("link", "set", here, "up")
        ip("-n", name, "addr", "add", "198.51.100.2/30", "dev", there)
        ip("-n", name, "link", "set", there, "up")
        yield name, "198.51.100.2"
    finally:
        ip("netns", "delete", name)


def b25(_wanted):
    """A download from a server in another network namespace, through pasta, against the same download from outside of a job."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        sys.exit("cannot measure: it takes root and the package iproute2 to make a network that the machine reaches")
    with tempfile.TemporaryDirectory() as folder, far_machine() as (name, address):
        at = {"address": address, "port": 8000}
        server = subprocess.Popen(["ip", "netns", "exec", name, PYTHON, "-c", SERVE.format(megabytes=1000, **at)],
                                  stdout=subprocess.PIPE, text=True)
        server.stdout.readline()
        engine = Engine(folder, config=CONFIG).start()
        engine.volume("work")
        ours, peer = [], []
        for turn in range(TURNS):
            ours.append(output_of_job(engine, f"download-{turn}", DOWNLOAD.format(**at), 1))
            done = subprocess.run([PYTHON, "-c", DOWNLOAD.format(**at)], capture_output=True, text=True, check=True)
            peer.append(float(done.stdout))
        line("B25", statistics.median(ours), statistics.median(peer), 0.5, "MB/s", "more")
        engine.stop()
        server.kill()
        server.wait()


def proportional(pid):
    """The memory of a process in MB; what processes share counts in part."""
    rows = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(row.split()[1]) for row in rows if row.startswith("Pss:")) / 1024


def processes(folder):
    """The processes that keep the networks of an engine, and those that they have started, as (pid, name); pasta runs as passt.avx2
    where the processor has that."""
    table = subprocess.run(["ps", "-e", "-o", "pid=,ppid=,comm=,args="], capture_output=True, text=True, check=True).stdout
    rows = [row.split(None, 3) for row in table.splitlines()]
    keepers = {pid for pid, _, _, words in rows if f" network {folder}" in words}
    return [(int(pid), name) for pid, parent, name, _ in rows if pid in keepers or parent in keepers]


def b26(_wanted):
    """The memory of a job's network: the processes that keep it, and pasta."""
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(folder, config=CONFIG).start()
        engine.volume("work")
        engine.apply(training_job("idle", ["sh", "-c", "echo here; sleep 1000"]))
        wait_for("the job", lambda: "here" in engine.muster("logs", "pj/idle", check=False).stdout)
        memory = collections.Counter()
        for pid, name in processes(engine.data):
            memory["pasta" if "passt" in name or "pasta" in name else "keeper"] += proportional(pid)
        bound("B26.keeper", memory["keeper"], 1, "MB")
        bound("B26.pasta", memory["pasta"], 40, "MB")
        engine.stop()
