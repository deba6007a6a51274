"""Jobs created in the console: by the form, and by YAML that is pasted over the preview."""

import pytest
from tutorials import EXAMPLES

MANIFEST = """# pasted, with its comments
apiVersion: batch.tensorstack.dev/v1beta1
kind: PyTorchTrainingJob
metadata:
  name: pasted
spec:
  replicaSpecs:
  - type: node      # a role
    replicas: 1
    restartPolicy: Never
    template:
      spec:
        containers:
        - name: pytorch
          image: python:3
          command: [echo, "hello from the form"]
"""


def open_menu(page, create, kind):
    page.get_by_text(create, exact=True).click()
    page.get_by_role("link", name=kind, exact=True).click()


def replace_text(page, text):
    """Pastes over everything, as a person does."""
    editor = page.get_by_role("textbox", name="YAML")
    editor.click()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+v")


def test_yaml_pasted_over_the_preview_is_created(console, engine):
    tab = console(language="zh")
    page = tab.page
    page.get_by_text("暂无数据").wait_for()
    open_menu(page, "创建 Job", "PyTorch")
    page.get_by_role("region", name="基础信息").wait_for()
    assert page.get_by_label("副本数量").input_value() == "1"
    assert page.get_by_label("重启策略").input_value() == "OnFailure"
    tab.picture("create-zh")
    page.get_by_role("button", name="预览 YAML").click()
    dialog = page.get_by_role("dialog", name="预览 YAML")
    dialog.get_by_role("textbox", name="YAML").wait_for()
    replace_text(page, MANIFEST)
    dialog.get_by_text("服务器接受此配置").wait_for()
    tab.picture("preview-zh")
    dialog.get_by_role("button", name="创建", exact=True).click()
    page.get_by_role("row").filter(has_text="pasted").get_by_role("cell", name="Succeeded", exact=True).wait_for()
    assert "hello from the form" in engine.muster("logs", "pj/pasted").stdout


def test_mistakes_are_shown_at_their_lines_and_nothing_is_lost(console, engine):
    tab = console()
    page = tab.page
    open_menu(page, "Create Job", "PyTorch")
    page.get_by_role("button", name="Preview YAML").click()
    check = page.get_by_role("status", name="Check by the server")
    for text, line, message in ((MANIFEST.replace("replicas: 1", "replica: 1"), 9, 'did you mean "replicas"?'),
                                (MANIFEST.replace("name: pasted", "name: Bad_Name"), 5, "a lowercase RFC 1123 subdomain"),
                                (MANIFEST.replace("    replicas: 1", "\treplicas: 1"), 9, "indented with a tab")):
        replace_text(page, text)
        check.get_by_text(f"Line {line}", exact=True).wait_for()
        check.get_by_text(message).wait_for()
        page.locator(".cm-lint-marker-error").wait_for()
    page.get_by_role("dialog").get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("alert").get_by_text("indented with a tab").wait_for()
    assert "\treplicas: 1" in page.get_by_role("textbox", name="YAML").inner_text().replace("\u2003", "\t")


ROLE = {"Image": "t9kpublic/pytorch-1.13.0:sdk-0.5.2", "Working directory": "/t9k/mnt/tutorial-examples/job/pytorchtrainingjob/ps",
        "User id": "1000", "Volumes": "tutorial:/t9k/mnt"}
ROLES = [
    {"Role name": "ps", "Command": "python torch_mnist_trainingjob_ps.py --no_cuda", "CPU request": "8", "CPU limit": "16",
     "Memory request": "4Gi", "Memory limit": "8Gi"},
    {"Role name": "worker", "Replicas": "4", "CPU request": "2", "CPU limit": "4", "Memory request": "2Gi", "Memory limit": "4Gi",
     "Command": "python torch_mnist_trainingjob_ps.py --no_cuda --save_path ./model_state_dict.pt --log_dir log"},
]


def test_the_form_alone_makes_tutorial_001s_job(console, engine):
    tab = console()
    page = tab.page
    open_menu(page, "Create Job", "PyTorch")
    basics = page.get_by_role("region", name="Basic information")
    basics.get_by_label("Name").fill("torch-mnist-trainingjob-ps")
    page.get_by_role("switch", name="Add run policy").check()
    basics.get_by_label("Restarts allowed").fill("20")
    basics.get_by_label("Pods deleted at the end").select_option("Unfinished")
    page.get_by_role("switch", name="Add TensorBoard").check()
    basics.get_by_label("Folders of logs").fill("tutorial/tutorial-examples/job/pytorchtrainingjob/ps/log")
    basics.get_by_label("Image").fill("t9kpublic/tensorflow-2.11.0:cpu-sdk-0.5.2")
    page.get_by_role("button", name="Add role").click()
    cards = page.locator(".form > .card")
    for number, role in enumerate(ROLES):
        for label, value in {**role, **ROLE}.items():
            cards.nth(number + 1).get_by_label(label, exact=False).first.fill(value)
    page.reload()  # nothing that was typed is lost
    page.get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("row").filter(has_text="torch-mnist-trainingjob-ps").wait_for()
    made = engine.get("pj", "torch-mnist-trainingjob-ps")["spec"]
    engine.muster("delete", "pj", "torch-mnist-trainingjob-ps")
    # The same manifest, stored by the command: defaults and all.
    engine.muster("create", "-f", EXAMPLES / "pytorchtrainingjob" / "ps" / "job_cpu.yaml")
    assert made == engine.get("pj", "torch-mnist-trainingjob-ps")["spec"]
    engine.muster("delete", "pj", "torch-mnist-trainingjob-ps")


@pytest.mark.parametrize("kind", ["MPI", "PyTorchJob (Kubeflow)"])
def test_kinds_without_a_form_begin_with_yaml(console, engine, kind):
    page = console().page
    open_menu(page, "Create Job", kind)
    page.get_by_role("textbox", name="YAML").get_by_text("apiVersion").wait_for()
