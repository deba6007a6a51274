"""What a pod can reach over the network when each job has one of its own: the job, the API, the outside, nothing else."""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import threading

import pytest

from harness import Engine, free_port, training_job, wait_for

# Prints what becomes of a connection, as one word.
CONNECT = """
import socket, sys
def reach(host, port, text=b""):
    try:
        with socket.create_connection((host, port), timeout=3) as to:
            to.sendall(text)
            return to.recv(100) if text else b"connected"
    except OSError as error:
        return type(error).__name__.encode()
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    started = Engine(tmp_path_factory.mktemp("engine"), config="network: job\n").start()
    yield started
    started.stop()
    assert not owners_of(started), "a network has outlived its last pod"


def owners_of(engine):
    """The processes that own networks of the engine, by the folder of the network."""
    found = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
        except OSError:
            continue
        if len(words) > 2 and words[1] == b"network" and words[2].startswith(os.fsencode(engine.data)):
            found.setdefault(os.fsdecode(words[2]), []).append(int(entry.parent.name))
    # The keeper is a fork of its owner.
    return {folder: min(pids) for folder, pids in found.items()}


def keepers_of(folder):
    return [int(path.parent.name) for path in pathlib.Path("/proc").glob("[0-9]*/cmdline")
            if read_words(path).split(b"\0")[1:3] == [b"network", os.fsencode(folder)]]


def pod(name, script, namespace="default", **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace, "labels": {"app": name}},
            "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "host", "command": ["python3", "-uc", script]}], **spec}}


def phase_of(engine, name, namespace="default"):
    return engine.muster("get", "pod", name, "-n", namespace, "-o", "jsonpath={.status.phase}", check=False).stdout


def output_of(engine, name, script, namespace="default", **spec):
    """What a pod prints from its start to its end."""
    engine.apply(pod(name, script, namespace, **spec))
    wait_for(f"{name} to end", lambda: phase_of(engine, name, namespace) in ("Succeeded", "Failed"))
    text = engine.muster("logs", name, "-n", namespace).stdout
    engine.muster("delete", "pod", name, "-n", namespace, "--grace-period=0", "--force", check=False)
    return text


def start(engine, name, script, namespace="default", **spec):
    engine.apply(pod(name, script, namespace, **spec))
    wait_for(f"{name} to run", lambda: "listening" in engine.muster("logs", name, "-n", namespace, check=False).stdout)
    return engine.muster("get", "pod", name, "-n", namespace, "-o", "jsonpath={.status.podIP}").stdout


def serve(port, address="0.0.0.0", word="hello"):
    return f"""
import socket, sys, time
server = socket.create_server(({address!r}, {port}))
print("listening", flush=True)
while True:
    peer, _ = server.accept()
    peer.settimeout(0.5)
    try:
        peer.recv(100)  # a connection that is closed with unread bytes is reset
        peer.sendall({word!r}.encode())
    except OSError:
        pass
    peer.close()
