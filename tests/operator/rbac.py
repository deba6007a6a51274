"""A real API server of its own with RBAC, without any of our kinds."""
import json
import os
import pathlib
import subprocess

import yaml
from foreign import OwnServer, own_server
from harness import MUSTER


class RbacServer(OwnServer):
    """With the rights of its administrator, or of a service account."""

    def __init__(self, kubeconfig, audit, operator=""):
        super().__init__(kubeconfig, audit, operator)
        self.environment = dict(os.environ, KUBECONFIG=str(kubeconfig), HOME=str(pathlib.Path(kubeconfig).parent), NO_COLOR="1")

    def as_account(self, name):
        """The server with the rights of this service account of the namespace default, and no others."""
        self.muster("create", "-f", "-", "-n", "default", stdin=json.dumps(
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}))
        return RbacServer(self.kubeconfig_of("default", name), self.audit)

    def kubeconfig_of(self, namespace, account):
        """A kubeconfig with a token of the account, as its pods have one."""
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token"
        issued = self.request("POST", path, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
        config = yaml.safe_load(pathlib.Path(self.kubeconfig).read_text())
        config["users"][0]["user"] = {"token": issued["status"]["token"]}
        file = pathlib.Path(self.kubeconfig).with_name(f"kubeconfig-{namespace}-{account}")
        file.write_text(yaml.safe_dump(config))
        return file

    def muster(self, *words, stdin=None, check=True):
        done = subprocess.run([MUSTER, *words], env=self.environment, input=stdin, text=True, timeout=120, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        assert not check or done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def create(self, manifest):
        self.muster("create", "-f", "-", stdin=json.dumps(manifest))

    def find(self, kind, name, namespace=""):
        done = self.muster("get", kind, name, "-o", "json", *(["-n", namespace] if namespace else []), check=False)
        assert done.returncode in (0, 3), done.stderr
        return json.loads(done.stdout) if done.returncode == 0 else None

    def kubectl_patch(self, plural, name, patch):
        """As a program that is neither Muster nor kubectl."""
        self.request("PATCH", f"/apis/apps/v1/namespaces/muster-system/{plural}/{name}", patch, "application/merge-patch+json")

    def versions(self):
        """The resource version of everything that an installation consists of."""
        found = {}
        for kind in ("namespaces", "crds", "clusterroles", "clusterrolebindings", "roles", "rolebindings", "serviceaccounts",
                     "services", "deployments", "poddisruptionbudgets"):
            for one in json.loads(self.muster("get", kind, "-A", "-o", "json").stdout)["items"]:
                labels = one["metadata"].get("labels", {})
                if labels.get("app.kubernetes.io/managed-by") == "muster":
                    found[kind, one["metadata"].get("namespace"), one["metadata"]["name"]] = one["metadata"]["resourceVersion"]
        return found


def rbac_server(folder):
    return own_server(folder, RbacServer, MUSTER_RBAC="1", MUSTER_WITHOUT_KINDS="1")
