import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from harness import Engine  # noqa: E402

# What our programs read of the environment of the person who runs the tests.
for variable in ("ARENA_CONFIG", "ARENA_LAYOUT", "ARENA_LOG_FORMAT", "CONDA_PREFIX", "DISPLAY", "EDITOR", "KUBECONFIG", "MUSTER_DATA_DIR",
                 "VIRTUAL_ENV", "WAYLAND_DISPLAY", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
    os.environ.pop(variable, None)

# A proxy of the environment leads outside, and the servers of the tests are on this machine. Go's programs know; curl and
# Python's clients have to be told.
os.environ["no_proxy"] = os.environ["NO_PROXY"] = ",".join(filter(None, (os.environ.get("no_proxy"), "localhost,127.0.0.1,::1")))


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    started = Engine(tmp_path_factory.mktemp("engine")).start()
    yield started
    started.stop()


@pytest.fixture
def fresh_engine(tmp_path):
    made = Engine(tmp_path)
    yield made
    made.stop()
