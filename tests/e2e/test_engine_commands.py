"""`up` and `down`: starting and stopping engines in the background, and what remains afterwards."""

import concurrent.futures
import fcntl
import json
import os
import pathlib
import pty
import shutil
import signal
import socket
import subprocess

import pytest
from harness import MUSTER, NO_GPUS, free_port, training_job, wait_for


class Background:
    """An engine with its data in a folder, controlled only by commands."""

    def __init__(self, folder):
        self.data = folder / "data"
        self.env = dict(os.environ, HOME=str(folder), MUSTER_DATA_DIR=str(self.data), NO_COLOR="1")

    def muster(self, *words, check=True, **kwargs):
        done = subprocess.run([str(w) for w in (MUSTER, *words)], env=self.env, text=True, timeout=120,
                              capture_output=True, check=False, **kwargs)
        assert not check or done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def up(self, *words):
        return self.muster("up", "--listen", f"127.0.0.1:{free_port()}", *words)

    def get(self, *words):
        return json.loads(self.muster("get", *words, "-o", "json").stdout)

    def shims(self):
        """Returns the pids of the running shims, according to the files that they wrote."""
        pids = [json.loads(path.read_text().splitlines()[0])["pid"] for path in self.data.glob("pods/*/*/shim.json")]
        return [pid for pid in pids if state_of(pid) not in ("", "Z")]


