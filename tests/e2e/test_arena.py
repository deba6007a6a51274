"""Arena's commands besides its tutorial: the other kinds of jobs, what a user sees when something is wrong, and which
server is used."""

import datetime
import hashlib
import json
import os
import re
import shutil

import pytest
from harness import MUSTER, Engine, wait_for

ARENA = MUSTER.parent / "arena"


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    made = Engine(tmp_path_factory.mktemp("arena"), config="resources: {nvidia.com/gpu: 2}\n").start()
    yield made
    made.muster("delete", "deployments,tfjobs", "--all", check=False)
    made.stop()


def arena(engine, *words, **kwargs):
    return engine.run([ARENA, *words], **kwargs)


def shown(engine, name):
    return json.loads(arena(engine, "get", name, "-o", "json").stdout)


def ended(engine, name):
    return wait_for(f"{name} to end", lambda: (job := shown(engine, name))["status"] in ("SUCCEEDED", "FAILED") and job, 60)


def test_a_tfjob_of_one_worker_is_a_chief_without_tf_config(engine):
    arena(engine, "submit", "tf", "--name=tf1", "--image=i", "echo config=$TF_CONFIG.")
    job = ended(engine, "tf1")
    assert job["status"] == "SUCCEEDED" and job["trainer"] == "tfjob"
    assert [one["name"] for one in job["instances"]] == ["tf1-chief-0"]
    assert arena(engine, "logs", "tf1").stdout == "config=.\n"


def test_a_tfjob_with_parameter_servers(engine):
    arena(engine, "submit", "tfjob", "--name=tf2", "--image=i", "--workers=2", "--ps=1", "--clean-task-policy=None",
          'echo "$TF_CONFIG"; case "$TF_CONFIG" in *\'"type":"ps"\'*) sleep 60;; esac')
    job = ended(engine, "tf2")
    assert job["status"] == "SUCCEEDED"
    assert job["chiefName"] == "tf2-worker-0"
    assert sorted(json.loads(arena(engine, "logs", "tf2").stdout)["cluster"]) == ["ps", "worker"]


@pytest.mark.skipif(not shutil.which("mpirun"), reason="Open MPI is not installed")
@pytest.mark.parametrize("kind", ["mpi", "horovod"])
def test_an_mpijob_shows_the_log_of_its_launcher(engine, kind):
    arena(engine, "submit", kind, f"--name={kind}1", "--image=i", "--workers=2", "mpirun --allow-run-as-root sh -c 'echo rank $OMPI_COMM_WORLD_RANK'")
    job = ended(engine, f"{kind}1")
    assert job["status"] == "SUCCEEDED" and job["trainer"] == f"{kind}job"
    # Open MPI itself may add a warning: it races with the agent that it has just started.
    said = [line for line in arena(engine, "logs", f"{kind}1").stdout.splitlines() if "plm:rsh: Warning" not in line]
    assert sorted(said) == ["rank 0", "rank 1"]


def test_config_files_and_odd_commands_arrive_as_they_are(engine, tmp_path):
    (tmp_path / "c.json").write_text('{"a": 1}\n')
    command = 'cat /etc/app.json; echo "$ODD"; ls /etc/passwd # not cut: here'
    arena(engine, "submit", "py", "--name=odd", "--image=i", f"--config-file={tmp_path}/c.json:/etc/app.json",
          "--env=ODD=a,b; 'c' \"d\"\ne", command)
    assert ended(engine, "odd")["status"] == "SUCCEEDED"
    assert arena(engine, "logs", "odd").stdout == '{"a": 1}\na,b; \'c\' "d"\ne\n/etc/passwd\n'


