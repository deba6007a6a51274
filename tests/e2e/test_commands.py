"""The commands that do not run jobs: choosing a server, showing the API, changing single objects."""

import os
import re
import select
import shutil
import subprocess
import time

import pytest
from harness import MUSTER, ROOT, Engine, training_job


def without_kubeconfig(engine, *words, home=None, **kwargs):
    """Runs muster as a user who has only set the data directory of the engine."""
    env = {k: v for k, v in engine.environment().items() if k != "KUBECONFIG"}
    if home:
        env["HOME"] = str(home)
    return subprocess.run([MUSTER, *words], env=env, text=True, timeout=60, capture_output=True, check=False, **kwargs)


def other_cluster(home):
    """Writes a kubeconfig whose server does not exist."""
    (home / ".kube").mkdir(parents=True, exist_ok=True)
    (home / ".kube" / "config").write_text(
        "current-context: production\n"
        "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"
        "contexts: [{name: production, context: {cluster: c}}]\n")


def test_our_own_commands_need_neither_token_nor_tls(engine):
    hidden = engine.data / "kubeconfig.hidden"
    os.rename(engine.kubeconfig, hidden)
    try:
        done = without_kubeconfig(engine, "get", "namespaces", "-o", "name")
    finally:
        os.rename(hidden, engine.kubeconfig)
    assert done.returncode == 0 and "namespace/default" in done.stdout and done.stderr == ""
    assert (engine.data / "api.sock").stat().st_mode & 0o777 == 0o600


def test_use_decides_between_the_engine_and_a_cluster(engine, tmp_path):
    other_cluster(tmp_path)
    both = without_kubeconfig(engine, "get", "ns", "-o", "name", home=tmp_path)
    assert both.returncode == 0 and both.stderr.startswith("note: using the local engine; for the cluster of ")
    assert both.stderr.count("\n") == 1

    wrong = without_kubeconfig(engine, "use", "prodction", home=tmp_path)
    assert wrong.returncode == 3 and 'did you mean "production"?' in wrong.stderr
    assert without_kubeconfig(engine, "use", "production", home=tmp_path).stdout == "using context production\n"
    assert (tmp_path / ".config" / "muster" / "use").read_text() == "production\n"
    away = without_kubeconfig(engine, "get", "ns", home=tmp_path)
    assert away.returncode == 6 and "https://127.0.0.1:1" in away.stderr
    assert "note: using context production (muster use); for the local engine: muster use local\n" in away.stderr
    shown = without_kubeconfig(engine, "use", home=tmp_path).stdout
    assert any(line.startswith("* production ") for line in shown.splitlines())

    assert without_kubeconfig(engine, "use", "local", home=tmp_path).returncode == 0
    assert without_kubeconfig(engine, "get", "ns", home=tmp_path).returncode == 0


def test_create_starts_an_engine_when_there_is_none(tmp_path):
    env = dict(os.environ, HOME=str(tmp_path), MUSTER_DATA_DIR=str(tmp_path / "data"))

    def muster(*words, **kwargs):
        return subprocess.run([MUSTER, *words], env=env, text=True, timeout=60, capture_output=True, check=False, **kwargs)

    assert muster("get", "pods").returncode == 6
    (tmp_path / "data").mkdir(mode=0o700)
    started = muster("create", "-f", "-", input="{apiVersion: v1, kind: ConfigMap, metadata: {name: first}}")
    try:
        # Another engine on this machine may use the default port; then the command shows that reason instead.
        if started.returncode == 6:
            assert "starting the engine" in started.stderr and "did not start" in started.stderr
            pytest.skip("the engine's usual port is taken")
        assert started.returncode == 0, started.stderr
        assert started.stdout == "configmap/first created\n" and "starting the engine" in started.stderr
    finally:
        muster("down", "--purge")


def test_kubeconfig_is_what_kubectl_can_use(engine):
    assert engine.muster("kubeconfig").stdout == engine.kubeconfig.read_text()


def test_the_namespace_chosen_with_kubectl_outlives_a_restart(tmp_path):
    engine = Engine(tmp_path).start()
    try:
        text = engine.kubeconfig.read_text()
        engine.kubeconfig.write_text(text.replace('namespace: "default"', 'namespace: "team"'))
        engine.stop()
        engine.start()
        assert engine.kubeconfig.read_text() == text.replace('namespace: "default"', 'namespace: "team"')
    finally:
        engine.stop()


