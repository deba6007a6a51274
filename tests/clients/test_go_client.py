"""A small controller on client-go, built here: protobuf, informers with WatchList, leader election, paging."""

import pathlib
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    if not shutil.which("go"):
        pytest.skip("Go is not installed on this machine")
    built = tmp_path_factory.mktemp("go") / "clients"
    done = subprocess.run(["go", "build", "-o", built, "."], cwd=HERE / "go", text=True, capture_output=True, timeout=900, check=False)
    if done.returncode != 0 and "dial tcp" in done.stderr:
        pytest.skip("the Go modules cannot be fetched here")
    assert done.returncode == 0, done.stderr
    return built


def test_a_controller_on_client_go(engine, program):
    done = engine.run([program], check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == [
        "ok typed client with protobuf bodies",
        "ok lists in pages",
        "ok shared informer with WatchList",
        "ok dynamic informer with WatchList",
        "ok leader election on a Lease",
        "ok namespace and all in it deleted",
    ]