def test_the_ranks_of_a_job_find_each_other(engine):
    arena(engine, "submit", "pytorch", "--name=ranks", "--image=i", "--workers=2",
          "echo $MASTER_ADDR:$MASTER_PORT rank $RANK of $WORLD_SIZE, workers=$workers gpus=$gpus")
    assert ended(engine, "ranks")["status"] == "SUCCEEDED"
    engine.wait_phase("ranks-worker-0", "Succeeded", kind="pod")  # the master's end is the job's
    for instance, rank in (("master-0", 0), ("worker-0", 1)):
        said = arena(engine, "logs", "ranks", "-i", f"ranks-{instance}").stdout
        assert re.fullmatch(rf"\S+:\d+ rank {rank} of 2, workers=2 gpus=0\n", said), said
    assert arena(engine, "list", "-o", "wide").stdout.splitlines()[0].split() == [
        "NAME", "STATUS", "TRAINER", "DURATION", "GPU(Requested)", "GPU(Allocated)", "NODE"]
    listed = {job["name"]: job for job in json.loads(arena(engine, "list", "-o", "json").stdout)}
    assert [one["name"] for one in listed["ranks"]["instances"]] == ["ranks-master-0", "ranks-worker-0"]


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_submit_starts_no_program(engine, tmp_path):
    trace = tmp_path / "trace"
    engine.run(["strace", "-f", "-qq", "-e", "trace=process", "-o", trace, ARENA, "submit", "pytorch", "--name=alone",
                "--image=i", "--tensorboard", "true"])
    lines = trace.read_text().splitlines()
    assert len([line for line in lines if "execve(" in line]) == 1
    assert not [line for line in lines if re.search(r"\b(?:v?fork|clone3?)\(", line) and "CLONE_THREAD" not in line]
    arena(engine, "delete", "alone")


def test_what_a_shell_would_read_is_never_read_by_one(engine, tmp_path):
    bait = tmp_path / "bait"
    for name in (f"a;touch {bait}", f"$(touch {bait})", f"`touch {bait}`", "a\nb", "a/../b", "名"):
        for words in (["submit", "pytorch", "--image=i", f"--name={name}", "true"], ["get", name], ["logs", name],
                      ["delete", name], ["submit", "pytorch", "--image=i", "--name=x", f"--data={name}:/d", "true"]):
            done = arena(engine, *words, check=False)
            assert done.returncode == 1 and done.stderr.startswith(("ERRO[", "INFO[")), (words, done)
    assert not bait.exists()


@pytest.mark.parametrize("flag", ["--label=k=a\nb", "--label=a;b=c", "--selector=k=a\nb", "--image=", "--image-pull-policy=a\nb",
                                  "--env=A\nB=c", "--env==x", "--data-dir=/a\nb:c", "--toleration=a\nb=c:d", "--queue=may be", "--gpus=1\n"])
def test_flags_that_no_job_can_have_are_errors(engine, flag):
    done = arena(engine, "submit", "pytorch", "--name=odd-flag", "--image=i", flag, "true", check=False)
    assert done.returncode == 1 and done.stderr.startswith("ERRO["), done
    assert engine.get("pytorchjob", "odd-flag", check=False) is None


def test_long_commands_and_files_of_any_bytes(engine, tmp_path):
    words = ["x" * 120_000] * 9
    done = arena(engine, "submit", "pytorch", "--name=long", "--image=i", *words, check=False)
    assert done.returncode == 1
    assert "the command has 1080008 bytes; a program's argument may have at most 131071" in done.stderr
    content = bytes(range(256))
    (tmp_path / "bytes").write_bytes(content)
    arena(engine, "submit", "pytorch", "--name=long", "--image=i", f"--config-file={tmp_path}/bytes:/etc/bytes",
          f"sha256sum </etc/bytes; : {'x' * 100_000}; echo end")
    assert ended(engine, "long")["status"] == "SUCCEEDED"
    assert arena(engine, "logs", "long").stdout == f"{hashlib.sha256(content).hexdigest()}  -\nend\n"


