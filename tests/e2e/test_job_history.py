"""What a job leaves belongs to the job: logs, replicas and metrics by its name, after clean-up, a pause, a restart and its deletion."""

import json

import pytest
from api_socket import Api, SocketConnection
from harness import Engine, training_job, wait_for

PODS = "/apis/muster.dev/v1/namespaces/{}/jobs/pytorchtrainingjobs.batch.tensorstack.dev/{}/pods"


def pods_of(engine, name, ns="default", query=""):
    status, answer = Api(engine).request("GET", PODS.format(ns, name) + query)
    assert status == 200, answer
    return answer


def log_of(name):
    return PODS.format("default", name).removesuffix("pods") + "log"


def text_of(engine, target):
    connection = SocketConnection(engine.data / "api.sock", 30)
    connection.request("GET", target)
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    return answer.read().decode()


def replicas(engine, name, **where):
    return [(one["replica"], one["attempt"], one["exists"]) for one in pods_of(engine, name, **where)["items"]]


def wait_until_gone(engine, name):
    wait_for("the pods to be gone", lambda: not any(one["exists"] for one in pods_of(engine, name)["items"]))


def test_ranks_that_end_a_moment_later_keep_their_last_lines_and_clean_up_takes_no_log(engine):
    work = engine.volume("work")
    (work / "late.sh").write_text("echo rank $RANK begins\n"
                                  "if [ $RANK != 0 ]; then until [ -e /work/late-goes ]; do sleep 0.05; done; fi\n"
                                  "echo rank $RANK ends\n")
    engine.apply(training_job("late", ["sh", "late.sh"], replicas=3, runPolicy={"cleanUpPolicy": "All"}))
    engine.wait_phase("late", "Succeeded")
    (work / "late-goes").touch()  # the first rank has ended before the others
    wait_until_gone(engine, "late")
    lines = engine.muster("logs", "late").stdout.splitlines()
    assert sorted(lines) == sorted(f"[worker-{rank}] rank {rank} {what}" for rank in range(3) for what in ("begins", "ends"))
    assert replicas(engine, "late") == [(f"worker-{rank}", 0, False) for rank in range(3)]
    described = engine.muster("describe", "late").stdout
    assert [f"worker-{rank}" in described for rank in range(3)] == [True] * 3 and "(deleted)" in described
    assert sorted(text_of(engine, log_of("late")).splitlines()) == sorted(lines)


def test_a_paused_job_keeps_its_log_and_every_attempt(engine):
    engine.volume("work")
    engine.apply(training_job("rests", ["sh", "-c", "echo attempt; sleep 100000"], replicas=2))
    engine.wait_phase("rests", "Running")
    wait_for("both to log", lambda: engine.muster("logs", "rests").stdout.count("attempt") == 2)
    engine.muster("pause", "rests")
    wait_until_gone(engine, "rests")
    assert sorted(engine.muster("logs", "rests").stdout.splitlines()) == ["[worker-0] attempt", "[worker-1] attempt"]
    engine.muster("resume", "rests")
    engine.wait_phase("rests", "Running")
    assert replicas(engine, "rests") == [("worker-0", 0, False), ("worker-0", 1, True), ("worker-1", 0, False), ("worker-1", 1, True)]
    engine.muster("delete", "rests")
    assert engine.get("pj", "rests", check=False) is None


def test_a_deleted_job_is_found_by_its_name_and_a_new_one_finds_nothing_of_it(engine):
    engine.volume("work")
    uids = []
    for text in ("older", "newer"):
        engine.apply(training_job("twice", ["echo", text]))
        uids.append(engine.wait_phase("twice", "Succeeded")["metadata"]["uid"])
        engine.muster("delete", "twice")
    done = engine.muster("logs", "twice")
    assert done.stdout == "newer\n"
    assert "is deleted; its logs are still kept" in done.stderr and "1 earlier job had the name twice" in done.stderr
    described = engine.muster("describe", "twice").stdout
    assert "deleted" in described and uids[1] in described
    assert engine.muster("top", "twice").returncode == 0
    found = pods_of(engine, "twice")
    assert (found["exists"], found["metadata"]["uid"], found["others"]) == (False, uids[1], [uids[0]])
    assert pods_of(engine, "twice", query=f"?uid={uids[0]}")["items"][0]["pod"]["metadata"]["ownerReferences"][0]["uid"] == uids[0]
    assert text_of(engine, log_of("twice")) == "[worker-0] newer\n"
    assert text_of(engine, log_of("twice") + f"?uid={uids[0]}") == "[worker-0] older\n"

    engine.apply(training_job("twice", ["sh", "-c", "exit 0"]))
    engine.wait_phase("twice", "Succeeded")
    assert engine.muster("logs", "twice").stdout == "" and replicas(engine, "twice") == [("worker-0", 0, True)]
    missing = engine.muster("logs", "thrice", check=False)
    assert missing.returncode == 3


