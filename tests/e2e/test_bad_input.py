"""Invalid input gets one clear sentence, and nothing else breaks."""

import json
import os
import signal
import socket
import subprocess

import pytest
from harness import MUSTER, Engine, training_job, wait_for


def test_a_typo_in_a_manifest_is_named_with_line_and_suggestion(engine, tmp_path):
    manifest = tmp_path / "job.yaml"
    manifest.write_text("apiVersion: batch.tensorstack.dev/v1beta1\n"
                        "kind: PyTorchTrainingJob\n"
                        "metadata:\n"
                        "  name: typo\n"
                        "spec:\n"
                        "  replicaSpecs:\n"
                        "  - type: worker\n"
                        "    replica: 2\n"
                        "    template:\n"
                        "      spec:\n"
                        "        containers:\n"
                        "        - name: pytorch\n"
                        "          image: python\n"
                        "          commands: [python]\n")
    done = engine.muster("apply", "-f", manifest, check=False)
    assert done.returncode != 0 and done.stdout == ""
    assert "job.yaml:8:5" in done.stderr and '"replicas"' in done.stderr
    assert "job.yaml:14:11" in done.stderr and '"command"' in done.stderr, "all problems at once"
    assert engine.get("pj", "typo", check=False) is None


def test_a_wrong_type_is_named_with_its_path(engine):
    job = training_job("wrong", ["true"], replicas="two")
    done = engine.run([MUSTER, "apply", "-f", "-"], stdin=json.dumps(job), check=False)
    assert done.returncode != 0
    assert "spec.replicaSpecs[0].replicas" in done.stderr and "integer" in done.stderr


def test_broken_yaml_is_shown_with_a_caret(engine, tmp_path):
    manifest = tmp_path / "job.yaml"
    manifest.write_text("kind: Pod\nmetadata:\n  name: [oops\n")
    done = engine.muster("apply", "-f", manifest, check=False)
    assert done.returncode != 0
    assert "job.yaml:" in done.stderr and "^" in done.stderr


