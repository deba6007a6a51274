"""Arena's tutorial, command by command as it is printed, on the real engine. A web server on loopback stands in for the
tutorial's git host, through git's own insteadOf; our own mnist-pytorch trains on the CPU."""

import base64
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import threading

import pytest
from harness import MUSTER, ROOT, Engine, wait_for
from tutorials import check_networks, configured, prepare

ARENA = MUSTER.parent / "arena"
HOST = "https://code.aliyun.com/"
USER, PASSWORD = "yourname", "yourpwd"

SUBMIT = r'''
    arena submit pytorch \
        --name=pytorch-dist \
        --gpus=1 \
        --workers=3 \
        --working-dir=/root \
        --image=registry.cn-huhehaote.aliyuncs.com/lumo/pytorch-with-tensorboard:1.5.1-cuda10.1-cudnn7-runtime \
        --sync-mode=git \
        --sync-source=https://code.aliyun.com/370272561/mnist-pytorch.git \
        --data=training-data:/mnist_data \
        --tensorboard \
        --logdir=/mnist_data/pytorch_data/logs \
        "python /root/code/mnist-pytorch/mnist.py --epochs 10 --backend nccl --dir /mnist_data/pytorch_data/logs --data /mnist_data/pytorch_data/"
'''
PRIVATE = r'''
      arena --loglevel info submit pytorch \
            --name=pytorch-private \
            --image=registry.cn-huhehaote.aliyuncs.com/lumo/pytorch-with-tensorboard:1.5.1-cuda10.1-cudnn7-runtime \
            --sync-mode=git \
            --sync-source=https://code.aliyun.com/private/mnist-pytorch.git \
            --env=GIT_SYNC_USERNAME=yourname \
            --env=GIT_SYNC_PASSWORD=yourpwd \
            "python /root/code/mnist-pytorch/mnist.py --help"
'''


def make_repositories(folder):
    """A public and a private bare repository with our mnist.py, readable over plain HTTP."""
    work = folder / "work"
    work.mkdir()
    shutil.copy(ROOT / "examples" / "arena" / "mnist-pytorch" / "mnist.py", work)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main", "-C", str(work)]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "mnist"]):
        subprocess.run([*git, *words], check=True)
    for owner in ("370272561", "private"):
        bare = folder / "served" / owner / "mnist-pytorch.git"
        subprocess.run(["git", "clone", "-q", "--bare", str(work), str(bare)], check=True)
        subprocess.run(["git", "-C", str(bare), "update-server-info"], check=True)
    return folder / "served"


