"""The golden cases of `decide` on a cluster, played against a real API server: the children that the operator makes there are
those of the plans, object by object; the server may only have added defaults."""
import hashlib
import json

import pytest
import yaml
from harness import ROOT, wait_for

TESTDATA = ROOT / "src" / "control" / "job" / "testdata"


def is_played(script):
    """Whether pods of the case only run and end. test_storms.py plays what else a cluster does to them."""
    news = [one for step in script["steps"] for one in step.get("pods", {}).values()]
    refuses = any(step.get("refusesCreates") for step in script["steps"])
    return script.get("network") == "perPod" and not refuses and all("phase" in one for one in news)


CASES = sorted(path.name.removesuffix(".in.yaml") for path in TESTDATA.glob("*.in.yaml") if is_played(yaml.safe_load(path.read_text())))


def digits(uid):
    """The part of names that comes from the job's uid."""
    return hashlib.sha256(uid.encode()).hexdigest()[:5]


def translated(text, golden_uid, uid, namespace):
    """The golden text as it is for another uid and namespace."""
    text = text.replace(digits(golden_uid), digits(uid)).replace(f"uid: {golden_uid}\n", f"uid: {uid}\n")
    return text.replace("namespace: default\n", f"namespace: {namespace}\n").replace(".default.svc", f".{namespace}.svc")


def missing(wanted, found, path=""):
    """Where `found` lacks something of `wanted`, as 'path: wanted, got found'."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return [problem for key, value in wanted.items() for problem in missing(value, found.get(key), f"{path}.{key}")]
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        return [problem for i, value in enumerate(wanted) for problem in missing(value, found[i], f"{path}[{i}]")]
    return [] if wanted == found else [f"{path}: {json.dumps(wanted)}, got {json.dumps(found)}"]


def launch_of(pod):
    """Command and environment of a pod, as the goldens print them."""
    container = pod["spec"]["containers"][0]
    launch = {key: container[key] for key in ("command", "args") if key in container}
    ports = [{key: port[key] for key in ("name", "containerPort") if key in port} for port in container.get("ports", [])]
    env = [f"{entry['name']}={entry.get('value', '')}" for entry in container.get("env", [])]
    init = pod["spec"].get("initContainers")
    return {**launch, **({"ports": ports} if ports else {}), **({"initContainers": init} if init else {}), "env": env}


def check_made(cluster, action):
    """The child that the action makes is there, and as the action has it."""
    line, body = next(iter(action.items())) if isinstance(action, dict) else (action, None)
    words = line.split()
    if words[0] != "create":
        return
    found = wait_for(line, lambda: cluster.find(words[1], words[2]))
    if body is None:
        return
    problems = missing(body, found if "apiVersion" in body else launch_of(found))
    assert not problems, f"{line}\n" + "\n".join(problems)


def play(cluster, pod, news):
    if news["phase"] == "Running":
        cluster.start(pod)
    else:
        cluster.end(pod, news.get("exitCode", 0))


@pytest.mark.parametrize("case", CASES)
def test_a_golden_case_makes_the_same_objects(cluster, case):
    script = yaml.safe_load((TESTDATA / f"{case}.in.yaml").read_text())
    job, golden_uid = script["job"], script["job"]["metadata"]["uid"]
    name, kind = job["metadata"]["name"], f"{job['kind']}.{job['apiVersion'].split('/')[0]}"
    cluster.create({**job, "metadata": {"name": name}})
    uid = cluster.get(kind, name)["metadata"]["uid"]
    read = lambda ending: yaml.safe_load(translated((TESTDATA / (case + ending)).read_text(), golden_uid, uid, cluster.namespace))
    for step, planned in zip(read(".in.yaml")["steps"], read(".plan.yaml")):
        for pod, news in step.get("pods", {}).items():
            play(cluster, pod, news)
        for action in planned["actions"]:
            check_made(cluster, action)
