"""The measures of bench/run. Each one alternates between ours and its peer, checks the results and prints one line."""

import calendar
import contextlib
import json
import math
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from api_socket import Api  # noqa: E402
import network  # noqa: E402
import run_command  # noqa: E402
from harness import MUSTER, Engine, free_port, training_job, wait_for  # noqa: E402
from report import bound, line  # noqa: E402

LOAD = ROOT / "build" / "bin" / "api_load"
PYTHON = "/usr/bin/python3"
TURNS = 5  # per side; the median counts, because a shared machine is slow at times


def load(kubeconfig, *words):
    done = subprocess.run([LOAD, kubeconfig, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"cannot measure: api_load {words}: {done.stderr}")
    return json.loads(done.stdout)


class Peer:
    """A real kube-apiserver and etcd; `kubeconfig` is None when they cannot be built."""

    def __enter__(self):
        self.process, self.kubeconfig = None, None
        if subprocess.run([ROOT / "tools" / "get_kubernetes"], stdout=subprocess.DEVNULL, check=False).returncode != 0:
            return self
        self.process = subprocess.Popen(
            [ROOT / "tests" / "contract" / "real_kubernetes.sh", "sh", "-c", "echo $MUSTER_CONTRACT_KUBECONFIG; exec cat"],
            env=dict(os.environ, MUSTER_PEER="1"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        path = self.process.stdout.readline().strip()
        if not path:
            sys.exit("cannot measure: the real kube-apiserver did not start")
        self.kubeconfig = path
        return self

    def __exit__(self, *_):
        if self.process:
            self.process.stdin.close()
            self.process.wait()

    def pids(self):
        return pids_of("kube-apiserver") + pids_of("etcd")

    def memory(self):
        return sum(resident(pid) for pid in self.pids())


def pids_of(name):
    return [int(p) for p in subprocess.run(["pgrep", "-x", name[:15]], capture_output=True, text=True, check=False).stdout.split()]


def resident(pid):
    for row in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if row.startswith("VmRSS:"):
            return int(row.split()[1]) / 1024
    return 0.0


def median(samples, key):
    return statistics.median(s[key] for s in samples) if samples else None


def quiet(*pids, rest=0.002):
    """Waits until controllers and garbage collection have caught up; `rest` is the idle CPU time of 0.25 s."""
    before = -1.0
    for _ in range(600):
        now = sum(map(cpu_seconds, pids))
        if now - before < rest:
            return
        before = now
        time.sleep(0.25)
    sys.exit("cannot measure: what is measured does not come to rest")


@contextlib.contextmanager
def stopped(*pids):
    """Stops the other side, so that it takes no CPU time from the one being measured."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def in_turns(engine, peer, make_ours, make_peers):
    """The results of api_load by turn. The other side is stopped during a measurement; both are idle before it."""
    mine, others = [], []

    def rest():
        quiet(engine.process.pid)
        quiet(*peer.pids(), rest=0.03)  # it is never completely idle

    for turn in range(TURNS):
        rest()
        with stopped(*peer.pids()):
            mine.append(load(str(engine.kubeconfig), *make_ours(turn)))
        rest()
        if peer.kubeconfig:
            with stopped(engine.process.pid):
                others.append(load(peer.kubeconfig, *make_peers(turn)))
    return mine, others


def creates(peer):
    """Durable creates in a separate engine: a turn is long enough to measure, and leaves more than 10,000 jobs."""
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(folder).start()
        writes, writes_peer = in_turns(engine, peer, lambda t: ("create", 6000, 64, f"t{t}"), lambda t: ("create", 1000, 64, f"t{t}"))
        line("B5", median(writes, "rate"), median(writes_peer, "rate"), 20, "/s", "more")
        line("B5.p99", median(writes, "p99_ms"), median(writes_peer, "p99_ms"), 0.125, "ms", "less")
        engine.kill()
    return len(writes_peer) * 1000


def api(wanted):
    """Creates, reads, a list of 10,000 jobs, watchers, memory (idle and with those jobs), against kube-apiserver."""
    with tempfile.TemporaryDirectory() as folder, Peer() as peer:
        idle_peer = peer.memory() if peer.kubeconfig else None
        there = creates(peer) if "B5" in wanted else 0
        engine = Engine(folder).start()
        idle = resident(engine.process.pid)
        load(str(engine.kubeconfig), "create", 10000, 64, "job")
        if peer.kubeconfig:
            load(peer.kubeconfig, "create", 10000 - there, 64, "job")
        if "B6" in wanted:
            reads, reads_peer = in_turns(engine, peer, lambda t: ("get", 30000, 64, "job-7"), lambda t: ("get", 3000, 64, "job-7"))
            line("B6", median(reads, "rate"), median(reads_peer, "rate"), 15, "/s", "more")
        lists, lists_peer = in_turns(engine, peer, lambda t: ("list", 9), lambda t: ("list", 9))
        if any(s["items"] != 10000 for s in lists + lists_peer):
            sys.exit(f"cannot measure: a list gave {lists[0]['items']} items instead of 10000")
        if "B7" in wanted:
            line("B7", median(lists, "p50_ms"), median(lists_peer, "p50_ms"), 0.04, "ms", "less")
        if "B10" in wanted:
            bound("B10.idle", idle, 25, "MB", idle_peer)
            bound("B10.10k", resident(engine.process.pid), 120, "MB", peer.memory() if peer.kubeconfig else None)
        if "B8" in wanted:
            watchers(engine, peer)
        engine.kill()


def watchers(engine, peer):
    turn = lambda t: ("watch", 10, 16, f"w{t}", 100)
    seen, seen_peer = in_turns(engine, peer, turn, turn)
    rate = lambda samples: statistics.median(s["events"] / s["seconds"] for s in samples) if samples else None
    if any(s["resumed"] for s in seen + seen_peer):
        print(f"B8 watches that the server ended and that resumed: ours={sum(s['resumed'] for s in seen)}"
              f" peer={sum(s['resumed'] for s in seen_peer)}", flush=True)
    line("B8", rate(seen), rate(seen_peer), 10, "/s", "more")


def fill(engine, count, prefix):
    load(str(engine.kubeconfig), "create", count, 64, prefix)
    quiet(engine.process.pid)


def wall_ms(command, environment):
    begin = time.monotonic()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return (time.monotonic() - begin) * 1000


def b4(_wanted):
    """arena submit and arena list with 500 jobs, as processes, against /bin/true started in the same way."""
    arena = str(MUSTER.parent / "arena")
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(folder).start()
        fill(engine, 500, "job")
        # Over the engine's socket, as users have it, and not over the TLS of a kubeconfig.
        environment = {**engine.environment(), "KUBECONFIG": ""}
        quiet(engine.process.pid)
        nothing, listed, submitted = [], [], []
        for i in range(100):
            nothing.append(wall_ms(["/bin/true"], environment))
            listed.append(wall_ms([arena, "list"], environment))
        for i in range(100):  # not in turns with the lists, which would wait for what the engine does for a new job
            submitted.append(wall_ms([arena, "submit", "pytorch", f"--name=b4-{i}", "--image=i", "--selector=no=where", "true"], environment))
        peer = statistics.median(nothing)
        line("B4.submit", statistics.median(submitted), peer, 8, "ms", "less")
        line("B4.list", statistics.median(listed), peer, 12, "ms", "less")
        engine.stop()


def b11(_wanted):
    """The time from kill -9 to the first correct list of 10,000 jobs."""
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(folder).start()
        fill(engine, 10000, "job")
        took = []
        for _ in range(5):
            begin = time.monotonic()
            engine.kill()
            engine.start()
            listed = load(str(engine.kubeconfig), "list", 1)
            took.append((listed["ended"] - begin) * 1000)  # on the same clock; checking the list comes after that
            if listed["items"] != 10000:
                sys.exit(f"cannot measure: the list had {listed['items']} items")
            quiet(engine.process.pid)
        bound("B11", statistics.median(took), 400, "ms")
        engine.kill()


def b12(_wanted):
    """The console with 10,000 jobs: the first rows compared with a blank page, a change to its pixels, scrolling, and the end of a long log."""
    installed = subprocess.run([ROOT / "tools" / "install_packages", "browser"], capture_output=True, text=True, check=True)
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(folder, config="logs: {maxBytesPerContainer: 1Gi}\n").start()
        create_pod(Api(engine), "long", ["sh", "-c", f"{produce(200_000_000)}; echo the end"])
        engine.wait_phase("long", "Succeeded", kind="pod")
        fill(engine, 10000, "job")
        link = engine.muster("console", "--no-open").stdout.strip()
        done = subprocess.run([f"{installed.stdout.strip()}/bin/python", ROOT / "bench" / "console.py", link], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"cannot measure: bench/console.py: {done.stderr}")
        measured = json.loads(done.stdout)
        line("B12", statistics.median(measured["rows"]), statistics.median(measured["blank"]), 1.8, "ms", "less")
        bound("B12.change", statistics.quantiles(measured["changes"], n=20)[-1], 150, "ms")
        bound("B12.frame", statistics.mean(measured["frames"]), 20, "ms")  # 50 frames/s
        bound("B12.log", statistics.median(measured["log"]), 1000, "ms")
        engine.kill()


def b14(_wanted):
    """How costs grow from 1,000 to 100,000 objects: the exponent of a power law."""
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(folder).start()
        kubeconfig = str(engine.kubeconfig)
        costs = []
        for size, more in ((1000, 1000), (10000, 9000), (100000, 90000)):
            fill(engine, more, f"n{size}")
            get = 1 / median([load(kubeconfig, "get", 20000, 16, f"n{size}-7") for _ in range(3)], "rate")
            create = 1 / median([load(kubeconfig, "create", 500, 16, f"c{size}-{i}") for i in range(3)], "rate")
            quiet(engine.process.pid)
            whole = median([load(kubeconfig, "list", 2) for _ in range(3)], "p50_ms")
            costs.append((size, get, create, whole))
        grown = lambda i: math.log(costs[-1][i] / costs[0][i]) / math.log(costs[-1][0] / costs[0][0])
        bound("B14.get", grown(1), 0.1, "")
        bound("B14.create", grown(2), 0.1, "")
        bound("B14.list", grown(3), 1.1, "")
        engine.kill()


def b16(_wanted):
    """CPU usage when idle with 10,000 jobs and 20 watchers."""
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(folder).start()
        fill(engine, 10000, "job")
        seconds = 30
        holder = subprocess.Popen([LOAD, str(engine.kubeconfig), "hold", str(seconds + 5), "20"], stderr=subprocess.PIPE,
                                  stdout=subprocess.DEVNULL, text=True)
        holder.stderr.readline()
        quiet(engine.process.pid)
        before = cpu_ns(engine.process.pid)
        time.sleep(seconds)
        bound("B16", (cpu_ns(engine.process.pid) - before) / 1e9 / seconds * 100, 0.2, "%")
        holder.kill()
        holder.wait()
        engine.kill()


def cpu_ns(pid):
    """CPU time of all threads, from the scheduler's count: clock ticks are too coarse for an idle engine."""
    return sum(int((task / "schedstat").read_text().split()[0]) for task in pathlib.Path(f"/proc/{pid}/task").iterdir())


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
    """Two DDP ranks from submission to completion, compared to torchrun with its best settings."""
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(folder).start()
        work = engine.volume("work")
        (work / "train.py").write_text(TRAIN)
        ours, peer = [], []
        for turn in range(15):
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
        line("B1", statistics.median(ours), statistics.median(peer), 0.6, "s", "less")
        line("B1.worst", max(ours), statistics.median(peer), 0.8, "s", "less")
        engine.stop()


BARRIER = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d of %d\\n", rank, size);
  return MPI_Finalize();
}
"""


def mpi_job(name):
    worker = {"name": "worker", "image": "mpi", "volumeMounts": [{"name": "work", "mountPath": "/work"}]}
    template = {"spec": {"containers": [worker], "volumes": [{"name": "work", "persistentVolumeClaim": {"claimName": "work"}}]}}
    return {"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "MPIJob", "metadata": {"name": name},
            "spec": {"mpiConfig": {"extraArgs": ["-N", "1"], "script": ["/work/barrier"]},
                     "replicaSpecs": [{"type": "launcher", "template": {}}, {"type": "worker", "replicas": 2, "template": template}]}}


def b2(_wanted):
    """An MPI job with two workers that meet in a barrier, against the same program under mpirun."""
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(folder).start()
        program = engine.volume("work") / "barrier"
        if subprocess.run(["mpicc", "-O2", "-o", program, "-x", "c", "-"], input=BARRIER, text=True, check=False).returncode != 0:
            sys.exit("cannot measure: mpicc is needed (libopenmpi-dev)")
        ours, peer = [], []
        for turn in range(7):
            begin = time.monotonic()
            engine.apply(mpi_job(f"mpi-{turn}"))
            engine.muster("wait", f"mj/mpi-{turn}", "--timeout", "60s")
            ours.append(time.monotonic() - begin)
            said = engine.muster("logs", "-f", f"mj/mpi-{turn}").stdout
            if "rank 0 of 2" not in said or "rank 1 of 2" not in said:
                sys.exit(f"cannot measure: the ranks said {said}")
            begin = time.monotonic()
            subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", program], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=True)
            peer.append(time.monotonic() - begin)
        line("B2", statistics.median(ours), statistics.median(peer), 1.3, "s", "less")
        engine.stop()


PYTORCHJOBS = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs"


def three_pods(name, command, **container):
    template = {"spec": {"containers": [{"name": "pytorch", "image": "python:3", "command": command, **container}]}}
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name, "namespace": "default"},
            "spec": {"pytorchReplicaSpecs": {"Master": {"template": template}, "Worker": {"replicas": 2, "template": template}}}}


def create_job(connection, manifest):
    status, made = connection.request("POST", PYTORCHJOBS, manifest)
    if status != 201:
        sys.exit(f"cannot measure: create of a job: {made}")


def b21(_wanted):
    """Jobs per second from their creation until all of their pods are created; the pods wait for GPUs that do not exist."""
    count = 500
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(folder).start()
        connection = Api(engine)

        def has_all():
            _, page = connection.request("GET", "/api/v1/namespaces/default/pods?limit=1")
            return len(page["items"]) + page["metadata"].get("remainingItemCount", 0) == 3 * count
        begin = time.monotonic()
        for number in range(count):
            create_job(connection, three_pods(f"job-{number}", ["true"], resources={"limits": {"nvidia.com/gpu": 1}}))
        wait_for("all pods", has_all, timeout=120)
        rate = count / (time.monotonic() - begin)
        print(f"B21 ours={rate:.4g}/s goal=>=300/s {'ok' if rate >= 300 else 'short'}", flush=True)
        engine.kill()


def b22(_wanted):
    """What the controller writes for a PyTorchJob with three pods from its creation to its success, without events."""
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(folder).start()
        connection = Api(engine)
        _, before = connection.request("GET", PYTORCHJOBS)
        create_job(connection, three_pods("job", ["true"]))
        engine.muster("wait", "pytorchjob/job", "--timeout", "60s")
        quiet(engine.process.pid)

        def changes(collection, kinds):
            since = f"?watch=true&timeoutSeconds=1&resourceVersion={before['metadata']['resourceVersion']}"
            return sum(event["type"] in kinds for event in connection.watch(collection + since))
        groups = "/apis/scheduler.tensorstack.dev/v1beta1/namespaces/default/podgroups"
        writes = changes(PYTORCHJOBS, ["MODIFIED"]) + changes(groups, ["ADDED"])
        writes += sum(changes(f"/api/v1/namespaces/default/{children}", ["ADDED"]) for children in ("pods", "services"))
        bound("B22", writes, 12, "")
        engine.stop()


def b23(_wanted):
    """One decide for a job of 64 ranks."""
    took = [float(subprocess.run([ROOT / "build" / "bin" / "decide_time"], capture_output=True, text=True, check=True).stdout)
            for _ in range(TURNS)]
    bound("B23", statistics.median(took), 100, "us")


def pod(name, command):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
            "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0,
                     "containers": [{"name": "main", "image": "python:3", "command": command}]}}


def create_pod(connection, name, command):
    status, made = connection.request("POST", "/api/v1/namespaces/default/pods", pod(name, command))
    if status != 201:
        sys.exit(f"cannot measure: create of a pod: {made}")
    return made["metadata"]["uid"]


def first_line(engine, uid):
    """Returns when the pod's first line was written, in seconds since 1970, or None."""
    log = engine.data / "pods" / uid / "logs" / "main" / "0.0.log"
    text = log.read_text() if log.exists() else ""
    if "\n" not in text:
        return None
    seconds, fraction = text[:29].split(".")
    return calendar.timegm(time.strptime(seconds, "%Y-%m-%dT%H:%M:%S")) + int(fraction) / 1e9


LOG_LINE = "epoch 1/10, batch   125/375 with loss: 1.7234, accuracy: 0.4312, 1234.56 rows/s"  # 80 bytes with its end
LOG_BYTES = 400_000_000


def produce(size):
    return f"yes '{LOG_LINE}' | head -c {size}"


def pod_seconds(engine, connection, name, size, follow):
    """Returns how many seconds a pod takes to write its log, or until `logs -f` has every byte of it."""
    path = f"/api/v1/namespaces/default/pods/{name}"
    create_pod(connection, name, ["sh", "-c", f"echo ready; until [ -e /tmp/go ]; do sleep 0.01; done; {produce(size)}"])
    follower = None
    if follow:
        follower = subprocess.Popen(["sh", "-c", f"{MUSTER} logs -f {name} | wc -c"], env=engine.environment(), stdout=subprocess.PIPE, text=True)
    wait_for("the container", lambda: connection.request("GET", path)[1]["status"].get("phase") == "Running")
    time.sleep(0.5)  # the follower is there
    begin = time.monotonic()
    engine.muster("exec", name, "--", "touch", "/tmp/go")
    if follower:
        seen = int(follower.communicate()[0]) - len("ready\n")
        if seen != size:
            sys.exit(f"cannot measure: the follower got {seen} of {size} bytes")
    wait_for("the pod's end", lambda: connection.request("GET", path)[1]["status"].get("phase") == "Succeeded", 300)
    return time.monotonic() - begin


def b9(_wanted):
    """Log ingest from a pod, alone and with a follower, against the same producer through a pipe into a file."""
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(folder).start()
        connection = Api(engine)
        size = LOG_BYTES
        for name, goal, follow in (("B9", 0.6, False), ("B9.follow", 0.4, True)):
            ours, peer = [], []
            for turn in range(3):
                begin = time.monotonic()
                subprocess.run(["sh", "-c", f"{produce(size)} | cat > {folder}/peer"], check=True)
                peer.append(time.monotonic() - begin)
                ours.append(pod_seconds(engine, connection, f"{name.lower().replace('.', '-')}-{turn}", size, follow))
            line(name, size / 1e6 / statistics.median(ours), size / 1e6 / statistics.median(peer), goal, "MB/s", "more")
        engine.stop()


def b15(_wanted):
    """The time between the first and the last start of 64 ranks, against a shell that spawns as many of them."""
    ranks = 64
    show = ["date", "+%s.%N"]
    spread = lambda text: max(map(float, text.split())) - min(map(float, text.split()))
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(folder).start()
        engine.volume("work")
        ours, peer = [], []
        for turn in range(TURNS):
            job = training_job(f"gang-{turn}", show, replicas=ranks)
            job["metadata"]["annotations"] = {"muster.dev/restart": "replica"}  # the first rank of a process group has a head start
            engine.apply(job)
            engine.muster("wait", f"pj/gang-{turn}", "--timeout", "60s")
            said = engine.muster("logs", f"pj/gang-{turn}", "--prefix=false", "--tail=-1").stdout
            if len(said.split()) != ranks:
                sys.exit(f"cannot measure: {len(said.split())} of {ranks} ranks said when they started")
            ours.append(spread(said))
            loop = f"for i in $(seq {ranks}); do {' '.join(show)} & done; wait"
            peer.append(spread(subprocess.run(["sh", "-c", loop], capture_output=True, text=True, check=True).stdout))
        line("B15", statistics.median(ours) * 1e3, statistics.median(peer) * 1e3, 2, "ms", "less")
        engine.stop()


def proportional(pid):
    """The memory of a process in KB; what it shares counts in part."""
    for row in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if row.startswith("Pss:"):
            return int(row.split()[1])
    return 0


def b18(_wanted):
    """The memory of the engine per idle pod, and of a pod's shim and init after 1 MB of log."""
    pods = 200
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(folder).start()
        connection = Api(engine)
        create_pod(connection, "first", ["sleep", "10000"])
        quiet(engine.process.pid)
        before = resident(engine.process.pid)
        for i in range(pods):
            create_pod(connection, f"idle-{i}", ["sleep", "10000"])
        quiet(engine.process.pid)
        bound("B18.server", (resident(engine.process.pid) - before) * 1024 / pods, 60, "KB")
        uid = create_pod(connection, "talks", ["sh", "-c", "yes 0123456789012345678901234567890123456789 | head -c 1000000; sleep 10000"])
        attempt = engine.data / "pods" / uid / "0"
        read = lambda name: json.loads((attempt / name).read_text().splitlines()[0])
        wait_for("the pod's megabyte", lambda: sum(f.stat().st_size for f in attempt.parent.glob("logs/main/*.log")) > 1_000_000)
        time.sleep(1)  # the shim returns the memory of its buffers when nothing more comes
        bound("B18.shim", proportional(read("shim.json")["pid"]) + proportional(read("state.json")["init_pid"]), 400, "KB")
        engine.stop()


def b19(_wanted):
    """The time from the request that creates a pod to its first line, one pod every 150 ms."""
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(folder).start()
        connection = Api(engine)
        took = []
        for i in range(41):
            begin = time.time()
            uid = create_pod(connection, f"p-{i}", ["echo", "here"])
            written = wait_for("a line", lambda: first_line(engine, uid))
            took.append((written - begin) * 1e3)
            time.sleep(max(0, begin + 0.15 - time.time()))
        bound("B19", statistics.median(took[1:]), 15, "ms")
        engine.stop()


MEASURES = {"B1": b1, "B2": b2, "B4": b4, "B5": api, "B6": api, "B7": api, "B8": api, "B9": b9, "B10": api, "B11": b11, "B12": b12, "B14": b14, "B15": b15, "B16": b16,
            "B18": b18, "B19": b19, "B21": b21, "B22": b22, "B23": b23, "B24": network.b24, "B25": network.b25, "B26": network.b26,
            "B27": run_command.b27}


def main():
    wanted = sys.argv[1:] or list(MEASURES)
    unknown = [w for w in wanted if w not in MEASURES]
    if unknown:
        sys.exit(f"error: unknown measure {unknown[0]}; there are {' '.join(MEASURES)}")
    for function in dict.fromkeys(MEASURES[w] for w in wanted):
        function(wanted)


if __name__ == "__main__":
    main()
