"""A secret's value is in the Secret object and in the pods that ask for it, and in no other byte that the engine writes."""

import base64
import contextlib
import os
import pathlib
import signal
import sqlite3
import uuid

from harness import wait_for

# The Secret's own row is the stated exception, so the database is read row by row.
DATABASE = "muster.db"


def reading_pod(name, command):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"restartPolicy": "Never",
                     "containers": [{"name": "main", "image": "python:3", "command": ["sh", "-c", command],
                                     "env": [{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "canary", "key": "token"}}}],
                                     "envFrom": [{"secretRef": {"name": "canary"}, "prefix": "ALL_"}],
                                     "volumeMounts": [{"name": "secret", "mountPath": "/secret"}]}],
                     "volumes": [{"name": "secret", "secret": {"secretName": "canary"}}]}}


def command_lines():
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                yield (entry / "cmdline").read_bytes()
            except OSError:
                pass


def test_a_canary_is_found_nowhere_else(fresh_engine):
    engine = fresh_engine.start()
    canary = f"canary-{uuid.uuid4()}"
    forms = [canary.encode(), base64.b64encode(canary.encode())]
    engine.apply({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "canary"}, "stringData": {"token": canary}})
    engine.apply(reading_pod("reads", 'test "$TOKEN" = "$(cat /secret/token)" && test "$ALL_token" = "$TOKEN" && echo same; exec sleep 1000'))
    engine.apply(reading_pod("fails", 'test -n "$TOKEN" && kill -SEGV $$'))
    wait_for("the pod to have read it", lambda: engine.muster("logs", "reads", check=False).stdout == "same\n")
    engine.wait_phase("fails", "Failed", kind="pod")

    def assert_clean(where, found):
        assert not any(form in found for form in forms), where

    for what in ("pods", "events"):
        assert_clean(what, engine.muster("get", what, "-A", "-o", "yaml").stdout.encode())
        assert_clean(what, engine.muster("describe", what).stdout.encode())
    for command_line in command_lines():
        assert_clean(f"the command line of {command_line}", command_line)
    if os.geteuid() == 0:  # an ordinary user may not even look
        assert_clean("the engine's environment", pathlib.Path(f"/proc/{engine.process.pid}/environ").read_bytes())
    assert_files_clean(engine, assert_clean)  # while a pod holds the secret
    engine.muster("delete", "pod", "--all", "--grace-period=1")
    engine.kill(signal.SIGTERM)
    assert_files_clean(engine, assert_clean)
    assert_rows_clean(engine, assert_clean)


def assert_files_clean(engine, assert_clean):
    scanned = 0
    for folder, _, files in os.walk(engine.folder):
        for name in files:
            path = os.path.join(folder, name)
            if name.startswith(DATABASE) or not os.path.isfile(path):
                continue
            with open(path, "rb") as file:
                assert_clean(path, file.read())
            scanned += 1
    assert scanned > 3


def assert_rows_clean(engine, assert_clean):
    with contextlib.closing(sqlite3.connect(engine.data / "store" / DATABASE)) as database:
        rows, own = 0, 0
        for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in database.execute(f"SELECT * FROM {table}"):
                cells = [c if isinstance(c, bytes) else str(c).encode() for c in row]
                if b'"kind":"Secret"' in b"".join(cells):
                    own += 1
                else:
                    assert_clean(f"a row of {table}: {row[:3]}", b"\0".join(cells))
                    rows += 1
        assert rows > 10 and own == 1
