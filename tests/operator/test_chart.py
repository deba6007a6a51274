"""The Helm chart gives the objects of `muster install`."""
import subprocess

import pytest
from harness import ROOT
from test_install import documents, exported

CHART = ROOT / "deploy" / "helm" / "muster"
NAMESPACE = ("v1", "Namespace", "", "muster-system")


@pytest.fixture(scope="module")
def helm():
    built = subprocess.run([ROOT / "tools" / "get_helm"], text=True, timeout=1200, check=False, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE)
    if built.returncode == 3:
        pytest.skip(f"there is no helm: {built.stderr.strip()}")
    assert built.returncode == 0, built.stderr
    return built.stdout.strip()


def run(helm, *words):
    return subprocess.run([helm, *words], text=True, timeout=60, check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def rendered(helm, *values, namespace="muster-system"):
    done = run(helm, "template", "muster", CHART, "--namespace", namespace, *(word for value in values for word in ("--set", value)))
    assert done.returncode == 0, done.stderr
    return documents(done.stdout)


# Values of the chart, and the flags of `muster install` that mean the same.
SAME = {
    "defaults": ([], []),
    "without kinds": (["crds.enabled=false"], ["--crds=false"]),
    "without roles": (["rbac.create=false"], ["--rbac=false"]),
    "without further roles": (["rbac.secrets=false", "rbac.userRoles=false"], ["--secrets=false", "--user-roles=false"]),
    "some namespaces": (["namespaces={team-a,team-b}"], ["--namespaces", "team-a,team-b"]),
    "every option": (["image=registry.example/muster:1", "imagePullSecrets={registry}", "replicas=2", "priorityClass=muster-operator",
                      "resources.requests.cpu=250m", "resources.requests.memory=512Mi", "resources.limits.memory=2Gi",
                      "serviceMonitor.enabled=true", "extraArgs={--lease-duration=30s,--retry-period=1s}"],
                     ["--image", "registry.example/muster:1", "--image-pull-secrets", "registry", "--replicas", "2",
                      "--priority-class", "muster-operator", "--cpu", "250m", "--memory", "512Mi", "--memory-limit", "2Gi",
                      "--service-monitor", "--extra-args=--lease-duration=30s", "--extra-args=--retry-period=1s"]),
}


@pytest.mark.parametrize("case", SAME)
def test_the_chart_gives_the_objects_of_install(helm, case):
    values, flags = SAME[case]
    theirs = rendered(helm, "crds.keep=false", *values)
    ours = documents(exported(*flags))
    del ours[NAMESPACE]  # helm makes it itself, without labels: helm install --create-namespace
    assert ours.keys() == theirs.keys()
    for name, wanted in ours.items():
        assert theirs[name] == wanted, name


def test_crds_stay_when_the_release_goes(helm):
    crds = [one for name, one in rendered(helm).items() if name[1] == "CustomResourceDefinition"]
    assert len(crds) == 13
    assert all(one["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"} for one in crds)


def test_the_chart_passes_helms_own_checks(helm):
    linted = run(helm, "lint", "--strict", CHART)
    assert linted.returncode == 0, linted.stdout + linted.stderr


@pytest.mark.parametrize("value, wrong", [("replicas=0", "replicas"), ("image.tag=1", "image"), ("namespaces={A_b}", "namespaces"),
                                          ("extraArgs={x}", "extraArgs"), ("unknown=1", "unknown"), ("kinds={a=maybe}", "kinds")])
def test_wrong_values_are_refused(helm, value, wrong):
    refused = run(helm, "template", "muster", CHART, "--set", value)
    assert refused.returncode != 0
    assert wrong in refused.stderr