def state_of(pid):
    """Returns the state letter in /proc/PID/status; "" when there is no such process."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            return status.read().split("State:\t")[1][0]
    except FileNotFoundError:
        return ""


@pytest.fixture
def background(tmp_path):
    made = Background(tmp_path)
    yield made
    made.muster("down", "--purge", check=False)
    assert not made.shims()


def run_job(background, name, command, **spec):
    background.muster("apply", "-f", "-", input=json.dumps(
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "work"},
         "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}}))
    background.muster("apply", "-f", "-", input=json.dumps(training_job(name, command, **spec)))


COUNTS = ["sh", "-c", "echo run >> runs; trap 'exit 7' TERM; while :; do sleep 0.05; done"]


def test_stop_jobs_ends_processes_and_the_next_up_starts_them_again(background):
    background.up()
    run_job(background, "trains", COUNTS, replicas=2)
    run_job(background, "done", ["true"])
    background.muster("wait", "pj/done", "--timeout=60s")
    background.muster("wait", "pj/trains", "--for=jsonpath={.status.phase}=Running", "--timeout=60s")
    runs = background.data / "volumes" / "default" / "work" / "runs"
    wait_for("both ranks", lambda: runs.exists() and runs.read_text() == "run\n" * 2)
    pods = {p["metadata"]["uid"] for p in background.get("pods")["items"]}
    stopped = background.muster("down", "--stop-jobs")
    assert stopped.stdout == "stopped\nended 2 pods\n" and not background.shims()
    background.muster("up")
    wait_for("both ranks again", lambda: runs.read_text() == "run\n" * 4)
    status = background.get("pj", "trains")["status"]
    assert status["phase"] == "Running" and status["backoffCount"] == 0
    assert [t["restartCount"] for t in status["tasks"]] == [0]
    assert {p["metadata"]["uid"] for p in background.get("pods")["items"]} == pods
    assert background.get("pj", "done")["status"]["phase"] == "Succeeded"


@pytest.mark.parametrize("how", ["--purge", "--stop-jobs"])
def test_ranks_without_an_engine_are_ended_too(background, how):
    background.up()
    run_job(background, "trains", COUNTS)
    background.muster("wait", "pj/trains", "--for=jsonpath={.status.phase}=Running", "--timeout=60s")
    assert background.muster("down").stdout == "stopped\n"
    assert len(background.shims()) == 1
    (shim,) = background.shims()
    ended = background.muster("down", how)
    assert ended.stdout.startswith("not running\nended 1 pod\n")
    assert state_of(shim) in ("", "Z")
    assert background.data.exists() == (how == "--stop-jobs")


def answer_on_a_terminal(background, answer, *words):
    """Runs a command with a terminal as stdin. Returns its output and its exit code."""
    leader, follower = pty.openpty()
    command = subprocess.Popen([MUSTER, *words], env=background.env, stdin=follower, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    os.close(follower)
    os.write(leader, answer.encode())
    text, _ = command.communicate(timeout=60)
    os.close(leader)
    return text, command.returncode


def test_purge_asks_on_a_terminal(background):
    background.up()
    text, code = answer_on_a_terminal(background, "no\n", "down", "--purge")
    assert code == 4 and "Type yes to continue: " in text and "nothing was stopped or removed" in text
    assert background.muster("status").returncode == 0
    text, code = answer_on_a_terminal(background, "yes\n", "down", "--purge")
    assert code == 0 and text.endswith(f"removed {background.data}\n")
    assert not background.data.exists()
    background.up()
    text, code = answer_on_a_terminal(background, "", "down", "--purge", "--yes")
    assert code == 0 and "Type yes" not in text


def test_purge_removes_only_what_an_engine_made(background):
    background.data.mkdir(mode=0o700)
    (background.data / "thesis.tex").write_text("x")
    refused = background.muster("down", "--purge", check=False)
    assert refused.returncode == 4 and "has no engine database" in refused.stderr
    assert (background.data / "thesis.tex").exists()


def port_of(text):
    return int(text.split("https://")[1].split()[0].rsplit(":", 1)[1])


def test_the_port_is_remembered(background):
    port = port_of(background.up().stdout)
    background.muster("down")
    assert port_of(background.muster("up").stdout) == port
    background.muster("down")
    configured = free_port()
    (background.data / "config.yaml").write_text(f"listen: 127.0.0.1:{configured}\n")
    assert port_of(background.muster("up").stdout) == configured
    background.muster("down")
    named = free_port()
    assert port_of(background.muster("up", "--listen", f"127.0.0.1:{named}").stdout) == named
    background.muster("down")
    (background.data / "config.yaml").write_text("listen: everywhere\n")
    refused = background.muster("up", check=False)
    assert refused.returncode == 6
    assert 'config.yaml:1:1: listen: must be HOST:PORT, got "everywhere"; for example 127.0.0.1:8765' in refused.stderr


def test_two_terminals_start_one_engine(background):
    listen = f"127.0.0.1:{free_port()}"
    with concurrent.futures.ThreadPoolExecutor() as pool:
        done = list(pool.map(lambda _: background.muster("up", "--listen", listen), range(3)))
    assert len({one.stdout.split("(pid ")[1].split(")")[0] for one in done}) == 1
    assert sum("already running" in one.stdout for one in done) == 2


def test_up_right_after_a_kill_starts_the_engine_again(background):
    background.up()
    for _ in range(8):
        os.kill(int(background.muster("up").stdout.split("(pid ")[1].split(")")[0]), signal.SIGKILL)
        background.muster("up")
        background.muster("get", "pods")


def test_a_run_does_not_go_to_a_cluster_that_nobody_named(background, tmp_path):
    """The engine does not run, as after a reboot, and kubectl's file names another server."""
    other = Background(tmp_path / "other")
    other.data.parent.mkdir()
    other.up()
    (tmp_path / ".kube").mkdir()
    shutil.copy(other.data / "kubeconfig", tmp_path / ".kube" / "config")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "hello.py").write_text("print('hello')\n")
    try:
        done = background.muster("run", "hello.py", cwd=tmp_path / "project")
        assert done.stdout == "hello\n" and "starting the engine of this machine" in done.stderr
        background.muster("down")
        listed = background.muster("get", "jobs")
        assert "No resources found" in listed.stderr, "nothing was created there"
        assert f"note: no engine runs on this machine; using the cluster of {tmp_path}/.kube/config; for this machine: muster up" in listed.stderr
        assert "starting the engine" in background.muster("run", "hello.py", cwd=tmp_path / "project").stderr
    finally:
        other.muster("down", "--purge", check=False)


