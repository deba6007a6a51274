"""Real API servers of their own, with an audit log: one with the CRDs of Kubeflow's operators, unchanged, as their Go
modules have them, and one that asks roles for permission."""
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


class OwnServer:
    def __init__(self, kubeconfig, audit, operator=""):
        self.kubeconfig = kubeconfig
        self.operator = operator  # the kubeconfig of a user who has only what roles give
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

    def writes(self, namespace):
        """All writes in the namespace so far, as the audit log has them."""
        found = [json.loads(line) for line in self.audit.read_text().splitlines()]
        return [one for one in found if one["verb"] not in ("get", "list", "watch")
                and one.get("objectRef", {}).get("namespace") == namespace]

    def status_writes(self, namespace, name):
        """The writes of a job's status so far, as (manager, HTTP code)."""
        found = []
        for one in self.writes(namespace):
            about = one["objectRef"]
            if (about.get("name"), about.get("subresource")) == (name, "status") and about["resource"] != "pods":
                found.append((one["userAgent"], one["responseStatus"]["code"]))
        return found


@contextlib.contextmanager
def own_server(folder, kind=OwnServer, **settings):
    """`settings` are environment variables of real_kubernetes.sh."""
    with (folder / "server.log").open("w") as errors:
        process = subprocess.Popen([ROOT / "tests" / "contract" / "real_kubernetes.sh", "sh", "-c",
                                    "echo $MUSTER_CONTRACT_KUBECONFIG $MUSTER_CONTRACT_AUDIT $MUSTER_CONTRACT_OPERATOR; "
                                    "read end || true"],
                                   env=dict(os.environ, **settings), text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
    words = process.stdout.readline().split()
    assert words, (folder / "server.log").read_text()
    try:
        yield kind(*words)
    finally:
        process.stdin.close()
        process.wait(timeout=150)  # kube-apiserver lets open requests end


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
