"""The engine's ports stay its own while it is away: its door holds them, answers there, and gives them to the next engine."""

import json
import os
import random
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import urllib.error
import urllib.request

import pytest
from harness import FULL, MUSTER, door_is_there, free_port, training_job, wait_for

KILLS = 200 if FULL else 50


def doors_of(data):
    """The pids of the doors of a folder, from the arguments of all processes."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as line:
                words = line.read().split(b"\0")
        except OSError:
            continue
        if words[0] == b"muster-door" and words[1] == str(os.path.realpath(data)).encode():
            found.append(int(pid))
    return found


def can_bind(port, family=socket.AF_INET, host="127.0.0.1"):
    with socket.socket(family) as stranger:
        stranger.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            stranger.bind((host, port))
        except OSError:
            return False
        return True


def ask(port, path="/livez", host="127.0.0.1", **headers):
    """Returns the status, the headers and the body of the answer."""
    request = urllib.request.Request(f"http://{host}:{port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


@pytest.fixture
def killed(fresh_engine):
    fresh_engine.start()
    fresh_engine.kill()
    yield fresh_engine


def test_the_ports_of_a_killed_engine_are_nobody_elses(killed):
    assert len(doors_of(killed.data)) == 1
    for port in (killed.port, killed.port + 1):
        assert not can_bind(port) and not can_bind(port, host="0.0.0.0")
        status, headers, body = ask(port, Authorization="Bearer secret")
        assert status == 503 and headers["Retry-After"] == "1"
        told = json.loads(body)
        assert told["kind"] == "Status" and told["message"].endswith("start it with: muster up")
    if socket.has_ipv6 and os.path.exists("/proc/net/if_inet6"):
        assert not can_bind(killed.port, socket.AF_INET6, "::1")
        assert ask(killed.port, host="[::1]")[0] == 503
    assert "start it with: muster up" in ask(killed.port, Accept="text/html")[2]
    with socket.create_connection(("127.0.0.1", killed.port)) as plain, pytest.raises((ssl.SSLError, OSError)):
        ssl._create_unverified_context().wrap_socket(plain)  # pylint: disable=protected-access
    status = killed.muster("status", check=False)
    assert status.returncode == 6 and "its port is kept for it" in status.stdout
    assert f"127.0.0.1:{killed.port} is kept for the engine" in killed.muster("doctor", check=False).stdout


def test_commands_say_that_the_engine_does_not_run(killed):
    refused = killed.muster("get", "pods", check=False)
    assert refused.returncode == 6 and "muster up" in refused.stderr


def test_the_next_engine_has_the_same_ports(killed):
    (door,) = doors_of(killed.data)
    killed.start()
    assert ask(killed.port) [0] == 200
    assert doors_of(killed.data) == [door]
    assert killed.muster("get", "ns").returncode == 0


def test_a_door_that_is_killed_is_replaced(fresh_engine):
    fresh_engine.start()
    (door,) = doors_of(fresh_engine.data)
    os.kill(door, signal.SIGKILL)
    wait_for("another door", lambda: [d for d in doors_of(fresh_engine.data) if d != door])
    wait_for("its lock", lambda: door_is_there(fresh_engine.data))
    fresh_engine.kill()
    assert not can_bind(fresh_engine.port) and ask(fresh_engine.port)[0] == 503


def test_another_address_frees_the_old_one(killed):
    old, killed.port = killed.port, free_port()
    killed.start()
    assert ask(killed.port)[0] == 200
    wait_for("the old port to be free", lambda: can_bind(old))
    killed.kill()
    assert not can_bind(killed.port)


def test_an_address_that_covers_the_old_one_is_bound(killed):
    killed.process = subprocess.Popen(
        [MUSTER, "serve", "--data-dir", killed.data, "--listen", f"0.0.0.0:{killed.port}"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert killed.process.stdout.readline().startswith("ready https://")
    assert ask(killed.port)[0] == 200


def test_an_end_on_purpose_frees_the_ports(fresh_engine):
    fresh_engine.start()
    assert fresh_engine.kill(signal.SIGTERM) == 0
    assert doors_of(fresh_engine.data) == [] and can_bind(fresh_engine.port) and can_bind(fresh_engine.port + 1)


@pytest.mark.parametrize("how", [[], ["--stop-jobs"], ["--purge"]])
def test_down_frees_the_ports_of_a_killed_engine(killed, how):
    killed.muster("down", *how)
    assert doors_of(killed.data) == [] and can_bind(killed.port) and can_bind(killed.port + 1)


def test_the_ports_are_kept_for_as_long_as_jobs_run(fresh_engine):
    fresh_engine.start()
    fresh_engine.volume("work")
    fresh_engine.apply(training_job("runs", ["sleep", "1000"]))
    fresh_engine.wait_phase("runs", "Running")
    assert fresh_engine.kill(signal.SIGTERM) == 0
    assert not can_bind(fresh_engine.port)
    status, _, body = ask(fresh_engine.port)
    assert status == 503 and "was stopped and its jobs keep running" in body
    fresh_engine.muster("down")
    assert not can_bind(fresh_engine.port)
    fresh_engine.start()
    assert fresh_engine.kill(signal.SIGTERM) == 0
    fresh_engine.muster("down", "--stop-jobs")
    assert can_bind(fresh_engine.port) and doors_of(fresh_engine.data) == []
    fresh_engine.start()


def test_a_removed_folder_ends_its_door(killed):
    shutil.rmtree(killed.data)
    wait_for("the door to end", lambda: not doors_of(killed.data))
    assert can_bind(killed.port)


def test_systemd_may_hold_the_ports(fresh_engine):
    """As sd_listen_fds(3) says, with the sockets as descriptors 3 and 4."""
    with socket.create_server(("127.0.0.1", 0)) as main, socket.create_server(("127.0.0.1", 0)) as content:
        program = "import os, sys; os.environ['LISTEN_PID'] = str(os.getpid()); os.execv(sys.argv[1], sys.argv[1:])"
        moves = f"exec 8<&{main.fileno()} 9<&{content.fileno()}; exec 3<&8 4<&9; exec \"$@\""
        fresh_engine.process = subprocess.Popen(
            ["bash", "-c", moves, "-", "python3", "-c",
             "import os; [os.set_inheritable(fd, True) for fd in (3, 4)]; " + program, MUSTER, "serve", "--data-dir", fresh_engine.data],
            env={**os.environ, "LISTEN_FDS": "2"}, pass_fds=(main.fileno(), content.fileno()), stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        fresh_engine.port = main.getsockname()[1]
        assert fresh_engine.process.stdout.readline() == f"ready https://127.0.0.1:{fresh_engine.port}\n"
        assert ask(fresh_engine.port)[0] == 200
        assert ask(content.getsockname()[1], "/")[0] in (401, 404)
        assert doors_of(fresh_engine.data) == []
        fresh_engine.kill()


class Visitor(threading.Thread):
    """Asks again and again, and notes every answer that is neither the engine's nor its door's."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port = port
        self.odd = []
        self.counts = {}
        self.stopping = False

    def run(self):
        while not self.stopping:
            try:
                status, _, body = ask(self.port)
            except (TimeoutError, ConnectionResetError, urllib.error.URLError, OSError) as error:
                status, body = "closed", ""
                if "refused" in str(error):
                    self.odd.append(str(error))
            except Exception as error:  # pylint: disable=broad-except
                status, body = "closed", ""
                if type(error).__name__ not in ("RemoteDisconnected", "IncompleteRead", "BadStatusLine"):
                    self.odd.append(repr(error))
            self.counts[status] = self.counts.get(status, 0) + 1
            if status == 503 and "muster up" not in body or status not in (200, 503, "closed"):
                self.odd.append(f"{status} {body}")


