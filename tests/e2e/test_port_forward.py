"""`muster port-forward`, hostPort and `muster run --port`: ways from this machine to a program in a pod."""

import errno
import hashlib
import json
import os
import re
import select
import signal
import socket
import ssl
import subprocess
import threading
import urllib.error
import urllib.request

import pytest

from harness import FULL, MUSTER, Engine, free_port, training_job, wait_for

# Answers in one line who it is, or the digest of what a client sends after the line "digest".
SERVER = """
import hashlib, os, socket, sys, threading, time
def answer(c):
    with c:
        f = c.makefile("rb")
        line = f.readline().split()
        if line[:1] == [b"digest"]:
            total = hashlib.sha256()
            while part := f.read(65536): total.update(part)
            c.sendall(total.hexdigest().encode())
        elif line[:1] == [b"flood"]:
            while True: c.sendall(b"x" * 65536)
        elif line[:1] == [b"deaf"]:
            time.sleep(1000)
        else: c.sendall(os.environ["HOSTNAME"].encode())
def serve(address, port):
    s = socket.create_server((address, port), backlog=1000)
    print("listening", flush=True)
    while True: threading.Thread(target=answer, args=(s.accept()[0],), daemon=True).start()
serve(sys.argv[1] or socket.gethostbyname(socket.gethostname()), int(sys.argv[2]))
"""


@pytest.fixture(scope="module", params=["job", "host"])
def engine(request, tmp_path_factory):
    started = Engine(tmp_path_factory.mktemp("engine"), config=f"network: {request.param}\n").start()
    started.network = request.param
    yield started
    started.stop()


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """An engine whose pods have networks of their own."""
    started = Engine(tmp_path_factory.mktemp("own"), config="network: job\n").start()
    yield started
    started.stop()


def pod(name, port, address="", ports=(), **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": name}},
            "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0, **spec,
                     "containers": [{"name": "a", "image": "host", "command": ["python3", "-c", SERVER, address, str(port)],
                                     "ports": list(ports)}]}}


def serving(engine, name):
    wait_for(f"{name} to listen", lambda: "listening" in engine.muster("logs", name, check=False).stdout)


