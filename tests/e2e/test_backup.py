"""muster backup and muster restore, with the real engine, running and stopped."""

import signal

from api_socket import CONFIG_MAPS, Api
from harness import MUSTER


def config_map(name, value):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"value": value}}


def names(engine):
    return set(engine.muster("get", "cm", "-o", "name").stdout.split())


def revision(engine):
    return int(Api(engine).request("GET", CONFIG_MAPS)[1]["metadata"]["resourceVersion"])


def test_backup_while_running_and_restore(fresh_engine, tmp_path):
    engine = fresh_engine.start()
    engine.apply(config_map("kept", "first"))
    copy = tmp_path / "copy.db"
    done = engine.muster("backup", copy)
    assert done.stdout.startswith(f"{copy} (revision "), done.stdout
    assert copy.stat().st_mode & 0o777 == 0o600
    engine.apply(config_map("kept", "second"))
    engine.apply(config_map("later", "x"))
    seen = revision(engine)

    refused = engine.muster("restore", copy, check=False)
    assert refused.returncode != 0
    assert "runs (pid" in refused.stderr and "muster down" in refused.stderr
    assert engine.kill(signal.SIGTERM) == 0

    restored = engine.muster("restore", copy)
    assert "objects of revision" in restored.stdout and "the old database is in" in restored.stdout
    engine.start()
    assert names(engine) >= {"configmap/kept"} and "configmap/later" not in names(engine)
    assert engine.get("cm", "kept")["data"] == {"value": "first"}
    assert revision(engine) > seen, "revisions never go back"
    told = next(Api(engine).watch(f"{CONFIG_MAPS}?watch=true&resourceVersion={seen}"))
    assert told["type"] == "ERROR" and told["object"]["code"] == 410, "a client that saw deleted objects lists again"


def test_backup_of_a_stopped_engine_and_garbage(fresh_engine, tmp_path):
    engine = fresh_engine.start()
    engine.apply(config_map("kept", "first"))
    assert engine.kill(signal.SIGTERM) == 0
    copy = tmp_path / "offline.db"
    engine.muster("backup", copy)
    garbage = tmp_path / "garbage.db"
    garbage.write_bytes(copy.read_bytes().replace(b'"first"', b'"fIrst"'))
    refused = engine.muster("restore", garbage, check=False)
    assert refused.returncode != 0 and "wrong checksum; choose another copy" in refused.stderr
    again = engine.muster("backup", copy, check=False)
    assert again.returncode == 4 and "exists" in again.stderr and "--force" in again.stderr
    engine.muster("backup", "--force", copy)
    garbage.write_text("not a database")
    refused = engine.muster("restore", garbage, check=False)
    assert refused.returncode != 0 and "is not a backup of Muster" in refused.stderr
    missing = engine.muster("restore", tmp_path / "missing.db", check=False)
    assert missing.returncode != 0 and "there is no such file" in missing.stderr
    engine.muster("restore", copy)
    engine.start()
    assert engine.get("cm", "kept")["data"] == {"value": "first"}


def test_a_damaged_database_names_the_snapshot_to_restore(fresh_engine, tmp_path):
    engine = fresh_engine.start()
    engine.apply(config_map("kept", "first"))
    engine.muster("backup", tmp_path / "copy.db")  # the engine also keeps a snapshot
    assert engine.kill(signal.SIGTERM) == 0
    (engine.data / "store" / "muster.db").write_text("somebody wrote something else here, and more than a header of it")
    failed = engine.run([MUSTER, "serve", "--data-dir", engine.data, "--listen", "127.0.0.1:0"], check=False)
    assert failed.returncode != 0
    assert "file is not a database" in failed.stderr and "muster restore " in failed.stderr
    snapshot = failed.stderr.split("muster restore ")[1].split()[0]
    engine.muster("restore", snapshot)
    engine.start()
    assert engine.get("cm", "kept")["data"] == {"value": "first"}