def test_a_port_that_is_taken_is_named_and_the_holder_goes_on(fresh_engine):
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", fresh_engine.port))
        holder.listen()
        done = subprocess.run([MUSTER, "serve", "--data-dir", fresh_engine.data, "--listen", f"127.0.0.1:{fresh_engine.port}"],
                              capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode != 0 and done.stdout == ""
    assert f"127.0.0.1:{fresh_engine.port}" in done.stderr and "the port is in use" in done.stderr and "--listen" in done.stderr


def test_a_second_engine_on_the_same_folder_is_refused(engine):
    done = subprocess.run([MUSTER, "serve", "--data-dir", engine.data, "--listen", "127.0.0.1:0"],
                          capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode != 0 and done.stdout == ""
    assert str(engine.data) in done.stderr and str(engine.process.pid) in done.stderr
    engine.muster("get", "nodes")


def test_a_data_directory_that_others_may_enter_is_refused(tmp_path):
    folder = tmp_path / "open"
    folder.mkdir()
    for command in ("serve", "up"):
        for mode in (0o755, 0o750, 0o701):
            folder.chmod(mode)
            done = subprocess.run([MUSTER, command, "--data-dir", folder, "--listen", "127.0.0.1:0"],
                                  capture_output=True, text=True, timeout=20, check=False)
            assert done.returncode != 0 and done.stdout == ""
            assert f"its mode is {mode:04o}; run `chmod 700 {folder}`" in done.stderr
    assert not list(folder.iterdir()), "nothing was put there"


def test_a_data_directory_of_somebody_else_is_refused(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("needs root to give a folder away")
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o700)
    os.chown(folder, 65534, 65534)
    done = subprocess.run([MUSTER, "serve", "--data-dir", folder, "--listen", "127.0.0.1:0"],
                          capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode != 0 and done.stdout == ""
    assert "belongs to user 65534, and the engine runs as user 0" in done.stderr


def test_a_full_disk_refuses_writes_and_recovers(tmp_path):
    """Uses a small tmpfs; skipped where mounting is not permitted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", folder], check=False).returncode:
        pytest.skip("needs root to mount a small tmpfs")
    engine = Engine(folder)
    try:
        engine.start()
        engine.muster("create", "-f", "-", stdin='{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kept"}}')
        filler = folder / "filler"
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * (1 << 16))
            except OSError:
                pass
        body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"big-"},"data":{"x":"%s"}}' % ("y" * 500_000)
        answers = [engine.muster("create", "-f", "-", stdin=body, check=False) for _ in range(60)]
        refused = [a for a in answers if a.returncode != 0]
        assert refused, "a full disk must refuse writes at some point"
        assert "full" in refused[-1].stderr or "space" in refused[-1].stderr
        engine.muster("get", "cm", "kept")
        engine.muster("delete", "cm", "kept")
        filler.unlink()
        again = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"after"}}'
        wait_for("writes to work again", lambda: engine.muster("create", "-f", "-", stdin=again, check=False).returncode == 0)
    finally:
        engine.stop()
        subprocess.run(["umount", "-l", folder], check=True)


def test_wrong_types_in_kubernetes_own_kinds_are_shown_in_the_file(engine, tmp_path):
    manifest = tmp_path / "pod.yaml"
    manifest.write_text("apiVersion: v1\n"
                        "kind: Pod\n"
                        "metadata:\n"
                        "  name: wrong\n"
                        "spec:\n"
                        "  containers:\n"
                        "  - name: a\n"
                        "    image: 5\n"
                        "    command: x\n")
    done = engine.muster("apply", "-f", manifest, check=False)
    assert done.returncode == 1
    assert "pod.yaml:8:5: spec.containers[0].image: " in done.stderr and "  8 │     image: 5\n    │     ^\n" in done.stderr
    assert "pod.yaml:9:5: spec.containers[0].command: " in done.stderr
    manifest.write_text("apiVersion: v1\n"
                        "kind: Pod\n"
                        "metadata:\n"
                        "  name: wrong\n"
                        "spec:\n"
                        "  containers:\n"
                        "  - name: a\n"
                        "    image: b\n"
                        "    resources:\n"
                        "      limits:\n"
                        "        memory: 1GiB\n")
    done = engine.muster("apply", "-f", manifest, check=False)
    assert done.returncode == 1 and done.stderr.count("error: ") == 1 and "pod.yaml:11:9: " in done.stderr
    assert 'did you mean "1Gi"?' in done.stderr and "^(" not in done.stderr


def test_what_a_terminal_would_obey_is_escaped(engine):
    engine.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "wild", "labels": {"a": "b"}, "annotations": {"note": "\x1b]0;t\x07\u202e"}}})
    uid = engine.get("cm", "wild")["metadata"]["uid"]
    engine.apply({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "wild"}, "type": "Normal", "reason": "R\x1b[1m", "message": "m\u202e",
                  "involvedObject": {"kind": "ConfigMap", "name": "wild", "namespace": "default", "uid": uid}})
    for words in (["describe", "cm", "wild"], ["get", "events"], ["get", "cm", "wild", "-L", "a", "--show-labels"], ["get", "\x1b[1mpods"],
                  ["get", "cm", "a\u202eb"], ["get", "cm", "-l", "\x1b[1m"], ["delete", "cm", "\x1b[1m"]):
        done = engine.muster(*words, check=False)
        for hidden in ("\x1b", "\u202e", "\x07"):
            assert hidden not in done.stdout + done.stderr, words
    assert "R\\x1b[1m" in engine.muster("describe", "cm", "wild").stdout
    exact = engine.muster("get", "cm", "wild", "-o", "jsonpath={.metadata.annotations.note}").stdout
    assert exact == "\x1b]0;t\x07\u202e", "data for programs is exact"
    engine.muster("delete", "cm", "wild")


def test_a_delete_with_an_output_it_does_not_have_deletes_nothing(engine):
    engine.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kept"}})
    for output in ("yaml", "json", "wide"):
        done = engine.muster("delete", "cm", "kept", "-o", output, check=False)
        assert done.returncode == 2 and "must be name" in done.stderr
    assert engine.muster("delete", "cm", "kept", "-o", "name").stdout == "configmap/kept\n"


def test_a_patch_is_strict_and_echoes_little(engine):
    engine.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m0"}, "data": {"a": "x" * 1000}})
    wrong_type = engine.muster("patch", "cm", "m0", "-p", '{"data":{"z":5}}', check=False)
    assert wrong_type.returncode != 0 and "data.z" in wrong_type.stderr and len(wrong_type.stderr) < 600
    unknown = engine.muster("patch", "cm", "m0", "-p", '{"foo":5}', check=False)
    assert unknown.returncode != 0 and 'unknown field "foo"' in unknown.stderr and len(unknown.stderr) < 600
    assert "foo" not in engine.get("cm", "m0")
    engine.muster("delete", "cm", "m0")


def test_wrong_words_and_flags_are_named(engine, tmp_path):
    def refused(*words, code=2):
        done = engine.muster(*words, check=False)
        assert done.returncode == code, (words, done.stderr)
        return done.stderr

    assert "a name may not be empty" in refused("get", "cm", "")
    assert "separate several names with spaces: m0 m1" in refused("get", "cm", "m0,m1")
    assert refused("get", "cm", "-l", "a b").startswith('error: -l "a b": ')
    assert refused("get", "cm", "--field-selector", "a b").startswith('error: --field-selector "a b": ')
    assert "jsonpath= needs a template" in refused("get", "cm", "-o", "jsonpath=")
    assert "muster create namespace NAME" in refused("create", "deployment", "web")
    assert 'did you mean "replicaSpecs"?' in refused("explain", "pj.spec.repl", code=3)
    assert refused("wait", "cm/none", "--for=jsonpath={.a}=1", "--timeout=0s", code=3) == "error: configmap/none not found\n"
    assert '"a b" is not a valid key for an annotation' in refused("annotate", "cm", "x", "a b=1")
    both = refused("apply", "-f", tmp_path / "one.yaml", "-f", tmp_path / "two.yaml", code=3)
    assert "one.yaml" in both and "two.yaml" in both
    told = json.loads(refused("get", "cm", "none", "-o", "json", code=3))
    assert told == {"error": 'configmaps "none" not found', "exitCode": 3}


BREAKS = {"empty": lambda path: path.write_text(""),
          "cut": lambda path: path.write_text(path.read_text()[:20]),
          "garbage": lambda path: path.write_bytes(bytes(range(256))),
          "readable by all": lambda path: path.chmod(0o644),
          "a folder": lambda path: (path.unlink(), path.mkdir())}


@pytest.mark.parametrize("name", ["token", "account-key", "pki/ca.key", "pki/server.key"])
def test_a_broken_key_file_is_an_error_at_the_start(fresh_engine, name):
    engine = fresh_engine.start()
    engine.kill(signal.SIGTERM)
    path = engine.data / name
    kept = path.read_bytes()
    for how, damage in BREAKS.items():
        damage(path)
        done = engine.run([MUSTER, "serve", "--data-dir", engine.data], check=False, timeout=30)
        assert done.returncode == 1 and "ready" not in done.stdout, how
        assert f"{path}: " in done.stderr, (how, done.stderr)
        assert ("run `chmod 600" if how == "readable by all" else "restore the file from a backup") in done.stderr, how
        if path.is_dir():
            path.rmdir()
        path.write_bytes(kept)
        path.chmod(0o600)
    engine.start()


def test_half_of_a_key_pair_is_an_error_at_the_start(fresh_engine):
    engine = fresh_engine.start()
    engine.kill(signal.SIGTERM)
    (engine.data / "pki" / "ca.key").rename(engine.data / "ca.key")
    done = engine.run([MUSTER, "serve", "--data-dir", engine.data], check=False, timeout=30)
    assert done.returncode == 1 and f"{engine.data}/pki/ca.key: does not exist" in done.stderr
    (engine.data / "ca.key").rename(engine.data / "pki" / "ca.key")
    engine.start()
