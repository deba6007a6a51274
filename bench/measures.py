"""The measures of bench/run. Each runs ours and its peer in turns, checks that the work was really done, prints one line."""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from harness import MUSTER, Engine, free_port  # noqa: E402

LOAD = ROOT / "build" / "bin" / "api_load"
PYTHON = "/usr/bin/python3"


def line(name, ours, peer, goal, unit, better):
    """`better` is 'more' or 'less': what a good ratio is."""
    if peer is None:
        print(f"{name} ours={ours:.4g}{unit} peer=absent", flush=True)
        return
    ratio = ours / peer
    reached = ratio >= goal if better == "more" else ratio <= goal
    print(f"{name} ours={ours:.4g}{unit} peer={peer:.4g}{unit} ratio={ratio:.3g} goal={'>=' if better == 'more' else '<='}{goal}"
          f" {'ok' if reached else 'short'}", flush=True)


def load(kubeconfig, *words):
    done = subprocess.run([LOAD, kubeconfig, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"cannot measure: api_load {words}: {done.stderr}")
    return json.loads(done.stdout)


class Peer:
    """A real kube-apiserver and etcd; `kubeconfig` is None where they cannot be built."""

    def __enter__(self):
        self.process, self.kubeconfig = None, None
        if subprocess.run([ROOT / "tools" / "get_kubernetes"], stdout=subprocess.DEVNULL, check=False).returncode != 0:
            return self
        self.process = subprocess.Popen(
            [ROOT / "tests" / "contract" / "real_kubernetes.sh", "sh", "-c", "echo $MUSTER_CONTRACT_KUBECONFIG; exec cat"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        path = self.process.stdout.readline().strip()
        if not path:
            sys.exit("cannot measure: the real kube-apiserver did not start")
        self.kubeconfig = path
        install_crds(path)
        return self

    def __exit__(self, *_):
        if self.process:
            self.process.stdin.close()
            self.process.wait()

    def memory(self):
        return sum(resident(pid) for pid in pids_of("kube-apiserver") + pids_of("etcd"))


def install_crds(kubeconfig):
    for crd in sorted((ROOT / "deploy" / "crds").glob("*.yaml")):
        subprocess.run([MUSTER, "apply", "-f", crd, "--kubeconfig", kubeconfig], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([MUSTER, "wait", "crd/pytorchjobs.kubeflow.org", "--for=condition=Established", "--timeout=30s",
                    "--kubeconfig", kubeconfig], check=True, stdout=subprocess.DEVNULL)


def pids_of(name):
    return [int(p) for p in subprocess.run(["pgrep", "-x", name[:15]], capture_output=True, text=True, check=False).stdout.split()]


def resident(pid):
    for row in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if row.startswith("VmRSS:"):
            return int(row.split()[1]) / 1024
    return 0.0


def b5_b7_b10(wanted):
    """Durable creates with 64 connections, the list of 10,000 jobs, and memory idle and with them."""
    with tempfile.TemporaryDirectory() as folder, Peer() as peer:
        engine = Engine(folder).start()
        ours, theirs = str(engine.kubeconfig), peer.kubeconfig
        idle = resident(engine.process.pid)
        idle_peer = peer.memory() if theirs else None
        writes, writes_peer = [], []
        for turn in range(3):
            writes.append(load(ours, "create", 3000, 64, f"t{turn}"))
            if theirs:
                writes_peer.append(load(theirs, "create", 300, 64, f"t{turn}"))
        median = lambda samples, key: statistics.median(s[key] for s in samples) if samples else None
        if "B5" in wanted:
            line("B5", median(writes, "rate"), median(writes_peer, "rate"), 20, "/s", "more")
            line("B5.p99", median(writes, "p99_ms"), median(writes_peer, "p99_ms"), 0.125, "ms", "less")
        load(ours, "create", 1000, 64, "rest")
        if theirs and {"B7", "B10"} & set(wanted):
            load(theirs, "create", 10000 - 900, 64, "rest")
        lists, lists_peer = [], []
        for _ in range(3):
            lists.append(load(ours, "list", 3))
            if theirs:
                lists_peer.append(load(theirs, "list", 1))
        if any(s["items"] != 10000 for s in lists + lists_peer):
            sys.exit(f"cannot measure: a list gave {lists[0]['items']} items instead of 10000")
        if "B7" in wanted:
            line("B7", median(lists, "p50_ms"), median(lists_peer, "p50_ms"), 0.04, "ms", "less")
        if "B10" in wanted:
            line("B10.idle", idle, idle_peer, 0.04, "MB", "less")
            line("B10.10k", resident(engine.process.pid), peer.memory() if theirs else None, 0.033, "MB", "less")
        engine.kill()


TRAIN = """
import os, torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group('gloo')
torch.set_num_threads(1)
model = DistributedDataParallel(torch.nn.Linear(10, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(21):
    optimizer.zero_grad(); model(torch.randn(8, 10)).sum().backward(); optimizer.step()
print('rank', dist.get_rank(), 'of', dist.get_world_size(), 'done', flush=True)
"""


def b1(_wanted):
    """Two ranks of DDP from submit to end, against the fairest torchrun."""
    from harness import training_job
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(folder).start()
        work = engine.volume("work")
        (work / "train.py").write_text(TRAIN)
        ours, peer = [], []
        for turn in range(7):
            job = training_job(f"ddp-{turn}", [PYTHON, "train.py"], replicas=2)
            begin = time.monotonic()
            engine.apply(job)
            engine.muster("wait", f"pj/ddp-{turn}", "--timeout", "60s")
            ours.append(time.monotonic() - begin)
            said = engine.muster("logs", f"pj/ddp-{turn}").stdout
            if "rank 0 of 2 done" not in said or "rank 1 of 2 done" not in said:
                sys.exit(f"cannot measure: the ranks said {said}")
            begin = time.monotonic()
            done = subprocess.run(["torchrun", "--nnodes=1", "--master_addr=127.0.0.1", f"--master_port={free_port()}",
                                   "--monitor_interval=0.1", "-r", "1", "-t", "1", "--nproc_per_node=2", work / "train.py"],
                                  capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"})
            peer.append(time.monotonic() - begin)
            if done.returncode != 0:
                sys.exit(f"cannot measure: torchrun: {done.stderr}")
        line("B1", statistics.median(ours), statistics.median(peer), 0.5, "s", "less")
        engine.stop()


MEASURES = {"B1": b1, "B5": b5_b7_b10, "B7": b5_b7_b10, "B10": b5_b7_b10}


def main():
    wanted = sys.argv[1:] or list(MEASURES)
    unknown = [w for w in wanted if w not in MEASURES]
    if unknown:
        sys.exit(f"error: unknown measure {unknown[0]}; there are {' '.join(MEASURES)}")
    for function in dict.fromkeys(MEASURES[w] for w in wanted):
        function(wanted)


if __name__ == "__main__":
    main()
