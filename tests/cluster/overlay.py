"""What changes in a manifest for the cluster of the tests, and nothing else: the images, because it has one for all, and the
requests, because its nodes have two cores."""

import yaml
from harness import ROOT

EXAMPLES = ROOT / "examples"
IMAGE = "muster.dev/training:1"
REQUESTS = {"cpu": "50m", "memory": "256Mi"}


def overlay(part):
    if isinstance(part, list):
        return [overlay(one) for one in part]
    if not isinstance(part, dict):
        return part
    changed = {key: overlay(value) for key, value in part.items()}
    if "image" in changed:  # a container or a TensorBoard
        changed["image"] = IMAGE
        if "resources" in changed:
            changed["resources"]["requests"] = dict(REQUESTS)
    return changed


def example(path):
    """A tutorial's manifest, for this cluster."""
    return overlay(yaml.safe_load((EXAMPLES / path).read_text()))
