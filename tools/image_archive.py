#!/usr/bin/env python3
"""Packs a root folder into an image archive that `docker load` and `ctr images import` take: an OCI layout with the
manifest.json that Docker reads. The same files give the same bytes."""

import argparse
import copy
import hashlib
import io
import json
import os
import tarfile

MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
CONFIG_TYPE = "application/vnd.oci.image.config.v1+json"
LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar"


class HashingWriter:
    def __init__(self, file):
        self.file = file
        self.hash = hashlib.sha256()

    def write(self, data):
        self.hash.update(data)
        return self.file.write(data)


def normal(entry):
    """The entry without what differs from one packing to the next: whoever packs owns nothing in an image."""
    entry.mtime = 0
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.pax_headers = {}
    return entry


def write_layer(folder, path):
    """Packs the folder, without device files, and returns the digest."""
    with open(path, "wb") as file:
        writer = HashingWriter(file)
        with tarfile.open(fileobj=writer, mode="w|", format=tarfile.PAX_FORMAT) as layer:
            # `add` takes the names of a folder in order.
            layer.add(folder, arcname=".", filter=lambda entry: None if entry.isdev() else normal(entry))
    return writer.hash.hexdigest()


def encoded(document):
    return json.dumps(document, sort_keys=True).encode()


def full_name(name):
    """What containerd calls the image: names without a registry are Docker Hub's."""
    first, _, rest = name.partition("/")
    if rest and ("." in first or ":" in first or first == "localhost"):
        return name
    return f"docker.io/{name if rest else 'library/' + name}"


def descriptor(media_type, digest, size):
    return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": size}


def write_archive(path, root, names, config, architecture="amd64"):
    """Writes the archive and returns the digest of its manifest. `config` is the config of an OCI image: Cmd, Env, Labels …"""
    layer_file = f"{path}.layer"
    layer = write_layer(root, layer_file)
    blobs = {}

    def blob(document):
        digest = hashlib.sha256(document).hexdigest()
        blobs[digest] = document
        return digest, len(document)

    described = descriptor(CONFIG_TYPE, *blob(encoded({"architecture": architecture, "os": "linux", "config": config,
                                                       "rootfs": {"type": "layers", "diff_ids": [f"sha256:{layer}"]}})))
    manifest = blob(encoded({"schemaVersion": 2, "mediaType": MANIFEST_TYPE, "config": described,
                             "layers": [descriptor(LAYER_TYPE, layer, os.path.getsize(layer_file))]}))
    index = [{**descriptor(MANIFEST_TYPE, *manifest), "platform": {"architecture": architecture, "os": "linux"},
              "annotations": {"io.containerd.image.name": full_name(name),
                              "org.opencontainers.image.ref.name": name.rpartition(":")[2]}} for name in names]
    blob_of = lambda digest: f"blobs/sha256/{digest.removeprefix('sha256:')}"
    files = {"index.json": encoded({"schemaVersion": 2, "manifests": index}),
             "manifest.json": encoded([{"Config": blob_of(described["digest"]), "RepoTags": names, "Layers": [blob_of(layer)]}]),
             "oci-layout": encoded({"imageLayoutVersion": "1.0.0"}),
             **{blob_of(digest): document for digest, document in blobs.items()}}
    unfinished = f"{path}.new"  # an archive that an interrupted run left would be taken for a whole one
    with tarfile.open(unfinished, "w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        entry = normal(copy.copy(archive.gettarinfo(layer_file, arcname=blob_of(layer))))
        entry.mode = 0o644
        with open(layer_file, "rb") as file:
            archive.addfile(entry, file)
    os.unlink(layer_file)
    os.replace(unfinished, path)
    return manifest[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive")
    parser.add_argument("name", nargs="+", help="what pods call the image")
    parser.add_argument("--root", required=True, metavar="FOLDER")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--command", action="append", default=[], metavar="WORD")
    options = parser.parse_args()
    write_archive(options.archive, options.root, options.name, {"Env": options.env, "Cmd": options.command})


if __name__ == "__main__":
    main()
