"""The image of the operator that tools/build_image makes; tests/cluster runs it in a cluster."""

import hashlib
import io
import json
import os
import subprocess
import tarfile

import pytest
from harness import MUSTER, ROOT

BUILD = ROOT / "tools" / "build_image"


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return build(tmp_path_factory.mktemp("image") / "image.tar")


def build(path, **how):
    subprocess.run([BUILD, "--binary", MUSTER, "--output", path, "--name", "muster.dev/muster:test"], check=True, timeout=120, **how)
    return path


def read(archive):
    with tarfile.open(archive) as tar:
        return {entry.name: tar.extractfile(entry).read() for entry in tar}


def blob(files, descriptor):
    """What a descriptor of OCI names; its digest and size must be right."""
    content = files[f"blobs/sha256/{descriptor['digest'].removeprefix('sha256:')}"]
    assert (len(content), "sha256:" + hashlib.sha256(content).hexdigest()) == (descriptor["size"], descriptor["digest"])
    return content


def test_two_runs_give_the_same_bytes(archive, tmp_path):
    again = build(tmp_path / "again.tar", umask=0o077)
    assert hashlib.sha256(again.read_bytes()).digest() == hashlib.sha256(archive.read_bytes()).digest()


def test_the_archive_is_docker_s_and_oci_s(archive):
    files = read(archive)
    (described,) = json.loads(files["index.json"])["manifests"]
    manifest = json.loads(blob(files, described))
    config, (layer,) = json.loads(blob(files, manifest["config"])), manifest["layers"]
    assert config["rootfs"]["diff_ids"] == [layer["digest"]]
    assert config["config"]["Entrypoint"] == ["/usr/bin/muster"] and config["config"]["User"] == "65532:65532"
    version = subprocess.run([MUSTER, "version", "--client"], capture_output=True, text=True, check=True).stdout.split()[1]
    assert "v" + config["config"]["Labels"]["org.opencontainers.image.version"] == version
    (docker,) = json.loads(files["manifest.json"])
    assert docker["RepoTags"] == ["muster.dev/muster:test"]
    assert files[docker["Config"]] == blob(files, manifest["config"])
    assert files[docker["Layers"][0]] == blob(files, layer)


def test_the_image_holds_the_binary_and_what_it_needs(archive):
    files = read(archive)
    layer = files[json.loads(files["manifest.json"])[0]["Layers"][0]]
    with tarfile.open(fileobj=io.BytesIO(layer)) as tar:
        entries = {entry.name.removeprefix("./"): entry for entry in tar}
    assert {(entry.uid, entry.gid, entry.mtime) for entry in entries.values()} == {(0, 0, 0)}
    assert not [name for name, entry in entries.items() if entry.mode & 0o6000], "set-user-id programs"
    assert [name for name, entry in entries.items() if entry.mode & 0o2 and not entry.issym()] == ["tmp"]
    programs = [name for name, entry in entries.items() if entry.isreg() and entry.mode & 0o111 and ".so" not in name]
    assert programs == ["usr/bin/muster"]
    assert "usr/share/zoneinfo/Asia/Shanghai" in entries


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root for chroot")
def test_the_binary_runs_there_read_only_and_without_rights(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    subprocess.run([BUILD, "--binary", MUSTER, "--root", root], check=True, timeout=60)
    script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro,nosuid,nodev "$0" && exec chroot --userspec=65532:65532 --groups= "$0" "$@"'
    inside = lambda *words: subprocess.run(["unshare", "--mount", "sh", "-c", script, root, "/usr/bin/muster", *words], text=True,
                                           timeout=60, env={}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    done = inside("version", "--client")
    assert (done.returncode, done.stdout.split()[0]) == (0, "muster"), done.stderr
    # It is there for the pods of a cluster, and says so when there is none.
    done = inside("operator")
    assert done.returncode != 0 and "error" in done.stderr
