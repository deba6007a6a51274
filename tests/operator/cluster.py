"""A namespace of a real cluster without kubelets: tests set the status of pods themselves."""
import datetime
import json
import os
import subprocess

from harness import MUSTER, wait_for


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Cluster:
    def __init__(self, kubeconfig, namespace, home):
        self.namespace = namespace
        self.environment = dict(os.environ, KUBECONFIG=str(kubeconfig), HOME=str(home), NO_COLOR="1")
        self.muster("create", "namespace", namespace)

    def remove(self):
        self.muster("delete", "namespace", self.namespace, "--wait=false")

    def muster(self, *words, stdin=None, check=True):
        done = subprocess.run([MUSTER, *words, "-n", self.namespace], env=self.environment, input=stdin, text=True,
                              timeout=60, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        assert not check or done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def create(self, manifest):
        self.muster("create", "-f", "-", stdin=json.dumps(manifest))

    def get(self, kind, name):
        return json.loads(self.muster("get", kind, name, "-o", "json").stdout)

    def find(self, kind, name):
        done = self.muster("get", kind, name, "-o", "json", check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def items(self, kind):
        return json.loads(self.muster("get", kind, "-o", "json").stdout)["items"]

    def pods(self, count):
        """Waits until so many pods exist and none is leaving, and returns their names in order."""
        def complete():
            pods = [pod for pod in self.items("pods") if "deletionTimestamp" not in pod["metadata"]]
            return sorted(pod["metadata"]["name"] for pod in pods) if len(pods) == count else None
        return wait_for(f"{count} pods", complete)

    def start(self, *names):
        for name in names:
            self.set_status(name, "Running", {"running": {"startedAt": now()}})

    def end(self, name, exit_code=0):
        ended = {"exitCode": exit_code, "startedAt": now(), "finishedAt": now(), "reason": "Error" if exit_code else "Completed"}
        self.set_status(name, "Failed" if exit_code else "Succeeded", {"terminated": ended})

    def set_status(self, name, phase, state):
        container = self.get("pod", name)["spec"]["containers"][0]
        status = {"phase": phase, "startTime": now(), "podIP": "10.0.0.1",
                  "conditions": [{"type": "Ready", "status": "True" if phase == "Running" else "False"}],
                  "containerStatuses": [{"name": container["name"], "image": container["image"], "imageID": "", "restartCount": 0,
                                         "ready": phase == "Running", "state": state}]}
        self.muster("patch", "pod", name, "--subresource=status", "--type=merge", "-p", json.dumps({"status": status}))