def test_the_history_goes_with_the_namespace(engine):
    for _ in range(2):
        engine.muster("create", "namespace", "lab")
        engine.volume("work", "lab")
        manifest = training_job("secret", ["echo", "secret"])
        manifest["metadata"]["namespace"] = "lab"
        assert engine.muster("logs", "-n", "lab", "secret", check=False).returncode == 3
        engine.apply(manifest)
        wait_for("its end", lambda: engine.muster("logs", "-n", "lab", "secret", check=False).stdout == "secret\n")
        uid = engine.muster("get", "pj", "-n", "lab", "secret", "-o", "jsonpath={.metadata.uid}").stdout
        pod = pods_of(engine, "secret", ns="lab")["items"][0]["pod"]["metadata"]
        engine.muster("delete", "namespace", "lab")
        for target in (PODS.format("lab", "secret"), PODS.format("lab", "secret") + f"?uid={uid}",
                       f"/apis/muster.dev/v1/namespaces/lab/pods/{pod['name']}/attempts/0/log?container=pytorch&uid={pod['uid']}",
                       f"/apis/muster.dev/v1/namespaces/default/pods/{pod['name']}/attempts/0/log?container=pytorch&uid={pod['uid']}",
                       f"/apis/muster.dev/v1/namespaces/default/pods/{pod['name']}/metrics?uid={pod['uid']}"):
            assert Api(engine).request("GET", target)[0] == 404, target


@pytest.fixture(scope="module")
def forgetful(tmp_path_factory):
    made = Engine(tmp_path_factory.mktemp("forgetful"), config="logs: {keepPods: 1}\n").start()
    yield made
    made.stop()


def test_what_a_limit_removed_is_said(forgetful):
    work = forgetful.volume("work")
    (work / "all.sh").write_text("echo rank $RANK; touch said-$RANK; until [ -e said-0 -a -e said-1 -a -e said-2 ]; do sleep 0.05; done\n")
    forgetful.apply(training_job("many", ["sh", "all.sh"], replicas=3, runPolicy={"cleanUpPolicy": "All"}))
    forgetful.wait_phase("many", "Succeeded")
    wait_until_gone(forgetful, "many")
    forgetful.kill()
    forgetful.start()
    wait_for("the limit to be applied", lambda: pods_of(forgetful, "many")["removed"] == 2)
    done = forgetful.muster("logs", "many")
    assert len(done.stdout.splitlines()) == 1
    assert "2 earlier pods of many: the limits of logs" in done.stderr


def test_rerun_with_other_arguments_and_compare(engine):
    work = engine.volume("work")
    (work / "args.py").write_text("import sys; print(*sys.argv[1:])\n")
    engine.apply(training_job("tuned", ["python3", "args.py", "--lr", "0.1", "--epochs", "3"]))
    engine.wait_phase("tuned", "Succeeded")
    assert engine.muster("rerun", "tuned", "--", "--lr", "0.2", "--epochs", "3").stdout.endswith("/tuned-2 created\n")
    engine.wait_phase("tuned-2", "Succeeded")
    assert engine.muster("logs", "tuned-2").stdout == "--lr 0.2 --epochs 3\n"
    rows = [line.split() for line in engine.muster("compare", "tuned", "tuned-2").stdout.splitlines()]
    assert ["--lr", "0.1", "0.2"] in rows and not any(row[0] == "--epochs" for row in rows[1:])
    assert ["--epochs", "3", "3"] in [line.split() for line in engine.muster("compare", "tuned", "tuned-2", "--all").stdout.splitlines()]
    assert json.loads(engine.muster("compare", "tuned", "tuned-2", "-o", "json").stdout)["jobs"] == ["tuned", "tuned-2"]
    wrong = engine.muster("rerun", "tunde", check=False)
    assert (wrong.returncode, 'did you mean "tuned"?' in wrong.stderr) == (3, True)
    engine.muster("delete", "tuned", "tuned-2")
    assert engine.muster("get", "jobs", "-o", "name").stdout.count("tuned") == 0
