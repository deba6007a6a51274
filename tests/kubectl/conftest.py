import itertools
import json
import subprocess

import pytest
from harness import kubectls

VERSIONS = kubectls()


class Kubectl:
    """One version of kubectl against the engine. Each `place()` is a namespace that is deleted when the test ends."""

    def __init__(self, engine, version):
        self.engine = engine
        self.path = VERSIONS[version]
        self.version = version
        self.minor = int(version.split(".")[1])
        self.suffix = version.replace(".", "-")
        self.number = itertools.count()
        self.words = ()

    def __call__(self, *words, check=True, **kwargs):
        return self.engine.run([self.path, *self.words, *words], check=check, **kwargs)

    def out(self, *words, **kwargs):
        return self(*words, **kwargs).stdout

    def lines(self, *words, **kwargs):
        """The rows of a printed table as lists of words."""
        return [line.split() for line in self.out(*words, **kwargs).splitlines()]

    def fails(self, *words, code=1, **kwargs):
        """Runs a command that must end with this code, and returns its stderr."""
        done = self(*words, check=False, **kwargs)
        assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stderr

    def make(self, *objects):
        # Objects are sent one by one, because older versions read only one JSON document from stdin.
        return "".join(self.out("create", "-f", "-", stdin=json.dumps(o)) for o in objects)

    def json(self, *words):
        return json.loads(self.out(*words, "-o", "json"))

    def follow(self, *words):
        return subprocess.Popen([self.path, *self.words, *words], env=self.engine.environment(), text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)


def versions():
    """One group per version, so that two versions can run in parallel: pytest -n 2 --dist loadgroup."""
    return [pytest.param(v, marks=pytest.mark.xdist_group(v), id=v) for v in VERSIONS]


@pytest.fixture(params=versions(), scope="module")
def kubectl(request, engine):
    made = Kubectl(engine, request.param)
    engine.volume("work")
    return made


@pytest.fixture
def place(kubectl, request):
    """kubectl in the test's own namespace."""
    name = f"t{kubectl.suffix}-{next(kubectl.number)}"
    kubectl("create", "namespace", name)
    inside = Kubectl(kubectl.engine, kubectl.version)
    inside.words = ("-n", name)
    inside.ns = name
    yield inside
    kubectl("delete", "namespace", name, "--wait=false")
