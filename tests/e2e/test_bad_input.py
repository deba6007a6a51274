"""Wrong input gets one clear sentence, and nothing else breaks."""

import json
import os
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
    assert f"127.0.0.1:{fresh_engine.port}" in done.stderr and "the port is taken" in done.stderr and "--listen" in done.stderr


def test_a_second_engine_on_the_same_folder_is_refused(engine):
    done = subprocess.run([MUSTER, "serve", "--data-dir", engine.data, "--listen", "127.0.0.1:0"],
                          capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode != 0 and done.stdout == ""
    assert str(engine.data) in done.stderr and str(engine.process.pid) in done.stderr
    engine.muster("get", "nodes")


def test_a_full_disk_refuses_writes_and_recovers(tmp_path):
    """On a tmpfs of its own size; skipped where mounting is not allowed."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", folder], check=False).returncode:
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