def test_crds_are_yaml_for_a_cluster(engine):
    text = engine.muster("crds").stdout
    assert "name: pytorchtrainingjobs.batch.tensorstack.dev" in text and "name: pods" not in text
    assert text.count("kind: CustomResourceDefinition\n") == text.count("---\n") + 1


@pytest.fixture
def settings(engine):
    engine.muster("delete", "cm", "settings", "--ignore-not-found")
    engine.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "labels": {"team": "vision"}},
                  "data": {"a": "1", "b": "2"}})
    return lambda: engine.get("cm", "settings")


def test_patch_in_three_ways(engine, settings):
    assert engine.muster("patch", "cm", "settings", "-p", '{"data":{"a":"5"}}').stdout == "configmap/settings patched\n"
    assert engine.muster("patch", "cm", "settings", "-p", '{"data":{"a":"5"}}').stdout == "configmap/settings patched (no change)\n"
    engine.muster("patch", "cm", "settings", "--type=json", "-p", '[{"op":"remove","path":"/data/b"}]')
    engine.muster("patch", "cm/settings", "--type=merge", "--patch-file", "-", stdin="data: {c: '3'}\n")
    dry = engine.muster("patch", "cm", "settings", "-p", "data: {d: '4'}", "--dry-run=server")
    assert dry.stdout == "configmap/settings patched (server dry run)\n"
    assert settings()["data"] == {"a": "5", "c": "3"}
    refused = engine.muster("patch", "cm", "settings", "--type=json", "-p", '[{"op":"remove","path":"/data/zz"}]', check=False)
    assert refused.returncode != 0 and refused.stderr.startswith("error: ")


def test_label_and_annotate_say_what_kubectl_says(engine, settings):
    assert engine.muster("label", "cm", "settings", "stage=test").stdout == "configmap/settings labeled\n"
    clash = engine.muster("label", "cm", "settings", "team=speech", check=False)
    assert clash.returncode == 1
    assert clash.stderr == "error: 'team' already has a value (vision), and --overwrite is false\n"
    engine.muster("label", "cm", "-l", "stage=test", "team=speech", "--overwrite")
    assert engine.muster("label", "cm", "settings", "stage-").stdout == "configmap/settings unlabeled\n"
    assert settings()["metadata"]["labels"] == {"team": "speech"}
    assert engine.muster("annotate", "cm", "settings", "note=second try").stdout == "configmap/settings annotated\n"
    assert settings()["metadata"]["annotations"]["note"] == "second try"


def test_edit_sends_the_change_and_opens_again_when_refused(engine, settings, tmp_path):
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/a: \"1\"/a: \"7\"/' \"$1\"\n")
    editor.chmod(0o700)
    assert engine.muster("edit", "cm", "settings", env={"KUBE_EDITOR": str(editor)}).stdout == "configmap/settings edited\n"
    assert settings()["data"]["a"] == "7"
    unchanged = engine.muster("edit", "cm", "settings", env={"KUBE_EDITOR": "true"})
    assert unchanged.stderr == "Edit cancelled, no changes made.\n"

    # The first time the editor writes what the server rejects; the second time it sees the reason and corrects it.
    editor.write_text(
        "#!/bin/sh\n"
        f"cp \"$1\" {tmp_path}/seen.$(ls {tmp_path} | wc -l)\n"
        "if grep -q '^  a: 5$' \"$1\"; then sed -i 's/^  a: 5$/  a: \"5\"/' \"$1\"; else sed -i 's/^  a: .*/  a: 5/' \"$1\"; fi\n")
    engine.muster("edit", "cm", "settings", env={"KUBE_EDITOR": str(editor), "TMPDIR": str(tmp_path)})
    assert settings()["data"]["a"] == "5"
    seen = sorted(tmp_path.glob("seen.*"), key=lambda p: p.stat().st_mtime_ns)
    assert len(seen) == 2 and "# error: " in seen[1].read_text()


def test_explain_needs_no_server(engine):
    text = engine.muster("explain", "pj.spec.replicaSpecs", env={"MUSTER_DATA_DIR": "/nowhere"}).stdout
    assert text.startswith("GROUP:      batch.tensorstack.dev\nKIND:       PyTorchTrainingJob\nVERSION:    v1beta1\n\nFIELD: replicaSpecs <[]")
    assert "\n  replicas\t<integer>" in text
    assert "    containers\t<[]Container> -required-\n" in engine.muster("explain", "pods", "--recursive").stdout