"""


@pytest.fixture
def host_server():
    """A server of this machine, on every address."""
    with socket.create_server(("0.0.0.0", 0)) as server:
        def answer():
            while True:
                try:
                    peer, _ = server.accept()
                except OSError:
                    return
                with peer:
                    peer.sendall(b"secret of the machine")
        threading.Thread(target=answer, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def own_addresses():
    listed = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=True).stdout.split()
    return ["127.0.0.1", *(address for address in listed if "." in address)]


def test_the_machines_own_ports_are_out_of_reach(engine, host_server):
    tries = "".join(f"print({address!r}, reach({address!r}, {host_server}, b'x'))\n" for address in own_addresses())
    text = output_of(engine, "prober", CONNECT + tries)
    assert len(text.splitlines()) == len(own_addresses())
    assert "secret" not in text


def test_a_port_that_the_configuration_allows_is_open_and_its_neighbour_closed(tmp_path):
    def answer(server, word):
        while True:
            try:
                peer, _ = server.accept()
            except OSError:
                return
            with peer:
                peer.sendall(word)

    port = free_port()
    with socket.create_server(("127.0.0.1", port)) as listed, socket.create_server(("127.0.0.1", port + 1)) as neighbour:
        for server, word in (listed, b"from the listed port"), (neighbour, b"secret of the neighbour"):
            threading.Thread(target=answer, args=(server, word), daemon=True).start()
        allowing = Engine(tmp_path, config=f"network:\n  mode: job\n  allow: ['127.0.0.1:{port}']\n").start()
        try:
            tries = "".join(f"print(reach({address!r}, {number}, b'x'))\n" for address, number in
                            [("127.0.0.1", port), ("127.0.0.1", port + 1), ("127.0.0.2", port), *((one, port) for one in own_addresses()[1:])])
            said = output_of(allowing, "caller", CONNECT + tries).splitlines()
        finally:
            allowing.stop()
            for server in (listed, neighbour):
                server.shutdown(socket.SHUT_RDWR)
    assert said[0] == "b'from the listed port'"
    assert said[1] == "b'ConnectionRefusedError'"
    assert not [line for line in said[1:] if "from" in line or "secret" in line], said


def test_only_tls_answers_at_the_address_of_the_api(engine):
    """Neither the console nor the API answers plain HTTP there, and the content port is closed."""
    request = b"GET /console/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    text = output_of(engine, "plain", CONNECT + f"print(reach('127.0.0.1', {engine.port}, {request!r}))\nprint(reach('127.0.0.1', {engine.port + 1}))\n")
    plain, content = text.splitlines()
    assert "200" not in plain and "html" not in plain
    assert content == "b'ConnectionRefusedError'"


def test_the_api_answers_with_the_pods_own_token(engine):
    script = """
import json, os, ssl, urllib.request
folder = "/var/run/secrets/kubernetes.io/serviceaccount/"
token = open(folder + "token").read()
url = f"https://{os.environ['KUBERNETES_SERVICE_HOST']}:{os.environ['KUBERNETES_SERVICE_PORT']}/api/v1/namespaces/default/pods"
context = ssl.create_default_context(cafile=folder + "ca.crt")
found = json.load(urllib.request.urlopen(urllib.request.Request(url, headers={"Authorization": "Bearer " + token}), context=context))
print(found["kind"], [pod["metadata"]["name"] for pod in found["items"]])
"""
    text = output_of(engine, "client", script)
    assert "PodList" in text and "client" in text


def test_pods_of_other_owners_are_out_of_reach(engine):
    address = start(engine, "server", serve(7001))
    text = output_of(engine, "stranger", CONNECT + f"print(reach({address!r}, 7001))\nprint(reach('server', 7001))\n")
    assert "connected" not in text
    engine.muster("delete", "pod", "server", "--grace-period=0", "--force")


def test_two_pods_listen_on_the_same_port_of_every_address(engine):
    start(engine, "first", serve(29500))
    start(engine, "second", serve(29500))
    engine.muster("delete", "pod", "first", "second", "--grace-period=0", "--force")


def test_a_pod_cannot_take_the_port_of_the_engine(engine):
    """It may listen on that port in its own network. What is outside is not affected."""
    start(engine, "thief", serve(engine.port + 1, word="stolen"))
    engine.kill()
    try:
        with socket.socket() as probe:
            probe.settimeout(2)
            if probe.connect_ex(("127.0.0.1", engine.port + 1)) == 0:
                assert probe.recv(100) != b"stolen"
    finally:
        engine.start()
    engine.muster("delete", "pod", "thief", "--grace-period=0", "--force")


def test_abstract_sockets_stay_inside(engine):
    name = "\0muster-attack"
    listening = f"""
