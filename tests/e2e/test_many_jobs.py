"""A crowd of two-rank jobs at the same time: all end right, none hears another's ranks, and nothing of them stays in memory."""

import json
import re

from harness import FULL, training_job, wait_for

JOBS = 200 if FULL else 40

# Rank 0 listens at the job's address, rank 1 calls it: a port that two jobs had would connect ranks of different jobs.
MEET = """
import os, socket, time
rank, job = os.environ["RANK"], os.environ["JOB"]
place = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
if rank == "0":
    with socket.create_server(place) as server:
        peer, _ = server.accept()
        heard = peer.recv(100).decode()
        peer.sendall(job.encode())
else:
    while True:
        try:
            peer = socket.create_connection(place)
            break
        except OSError:
            time.sleep(0.05)
    peer.sendall(job.encode())
    heard = peer.recv(100).decode()
assert heard == job, f"rank {rank} of {job} met {heard}"
print(f"rank {rank} of {job} met its peer on port {place[1]}", flush=True)
"""


def meeting(name):
    job = training_job(name, ["python3", "-S", "meet.py"], replicas=2, runPolicy={"backoffLimit": 0})
    job["spec"]["replicaSpecs"][0]["template"]["spec"]["containers"][0]["env"] = [{"name": "JOB", "value": name}]
    return job


def run_all(engine, names):
    """Creates the jobs at once and waits for their ends; returns the ports that they had."""
    manifests = "\n---\n".join(json.dumps(meeting(name)) for name in names)
    engine.muster("create", "-f", "-", stdin=manifests)

    def ended():
        jobs = json.loads(engine.muster("get", "pj", "-o", "json").stdout)["items"]
        return jobs if all(job["status"].get("phase") in ("Succeeded", "Failed") for job in jobs) else None
    jobs = wait_for(f"{len(names)} jobs to end", ended, timeout=20 + 4 * len(names))
    assert len(jobs) == len(names)
    failed = [job["status"]["conditions"] for job in jobs if job["status"]["phase"] != "Succeeded"]
    assert not failed, failed
    return [job["status"]["masterPort"] for job in jobs]


def remove_all(engine):
    engine.muster("delete", "pj", "--all", timeout=300)
    wait_for("the pods to go", lambda: not engine.muster("get", "pods", "-o", "name").stdout, timeout=120)


def resident_kib(engine):
    with open(f"/proc/{engine.process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))


def test_many_jobs_at_the_same_time(fresh_engine):
    engine = fresh_engine.start()
    (engine.volume("work") / "meet.py").write_text(MEET)
    names = [f"meeting-{number}" for number in range(JOBS)]
    used = []
    for _ in range(3):
        assert len(run_all(engine, names)) == JOBS
        text = engine.muster("logs", "-f", f"pj/{names[-1]}").stdout
        assert f"of {names[-1]} met its peer on port" in text
        remove_all(engine)
        used.append(resident_kib(engine))
    # The first round fills what stays for good: the allocator's reserves, and the history of watches.
    assert used[2] <= used[1] * 1.1 + 8 * 1024, used
