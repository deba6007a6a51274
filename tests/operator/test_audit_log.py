"""tests/audit_log.py on small logs: what it finds decides whether the tests of a whole cluster pass."""
import json

from audit_log import OPERATOR, read_log, summarise

KUBELET = "system:node:node-1"
OWNER = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "mnist", "uid": "j1", "controller": True}


def pod(name, revision, index="0", uid=None, phase="Pending", grace=None, owner=OWNER):
    labels = {"training.kubeflow.org/replica-type": "worker", "training.kubeflow.org/replica-index": index}
    return {"kind": "Pod", "metadata": {"name": name, "namespace": "ns", "uid": uid or name, "resourceVersion": str(revision), "labels": labels,
                                        "ownerReferences": [owner], **({} if grace is None else {"deletionGracePeriodSeconds": grace})},
            "status": {"phase": phase}}


def event(verb, resource, name, user=OPERATOR, status=200, group="", sent=None, answer=None, subresource=""):
    return {"verb": verb, "user": {"username": user}, "responseStatus": {"code": status}, "requestObject": sent, "responseObject": answer,
            "objectRef": {"resource": resource, "apiGroup": group, "namespace": "ns", "name": name, "subresource": subresource}}


def created(name, revision, **how):
    made = pod(name, revision, **how)
    return event("create", "pods", name, status=201, sent=made, answer=made)


def removed(name, revision, **how):
    return event("delete", "pods", name, KUBELET, answer=pod(name, revision, grace=0, **how))


def names(summary):
    return [(first.pod, second.pod) for first, second in summary.duplicates]


def test_a_pod_that_follows_a_removed_one_is_alone():
    log = [created("a", 1), removed("a", 3), created("b", 4)]
    assert names(summarise(log)) == []
    assert (summarise(log).ranks, summarise(log).pods) == (1, 2)


def test_a_pod_that_follows_an_ended_one_is_alone():
    ended = event("patch", "pods", "a", KUBELET, subresource="status", answer=pod("a", 3, phase="Failed"))
    assert names(summarise([created("a", 1), ended, created("b", 4)])) == []


def test_two_pods_of_a_rank_at_once_are_found():
    assert names(summarise([created("a", 1), created("b", 2)])) == [("a", "b")]


def test_a_pod_that_is_asked_to_stop_still_exists():
    asked = event("delete", "pods", "a", answer=pod("a", 2, grace=30))
    assert names(summarise([created("a", 1), asked, created("b", 3), removed("a", 4)])) == [("a", "b")]


def test_the_order_is_the_store_s_and_not_the_log_s():
    assert names(summarise([created("b", 4), created("a", 1), removed("a", 3)])) == []


def test_other_ranks_and_other_jobs_are_others():
    again = dict(OWNER, uid="j2")  # the same name, created again
    log = [created("a", 1), created("b", 2, index="1"), created("c", 3, owner=again)]
    assert names(summarise(log)) == [] and summarise(log).ranks == 3


def test_a_create_that_was_refused_made_no_pod():
    refused = event("create", "pods", "b", status=409, sent=pod("b", 0), answer={"kind": "Status"})
    summary = summarise([created("a", 1), refused])
    assert summary.pods == 1 and summary.refused == [(409, "create", "pods", "b")] and summary.creates == 2


def test_pods_that_are_deleted_together():
    log = [created("a", 1), event("deletecollection", "pods", None, answer={"kind": "PodList", "items": [pod("a", 2)]}), created("b", 3)]
    assert names(summarise(log)) == []


def test_writes_are_counted_for_the_job_that_they_are_for():
    service = {"metadata": {"name": "mnist-0", "ownerReferences": [OWNER]}}
    log = [created("a", 1), event("create", "services", "mnist-0", status=201, sent=service),
           event("patch", "pytorchjobs", "mnist", group="kubeflow.org", subresource="status"),
           event("create", "events", "e", status=201, sent={"involvedObject": {"kind": "Pod", "namespace": "ns", "name": "a"}}),
           event("delete", "services", "mnist-0"),
           event("update", "leases", "muster", group="coordination.k8s.io"), event("patch", "tensorboards", "t", group="tensorstack.dev"),
           event("create", "pytorchjobs", "mnist", "somebody", group="kubeflow.org")]
    summary = summarise(log)
    assert summary.jobs == {("pytorchjobs.kubeflow.org", "ns", "mnist"): 5} and summary.others == 1
    assert "1 jobs, 5.0 writes per job, 1 other writes; refused: none" in str(summary)


def test_what_the_account_may_not_read_is_found():
    log = [event("list", "secrets", None, status=403), event("watch", "pods", None), event("list", "nodes", None, "somebody", status=403)]
    assert summarise(log).unreadable == [("secrets", "ns")] and summarise(log).refused == []


def test_a_line_that_is_being_written_waits(tmp_path):
    log = tmp_path / "audit.log"
    log.write_text(json.dumps({"n": 1}) + "\n" + '{"n"')
    events, end = read_log(log)
    assert events == [{"n": 1}]
    with log.open("a") as file:
        file.write(": 2}\n")
    assert read_log(log, end)[0] == [{"n": 2}]
