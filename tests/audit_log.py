"""What the audit log of a real API server (tests/contract/audit_policy.yaml) shows of the operator: writes that were refused,
writes per job, and whether two pods of one rank ever existed at the same instant."""

import collections
import dataclasses
import json
import math

OPERATOR = "system:serviceaccount:muster-system:muster-operator"
WRITES = ("create", "update", "patch", "delete", "deletecollection")
LEASES = "coordination.k8s.io"  # renewed all the time
JOBS = {"batch.tensorstack.dev", "kubeflow.org"}  # the groups whose objects are jobs
ENDED = ("Succeeded", "Failed")


def read_log(path, start=0):
    """The events from this byte on, and where the next ones will begin."""
    with open(path, "rb") as file:
        file.seek(start)
        text = file.read()
    whole = text[:text.rfind(b"\n") + 1]  # the server may be writing the last line
    return [json.loads(line) for line in whole.splitlines()], start + len(whole)


def code(event):
    return event.get("responseStatus", {}).get("code", 0)


def about(event):
    """Resource, namespace and name."""
    reference = event.get("objectRef", {})
    return reference.get("resource"), reference.get("namespace"), reference.get("name")


def body(event, which="responseObject"):
    return event.get(which) or {}


def controller_of(thing):
    owners = thing.get("metadata", {}).get("ownerReferences", [])
    return next((one for one in owners if one.get("controller")), None)


# Ranks

@dataclasses.dataclass
class Life:
    """Of a pod of a rank, in revisions of the store, which order all writes: from its creation to the moment when it had
    ended or was removed."""
    pod: str
    rank: tuple
    created: int
    over: float = math.inf


def rank_of(pod):
    """Job, role and index; None for a pod that is not a rank."""
    labels, owner = pod["metadata"].get("labels", {}), controller_of(pod)
    for prefix in ("training.kubeflow.org/", ""):
        role, index = labels.get(prefix + "replica-type"), labels.get(prefix + "replica-index")
        if owner and role is not None and index is not None:
            return f"{pod['metadata']['namespace']}/{owner['name']}", owner["uid"], role, index
    return None


def pods_of(event):
    """The pods that the answer to a write shows."""
    answer = body(event)
    if answer.get("kind") == "Pod":
        return [answer]
    return answer.get("items", []) if answer.get("kind") == "PodList" else []


def is_over(event, pod):
    """Whether this write ended the pod's life: its processes had ended, or the object went away, which for a pod that a
    kubelet runs is the kubelet's own delete, after the processes."""
    if pod.get("status", {}).get("phase") in ENDED:
        return True
    return event["verb"] in ("delete", "deletecollection") and not pod["metadata"].get("deletionGracePeriodSeconds")


def lives_of(events):
    lives = {}
    for event in events:
        if about(event)[0] != "pods" or code(event) >= 400:
            continue
        for pod in pods_of(event):
            uid, revision = pod["metadata"]["uid"], int(pod["metadata"]["resourceVersion"])
            if event["verb"] == "create" and rank_of(pod):
                lives[uid] = Life(pod["metadata"]["name"], rank_of(pod), revision)
            elif uid in lives and is_over(event, pod):
                lives[uid].over = min(lives[uid].over, revision)
    return list(lives.values())


def duplicates(lives):
    """The pairs of pods of one rank that existed at the same instant."""
    by_rank = collections.defaultdict(list)
    for life in sorted(lives, key=lambda one: one.created):
        by_rank[life.rank].append(life)
    return [(first, second) for ranks in by_rank.values()
            for i, first in enumerate(ranks) for second in ranks[i + 1:] if second.created < first.over]


# Writes

def writes_of(events, user):
    return [one for one in events if one["user"]["username"] == user and one["verb"] in WRITES]


def key_of_owner(reference, namespace):
    """The resource of a job is its kind in lower case with an s."""
    group = reference["apiVersion"].partition("/")[0]
    return (f"{reference['kind'].lower()}s.{group}", namespace, reference["name"]) if group in JOBS else None


class Attribution:
    """Finds the job that a write is for: the job itself, the owner of the child, what an event is about."""

    def __init__(self):
        self.owner = {}  # by resource, namespace and name of the child

    def job_of(self, event):
        reference = event.get("objectRef", {})
        resource, namespace, name = about(event)
        if reference.get("apiGroup") in JOBS:
            return f"{resource}.{reference['apiGroup']}", namespace, name
        sent = body(event, "requestObject")
        if resource == "events":
            return self.job_of_reference(sent.get("involvedObject") or sent.get("regarding") or {})
        if event["verb"] == "create" and (owner := controller_of(sent)):
            child = resource, namespace, name or sent["metadata"].get("name")
            self.owner[child] = key_of_owner(owner, namespace)
        return self.owner.get((resource, namespace, name or sent.get("metadata", {}).get("name")))

    def job_of_reference(self, reference):
        if reference.get("kind") == "Pod":
            return self.owner.get(("pods", reference.get("namespace"), reference.get("name")))
        return key_of_owner(reference, reference.get("namespace")) if reference.get("apiVersion") else None


@dataclasses.dataclass
class Summary:
    jobs: dict        # how many writes each got
    others: int       # writes for none of them, without those of Leases
    creates: int
    refused: list     # as (code, verb, resource, name)
    unreadable: list  # what the account was not allowed to read, as (resource, namespace)
    ranks: int
    pods: int
    duplicates: list

    def __str__(self):
        counts = collections.Counter(f"{status} {verb} {resource}" for status, verb, resource, _ in self.refused)
        refused = ", ".join(f"{count} x {what}" for what, count in counts.items()) or "none"
        mean = sum(self.jobs.values()) / len(self.jobs) if self.jobs else 0
        return (f"{len(self.jobs)} jobs, {mean:.1f} writes per job, {self.others} other writes; refused: {refused}; "
                f"{self.pods} pods of {self.ranks} ranks, {len(self.duplicates)} at the same instant as another one of their rank")


def resource_of(event):
    reference = event.get("objectRef", {})
    return "/".join(filter(None, (reference.get("resource"), reference.get("subresource"))))


def summarise(events, user=OPERATOR):
    attribution, jobs, others = Attribution(), collections.Counter(), 0
    writes = writes_of(events, user)
    for event in writes:
        job = attribution.job_of(event)
        if job:
            jobs[job] += 1
        elif event.get("objectRef", {}).get("apiGroup") != LEASES:
            others += 1
    lives = lives_of(events)
    unreadable = {about(one)[:2] for one in events
                  if one["user"]["username"] == user and one["verb"] not in WRITES and code(one) == 403}
    return Summary(jobs=dict(jobs), others=others, creates=sum(1 for one in writes if one["verb"] == "create"),
                   refused=[(code(one), one["verb"], resource_of(one), about(one)[2]) for one in writes if code(one) >= 400],
                   unreadable=sorted(unreadable, key=str), ranks=len({life.rank for life in lives}), pods=len(lives),
                   duplicates=duplicates(lives))