def test_why_a_job_failed(engine):
    arena(engine, "submit", "pytorch", "--name=bad", "--image=i", "--workers=2", "echo about to fail; exit 3")
    assert ended(engine, "bad")["status"] == "FAILED"
    text = arena(engine, "get", "bad", "-e").stdout
    assert "failed first: container pytorch ended with exit code 3" in text
    assert "The last lines of its log:\nabout to fail" in text


def test_logs_follow_a_job_that_waits_for_gpus(engine):
    arena(engine, "submit", "pytorch", "--name=holder", "--image=i", "--gpus=2", "while [ ! -e /tmp/stop ]; do sleep 0.1; done")
    wait_for("the holder", lambda: shown(engine, "holder")["status"] == "RUNNING")
    arena(engine, "submit", "pytorch", "--name=waiter", "--image=i", "--gpus=1", "echo at last")
    wait_for("its pod", lambda: engine.get("pod", "waiter-master-0", check=False))
    done = arena(engine, "logs", "waiter", check=False)
    assert done.returncode == 1 and "instance waiter-master-0 is not running" in done.stderr
    arena(engine, "attach", "holder", "--", "touch", "/tmp/stop", stdin="")
    assert arena(engine, "logs", "waiter", "-f").stdout == "at last\n"


def test_a_tensorboard_without_a_claim_shares_the_logs_with_the_job(engine):
    arena(engine, "submit", "pytorch", "--name=board", "--image=i", "--tensorboard", "echo x >/training_logs/events")
    assert ended(engine, "board")["status"] == "SUCCEEDED"
    assert (engine.data / "volumes" / "default" / "board-training-logs" / "events").exists()
    # The engine of this machine shows the page itself.
    link = arena(engine, "tensorboard", "board", env={"KUBECONFIG": ""}).stdout
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/tb/default/board-tensorboard/\?token=\S+\n", link)
    assert engine.muster("tensorboard", "board").stdout.split("?")[0] == link.split("?")[0]
    arena(engine, "delete", "board")
    wait_for("its claim to go", lambda: "board" not in engine.muster("get", "pvc,deployments,services").stdout)


def test_a_job_without_tensorboard_says_so(engine):
    arena(engine, "submit", "pytorch", "--name=bare", "--image=i", "true")
    done = arena(engine, "tensorboard", "bare", check=False)
    assert done.returncode == 1
    assert done.stderr == "ERRO[0000] the job bare has no tensorboard\n  fix: submit it with --tensorboard\n"
    done = engine.muster("tensorboard", "bare", check=False)
    assert done.returncode == 3 and "fix: submit it with arena's --tensorboard" in done.stderr
    done = arena(engine, "tensorboard", "bare", "--port=70000", check=False)
    assert done.returncode == 1 and "--port: must be between 0 and 65535, got 70000" in done.stderr