class GitHost(http.server.SimpleHTTPRequestHandler):
    """Serves files; those below /private/ need a user and a password."""

    def do_GET(self):
        wanted = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        if self.path.startswith("/private/") and self.headers.get("Authorization") != wanted:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        super().do_GET()

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arena")
    served = make_repositories(folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *a: GitHost(*a, directory=str(served)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    config = configured({"MNIST_LIMIT": "1000"}, "--gpus", "3")
    config += f"git:\n  insteadOf:\n    {HOST}: http://127.0.0.1:{server.server_port}/\nnetwork: {{allow: ['127.0.0.1:{server.server_port}']}}\n"
    made = Engine(folder, config=config).start()
    check_networks(made)
    prepare(MUSTER_DATA_DIR=str(made.data))
    yield made
    made.muster("delete", "deployments", "--all", check=False)
    made.stop()
    server.shutdown()


def arena(engine, line, check=True, timeout=120):
    """Runs a command line as the tutorial prints it."""
    return engine.run(["bash", "-c", line], check=check, timeout=timeout, env={"PATH": f"{ARENA.parent}:{os.environ['PATH']}"})


def status_of(engine, name):
    return json.loads(arena(engine, f"arena get {name} -o json").stdout)["status"]


@pytest.fixture(scope="module")
def submitted(engine):
    """The output of the tutorial's steps while its job runs."""
    steps = {"top node": arena(engine, "arena top node"), "submit": arena(engine, SUBMIT)}
    wait_for("the job to run", lambda: status_of(engine, "pytorch-dist") == "RUNNING", timeout=90)
    for command in ("arena list", "arena top job", "arena get pytorch-dist"):
        steps[command] = arena(engine, command)
    steps["top node again"] = arena(engine, "arena top node")
    steps["again"] = arena(engine, SUBMIT, check=False)
    steps["followed"] = arena(engine, "arena logs pytorch-dist -f", timeout=400)
    wait_for("the job to end", lambda: status_of(engine, "pytorch-dist") == "SUCCEEDED", timeout=60)
    return steps


def masked(text):
    """Names of nodes, addresses and ages may differ; columns keep their widths."""
    text = re.sub(r"http://\S+", "URL", text)
    text = re.sub(r"\b127\.0\.0\.1\b", "ADDRESS..", text)
    return re.sub(r"\b\d{1,2}[smh]\b( *)", lambda found: "AGE  " if found.group(1) else "AGE", text)


def seconds_masked(text):
    """The seconds since a command started are 0000 on a machine that has time."""
    return re.sub(r"(INFO|ERRO)\[\d{4}\]", r"\1[0000]", text)


def test_top_node(submitted):
    lines = submitted["top node"].stdout.splitlines()
    assert re.fullmatch(r"NAME +IPADDRESS +ROLE +STATUS  GPU\(Total\)  GPU\(Allocated\)", lines[0])
    assert re.fullmatch(r"\S+ +127\.0\.0\.1  master  ready   3           0", lines[1])
    assert lines[2:] == ["-" * 89, "Allocated/Total GPUs In Cluster:", "0/3 (0%)"]
    again = submitted["top node again"].stdout.splitlines()
    assert re.fullmatch(r"\S+ +127\.0\.0\.1  master  ready   3           3", again[1])
    assert again[-1] == "3/3 (100%)"


def test_submit(submitted):
    assert submitted["submit"].stdout == """\
configmap/pytorch-dist-pytorchjob created
configmap/pytorch-dist-pytorchjob labeled
service/pytorch-dist-tensorboard created
deployment.apps/pytorch-dist-tensorboard created
pytorchjob.kubeflow.org/pytorch-dist created
"""
    assert [line for line in seconds_masked(submitted["submit"].stderr).splitlines() if line.startswith("INFO")] == [
        "INFO[0000] The Job pytorch-dist has been submitted successfully",
        "INFO[0000] You can run `arena get pytorch-dist --type pytorchjob` to check the job status"]


def test_the_same_name_again_is_refused_and_leaves_the_first_alone(submitted):
    assert submitted["again"].returncode == 1
    assert ("ERRO[0000] the job pytorch-dist is already exist, please delete it first. use 'arena delete pytorch-dist'"
            in seconds_masked(submitted["again"].stderr))


def test_list(submitted):
    assert masked(submitted["arena list"].stdout) == """\
NAME          STATUS   TRAINER     AGE  NODE
pytorch-dist  RUNNING  PYTORCHJOB  AGE  ADDRESS..
"""


def test_top_job(submitted):
    assert masked(submitted["arena top job"].stdout) == """\
NAME          GPU(Requests)  GPU(Allocated)  STATUS   TRAINER     AGE  NODE
pytorch-dist  3              3               RUNNING  pytorchjob  AGE  ADDRESS..


Total Allocated GPUs of Training Job:
3

Total Requested GPUs of Training Job:
3
"""


def test_get(submitted):
    assert masked(submitted["arena get pytorch-dist"].stdout) == """\
STATUS: RUNNING
NAMESPACE: default
PRIORITY: N/A
TRAINING DURATION: AGE

NAME          STATUS   TRAINER     AGE  INSTANCE               NODE
pytorch-dist  RUNNING  PYTORCHJOB  AGE  pytorch-dist-master-0  ADDRESS..
pytorch-dist  RUNNING  PYTORCHJOB  AGE  pytorch-dist-worker-0  ADDRESS..
pytorch-dist  RUNNING  PYTORCHJOB  AGE  pytorch-dist-worker-1  ADDRESS..

Your tensorboard will be available on:
URL
"""


def test_get_after_the_end_still_shows_all_instances(engine, submitted):
    instances = [f"pytorch-dist  SUCCEEDED  PYTORCHJOB  AGE  pytorch-dist-{role}  ADDRESS.."
                 for role in ("master-0", "worker-0", "worker-1")]

    def shown():
        return masked(arena(engine, "arena get pytorch-dist").stdout).splitlines()

    assert shown()[0] == "STATUS: SUCCEEDED"
    # The master decides the result; a worker may still be ending.
    wait_for("all instances to end", lambda: shown()[6:9] == instances)


def test_tensorboard_opens_in_a_browser(engine, submitted):
    jar = engine.folder / "cookies"

    def opened():
        link = arena(engine, "arena get pytorch-dist").stdout.splitlines()[-1]
        page = engine.run(["curl", "-sL", "-c", jar, "-b", jar, "-w", "%{http_code}", "-o", engine.folder / "page", link])
        return page.stdout == "200" and "TensorBoard" in (engine.folder / "page").read_text(errors="replace")

    if not shutil.which("tensorboard", path=str(environment_of(engine) / "bin")):
        pytest.skip("TensorBoard is not installed")
    wait_for("TensorBoard", opened, timeout=90)
    base = arena(engine, "arena get pytorch-dist").stdout.splitlines()[-1].split("?")[0]
    tags = engine.run(["curl", "-s", "-b", jar, base + "data/plugin/scalars/tags"]).stdout
    assert "accuracy" in tags


@pytest.fixture
def shown_here(engine, submitted, tmp_path):
    """The link of `arena tensorboard` on a machine that has the engine's kubeconfig, and nothing else of it."""
    if not shutil.which("tensorboard", path=str(environment_of(engine) / "bin")):
        pytest.skip("TensorBoard is not installed")
    elsewhere = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "KUBECONFIG": str(engine.kubeconfig)}
    process = subprocess.Popen([ARENA, "tensorboard", "pytorch-dist"], env=elsewhere, stdout=subprocess.PIPE, text=True)
    yield process.stdout.readline().strip()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 1, "interrupted"


def test_tensorboard_comes_to_a_far_machine_through_the_api(engine, shown_here, tmp_path):
    page, jar = tmp_path / "page", tmp_path / "cookies"
    curl = ["curl", "-sL", "-c", jar, "-b", jar, "-w", "%{http_code}", "-o", page]

    def asked(url, *more):
        return engine.run([*curl, *more, url]).stdout, page.read_text(errors="replace")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/api/v1/\S+\?token=\S+", shown_here)
    wait_for("TensorBoard", lambda: asked(shown_here)[0] == "200", timeout=90)
    base = shown_here.split("?")[0]
    assert "TensorBoard" in asked(base)[1]
    assert asked(base + "index.js")[0] == "200"
    assert "accuracy" in asked(base + "data/plugin/scalars/tags")[1]
    runs = json.loads(asked(base + "data/runs")[1])
    wanted = json.dumps([{"plugin": "scalars", "tag": "accuracy"}])
    assert asked(base + "data/plugin/timeseries/timeSeries", "-F", f"requests={wanted}")[0] == "200" and runs
    assert asked(base.split("/services/")[0] + "/secrets")[0] == "401"
    assert engine.run(["curl", "-s", "-w", "%{http_code}", "-o", page, base]).stdout == "401"


def environment_of(engine):
    return ROOT.__class__(re.search(r"venv: (\S+)", (engine.data / "config.yaml").read_text()).group(1))


def test_logs(engine, submitted):
    log = arena(engine, "arena logs pytorch-dist").stdout.splitlines()
    assert log[0] == "WORLD_SIZE: 3, CURRENT_RANK: 0"
    assert log[1].startswith("args: Namespace(") and "backend='nccl'" in log[1]
    assert re.fullmatch(r"accuracy=0\.\d{4}", log[-1]) and log[-2] == ""
    for index in (0, 1):
        worker = arena(engine, f"arena logs pytorch-dist -i pytorch-dist-worker-{index}").stdout
        assert worker.startswith(f"WORLD_SIZE: 3, CURRENT_RANK: {index + 1}\n")
    tail = arena(engine, "arena logs pytorch-dist -t 5").stdout.splitlines()
    assert tail == log[-5:]
    assert submitted["followed"].stdout.splitlines() == log
    assert arena(engine, "arena logs pytorch-dist -t 0").stdout == ""


def test_a_wrong_instance_is_named(engine, submitted):
    done = arena(engine, "arena logs pytorch-dist -i nope", check=False)
    assert done.returncode == 1
    assert ("invalid instance name nope in job pytorch-dist,please use 'arena get pytorch-dist' to make sure instance name"
            in done.stderr)


def test_data_list(engine):
    lines = arena(engine, "arena data list").stdout.splitlines()
    assert lines[0].split() == ["NAME", "ACCESSMODE", "DESCRIPTION", "OWNER", "AGE"]
    assert any(re.fullmatch(r"training-data  ReadWriteMany +\d+[smh]", line) for line in lines)


def test_a_private_repository(engine, submitted):
    done = arena(engine, PRIVATE)
    assert "secret/pytorch-private-git-sync created\n" in done.stdout
    wait_for("the job to end", lambda: status_of(engine, "pytorch-private") in ("SUCCEEDED", "FAILED"), timeout=90)
    assert "usage: mnist.py" in arena(engine, "arena logs pytorch-private").stdout
    for line in ("muster get pytorchjobs,pods,configmaps,events -o yaml", "arena get pytorch-private -o yaml",
                 "arena logs pytorch-private -c init-code"):
        assert PASSWORD not in arena(engine, line).stdout, line
    arena(engine, "arena delete pytorch-private")


def test_a_wrong_password_is_explained(engine, submitted):
    line = PRIVATE.replace("=yourpwd", "=wrong").replace("pytorch-private", "pytorch-wrong")
    arena(engine, line)
    wait_for("the job to fail", lambda: status_of(engine, "pytorch-wrong") == "FAILED", timeout=90)
    shown = arena(engine, "arena get pytorch-wrong -e").stdout
    assert "pytorch-wrong-master-0 failed first: container init-code ended with exit code 1" in shown
    assert "cannot fetch the code from https://code.aliyun.com/private/mnist-pytorch.git" in shown
    assert "Authentication failed" in arena(engine, "arena logs pytorch-wrong").stdout
    arena(engine, "arena delete pytorch-wrong")


def test_delete_frees_the_name(engine, submitted):
    done = arena(engine, "arena delete missing pytorch-dist", check=False)
    assert done.returncode == 1
    assert "The training job 'missing' does not exist,skip to delete it" in done.stderr
    assert done.stdout == 'configmap "pytorch-dist-pytorchjob" deleted\n'
    assert "INFO[0000] The Job pytorch-dist has been deleted successfully" in seconds_masked(done.stderr)
    arena(engine, "arena submit pytorch --name=pytorch-dist --image=pytorch --tensorboard true")
    arena(engine, "arena delete pytorch-dist")
    wait_for("nothing to be left", lambda: "pytorch-dist" not in engine.muster("get", "pods,services,deployments,configmaps").stdout)
