"""The engine reads, lists and runs the objects in a data directory of an earlier version.

testdata/store-2026-11.tar.xz is the `store` folder of an engine from before replicas were limited and the rules for
pods applied to templates. It contains a paused job, a suspended job, a finished job, a Deployment and a TFJob for which
that version had no controller, a claim, and a paused job with 20,000 replicas and a mount that are rejected now.
"""

import pathlib
import tarfile

import pytest

from harness import wait_for

STORE = pathlib.Path(__file__).parent / "testdata" / "store-2026-11.tar.xz"


@pytest.fixture
def upgraded(fresh_engine):
    with tarfile.open(STORE) as archive:
        archive.extractall(fresh_engine.data)
    (fresh_engine.data / "store").chmod(0o700)
    return fresh_engine.start()


def state_of(engine, name):
    conditions = engine.get("pytorchjobs.kubeflow.org", name).get("status", {}).get("conditions", [])
    return {c["type"] for c in conditions if c["status"] == "True"}


def test_stored_jobs_are_listed_and_run(upgraded):
    listed = upgraded.muster("get", "pj,pytorchjobs.kubeflow.org,tfjobs,deploy,pvc").stdout
    for name in ("paused", "suspended", "finished", "beyond-the-bound", "stored-only", "web", "data"):
        assert name in listed
    assert "Succeeded" in state_of(upgraded, "finished")

    upgraded.muster("patch", "pj", "paused", "--type=merge", "-p", '{"spec":{"runMode":{"pause":{"enable":false}}}}')
    upgraded.wait_phase("paused", "Succeeded")
    assert "rank 1 of 2" in upgraded.muster("logs", "-f", "pj/paused").stdout

    upgraded.muster("patch", "pytorchjobs.kubeflow.org", "suspended", "--type=merge",
                    "-p", '{"spec":{"runPolicy":{"suspend":false}}}')
    wait_for("the suspended job to succeed", lambda: "Succeeded" in state_of(upgraded, "suspended"))

    wait_for("the deployment to run", lambda: upgraded.get("deploy", "web").get("status", {}).get("availableReplicas") == 1)
    upgraded.muster("delete", "deploy", "web")


def test_an_object_that_would_be_refused_now_can_be_labelled_and_deleted(upgraded):
    upgraded.muster("label", "pj", "beyond-the-bound", "seen=yes")
    refused = upgraded.muster("patch", "pj", "beyond-the-bound", "--type=merge",
                              "-p", '{"spec":{"runMode":{"pause":{"enabled":false}}}}', check=False)
    assert refused.returncode != 0 and "10000" in refused.stderr
    upgraded.muster("delete", "pj", "beyond-the-bound")
    assert upgraded.get("pj", "beyond-the-bound", check=False) is None