@pytest.mark.parametrize("words, text", [
    (["frob"], 'ERRO[0000] unknown command "frob" for "arena"'),
    (["lsit"], 'did you mean "list"?'),
    (["submit", "pytroch", "--name=x"], 'unknown command "pytroch" for "arena submit"'),
    (["get", "nope"], "Not found training job nope in namespace default,please use 'arena submit' to create it."),
    (["logs", "nope"], "training job not found,please use 'arena list' to make sure job is existed"),
    (["attach", "nope"], "training job not found,please use 'arena list' to make sure job is existed"),
    (["top", "job", "nope"], "training job not found,please use 'arena list' to make sure job is existed"),
    (["logviewer", "nope"], "training job not found,please use 'arena list' to make sure job is existed"),
    (["get", "tf1", "-T", "caffe"], "unsupport job type,arena only supports: [tf(Tensorflow),"),
    (["list", "-o", "name"], "unknown output format,only support:[wide|json|yaml]"),
    (["list", "--nope"], "unknown flag: --nope"),
    (["--nope", "list"], "unknown flag: --nope"),
    (["--loglevel"], "flag needs an argument: --loglevel"),
    (["list", "-x"], "unknown shorthand flag: 'x' in -x"),
    (["submit", "pytorch", "--image=i", "true"], 'required flag(s) "name" not set'),
    (["submit", "pytorch", "--name=x", "--image=i", "--gpus=x", "true"],
     'invalid argument "x" for "--gpus" flag: strconv.ParseInt: parsing "x": invalid syntax'),
    (["logviewer", "tf1"], "failed to get LogViewer: no LOGVIEWER Installed"),
    (["top", "node", "nowhere"], "failed to display nodes's informations: not found nodes"),
    (["submit", "pytorch", "--name=x", "--image=i", "--priority=none", "true"], "the priority none doesn't exist."),
    (["submit", "pytorch", "--name=x", "--image=i", "--data=none:/d", "true"], "the PVC none of --data doesn't exist"),
    (["submit", "rayjob", "--worker-replicas=1", "true"], "not supported"),
    (["cron", "tfjob", "--name=x", "--image=i", "true"], "failed to validate command args: --schedule must be set"),
    (["cron", "tfjob", "--name=x", "--image=i", "--schedule=* *", "true"], "--schedule is invalid, got * *"),
    (["cron", "tfjob", "--name=x", "--image=i", "--schedule=TZ=Mars/Olympus @daily", "true"], "unknown time zone Mars/Olympus"),
    (["cron", "get", "nope"], 'crons.apps.kubedl.io "nope" not found'),
    (["cron", "suspend"], "not set cron name,please set it"),
    (["serve", "tensorflow", "--name=x"], "not supported"),
    (["completion", "tcsh"], "Invalid shell 'tcsh'. The supported shells are bash and zsh."),
    (["prune"], "by --since. Like --since 10h"),
    (["list", "--loglevel", "loud"], "unknown loglevel,only support:[info,debug,error,warn]"),
    ([b"list\xff"], "argument 1 is not valid UTF-8"),
    (["submit", "pytorch", "--name=x", "--image=i", b"--env=A=\xff", "true"], "argument 5 is not valid UTF-8"),
])
def test_mistakes_have_arenas_texts_and_exit_code_1(engine, words, text):
    done = engine.run(["env", "--", ARENA, *[os.fsdecode(word) for word in words]], check=False)
    assert done.returncode == 1
    assert text in done.stderr


@pytest.mark.parametrize("words, text", [
    (["submit", "pytorch", "--name=x", "--image=i"], "not found command args"),
    *[([command], "not set job name,please set it") for command in ("get", "logs", "attach", "logviewer", "delete")],
])
def test_a_command_without_its_words_shows_its_help(engine, words, text):
    done = arena(engine, *words, check=False)
    assert done.returncode == 1
    assert "\nUsage:\n" in done.stdout
    assert f"ERRO[0000] {text}\n" in done.stderr


def test_an_old_spelling_is_taken_with_a_warning(engine):
    done = arena(engine, "submit", "pytorch", "--name=old", "--image=i", "--workingDir=/tmp", "--dry-run", "pwd")
    assert done.stderr == "Flag --workingDir has been deprecated, please use --working-dir instead\n"
    assert "workingDir: /tmp" in done.stdout


@pytest.mark.parametrize("kind, name", [("tfjob", "TFJob"), ("pytorchjob", "PyTorchJob")])
def test_a_cron_runs_its_job_until_it_is_suspended(engine, kind, name):
    cron = f"c-{kind[:2]}"
    made = arena(engine, "cron", kind, f"--name={cron}", "--image=i", "--schedule=@every 1s", "--concurrency-policy=Forbid",
                 "--history-limit=2", "echo from a schedule")
    assert made.stdout == f"cron.apps.kubedl.io/{cron} created\n"
    assert f"The cron {kind} {cron} has been submitted successfully" in made.stderr

    def history():
        return json.loads(arena(engine, "cron", "get", cron, "-o", "json").stdout)["cronHistory"]
    wait_for("a job to succeed", lambda: [one for one in history() if one["status"] == "Succeeded"], 120)
    assert arena(engine, "cron", "suspend", cron).stdout == f"cron {cron} suspend success\n"
    wait_for("all jobs to end", lambda: all(one["finishTime"] for one in history()), 120)
    jobs = history()
    assert 1 <= len(jobs) <= 2 and {one["kind"] for one in jobs} == {name}
    assert arena(engine, "logs", jobs[-1]["name"]).stdout == "from a schedule\n"
    row = [line.split() for line in arena(engine, "cron", "list").stdout.splitlines() if line.startswith(cron)]
    assert row == [[cron, name, "@every", "1s", "true", "Forbid"]]
    assert arena(engine, "cron", "delete", cron).stdout == f"cron {cron} has deleted\n"
    wait_for("its jobs to go", lambda: cron not in arena(engine, "list").stdout)


