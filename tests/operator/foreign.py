"""Real API servers of their own: with the CRDs of Kubeflow's operators, unchanged, as their Go modules have them, or with
RBAC."""
import contextlib
import json
import os
import pathlib
import shutil
import ssl
import subprocess
import urllib.request

import pytest
import yaml
from cluster import Cluster
from harness import MUSTER, ROOT, wait_for

# MPIJob is mpi-operator's: it and training-operator have a CRD of the same name, and a cluster has one of them.
CRDS = {"github.com/kubeflow/training-operator@v1.9.3": ["manifests/base/crds/kubeflow.org_pytorchjobs.yaml",
                                                         "manifests/base/crds/kubeflow.org_tfjobs.yaml"],
        "github.com/kubeflow/mpi-operator@v0.6.0": ["manifests/base/kubeflow.org_mpijobs.yaml"]}


def crd_files():
    """The files; skips the test where they cannot be downloaded."""
    go = shutil.which("go")
    if go is None:
        pytest.skip("there is no Go to download the modules of Kubeflow's operators")
    files = []
    for module, paths in CRDS.items():
        done = subprocess.run([go, "mod", "download", "-json", module], env=dict(os.environ, GOFLAGS="-mod=mod", GOSUMDB="off"),
                              cwd="/", text=True, timeout=300, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode != 0:
            pytest.skip(f"the Go module {module} cannot be downloaded: {done.stderr.strip() or done.stdout.strip()}")
        folder = pathlib.Path(json.loads(done.stdout)["Dir"])
        files += [folder / path for path in paths]
    return files


class ForeignServer:
    def __init__(self, kubeconfig, audit):
        self.kubeconfig = kubeconfig
        self.audit = pathlib.Path(audit)
        config = yaml.safe_load(pathlib.Path(kubeconfig).read_text())
        self.url = config["clusters"][0]["cluster"]["server"]
        self.token = config["users"][0]["user"]["token"]
        self.tls = ssl.create_default_context()
        self.tls.check_hostname = False
        self.tls.verify_mode = ssl.CERT_NONE

    def request(self, method, path, body=None, kind="application/json"):
        """As a program that is neither Muster nor kubectl."""
        sent = urllib.request.Request(self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
                                      headers={"Authorization": f"Bearer {self.token}", "Content-Type": kind})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=self.tls))
        with opener.open(sent, timeout=30) as answer:
            return json.loads(answer.read())

    def status_writes(self, namespace, name):
        """The writes of a job's status so far, as (manager, HTTP code)."""
        found = []
        for line in self.audit.read_text().splitlines():
            event = json.loads(line)
            about = event.get("objectRef", {})
            if (about.get("namespace"), about.get("name"), about.get("subresource")) == (namespace, name, "status"):
                if about["resource"] != "pods":
                    found.append((event["userAgent"], event["responseStatus"]["code"]))
        return found


@contextlib.contextmanager
def own_server(folder, **variables):
    """`variables` are those of real_kubernetes.sh."""
    with (folder / "server.log").open("w") as errors:
        process = subprocess.Popen([ROOT / "tests" / "contract" / "real_kubernetes.sh", "sh", "-c",
                                    "echo $MUSTER_CONTRACT_KUBECONFIG $MUSTER_CONTRACT_AUDIT; read end || true"],
                                   env=dict(os.environ, **variables), text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
    words = process.stdout.readline().split()
    assert words, (folder / "server.log").read_text()
    try:
        yield ForeignServer(*words)
    finally:
        process.stdin.close()
        process.wait(timeout=60)


@contextlib.contextmanager
def foreign_server(folder):
    files = crd_files()
    with own_server(folder, MUSTER_WITHOUT_KUBEFLOW="1") as server:
        for file in files:
            subprocess.run([MUSTER, "create", "--kubeconfig", server.kubeconfig, "-f", file], check=True, timeout=60,
                           stdout=subprocess.DEVNULL)
        for plural in ("v1/pytorchjobs", "v1/tfjobs", "v2beta1/mpijobs"):
            wait_for(f"{plural} to be served", lambda plural=plural: serves(server, plural))
        yield server


def serves(server, plural):
    try:
        return server.request("GET", f"/apis/kubeflow.org/{plural}")
    except OSError:
        return None


class ForeignCluster(Cluster):
    """A namespace there."""

    def __init__(self, server, namespace, home):
        super().__init__(server.kubeconfig, namespace, home)
        self.server = server

    def status_writes(self, name):
        return self.server.status_writes(self.namespace, name)