def test_a_second_users_engine_takes_the_next_free_port_and_says_so(background, tmp_path):
    """It is the first start of both; whoever has the usual port, one of the two does not."""
    other = Background(tmp_path / "other")
    (tmp_path / "other").mkdir()
    try:
        texts = [one.muster("up").stdout for one in (background, other)]
        ports = [port_of(text) for text in texts]
        assert len(set(ports)) == 2 and ports[1] != 8765
        assert f"port 8765 is taken by another program, so this engine uses {ports[1]}\n" in texts[1]
        for one, text, port in zip((background, other), texts, ports):
            forwarded = text.split("from afar   ssh ")[1].split("\n")[0]
            assert f"-L {port}:127.0.0.1:{port} -L " in forwarded
            one.muster("get", "nodes")
        other.muster("down")
        again = other.muster("up").stdout
        assert port_of(again) == ports[1] and "is taken" not in again, "it is the engine's own from now on"
    finally:
        other.muster("down", "--purge", check=False)


def test_every_address_of_the_machine_serves(background):
    background.up()
    background.muster("down")
    background.muster("up", "--listen", "0.0.0.0")
    said = background.muster("status").stdout
    url = said.split("engine      ")[1].split(" ")[0]
    assert "0.0.0.0" not in url and "0.0.0.0" not in (background.data / "kubeconfig").read_text()
    assert "from afar" not in said, "nothing needs to be forwarded"
    token = (background.data / "token").read_text().strip()
    own = socket.gethostname().lower()
    addresses = json.loads(subprocess.run(["ip", "-j", "addr"], check=True, capture_output=True, text=True).stdout) if shutil.which("ip") else []
    hosts = ["127.0.0.1", "localhost", *(a["local"] for link in addresses for a in link["addr_info"] if a["family"] == "inet")]
    try:
        socket.gethostbyname(own)
        hosts.append(own)
    except OSError:
        pass  # no name service knows this machine
    for host in hosts:
        done = subprocess.run(["curl", "-sS", "--noproxy", "*", "--cacert", background.data / "pki/ca.crt", "-H", f"Authorization: Bearer {token}",
                               f"https://{host}:{port_of(said)}/api/v1/nodes"], capture_output=True, text=True, timeout=60)
        assert '"kind":"NodeList"' in done.stdout.replace(" ", ""), (host, done.stderr)
    background.muster("down")
    assert port_of(background.muster("up").stdout) == port_of(said), "the address is remembered"
    assert (background.data / "listen").read_text().startswith("0.0.0.0:")


def test_a_unit_of_systemd_starts_the_engine_at_boot(background):
    unit_folder = pathlib.Path("/etc/systemd/system") if os.geteuid() == 0 else background.data.parent / ".config/systemd/user"
    if os.geteuid() == 0 and pathlib.Path("/run/systemd/system").exists():
        pytest.skip("systemd runs here: this test would change the machine")
    said = background.muster("up", "--at-login", "--listen", f"127.0.0.1:{free_port()}").stdout
    unit = pathlib.Path(said.split("unit        ")[1].split("\n")[0])
    try:
        assert unit.parent == unit_folder
        text = unit.read_text()
        assert "\nKillMode=process\n" in text and f'ExecStart="{MUSTER}" serve --data-dir "{background.data}" "--listen" ' in text
        if not pathlib.Path("/run/systemd/system").exists():
            assert "not enabled because systemd does not run here; where it runs: systemctl " in said
            assert "engine      https://" in said, "it is started anyway"
        if shutil.which("systemd-analyze"):
            checked = subprocess.run(["systemd-analyze", "verify", *([] if os.geteuid() == 0 else ["--user"]), unit], capture_output=True, text=True, timeout=60,
                                     env=dict(os.environ, XDG_RUNTIME_DIR=str(background.data)))
            assert checked.returncode == 0 and str(unit) not in checked.stderr, checked.stderr
        assert f"{unit.name} starts it again at the next boot\n" in background.muster("down").stdout
        purged = background.muster("down", "--purge").stdout
        assert f"removed {unit}\n" in purged and not unit.exists()
    finally:
        unit.unlink(missing_ok=True)