def test_a_cron_makes_up_for_one_of_the_times_it_missed(tmp_path):
    engine = Engine(tmp_path).start()
    arena(engine, "cron", "pytorchjob", "--name=c", "--image=i", "--schedule=TZ=UTC 0 0 1 1 *", "--suspend", "true")
    long_ago = json.dumps({"status": {"lastScheduleTime": "2020-06-01T00:00:00Z"}})
    engine.muster("patch", "cron", "c", "--subresource=status", "--type=merge", "-p", long_ago)
    engine.kill()
    engine.start()
    arena(engine, "cron", "resume", "c")
    new_year = datetime.datetime(datetime.datetime.now(datetime.timezone.utc).year, 1, 1, tzinfo=datetime.timezone.utc)

    def history():
        return json.loads(arena(engine, "cron", "get", "c", "-o", "json").stdout)["cronHistory"]
    wait_for("the job to end", lambda: [one for one in history() if one["finishTime"]], 120)
    assert [one["name"] for one in history()] == [f"c-{int(new_year.timestamp())}"]
    assert "MissedSchedule" in engine.muster("get", "events").stdout
    engine.stop()


def test_help_completion_and_identity(engine):
    names = arena(engine, "--help").stdout
    for name in ("submit list get logs logviewer delete prune attach scalein scaleout top data cron completion whoami version").split():
        assert f"\n  {name} " in names
    assert re.fullmatch(r"arena: v\S+\n", arena(engine, "version", "--short").stdout)
    fields = dict(line.strip().split(": ", 1) for line in arena(engine, "version").stdout.splitlines())
    assert list(fields)[:4] == ["arena", "BuildDate", "GitCommit", "GitTreeState"] and list(fields)[-3:] == ["GoVersion", "Compiler", "Platform"]
    assert fields["Platform"].startswith("linux/")
    assert "_arena()" in arena(engine, "completion", "bash").stdout
    assert arena(engine, "__complete", "--", "submit", "py").stdout.startswith("pytorchjob\t")
    assert "tf1\t" in arena(engine, "__complete", "--", "get", "t").stdout
    assert json.loads(arena(engine, "whoami").stdout)["Name"]


def test_the_chosen_server_is_named_and_no_other_is_touched(engine, tmp_path):
    away = tmp_path / "kubeconfig"
    away.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "away",
        "clusters": [{"name": "away", "cluster": {"server": "https://127.0.0.1:1"}}],
        "users": [{"name": "away", "user": {"token": "x"}}],
        "contexts": [{"name": "away", "context": {"cluster": "away", "user": "away", "namespace": "team"}}]}))
    done = arena(engine, "--loglevel", "debug", "list", env={"KUBECONFIG": str(away)}, check=False)
    assert done.returncode == 1
    assert f"DEBU[0000] the API server is https://127.0.0.1:1 (from {away}), namespace team" in done.stderr
    assert "cannot reach the API server at https://127.0.0.1:1" in done.stderr
    done = arena(engine, "--loglevel", "debug", "list", env={"KUBECONFIG": ""})
    assert "api.sock" in done.stderr