import socket, time
server = socket.socket(socket.AF_UNIX)
server.bind({name!r})
server.listen()
print("listening", flush=True)
time.sleep(600)
"""
    start(engine, "abstract", listening)
    text = output_of(engine, "other", f"import socket\ntry:\n  socket.socket(socket.AF_UNIX).connect({name!r})\n  print('connected')\nexcept OSError as e: print(e)\n")
    assert "refused" in text
    with socket.socket(socket.AF_UNIX) as probe, pytest.raises(ConnectionRefusedError):
        probe.connect(name)
    engine.muster("delete", "pod", "abstract", "--grace-period=0", "--force")


def test_shared_memory_of_system_v_stays_inside(engine):
    script = "import subprocess; print(subprocess.run(['ipcs', '-m'], capture_output=True, text=True).stdout)"
    made = subprocess.run(["ipcmk", "-M", "4096"], capture_output=True, text=True, check=True).stdout
    number = re.search(r"(\d+)\s*$", made).group(1)
    try:
        assert f" {number} " not in output_of(engine, "ipc", script)
        # Pods in the machine's network have an IPC namespace each.
        assert f" {number} " not in output_of(engine, "ipc-host", script, hostNetwork=True)
    finally:
        subprocess.run(["ipcrm", "-m", number], check=True)


def test_the_names_of_other_namespaces_are_unknown(engine):
    engine.muster("create", "namespace", "elsewhere", check=False)
    start(engine, "hidden", serve(7001), namespace="elsewhere")
    assert "hidden" not in output_of(engine, "reader", "print(open('/etc/hosts').read())")
    engine.muster("delete", "pod", "hidden", "-n", "elsewhere", "--grace-period=0", "--force")


def test_a_pod_knows_the_names_of_its_job_and_of_services_and_no_others(engine):
    """Two jobs of one namespace. A Service leads to one of them; the Services that belong to the other's replicas do not."""
    engine.volume("work")
    waits = "import time\nprint('listening', flush=True)\ntime.sleep(10000)"
    for job in ("red", "blue"):
        engine.apply(training_job(job, ["python3", "-c", waits], replicas=2))
    for job in ("red", "blue"):
        wait_for(f"{job} to run", lambda job=job: engine.muster("logs", f"pj/{job}", check=False).stdout.count("listening") == 2)
    engine.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "paint"},
                  "spec": {"selector": {"tensorstack.dev/owner-name": "blue"}, "ports": [{"port": 80}]}})
    ranks = [item["metadata"]["name"] for item in json.loads(engine.muster("get", "pods", "-o", "json").stdout)["items"]
             if item["metadata"]["name"].startswith("red")]

    def hosts(rank):
        return engine.muster("exec", rank, "--", "cat", "/etc/hosts").stdout

    wait_for("the Service", lambda: " paint " in hosts(ranks[0]).replace("\t", " "))
    known = hosts(ranks[0])
    assert all(f" {rank} " in known for rank in ranks), "its own job"
    lines = [line for line in known.splitlines() if "blue" in line]
    assert len(lines) == 2 and all(re.fullmatch(r"127\.\S+( paint| paint\.default\S*| blue-\w+-worker-\d\.paint\S*)+", line) for line in lines), lines
    # A pod that starts later and one in the network of the machine; the latter knows the whole namespace, as that network hides nothing.
    assert "red" not in output_of(engine, "late", "print(open('/etc/hosts').read())")
    assert "red" in output_of(engine, "on-host", "print(open('/etc/hosts').read())", hostNetwork=True)
    engine.kill()
    engine.start()
    engine.muster("delete", "service", "paint")
    wait_for("the Service to go", lambda: "blue" not in hosts(ranks[1]))
    assert all(f" {rank} " in hosts(ranks[1]) for rank in ranks)
    engine.muster("delete", "pj", "red", "blue")
    wait_for("the files to go", lambda: not [one for one in (engine.data / "hosts").iterdir() if "." in one.name])


def test_a_pod_has_no_power_over_its_network(engine):
    script = "import subprocess\nfor words in (['ip', 'link', 'add', 'x', 'type', 'dummy'], ['ip', 'route', 'flush', 'table', 'main']): print(subprocess.run(words, capture_output=True).returncode)"
    assert "0" not in output_of(engine, "meddler", script).split()
    # The network of the machine is not flushed, in case that it could be.
    assert "0" not in output_of(engine, "host-meddler", script.replace(", ['ip', 'route', 'flush', 'table', 'main']", ","), hostNetwork=True).split()


def test_ranks_of_a_job_reach_each_other_by_name(engine):
    engine.volume("work")
    ranks = """
import os, socket, time
rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
host, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
if rank == 0:
    server = socket.create_server(("0.0.0.0", port))
    for _ in range(size - 1):
        print(server.accept()[0].recv(100).decode(), flush=True)
else:
    for _ in range(200):
        try:
            to = socket.create_connection((host, port), timeout=5)
            break
        except OSError:
            time.sleep(0.05)
    to.sendall(f"rank {rank} is here".encode())
"""
    engine.apply(training_job("meet", ["python3", "-c", ranks], replicas=3))
    engine.wait_phase("meet", "Succeeded")
    text = engine.muster("logs", "pj/meet").stdout
    assert "rank 1 is here" in text and "rank 2 is here" in text


