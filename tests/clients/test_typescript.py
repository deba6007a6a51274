"""Compiles deploy/types with TypeScript: alone, and as the types of the engine's responses."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest
from harness import ROOT, training_job

VERSION = "5.9.3"
CHECKS = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"]


@pytest.fixture(scope="module")
def compiler(tmp_path_factory):
    """The compiler is fetched once, into the directory of the other clients."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "muster" / f"typescript-{VERSION}"
    found = cache / "node_modules" / ".bin" / "tsc"
    if found.exists():
        return found
    if not shutil.which("npm"):
        pytest.skip("no npm on this machine")
    fetched = tmp_path_factory.mktemp("typescript")
    done = subprocess.run(["npm", "install", "--prefix", fetched, "--no-audit", "--no-fund", "--ignore-scripts", f"typescript@{VERSION}"],
                          text=True, capture_output=True, timeout=300, check=False)
    if done.returncode != 0:
        pytest.skip("TypeScript cannot be fetched here")
    cache.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(cache, ignore_errors=True)
    shutil.copytree(fetched, cache, symlinks=True)
    return found


def problems(compiler, folder, text):
    """The errors that TypeScript reports for this text together with the types."""
    shutil.copy(ROOT / "deploy" / "types" / "types.gen.ts", folder)
    (folder / "uses.ts").write_text(text)
    done = subprocess.run([compiler, *CHECKS, "uses.ts"], cwd=folder, text=True, capture_output=True, timeout=120, check=False)
    return done.stdout


def declaration(name, kind, value):
    return f"export const {name}: types.{kind} = {json.dumps(value, indent=1)};\n"


IMPORT = 'import type * as types from "./types.gen";\n'


def test_the_types_are_right_by_themselves(compiler, tmp_path):
    assert problems(compiler, tmp_path, IMPORT) == ""


def test_what_the_engine_answers_has_these_types(compiler, engine, tmp_path):
    engine.volume("work")
    engine.apply(training_job("typed", ["true"]))
    engine.wait_phase("typed", "Succeeded")
    pods = json.loads(engine.muster("get", "pods", "-o", "json").stdout)["items"]
    text = IMPORT + declaration("job", "PyTorchTrainingJob", engine.get("pj", "typed")) + declaration("queue", "Queue", engine.get("queue", "default"))
    for number, pod in enumerate(pods):
        text += declaration(f"pod{number}", "Pod", pod)
    assert pods and problems(compiler, tmp_path, text) == ""


def test_what_is_no_such_object_is_found(compiler, tmp_path):
    wrong = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": 1}}
    assert "Type 'number' is not assignable to type 'string'" in problems(compiler, tmp_path, IMPORT + declaration("map", "ConfigMap", wrong))