class Stranger(threading.Thread):
    """Tries to bind the engine's ports."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port = port
        self.tries = 0
        self.bound = []
        self.stopping = False

    def run(self):
        while not self.stopping:
            self.tries += 1
            self.bound += [p for p in (self.port, self.port + 1) if can_bind(p)]


def test_kills_under_load_never_free_the_port(fresh_engine):
    engine = fresh_engine.start()
    (door,) = doors_of(engine.data)
    chance = random.Random(21)
    threads = [Visitor(engine.port), Visitor(engine.port), Stranger(engine.port)]
    for thread in threads:
        thread.start()
    for _ in range(KILLS):
        moment = threading.Timer(chance.uniform(0.0, 0.1), engine.process.kill)
        moment.start()
        engine.process.wait()
        engine.process.stdout.close()
        # This one is killed at any moment of its start, and the next one starts.
        half = subprocess.Popen([MUSTER, "serve", "--data-dir", engine.data, "--listen", f"127.0.0.1:{engine.port}"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        moment = threading.Timer(chance.uniform(0.0, 0.15), half.kill)
        moment.start()
        half.wait()
        engine.start()
    for thread in threads:
        thread.stopping = True
    for thread in threads:
        thread.join()
    visitors, stranger = threads[:2], threads[2]
    assert stranger.bound == [] and stranger.tries > KILLS
    assert [v.odd for v in visitors] == [[], []]
    assert all(v.counts.get(200) and v.counts.get(503) for v in visitors), [v.counts for v in visitors]
    assert doors_of(engine.data) == [door]
    if os.geteuid() == 0:  # nobody else may look into a process that is not dumpable
        assert len(os.listdir(f"/proc/{door}/fd")) < 20, "sockets do not pile up"
    assert engine.muster("get", "ns").returncode == 0
