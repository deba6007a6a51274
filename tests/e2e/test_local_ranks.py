"""What the ranks of a job on one machine share: the host as NCCL sees it, /dev/shm, and with local ranks the GPUs."""

import json

import pytest
from harness import Engine, wait_for

SHOW = ("echo host $NCCL_HOSTID device $(stat -c %d /dev/shm) bytes $(($(stat -f -c '%b * %S' /dev/shm))) "
        "gpus ${CUDA_VISIBLE_DEVICES:-none} ${NVIDIA_VISIBLE_DEVICES:-none} ipc $(readlink /proc/self/ns/ipc) name $(hostname); ")


def meeting_in(folder):
    """Each rank waits for a file of the other one, so both look while both run."""
    return f"touch {folder}/rank-$RANK; until [ -e {folder}/rank-0 ] && [ -e {folder}/rank-1 ]; do sleep 0.05; done"


MEET = meeting_in("/dev/shm")


GPUS = "resources:\n  nvidia.com/gpu: 4\n"


@pytest.fixture(scope="module", params=["", "network: host\n"], ids=["as usual", "in the host's network"])
def engine(tmp_path_factory, request):
    started = Engine(tmp_path_factory.mktemp("engine"), config=request.param + GPUS).start()
    yield started
    started.stop()


def job(name, script=SHOW + MEET, replicas=2, annotations=None, **pod):
    container = {"name": "pytorch", "image": "host", "command": ["sh", "-c", script], **pod.pop("container", {})}
    template = {"metadata": {"annotations": annotations or {}}, "spec": {"containers": [container], **pod}}
    return {"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "PyTorchTrainingJob", "metadata": {"name": name},
            "spec": {"runPolicy": {"cleanUpPolicy": "None"}, "replicaSpecs": [{"type": "worker", "replicas": replicas, "restartPolicy": "Never", "template": template}]}}


def pod_of(engine, name, rank):
    selector = f"tensorstack.dev/owner-name={name},replica-index={rank}"
    return engine.muster("get", "pods", "-l", selector, "-o", "jsonpath={.items[0].metadata.name}", check=False).stdout


def shown_by_rank(engine, name, rank):
    words = engine.muster("logs", pod_of(engine, name, rank) or "none", check=False).stdout.split()
    if "name" not in words:
        return None
    gpus = words.index("gpus")
    return {"host": words[1], "device": words[3], "bytes": int(words[5]), "visible": words[gpus + 1],
            "uuids": words[gpus + 2].split(","), "ipc": words[gpus + 4], "name": words[-1]}