def test_a_job_installs_a_package(engine, tmp_path):
    """With the pip of the machine, from the registry that its configuration names, if it can be reached from here."""
    install = ["/usr/bin/python3", "-m", "pip", "install", "-q", "--no-deps", "--no-cache-dir", "--target"]
    settings = {name: value for name, value in os.environ.items() if name in ("PIP_CERT", "PIP_INDEX_URL", "PIP_DEFAULT_TIMEOUT")}
    if subprocess.run([*install, tmp_path / "here", "six"], env={"PATH": os.environ["PATH"], **settings}, check=False).returncode != 0:
        pytest.skip("pip installs nothing here")
    if "without a way to the outside" in engine.log():
        pytest.skip("pasta cannot connect the networks of jobs with the outside here")
    engine.volume("work")
    job = training_job("installs", ["sh", "-c", " ".join(install) + " /tmp/there six && PYTHONPATH=/tmp/there /usr/bin/python3 -c 'import six; print(six.__file__)'"])
    container = job["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0]
    container["env"] = [{"name": name, "value": value} for name, value in settings.items()]
    engine.apply(job)
    engine.wait_phase("installs", "Succeeded", timeout=120)
    assert "/tmp/there/six.py" in engine.muster("logs", "pj/installs").stdout


def test_a_network_outlives_the_engine_and_goes_with_its_last_pod(engine):
    engine.volume("work")
    script = """
import http.client, os, ssl, time, urllib.request
folder = "/var/run/secrets/kubernetes.io/serviceaccount/"
url = f"https://{os.environ['KUBERNETES_SERVICE_HOST']}:{os.environ['KUBERNETES_SERVICE_PORT']}/version"
context = ssl.create_default_context(cafile=folder + "ca.crt")
while True:
    request = urllib.request.Request(url, headers={"Authorization": "Bearer " + open(folder + "token").read()})
    try:
        print("listening", urllib.request.urlopen(request, context=context, timeout=60).status, flush=True)
    except (OSError, http.client.HTTPException) as error:
        print("cut off in the middle of an answer:", error, flush=True)
    time.sleep(0.2)
"""
    start(engine, "lasting", script)
    before = owners_of(engine)
    assert len(before) == 1
    engine.kill()
    assert owners_of(engine) == before
    engine.start()
    answers = engine.muster("logs", "lasting").stdout.count("200")
    wait_for("an answer of the new engine", lambda: engine.muster("logs", "lasting").stdout.count("200") > answers + 1)
    assert owners_of(engine) == before
    engine.muster("delete", "pod", "lasting", "--grace-period=0")
    wait_for("the network to end", lambda: not owners_of(engine))
    wait_for("its folder to go", lambda: not list((engine.data / "networks").iterdir()))


def test_a_network_whose_pods_ended_while_no_engine_ran_is_removed(engine):
    start(engine, "shortlived", serve(7001))
    assert len(owners_of(engine)) == 1
    engine.kill()
    shims = [int(path.parent.name) for path in pathlib.Path("/proc").glob("[0-9]*/cmdline")
             if os.fsencode(engine.data / "pods") in read_words(path)]
    for shim in shims:
        os.kill(shim, signal.SIGKILL)
    engine.start()
    wait_for("the network to end", lambda: not owners_of(engine))
    engine.muster("delete", "pod", "shortlived", "--grace-period=0", "--force", check=False)


def test_a_network_ends_although_the_engine_that_asked_for_it_was_killed(engine):
    """The owner does not run while it is asked, as on a busy machine, and cannot see any more who has asked."""
    start(engine, "shortlived", serve(7001))
    (owner,) = owners_of(engine).values()
    engine.kill()
    os.kill(owner, signal.SIGSTOP)
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        if os.fsencode(engine.data / "pods") in read_words(path):
            os.kill(int(path.parent.name), signal.SIGKILL)
    engine.start()
    wait_for("the folder to be removed", lambda: not list((engine.data / "networks").iterdir()))
    engine.kill()
    os.kill(owner, signal.SIGCONT)
    wait_for("the network to end", lambda: not owners_of(engine))
    engine.start()
    engine.muster("delete", "pod", "shortlived", "--grace-period=0", "--force", check=False)


def read_words(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_service_leads_to_the_pods_of_another_network(engine):
    address = start(engine, "web", serve(8080, word="from the service"))
    engine.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "shop"},
                  "spec": {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]}})
    script = CONNECT + """
import time
for _ in range(100):
    said = reach("shop", 80, b"x")
    if b"Error" not in said: break
    time.sleep(0.1)
print(said)
""" + f"print(reach({address!r}, 8080))\n"
    found = output_of(engine, "visitor", script).splitlines()
    assert found == ["b'from the service'", "b'ConnectionRefusedError'"]
    engine.muster("create", "namespace", "abroad", check=False)
    assert "from the service" not in output_of(engine, "foreigner", CONNECT + f"print(reach({address!r}, 80, b'x'))\n", namespace="abroad")
    engine.muster("delete", "service", "shop")
    engine.muster("delete", "pod", "web", "--grace-period=0", "--force")