def test_doctor_finds_the_engine_and_says_how_to_get_one(engine, tmp_path):
    done = engine.muster("doctor", check=False)
    lines = {line.split()[1]: line for line in done.stdout.splitlines() if line[0] in "✔✖–"}
    assert set(lines) >= {"engine", "data", "python", "torch", "sandbox", "cgroup", "port", "clock"}
    assert lines["engine"].startswith("✔") and str(engine.port) in lines["engine"]
    assert done.returncode == (1 if any(line.startswith("✖") for line in lines.values()) else 0)
    none = engine.muster("doctor", "--data-dir", tmp_path / "none", check=False).stdout
    assert "– engine    not running\n            fix: muster up\n" in none
    (tmp_path / "config.yaml").write_text("unmaped: host\n")
    broken = engine.muster("doctor", "--data-dir", tmp_path, check=False)
    assert broken.returncode == 1 and "✖ config" in broken.stdout


def completed(engine, tmp_path, *words):
    """Returns the completions that bash offers for the last word."""
    script = ('source <(muster completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _muster; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    done = engine.run(["bash", "-c", script, "bash", "muster", *words], env=with_muster_on_the_path(tmp_path))
    return done.stdout.split()


def test_bash_completes_commands_flags_kinds_and_names(engine, settings, tmp_path):
    assert completed(engine, tmp_path, "desc") == ["describe"]
    assert completed(engine, tmp_path, "doc") == ["doctor"]
    assert completed(engine, tmp_path, "delete", "--grace") == ["--grace-period"]
    assert completed(engine, tmp_path, "get", "pytorcht") == ["pytorchtrainingjobs"]
    assert completed(engine, tmp_path, "get", "cm", "sett") == ["settings"]
    assert completed(engine, tmp_path, "get", "cm/sett") == ["cm/settings"]
    assert completed(engine, tmp_path, "completion", "f") == ["fish"]
    assert completed(engine, tmp_path, "up", "--li") == ["--listen"]
    assert completed(engine, tmp_path, "backup", "--fo") == ["--force"]
    for command in ("up", "down", "status", "serve", "backup", "restore", "doctor"):
        assert {"--data-dir", "--help"} <= set(completed(engine, tmp_path, command, "--")), command


@pytest.fixture
def other_namespace(engine):
    engine.muster("delete", "namespace", "x2", "--ignore-not-found")
    assert engine.muster("create", "namespace", "x2").stdout == "namespace/x2 created\n"
    engine.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "only-here", "namespace": "x2"}})
    yield
    engine.muster("delete", "namespace", "x2")


def test_bash_completes_in_the_namespace_of_the_line(engine, settings, other_namespace, tmp_path):
    for words in (["get", "cm", "-n", "x2", "on"], ["get", "-n", "x2", "cm", "on"], ["-n", "x2", "get", "cm", "on"],
                  ["get", "--namespace", "=", "x2", "cm", "on"]):
        assert completed(engine, tmp_path, *words) == ["only-here"], words
    assert completed(engine, tmp_path, "get", "cm", "-n", "x") == ["x2"]
    assert completed(engine, tmp_path, "get", "cm", "-o", "js") == ["json", "jsonpath="]


@pytest.fixture
def paused_job(engine):
    """One without pods."""
    engine.apply(training_job("copied", ["true"], runMode={"pause": {"enabled": True}}))
    yield
    engine.muster("delete", "pj", "copied")


def test_bash_completes_the_side_of_a_copy_that_is_in_a_pod(engine, paused_job, tmp_path):
    assert completed(engine, tmp_path, "cp", "cop") == ["copied:"]
    assert completed(engine, tmp_path, "cp", "model.pt", "cop") == ["copied:"]
    assert completed(engine, tmp_path, "cp", "copied", ":", "/out/model.pt", "cop") == []