def shown_by(engine, manifest):
    """What each rank has shown, in the order of ranks, after the job has ended well; a rank may end after it."""
    engine.apply(manifest)
    name = manifest["metadata"]["name"]
    engine.muster("wait", f"pj/{name}", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=60s")
    return [wait_for(f"what rank {rank} shows", lambda rank=rank: shown_by_rank(engine, name, rank))
            for rank in range(manifest["spec"]["replicaSpecs"][0]["replicas"])]


def test_ranks_are_one_host_to_nccl_and_share_memory(engine):
    first, second = shown_by(engine, job("one-host"))
    assert first["host"] == second["host"] and first["host"]
    assert first["device"] == second["device"], "NCCL compares the device numbers of /dev/shm"
    assert first["ipc"] == second["ipc"]
    assert first["name"] != second["name"], "host names stay"
    with open("/proc/meminfo", encoding="ascii") as meminfo:
        memory = int(meminfo.readline().split()[1]) * 1024
    assert abs(first["bytes"] - memory / 2) < 1 << 20


def test_jobs_do_not_share_with_each_other(engine):
    engine.apply(job("this", SHOW + "touch /dev/shm/secret; sleep 10000"))
    this = [wait_for("what it shows", lambda rank=rank: shown_by_rank(engine, "this", rank)) for rank in (0, 1)]
    that = shown_by(engine, job("that", "ls /dev/shm | grep -q secret && exit 1; " + SHOW))
    for shared in ("host", "device", "ipc"):
        assert this[0][shared] == this[1][shared] != that[0][shared] == that[1][shared]
    engine.muster("delete", "pj", "this")


def test_limits_of_memory_size_what_the_ranks_share(engine):
    limits = {"resources": {"limits": {"memory": "64Mi"}}}
    first, second = shown_by(engine, job("limited", container=limits))
    assert first["bytes"] == second["bytes"] == 2 * 64 << 20


def test_the_manifest_has_the_last_word(engine):
    engine.volume("meeting")
    volumes = {"volumes": [{"name": "shm", "emptyDir": {"medium": "Memory"}}, {"name": "meeting", "persistentVolumeClaim": {"claimName": "meeting"}}],
               "container": {"volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}, {"name": "meeting", "mountPath": "/meeting"}],
                             "env": [{"name": "NCCL_HOSTID", "value": "mine-$(RANK)"}]}}
    first, second = shown_by(engine, job("own", SHOW + meeting_in("/meeting"), **volumes))
    assert first["device"] != second["device"]
    assert (first["host"], second["host"]) == ("mine-0", "mine-1")


def test_local_ranks_see_all_gpus_of_their_job_and_others_their_own(engine):
    one_each = {"resources": {"limits": {"nvidia.com/gpu": 1}}}
    first, second = shown_by(engine, job("local", annotations={"muster.dev/local-ranks": "true"}, container=one_each))
    assert first["visible"] == second["visible"] == "0,1"
    assert first["uuids"] == second["uuids"] and len(set(first["uuids"])) == 2
    first, second = shown_by(engine, job("own-gpus", container=one_each))
    assert first["visible"] == second["visible"] == "0"
    assert first["uuids"] != second["uuids"]
    # What one job sees is charged to it: three ranks of one GPU leave one.
    engine.apply(job("three", "sleep 10000", replicas=3, annotations={"muster.dev/local-ranks": "true"}, container=one_each))
    wait_for("it to run", lambda: engine.muster("get", "pj", "three", "-o", "jsonpath={.status.phase}").stdout == "Running")
    engine.apply(job("too-much", "true", replicas=2, container=one_each))
    wait_for("the reason", lambda: "1 of 4 free" in engine.muster("describe", "pj", "too-much").stdout or "1 free" in engine.muster("describe", "pj", "too-much").stdout)
    engine.muster("delete", "pj", "three", "too-much")
    wait_for("the GPUs", lambda: not json.loads(engine.muster("get", "pods", "-l", "tensorstack.dev/owner-name=three", "-o", "json").stdout)["items"])
    assert len(set(shown_by(engine, job("all", SHOW, replicas=1, container={"resources": {"limits": {"nvidia.com/gpu": 4}}}))[0]["uuids"])) == 4


def test_a_rank_that_is_replaced_finds_the_memory_of_its_job(engine):
    """Also after the engine was killed: the memory belongs to the network of the job, which outlives the engine."""
    script = ("if [ $RANK = 0 ]; then echo kept > /dev/shm/note; sleep 10000; fi; until [ -e /dev/shm/note ]; do sleep 0.05; done; "
              "echo reads $(cat /dev/shm/note); while [ ! -e /dev/shm/fail ]; do sleep 0.05; done; rm /dev/shm/fail; exit 1")
    manifest = job("replaced", script)
    manifest["metadata"]["annotations"] = {"muster.dev/restart": "replica"}
    manifest["spec"]["replicaSpecs"][0]["restartPolicy"] = "OnFailure"
    engine.apply(manifest)

    def attempt_that_reads():
        if "reads kept" not in engine.muster("logs", pod_of(engine, "replaced", 1), check=False).stdout:
            return None
        return engine.muster("get", "pod", pod_of(engine, "replaced", 1), "-o", "jsonpath={.metadata.uid}", check=False).stdout

    first = wait_for("rank 1", attempt_that_reads)
    engine.kill()
    engine.start()
    engine.muster("exec", pod_of(engine, "replaced", 0), "--", "touch", "/dev/shm/fail")
    wait_for("its replacement", lambda: attempt_that_reads() not in (None, "", first))
    engine.muster("delete", "pj", "replaced")
