"""Writes objects directly into an engine's database, unchecked, as older versions or faulty tools may have done."""

import json
import sqlite3
import struct
import uuid

MASK = 2 ** 64 - 1
PRIMES = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def _rotate(value, bits):
    return (value << bits | value >> (64 - bits)) & MASK


def _round(lane, word):
    return _rotate(lane + word * PRIMES[1] & MASK, 31) * PRIMES[0] & MASK


def xxh64(data, seed=0):
    """Computes the checksum of src/store/checksum.cc."""
    at = 0
    if len(data) >= 32:
        lanes = [seed + PRIMES[0] + PRIMES[1] & MASK, seed + PRIMES[1] & MASK, seed, seed - PRIMES[0] & MASK]
        for at in range(0, len(data) - 31, 32):
            lanes = [_round(lane, word) for lane, word in zip(lanes, struct.unpack_from("<4Q", data, at))]
        at += 32
        value = sum(_rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            value = (value ^ _round(0, lane)) * PRIMES[0] + PRIMES[3] & MASK
    else:
        value = seed + PRIMES[4] & MASK
    value = value + len(data) & MASK
    while at + 8 <= len(data):
        value = _rotate(value ^ _round(0, struct.unpack_from("<Q", data, at)[0]), 27) * PRIMES[0] + PRIMES[3] & MASK
        at += 8
    if at + 4 <= len(data):
        value = _rotate(value ^ struct.unpack_from("<I", data, at)[0] * PRIMES[0] & MASK, 23) * PRIMES[1] + PRIMES[2] & MASK
        at += 4
    for byte in data[at:]:
        value = _rotate(value ^ byte * PRIMES[4] & MASK, 11) * PRIMES[0] & MASK
    value = (value ^ value >> 33) * PRIMES[1] & MASK
    value = (value ^ value >> 29) * PRIMES[2] & MASK
    return value ^ value >> 32


def _signed(value):
    return value - 2 ** 64 if value >= 2 ** 63 else value


def store(data, resource, manifest):
    """Adds an object to the database of a stopped engine. `resource` is its key, such as pytorchjobs.kubeflow.org."""
    database = sqlite3.connect(next(data.rglob("*.db")))
    revision, objects, digest = database.execute("SELECT revision, objects, digest FROM ledger").fetchone()
    row = database.execute("SELECT max(id) FROM objects").fetchone()[0] + 1
    revision, objects = revision + 1, objects + 1
    meta = {"namespace": "default", "uid": str(uuid.uuid4()), "resourceVersion": str(revision), "generation": 1,
            "creationTimestamp": "2026-01-01T00:00:00Z", **manifest["metadata"]}
    body = json.dumps({**manifest, "metadata": meta}).encode()
    key = [resource.encode(), meta["namespace"].encode(), meta["name"].encode()]
    value = xxh64(struct.pack("<6Q", row, revision, *map(len, key), len(body)))
    for part in (*key, body):
        value = xxh64(part, value)
    database.execute("INSERT INTO objects VALUES(?, ?, ?, ?, ?, ?, ?)",
                     (row, *(part.decode() for part in key), revision, _signed(value), body))
    digest = digest + value & MASK
    check = xxh64(struct.pack("<3Q", revision, objects, digest))
    database.execute("UPDATE ledger SET revision = ?, objects = ?, digest = ?, checksum = ?",
                     (revision, objects, _signed(digest), _signed(check)))
    database.commit()
    database.close()