def test_a_zombie_is_no_running_engine(background):
    """This happens in a container whose first process does not reap its children."""
    engine = subprocess.Popen([MUSTER, "serve", "--listen", "127.0.0.1:0"], env=background.env, stdout=subprocess.PIPE, text=True)
    assert engine.stdout.readline().startswith("ready ")
    engine.send_signal(signal.SIGKILL)
    wait_for("a zombie", lambda: state_of(engine.pid) == "Z")
    try:
        assert background.muster("status", check=False).returncode == 6
        assert "already running" not in background.up().stdout
    finally:
        engine.wait()
        engine.stdout.close()


def test_a_killed_engine_may_hold_its_lock_for_a_moment(background):
    """The kernel frees the memory of a killed process before it closes the files."""
    (background.data / "store").mkdir(mode=0o700, parents=True)
    background.data.chmod(0o700)
    with open(background.data / "store/lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        engine = subprocess.Popen([MUSTER, "serve", "--listen", "127.0.0.1:0"], env=background.env,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = engine.communicate(timeout=30)[1]
        assert engine.returncode != 0 and "in use by another engine" in said
        engine = subprocess.Popen([MUSTER, "serve", "--listen", "127.0.0.1:0"], env=background.env,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert "cannot open the store yet" in engine.stderr.readline()
    assert engine.stdout.readline().startswith("ready ")
    engine.terminate()
    engine.communicate()


def test_an_address_of_ipv6_is_in_brackets(background):
    if not socket.has_ipv6 or not pathlib.Path("/proc/net/if_inet6").exists():
        pytest.skip("this machine has no IPv6")
    assert "https://[::1]:" in background.muster("up", "--listen", "[::1]:0").stdout
    background.muster("get", "pods")
    background.muster("down")
    assert "https://[::1]:" in background.muster("up").stdout


def test_version_tells_of_both_sides(background):
    background.up()
    client, server = background.muster("version").stdout.splitlines()
    assert client.startswith("muster v") and server == f"server v1.33.4 ({client})"
    both = json.loads(background.muster("version", "-o", "json").stdout)
    assert both["serverVersion"]["musterVersion"] == both["clientVersion"]["gitVersion"]


@pytest.mark.parametrize("words, message", [
    (["run", "trian.py"], 'did you mean "train.py"?'),
    (["run", "--mount", "/no/such/folder", "train.py"], "/no/such/folder"),
    (["run", "--python", "/no/such/python", "train.py"], "/no/such/python"),
    (["run", "no-such-program"], "no such program in PATH"),
    (["sweep", "--lr", "0.1,0.2", "--", "trian.py"], 'did you mean "train.py"?'),
    (["sweep", "--lr", "0.1..0.5", "--", "train.py"], "the range has no step"),
    (["sweep", "show"], "name one sweep"),
])
def test_a_mistake_starts_no_engine(background, tmp_path, words, message):
    project = tmp_path / "project"
    project.mkdir()
    (project / "train.py").touch()
    refused = background.muster(*words, check=False, cwd=project)
    assert refused.returncode == 2 and message in refused.stderr, refused.stderr
    assert "starting the engine" not in refused.stderr
    assert not background.data.exists()


def test_many_applies_at_once(background):
    background.up()
    manifest = json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "same"}, "data": {"a": "1"}})
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        done = list(pool.map(lambda _: background.muster("apply", "-f", "-", input=manifest, check=False), range(20)))
    assert [d.stderr for d in done if d.returncode] == []
    assert sum(d.stdout == "configmap/same created\n" for d in done) == 1