def ask(port, question=b"who", more=b""):
    """Returns the answer; b"" when the connection ends without one."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        answer = b""
        try:
            connection.sendall(question + b"\n" + more)
            connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(65536):
                answer += part
        except OSError as error:
            if error.errno not in (errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN):  # it may end before anything is sent
                raise
        return answer


def answers(port):
    try:
        return ask(port).decode()
    except OSError:
        return ""


class Forwarding:
    def __init__(self, engine, *words, ports=1):
        self.process = subprocess.Popen([MUSTER, "port-forward", *words], env=engine.environment(), bufsize=0,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.ports = [int(re.fullmatch(r"Forwarding from 127.0.0.1:(\d+) -> \d+\n", self.line())[1]) for _ in range(ports)]

    def line(self):
        assert select.select([self.process.stdout], [], [], 30)[0], "port-forward says nothing"
        line = self.process.stdout.readline().decode()
        assert line, self.process.stderr.read()
        return line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def test_a_pod_a_job_and_a_service_are_reached(engine):
    loop, address = free_port(), free_port()
    engine.volume("work")
    engine.apply(pod("address", address, ports=[{"name": "web", "containerPort": address}]))
    engine.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
                  "spec": {"selector": {"app": "address"}, "ports": [{"port": 80, "targetPort": "web"}]}})
    engine.apply(training_job("job", ["python3", "-c", SERVER, "", str(loop)]))
    serving(engine, "address")
    wait_for("the job to listen", lambda: "listening" in engine.muster("logs", "job", check=False).stdout)
    with Forwarding(engine, "pod/address", f":{address}", ":web", ports=2) as forwarding:
        assert [ask(port) for port in forwarding.ports] == [b"address"] * 2
        assert forwarding.line() == f"Handling connection for {forwarding.ports[0]}\n"
        sent = os.urandom(20_000_000)
        assert ask(forwarding.ports[0], b"digest", sent).decode() == hashlib.sha256(sent).hexdigest()
        forwarding.process.send_signal(signal.SIGINT)
        assert forwarding.process.wait(timeout=10) == 130
    with Forwarding(engine, "svc/web", ":80") as forwarding:
        assert ask(forwarding.ports[0]) == b"address"
    with Forwarding(engine, "job", f":{loop}") as forwarding:
        assert ask(forwarding.ports[0]).startswith(b"job-")


def test_a_program_on_the_loopback_of_its_network_is_reached(own):
    own.apply(pod("loop", 7000, "127.0.0.1"))
    serving(own, "loop")
    with Forwarding(own, "loop", ":7000") as forwarding:
        assert ask(forwarding.ports[0]) == b"loop"


def test_a_closed_port_is_an_error_of_that_connection_only(engine):
    port = free_port()
    engine.apply(pod("closed", port))
    serving(engine, "closed")
    with Forwarding(engine, "closed", ":7999", f":{port}", ports=2) as forwarding:
        assert ask(forwarding.ports[0]) == b""
        assert ask(forwarding.ports[1]) == b"closed"
        forwarding.process.send_signal(signal.SIGINT)
        said = forwarding.process.communicate(timeout=10)[1].decode()
        assert f"error: forwarding {forwarding.ports[0]} -> 7999: error forwarding port 7999 to pod closed" in said
        assert "connection refused" in said


def test_it_ends_with_the_pod(engine):
    port = free_port()
    engine.apply(pod("short", port))
    serving(engine, "short")
    with Forwarding(engine, "short", f":{port}") as forwarding:
        engine.muster("delete", "pod", "short")
        ask(forwarding.ports[0])
        assert forwarding.process.wait(timeout=30) == 4
        assert "pod short has ended" in forwarding.process.stderr.read().decode()


def test_programs_that_do_not_read_or_never_stop_writing_harm_no_other(engine):
    port = free_port()
    engine.apply(pod("flood", port))
    serving(engine, "flood")
    with Forwarding(engine, "flood", f":{port}") as forwarding:
        stuck = []
        for question in [b"flood\n", b"deaf\n"] * 100:
            connection = socket.create_connection(("127.0.0.1", forwarding.ports[0]))
            connection.sendall(question)
            stuck.append(connection)
        stuck[1].settimeout(1)
        with pytest.raises(OSError):
            for _ in range(1000):
                stuck[1].sendall(b"x" * 65536)
        assert ask(forwarding.ports[0]) == b"flood"
        memory = int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{engine.process.pid}/status").read())[1])
        assert memory < 1_000_000, "the engine keeps what nobody reads"
        for connection in stuck:
            connection.close()
        assert ask(forwarding.ports[0]) == b"flood"


def test_many_connections_leave_the_engine_usable(own):
    each = 1000 if FULL else 100
    own.apply(pod("many", 7000))
    serving(own, "many")
    with Forwarding(own, "many", ":7000") as forwarding:
        done = []
        # It says a line for each connection, and waits when nobody reads them.
        threading.Thread(target=forwarding.process.stdout.read, daemon=True).start()

        def visit():
            for _ in range(each):
                done.append(answers(forwarding.ports[0]) == "many")
        visitors = [threading.Thread(target=visit) for _ in range(10)]
        for one in visitors:
            one.start()
        while any(one.is_alive() for one in visitors):
            assert own.muster("get", "pod", "many").returncode == 0
        assert done == [True] * (10 * each)


@pytest.mark.parametrize("words, said", [
    (["none", "80"], 'no pod and no job "none"'),
    (["svc/none", "80"], 'services "none" not found'),
    (["x"], "name a pod, a job or a Service, and ports"),
    (["x", "0"], 'port "0": must be REMOTE or LOCAL:REMOTE'),
    (["x", "70000:80"], 'port "70000:80": must be REMOTE or LOCAL:REMOTE'),
    (["x", "a:80"], 'port "a:80": must be REMOTE or LOCAL:REMOTE'),
    (["waits", "80"], "pod waits is not running: it is Pending"),
])
def test_wrong_requests_say_why(own, words, said):
    if words[0] == "waits":
        own.apply({**pod("waits", 1), "spec": {**pod("waits", 1)["spec"], "initContainers": [
            {"name": "first", "image": "host", "command": ["sleep", "1000"]}]}})
    done = own.muster("port-forward", *words, check=False)
    assert done.returncode != 0
    assert said in done.stderr, done.stderr


def test_a_port_that_is_taken_and_an_address_of_elsewhere_are_errors(own):
    own.apply(pod("taken", 7000))
    serving(own, "taken")
    with socket.create_server(("127.0.0.1", 0)) as holder:
        done = own.muster("port-forward", "taken", f"{holder.getsockname()[1]}:7000", check=False)
        assert done.returncode != 0 and "address already in use" in done.stderr, done.stderr
    done = own.muster("port-forward", "taken", ":7000", "--address", "192.0.2.1", check=False)
    assert done.returncode != 0 and "cannot assign requested address" in done.stderr, done.stderr


def events_of(engine, name):
    listed = json.loads(engine.muster("get", "events", "-o", "json").stdout)["items"]
    return [e["message"] for e in listed if e["involvedObject"]["name"] == name and e["reason"] == "HostPortNotPublished"]


def test_a_host_port_lives_as_long_as_its_pod(own):
    port = free_port()
    done = own.apply(pod("published", 7000, ports=[{"containerPort": 7000, "hostPort": port}]))
    assert done.stderr == "", "no warning"
    wait_for("the port", lambda: answers(port) == "published")
    assert not events_of(own, "published")
    own.kill()
    own.start()
    wait_for("the port after a crash of the engine", lambda: answers(port) == "published")
    own.muster("delete", "pod", "published")
    assert answers(port) == ""
    socket.create_server(("127.0.0.1", port)).close()


def test_a_host_port_that_is_taken_is_an_event_and_is_published_later(own):
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        own.apply(pod("waiting", 7000, ports=[{"containerPort": 7000, "hostPort": port}]))
        serving(own, "waiting")
        wait_for("the event", lambda: events_of(own, "waiting"))
        assert f"hostPort {port}: listen on 127.0.0.1:{port}: EADDRINUSE" in events_of(own, "waiting")[0]
        assert own.get("pod", "waiting")["status"]["phase"] == "Running"
    wait_for("the port", lambda: answers(port) == "waiting")


def test_a_host_port_in_the_machines_network_is_told_when_it_is_written(engine):
    done = engine.apply(pod("shared", free_port(), ports=[{"containerPort": 7000, "hostPort": free_port()}]))
    if engine.network == "job":
        assert done.stderr == ""
        return
    assert "spec.containers[0].ports[0].hostPort has no effect: pods share the network of this machine" in done.stderr
    wait_for("the event", lambda: events_of(engine, "shared"))


def test_a_host_port_of_another_protocol_or_address_is_told_when_it_is_written(own):
    done = own.apply(pod("elsewhere", 7000, ports=[
        {"name": "a", "containerPort": 7000, "hostPort": free_port(), "hostIP": "192.0.2.1"},
        {"name": "b", "containerPort": 7001, "hostPort": free_port(), "protocol": "UDP"}]))
    assert "ports[0].hostIP has no effect: ports are published at 127.0.0.1 only" in done.stderr
    assert "ports[1].hostPort has no effect: only TCP ports are published on the host" in done.stderr
    wait_for("the events", lambda: len(events_of(own, "elsewhere")) == 2)


def test_the_engines_own_port_stays_its_own(own):
    own.apply(pod("thief", 7000, ports=[{"containerPort": 7000, "hostPort": own.port}]))
    wait_for("the event", lambda: events_of(own, "thief"))
    assert own.muster("get", "pod", "thief").returncode == 0


def test_only_the_owner_takes_ports_of_the_machine(own):
    holder = pod("holder", 1)
    holder["spec"]["containers"][0]["command"] = ["sh", "-c", "cat /var/run/secrets/kubernetes.io/serviceaccount/token; echo; sleep 1000"]
    own.apply(holder)
    wait_for("the token", lambda: own.muster("logs", "holder", check=False).stdout.endswith("\n"))
    token = own.muster("logs", "holder").stdout.strip()
    body = json.dumps(pod("stolen", 7000, ports=[{"containerPort": 7000, "hostPort": free_port()}])).encode()
    context = ssl.create_default_context(cafile=str(own.data / "pki" / "ca.crt"))
    request = urllib.request.Request(f"https://127.0.0.1:{own.port}/api/v1/namespaces/default/pods", data=body, method="POST",
                                     headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, context=context)
    assert refused.value.code == 403
    assert "only the owner of this engine may use ports of the host" in json.loads(refused.value.read())["message"]


def test_run_publishes_a_port_of_the_first_rank(own, tmp_path):
    port = free_port()
    (tmp_path / "serve.py").write_text(SERVER)
    done = subprocess.run([MUSTER, "run", "-d", "--ranks", "2", "--name", "web", "--port", f"{port}:7000", "serve.py", "", "7000"],
                          cwd=tmp_path, env=own.environment(), text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert f"port: http://127.0.0.1:{port}\n" in done.stderr
    assert "no effect" not in done.stderr and "arning" not in done.stderr, done.stderr
    wait_for("the port", lambda: re.fullmatch(r"web-\w+-master-0", answers(port)))
    done = own.muster("run", "--port", "0:80", "serve.py", check=False)
    assert "--port: must be PORT or LOCAL:REMOTE" in done.stderr