def with_muster_on_the_path(tmp_path):
    (tmp_path / "bin").mkdir(exist_ok=True)
    link = tmp_path / "bin" / "muster"
    if not link.exists():
        link.symlink_to(MUSTER)
    return {"PATH": f"{link.parent}:{os.environ['PATH']}"}


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed: tools/install_packages test")
def test_fish_completes_the_same(engine, settings, other_namespace, paused_job, tmp_path):
    def offered(line):
        done = engine.run(["fish", "-N", "-c", f"muster completion fish | source; complete -C '{line}'"], env=with_muster_on_the_path(tmp_path))
        return [one.split("\t")[0] for one in done.stdout.splitlines()]

    assert offered("muster desc") == ["describe"]
    assert offered("muster delete --grace") == ["--grace-period"]
    assert offered("muster get -n x2 cm on") == ["only-here"]
    assert offered("muster get cm --namespace=x") == ["--namespace=x2"]
    assert offered("muster get cm -o y") == ["yaml"]
    assert offered("muster cp cop") == ["copied:"]
    (tmp_path / "job.yaml").write_text("")
    assert offered(f"muster apply -f {tmp_path}/jo") == [f"{tmp_path}/job.yaml"]


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed: tools/install_packages test")
def test_zsh_completes_the_same(engine, settings, other_namespace, paused_job, tmp_path):
    def completed_line(typed):
        """Returns the line after the tab key was pressed; a key binding of the test prints it."""
        (tmp_path / ".zshrc").write_text("unsetopt zle_bracketed_paste; source <(muster completion zsh)\n"
                                         "print-line() { print -r -- \"<<$BUFFER>>\" }; zle -N print-line; bindkey '^X' print-line; echo ready\n")
        leader, follower = os.openpty()
        shell = subprocess.Popen(["zsh", "-d", "-i"], stdin=follower, stdout=follower, stderr=follower, start_new_session=True,
                                 env=engine.environment() | with_muster_on_the_path(tmp_path) | {"TERM": "dumb", "ZDOTDIR": str(tmp_path)})
        os.close(follower)
        seen = ""

        def wait_until(text):
            nonlocal seen
            end = time.monotonic() + 20
            while text not in seen:
                ready, _, _ = select.select([leader], [], [], max(0, end - time.monotonic()))
                assert ready, f"zsh said {seen!r}"
                seen += os.read(leader, 4096).decode(errors="replace")

        try:
            wait_until("ready")
            os.write(leader, f"{typed}\t\x18".encode())
            wait_until(">>")
            return seen.rsplit("<<", 1)[1].split(">>")[0]
        finally:
            shell.kill()
            shell.wait()
            os.close(leader)

    assert completed_line("muster desc") == "muster describe "
    assert completed_line("muster delete --grace") == "muster delete --grace-period "
    assert completed_line("muster get -n x2 cm on") == "muster get -n x2 cm only-here "
    assert completed_line("muster get cm --namespace=x") == "muster get cm --namespace=x2 "
    assert completed_line("muster cp cop") == "muster cp copied:", "a path follows"


def test_flags_of_every_command_may_come_before_it(engine, other_namespace):
    assert engine.muster("-n", "x2", "get", "cm", "-o", "name").stdout == "configmap/only-here\n"
    assert engine.muster("--namespace=x2", "--kubeconfig", engine.kubeconfig, "get", "cm", "-o", "name").stdout == "configmap/only-here\n"
    assert engine.muster("-n", "x2", "explain", "pods").stdout == engine.muster("explain", "pods").stdout
    wrong = engine.muster("-o", "name", "get", "cm", check=False)
    assert wrong.returncode == 2 and wrong.stderr.startswith("error: unknown flag -o before the command; flags of a command come after it\n")


def test_help_and_version_are_found_where_people_look(engine):
    assert engine.muster("--version").stdout == engine.muster("version", "--client").stdout
    assert engine.muster("help", "get").stdout == engine.muster("get", "--help").stdout
    for command in ("up", "down", "status", "serve", "backup", "restore", "doctor", "completion"):
        text = engine.muster("help", command).stdout
        assert text.startswith(f"{command}: ") and "\nUsage:\n" in text and "\nExamples:\n" in text, command
        assert engine.muster(command, "--help").stdout == text
    for typed, meant in (("gett", "get"), ("aply", "apply"), ("descibe", "describe"), ("statsu", "status")):
        wrong = engine.muster(typed, check=False)
        assert wrong.returncode == 2 and f'did you mean "{meant}"?' in wrong.stderr
    for words in (["up", "extra"], ["status", "extra"], ["doctor", "extra"], ["serve", "extra"], ["down", "extra"], ["restore", "a", "b"]):
        wrong = engine.muster(*words, check=False)
        assert wrong.returncode == 2 and "unexpected argument" in wrong.stderr, words


def test_managed_fields_are_shown_on_demand(engine, settings):
    assert "managedFields" not in engine.muster("get", "cm", "settings", "-o", "yaml").stdout
    assert "managedFields:" in engine.muster("get", "cm", "settings", "-o", "yaml", "--show-managed-fields").stdout
    assert '"managedFields": [' in engine.muster("get", "cm", "-o", "json", "--show-managed-fields").stdout