def test_applying_a_wrong_manifest_again_names_its_line(background, tmp_path):
    background.up()
    good = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  a: '1'\n"
    (tmp_path / "map.yaml").write_text(good)
    background.muster("apply", "-f", tmp_path / "map.yaml")
    (tmp_path / "map.yaml").write_text(good.replace("'1'", "1"))
    refused = background.muster("apply", "-f", tmp_path / "map.yaml", check=False)
    assert refused.returncode == 1 and f"error: {tmp_path}/map.yaml:6:3: data.a: " in refused.stderr
    (tmp_path / "map.yaml").write_text(good + "dta: {}\n")
    refused = background.muster("apply", "-f", tmp_path / "map.yaml", check=False)
    assert refused.returncode == 1 and f'error: {tmp_path}/map.yaml:7:1: unknown field "dta"; did you mean "data"?' in refused.stderr


def test_nothing_that_destroys_is_suggested(background):
    for word in ("restart", "restor", "dwon", "delte"):
        wrong = background.muster(word, check=False)
        assert wrong.returncode == 2 and "did you mean" not in wrong.stderr, word


@pytest.fixture
def waiting_job(background):
    background.data.mkdir(mode=0o700)
    (background.data / "config.yaml").write_text(NO_GPUS)
    background.up()
    job = training_job("hungry", ["true"])
    container = job["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0]
    container["resources"] = {"limits": {"nvidia.com/gpu": 4}}
    background.muster("apply", "-f", "-", input=json.dumps(job))
    return "needs 4 nvidia.com/gpu, this machine has 0; declare them with `resources:` in the configuration or remove the request"


def test_everybody_says_why_a_job_waits(background, waiting_job):
    def told():
        text = background.muster("get", "pj").stdout
        return text if waiting_job in text else None
    header, row = wait_for("the reason in the table", told).splitlines()
    assert header.split() == ["NAME", "PHASE", "AGE", "REASON"] and row.endswith(waiting_job)
    assert waiting_job in background.muster("get", "pods").stdout
    text = background.muster("describe", "pj", "hungry").stdout
    assert f"\nMessage:      {waiting_job}\n" in text
    late = background.muster("wait", "pj/hungry", "--timeout=3s", check=False)
    assert late.returncode == 124
    assert f"waiting for pj/hungry: Pending, {waiting_job}\n" in late.stderr and f"why: it is Pending, {waiting_job}" in late.stderr


def test_logs_say_what_they_wait_for(background, waiting_job):
    follows = subprocess.Popen([MUSTER, "logs", "-f", "pj/hungry"], env=background.env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert follows.stderr.readline().startswith("waiting for pj/hungry: Pending")
    finally:
        follows.send_signal(signal.SIGINT)
        follows.communicate(timeout=30)
    assert follows.returncode == 130


def on_a_terminal(background, columns, *words):
    """Returns what a command prints on a terminal of this width."""
    import fcntl
    import struct
    import termios
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = subprocess.Popen([MUSTER, *words], env=background.env, stdin=subprocess.DEVNULL, stdout=follower, stderr=subprocess.DEVNULL)
    os.close(follower)
    text = b""
    while True:
        try:
            more = os.read(leader, 4096)
        except OSError:
            break
        if not more:
            break
        text += more
    command.wait(timeout=30)
    os.close(leader)
    return text.decode().replace("\r\n", "\n")


def test_tables_fit_onto_the_terminal(background, waiting_job):
    wait_for("the reason in the table", lambda: waiting_job in background.muster("get", "pj").stdout)
    lines = on_a_terminal(background, 44, "get", "pj").splitlines()
    assert all(len(line) <= 44 for line in lines) and lines[1].endswith("…"), lines
    assert "…" not in background.muster("get", "pj").stdout
    events = on_a_terminal(background, 72, "describe", "pj", "hungry").split("Events:\n")[1].splitlines()
    assert all(len(line) <= 72 for line in events), events  # 20 of them for messages, the least there is