def test_a_service_takes_no_port_from_pods_of_other_networks(engine):
    """Two servers on the same port of every address, each with a Service: whoever listens first, both do, and they reach each other."""
    for name in ("early", "late"):
        engine.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {"selector": {"app": name}, "ports": [{"port": 8080}]}})
    start(engine, "early", serve(8080, word="from early"))  # before its network knows the port of the other Service
    start(engine, "late", f"""
import socket, time
while True:  # until its network knows that of the first one
    try:
        socket.create_connection(("early", 8080), timeout=5).close()
        break
    except OSError:
        time.sleep(0.1)
""" + serve(8080, word="from late"))
    for visitor, server in ("early", "late"), ("late", "early"):
        script = CONNECT + f"print(reach({server!r}, 8080, b'x'))"
        wait_for(f"an answer of {server} in {visitor}", lambda: engine.muster("exec", visitor, "--", "python3", "-c", script, check=False).stdout == f"b'from {server}'\n")
        assert engine.muster("exec", visitor, "--", "python3", "-c", CONNECT + "print(reach('127.0.0.1', 8080, b'x'))").stdout == f"b'from {visitor}'\n"
    engine.muster("delete", "pod", "early", "late", "--grace-period=0", "--force")
    engine.muster("delete", "service", "early", "late")


# Whether an address is one of this network, and the interfaces that a library would connect by.
LOOK = """
import array, fcntl, socket, struct, sys
def is_own(address):
    try:
        socket.socket().bind((address, 0))
        return True
    except OSError:
        return False
def interfaces_with_addresses():
    room = array.array("B", bytes(4096))
    used = struct.unpack("iL", fcntl.ioctl(socket.socket(), 0x8912, struct.pack("iL", len(room), room.buffer_info()[0])))[0]
    return {room.tobytes()[at:at + 16].split(b"\\0")[0].decode() for at in range(0, used, 40)}
"""


def test_the_address_of_a_service_leads_to_its_ports_and_is_as_before_when_the_service_goes(engine):
    address = start(engine, "web", serve(8080, word="from the service"))
    start(engine, "visitor", serve(8080, word="from the visitor"))

    def look(script):
        return engine.muster("exec", "visitor", "--", "python3", "-c", LOOK + CONNECT + script).stdout.strip()

    assert look(f"print(is_own({address!r}))") == "True"
    engine.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
                  "spec": {"selector": {"app": "web"}, "ports": [{"name": "a", "port": 80, "targetPort": 8080}, {"name": "b", "port": 81, "targetPort": 8080}]}})
    wait_for("the Service", lambda: look(f"print(is_own({address!r}), reach({address!r}, 80, b'x'), reach({address!r}, 81, b'x'))")
             == "False b'from the service' b'from the service'")
    # A socket with an address of its own gets there as well; nothing else is there, not even what the visitor serves itself.
    bound = f"to = socket.create_connection(({address!r}, 80), source_address=('127.3.3.3', 0)); to.sendall(b'x'); print(to.recv(100))"
    assert look(bound) == "b'from the service'"
    assert look(f"print(reach({address!r}, 8080, b'x'), reach({address!r}, {engine.port}))") == "b'ConnectionRefusedError' b'ConnectionRefusedError'"
    assert "lo" in look("print(interfaces_with_addresses())") and "muster" not in look("print(interfaces_with_addresses())")
    engine.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
                  "spec": {"selector": {"app": "web"}, "ports": [{"name": "b", "port": 81, "targetPort": 8080}]}})
    wait_for("one port less", lambda: look(f"print(reach({address!r}, 80), reach({address!r}, 81, b'x'))") == "b'ConnectionRefusedError' b'from the service'")
    engine.muster("delete", "service", "web")
    wait_for("the address", lambda: look(f"print(is_own({address!r}))") == "True")
    engine.muster("delete", "pod", "web", "visitor", "--grace-period=0", "--force")