def test_get_orders_and_shows_labels_as_kubectl_does(engine, settings):
    engine.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "another", "labels": {"team": "speech"}}, "data": {"a": "0"}})

    def lines(*words):
        return [line.split() for line in engine.muster("get", "cm", *words).stdout.splitlines()]
    shown = [[name, data, team] for name, data, _age, team in lines("-L", "team", "--sort-by=.data.a", "--no-headers")]
    assert shown == [["another", "1", "speech"], ["settings", "2", "vision"]]
    assert lines("--show-labels")[2][3:] == ["team=vision"] and lines("--show-labels")[0][3:] == ["LABELS"]
    assert lines("another", "--show-kind")[1][0] == "configmap/another"
    names = engine.muster("get", "cm", "--sort-by={.metadata.labels.team}", "-o", "name").stdout
    assert names == "configmap/another\nconfigmap/settings\n"
    wrong = engine.muster("get", "cm", "--sort-by=.datta", check=False)
    assert wrong.returncode == 2 and wrong.stderr == 'error: --sort-by: no object has the field ".datta"\n'
    engine.muster("delete", "cm", "another")


def test_delete_can_be_tried_first(engine, settings):
    assert engine.muster("delete", "cm", "settings", "--dry-run=server").stdout == 'configmap "settings" deleted (server dry run)\n'
    assert settings()["data"]["a"] == "1"


def test_a_wait_that_ends_too_late_says_only_what_the_object_says(engine, settings):
    late = engine.muster("wait", "cm/settings", "--for=jsonpath={.data.a}=2", "--timeout=1s", check=False)
    assert late.returncode == 124 and "timed out" in late.stderr and "Pending" not in late.stderr


def test_folders_are_read_and_addresses_are_not(engine, tmp_path):
    (tmp_path / "deep").mkdir()
    for name, path in (("one", "one.yaml"), ("two", "deep/two.json")):
        (tmp_path / path).write_text('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s"}}' % name)
    (tmp_path / "notes.txt").write_text("not a manifest")
    assert engine.muster("apply", "-f", tmp_path, "--dry-run=server").stdout == "configmap/one created (server dry run)\n"
    assert engine.muster("apply", "-R", "-f", tmp_path).stdout == "configmap/two created\nconfigmap/one created\n"
    assert engine.muster("delete", "-R", "-f", tmp_path).stdout == 'configmap "two" deleted\nconfigmap "one" deleted\n'
    refused = engine.muster("apply", "-f", "https://example.com/job.yaml", check=False)
    assert refused.returncode == 2 and "addresses are not fetched" in refused.stderr


def test_arena_is_the_same_file(engine):
    arena = MUSTER.parent / "arena"
    assert arena.is_symlink() and os.readlink(arena) == "muster"
    assert "+muster." in engine.run([arena, "version"]).stdout


def test_a_build_shows_how_far_it_is(tmp_path):
    """What ./quickstart shows in a pipe: each step once, the expected time, and nothing more when the build is over."""
    log = tmp_path / "log"
    log.write_text("-- Configuring\n[3/10] Building a\n")
    build = subprocess.Popen(["sleep", "60"])
    shown = subprocess.Popen([ROOT / "tools" / "build_progress", log, str(build.pid), "0.05"], stdout=subprocess.PIPE, text=True)
    try:
        assert re.fullmatch(r"  building \[3/10\] \d:\d\d\n", shown.stdout.readline())
        with log.open("a") as more:
            more.write("[5/10] Building b\n")
        assert re.fullmatch(r"  building \[5/10\] \d:\d\d of about \d:\d0\n", shown.stdout.readline())
    finally:
        build.kill()
        build.wait()
    assert shown.communicate(timeout=20)[0] == ""


def test_a_type_that_two_kinds_share_finds_the_job_of_either(engine):
    def mpi(version, name, roles):
        return {"apiVersion": version, "kind": "MPIJob", "metadata": {"name": name}, "spec": roles}

    template = {"spec": {"containers": [{"name": "mpi", "image": "host", "command": ["true"]}]}}
    kubeflow = {"runPolicy": {"suspend": True},
                "mpiReplicaSpecs": {role: {"replicas": 1, "template": template} for role in ("Launcher", "Worker")}}
    engine.apply(mpi("kubeflow.org/v2beta1", "of-kubeflow", kubeflow))
    empty = engine.muster("get", "mpijobs")
    assert empty.stderr.startswith("No resources found") and "muster get mpijobs.kubeflow.org" in empty.stderr
    for words in (["mpijob/of-kubeflow"], ["mpijob", "of-kubeflow"]):
        assert "of-kubeflow" in engine.muster("get", *words).stdout
    assert 'no job "no-such-job"' in engine.muster("get", "mpijob", "no-such-job", check=False).stderr
    engine.muster("delete", "mpijob/of-kubeflow")
