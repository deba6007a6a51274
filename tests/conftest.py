import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from harness import Engine  # noqa: E402


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