@pytest.mark.skipif(not shutil.which("ip") or not shutil.which("nsenter"), reason="needs ip and nsenter")
def test_without_links_between_networks_services_take_their_ports(engine):
    """Here because the name is in use, on a machine because its kernel makes none."""
    start(engine, "web", serve(8080, word="from the service"))
    others = set(owners_of(engine))
    start(engine, "visitor", serve(7001))
    (folder,) = set(owners_of(engine)) - others
    keeper = max(keepers_of(folder))
    # An ordinary user is root there; root of the machine becomes it.
    as_root = ["--preserve-credentials"] if os.geteuid() != 0 else []
    subprocess.run(["nsenter", "-t", str(keeper), "-U", *as_root, "-n", "ip", "link", "add", "muster-services", "type", "veth", "peer", "name", "other"], check=True)
    engine.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}, "ports": [{"port": 8080}]}})

    def look(script):
        return engine.muster("exec", "visitor", "--", "python3", "-c", CONNECT + script).stdout.strip()

    wait_for("the Service", lambda: look("print(reach('web', 8080, b'x'))") == "b'from the service'")
    taken = "import errno\ntry:\n  socket.create_server(('0.0.0.0', 8080))\nexcept OSError as e: print(errno.errorcode[e.errno])"
    assert look(taken) == "EADDRINUSE"
    engine.muster("delete", "service", "web")
    engine.muster("delete", "pod", "web", "visitor", "--grace-period=0", "--force")


def test_a_connection_to_a_service_survives_a_crash_of_the_engine(engine):
    echo = """
import socket
server = socket.create_server(("0.0.0.0", 8080))
print("listening", flush=True)
peer, _ = server.accept()
while data := peer.recv(1 << 16):
    peer.sendall(data)
"""
    start(engine, "echo", echo)
    engine.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "echo"}, "spec": {"selector": {"app": "echo"}, "ports": [{"port": 8080}]}})
    client = """
import socket, time
while True:
    try:
        to = socket.create_connection(("echo", 8080), timeout=20)
        break
    except OSError:
        time.sleep(0.1)
for number in range(10**6):
    to.sendall(b"%8d" % number * 1000)
    got = b""
    while len(got) < 8000:
        got += to.recv(8000 - len(got)) or exit("cut")
    assert got == b"%8d" % number * 1000
    print("listening", number, flush=True)
    time.sleep(0.05)
"""
    start(engine, "talker", client)
    engine.kill()
    engine.start()
    last = lambda: int((re.findall(r"listening (\d+)", engine.muster("logs", "talker", check=False).stdout) or ["0"])[-1])
    before = last()
    wait_for("more to be echoed", lambda: last() > before + 5)
    engine.muster("delete", "service", "echo")
    before = last()
    wait_for("more to be echoed without the Service", lambda: last() > before + 20)
    assert phase_of(engine, "talker") == "Running"
    engine.muster("delete", "pod", "echo", "talker", "--grace-period=0", "--force")


def test_a_network_ends_when_the_folder_of_its_killed_engine_is_removed(tmp_path):
    killed = Engine(tmp_path, config="network: job\n").start()
    killed.apply(pod("left", "import time; time.sleep(10000)"))
    killed.wait_phase("left", "Running", kind="pod")
    assert owners_of(killed)
    killed.kill()
    try:
        shutil.rmtree(killed.data)
        wait_for("the network to end", lambda: not owners_of(killed), timeout=30)
    finally:
        subprocess.run(["pkill", "-KILL", "-f", f"muster-shim.*{killed.data}"], check=False)
