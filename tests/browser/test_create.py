"""Jobs created in the console: by forms, by YAML that is pasted over the preview, and as copies of others."""

import re

import pytest
from harness import training_job, wait_for
from looks import assert_looks_right
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


def test_the_form_names_volumes_and_an_unknown_image_and_forgets_what_is_repaired(console, engine):
    engine.volume("datasets")
    page = console("create/pytorchtrainingjobs.batch.tensorstack.dev").page
    page.get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("alert").get_by_text("name or generateName is required").first.wait_for()
    page.get_by_label("Name", exact=True).fill("repaired")
    wait_for("the failure to go", lambda: page.get_by_role("alert").count() == 0)
    page.get_by_label("Image").fill("nobody/knows:1")
    page.get_by_text('no environment is configured for "nobody/knows:1"').wait_for()
    page.get_by_role("button", name="Add volume").click()
    claim = page.get_by_label("Persistent volume claim")
    wait_for("the volumes", lambda: "datasets" in claim.evaluate("one => [...one.list?.options ?? []].map((option) => option.value)"))
    assert page.get_by_role("navigation").get_by_role("link", name="Jobs", exact=True).get_attribute("aria-current") == "page"


def test_a_server_that_is_away_is_no_mistake_in_the_text(console, engine):
    page = console("create/pytorchtrainingjobs.batch.tensorstack.dev").page
    page.get_by_role("button", name="Preview YAML").click()
    page.get_by_role("textbox", name="YAML").wait_for()
    replace_text(page, MANIFEST.replace("name: pasted", "name: waits-for-server"))
    check = page.get_by_role("status", name="Server check")
    check.get_by_text("The server accepts this").wait_for()
    engine.kill()
    dialog = page.get_by_role("dialog", name="Preview YAML")
    dialog.get_by_role("button", name="Create", exact=True).click()
    dialog.get_by_role("alert").get_by_text("The server cannot be reached.").wait_for()
    assert "HTTP" not in dialog.get_by_role("alert").inner_text()
    wait_for("no verdict", lambda: check.inner_text() == "")
    engine.start()
    check.get_by_text("The server accepts this").wait_for()


def test_whoever_types_quickly_is_not_set_back(console, engine):
    page = console("create/pytorchtrainingjobs.batch.tensorstack.dev").page
    page.get_by_role("button", name="Preview YAML").click()
    editor = page.get_by_role("textbox", name="YAML")
    editor.click()
    page.keyboard.press("Control+Home")
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 6})
    text = "# " + "the quick brown fox jumps over the lazy dog " * 3
    page.keyboard.type(text)
    wait_for("the whole line", lambda: editor.locator(".cm-line").first.inner_text().startswith(text.strip()))
    page.keyboard.press("Escape")
    page.keyboard.press("Control+z")  # its own history is also unchanged
    wait_for("it to go", lambda: not editor.locator(".cm-line").first.inner_text().startswith(text.strip()))


def test_mistakes_are_shown_at_their_lines_and_nothing_is_lost(console, engine):
    tab = console()
    page = tab.page
    open_menu(page, "Create Job", "PyTorch")
    page.get_by_role("button", name="Preview YAML").click()
    check = page.get_by_role("status", name="Server check")
    for text, place, message in ((MANIFEST.replace("replicas: 1", "replica: 1"), "Line 9, column 5", 'did you mean "replicas"?'),
                                 (MANIFEST.replace("name: pasted", "name: Bad_Name"), "Line 5, column 3", "a lowercase RFC 1123 subdomain"),
                                 (MANIFEST.replace("    replicas: 1", "\treplicas: 1"), "Line 9", "indented with a tab")):
        replace_text(page, text)
        check.get_by_text(re.compile(f"^{place}")).first.wait_for()
        check.get_by_text(message).wait_for()
        page.locator(".cm-lint-marker-error").wait_for()
    page.get_by_role("dialog").get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("alert").get_by_text("indented with a tab").wait_for()
    assert "\treplicas: 1" in page.get_by_role("textbox", name="YAML").inner_text().replace("\u2003", "\t")
    # The form cannot show this text, so it stays YAML until it is right again; nothing is lost.
    page.get_by_role("button", name="Back to the form").click()
    page.get_by_text("The form cannot show this text").wait_for()
    page.reload()
    assert "\treplicas: 1" in page.get_by_role("textbox", name="YAML").inner_text().replace("\u2003", "\t")
    replace_text(page, MANIFEST)
    page.get_by_role("button", name="Preview YAML").wait_for()
    assert page.get_by_label("Container name").input_value() == "pytorch"


def test_an_old_spelling_is_accepted_with_a_warning(console, engine):
    page = console("create/pytorchtrainingjobs.batch.tensorstack.dev", width=1600).page
    page.get_by_role("textbox", name="YAML").wait_for()
    replace_text(page, MANIFEST.replace("name: pasted", "name: old").replace("spec:\n  replica", "spec:\n  torchrunConfig: {enable: true}\n  replica", 1))
    check = page.get_by_role("status", name="Server check")
    check.get_by_text("The server accepts this").wait_for()
    check.get_by_text("spec.torchrunConfig.enable").wait_for()


def fill(card, values):
    """Fills the fields of a card by their labels. "(optional)" is part of some labels."""
    for label, value in values.items():
        field = card.get_by_role("textbox", name=re.compile(rf"^{re.escape(label)}( optional)?$")).or_(card.get_by_role("combobox", name=label, exact=True))
        if field.evaluate("one => one.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)


def add_volume(card, claim, path):
    card.get_by_role("button", name="Add volume").click()
    row = card.get_by_role("listitem").last
    fill(row, {"Persistent volume claim": claim, "Mount path": path})


def create(page, kind, name):
    page.get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True)).wait_for()


def assert_equal_to(engine, kind, name, manifest):
    """The same manifest, stored by the command: defaults and all."""
    made = engine.get(kind, name)["spec"]
    engine.muster("delete", kind, name)
    engine.muster("create", "-f", EXAMPLES / manifest)
    assert made == engine.get(kind, name)["spec"]
    engine.muster("delete", kind, name)


@pytest.fixture(scope="module", autouse=True)
def volume(engine):
    engine.volume("work")


def test_the_form_alone_makes_tutorial_001s_job(console, engine):
    tab = console()
    page = tab.page
    open_menu(page, "Create Job", "PyTorch")
    basics = page.get_by_role("region", name="Basic information")
    for switch in ("Add run policy", "Add TensorBoard"):
        page.get_by_role("switch", name=switch).check()
    fill(basics, {"Name": "torch-mnist-trainingjob-ps", "Maximum restarts": "20", "Pods to delete after completion": "Unfinished",
                  "File sets": "t9k://pvc/tutorial/tutorial-examples/job/pytorchtrainingjob/ps/log",
                  "Image": "t9kpublic/tensorflow-2.11.0:cpu-sdk-0.5.2"})
    page.get_by_role("button", name="Add role").click()
    both = {"Image": "t9kpublic/pytorch-1.13.0:sdk-0.5.2", "Working directory": "/t9k/mnt/tutorial-examples/job/pytorchtrainingjob/ps", "User ID": "1000"}
    program = "python torch_mnist_trainingjob_ps.py --no_cuda"
    cards = page.locator(".form > .card")
    fill(cards.nth(1), {"Role name": "ps", "Command": program, "CPU request": "8", "CPU limit": "16", "Memory request": "4Gi", "Memory limit": "8Gi", **both})
    fill(cards.nth(2), {"Role name": "worker", "Replicas": "4", "Command": f"{program} --save_path ./model_state_dict.pt --log_dir log",
                        "CPU request": "2", "CPU limit": "4", "Memory request": "2Gi", "Memory limit": "4Gi", **both})
    for number in (1, 2):
        add_volume(cards.nth(number), "tutorial", "/t9k/mnt")
    tab.picture("form-001")
    page.reload()  # nothing that was typed is lost
    create(page, "pj", "torch-mnist-trainingjob-ps")
    assert_equal_to(engine, "pj", "torch-mnist-trainingjob-ps", "pytorchtrainingjob/ps/job_cpu.yaml")


def test_the_form_alone_makes_tutorial_002s_job(console, engine):
    tab = console()
    page = tab.page
    open_menu(page, "Create Job", "MPI")
    basics = page.get_by_role("region", name="Basic information")
    page.get_by_role("switch", name="Add run policy").check()
    page.get_by_role("switch", name="Delete workers after completion").check()
    fill(basics, {"Name": "torch-mnist-mpijob", "MCA parameters": "btl=^openib\npml=ob1", "MPI folder": "/usr/local", "sshd path": "/usr/sbin/sshd",
                  "mpirun arguments": "-N 1 --enable-recovery --max-restarts 100 --allow-run-as-root",
                  "Program": "python /t9k/mnt/tutorial-examples/job/mpijob/horovod-torch/torch_mnist_mpijob.py --log_dir log --no_cuda"})
    worker = page.get_by_role("region", name="worker")
    fill(worker, {"Replicas": "4", "Image": "t9kpublic/horovod:sdk-0.5.2", "CPU request": "4", "CPU limit": "8", "Memory request": "2Gi", "Memory limit": "4Gi"})
    add_volume(worker, "tutorial", "/t9k/mnt")
    tab.picture("form-002")
    create(page, "mj", "torch-mnist-mpijob")
    assert_equal_to(engine, "mj", "torch-mnist-mpijob", "mpijob/horovod-torch/job.yaml")


KINDS = {"PyTorch": "pj", "TensorFlow": "tj", "XGBoost": "xj", "MPI": "mj", "Generic": "gj", "PyTorchJob (Kubeflow)": "pytorchjobs.kubeflow.org",
         "TFJob (Kubeflow)": "tfjobs.kubeflow.org", "MPIJob (Kubeflow)": "mpijobs.kubeflow.org"}


def test_every_kind_of_the_menu_is_created_by_its_form(console, engine):
    tab = console()
    page = tab.page
    page.get_by_text("Create Job", exact=True).click()
    menu = page.locator(".chooser[open] .menu a")
    assert sorted(menu.all_inner_texts()) == sorted(KINDS)
    page.keyboard.press("Escape")
    for kind, resource in KINDS.items():
        page.goto(page.url.split("/console/")[0] + "/console/jobs")
        open_menu(page, "Create Job", kind)
        name = f"by-form-{resource.split('.')[0]}"
        page.get_by_label(re.compile("^Name$")).fill(name)
        if page.get_by_label("Program").count():
            page.get_by_label("Program").fill("true")
        cards = page.locator(".form > .card")
        for number in range(1, cards.count()):
            if kind != "MPI" or number == 1:
                fill(cards.nth(number), {"Image": "python:3", "Command": "true"})
        create(page, resource, name)
        assert engine.get(resource, name)["metadata"]["name"] == name
        engine.muster("delete", resource, name, "--grace-period=1")


def editor_text(page):
    return page.get_by_role("textbox", name="YAML").inner_text()


def test_form_and_yaml_are_kept_in_step(console, engine):
    tab = console("create/pytorchtrainingjobs.batch.tensorstack.dev", width=1600)
    page = tab.page
    page.get_by_role("textbox", name="YAML").wait_for()
    page.get_by_label(re.compile("^Name$")).fill("in-step")
    page.get_by_role("switch", name="Use torchrun").check()
    page.get_by_label("Processes per replica").fill("4")
    wait_for("the YAML", lambda: "name: in-step" in editor_text(page) and 'procPerNode: "4"' in editor_text(page))
    tab.picture("form-and-yaml")
    replace_text(page, MANIFEST.replace("spec:\n  replica", "spec:\n  elastic: {note: mine}\n  replica"))
    wait_for("the form", lambda: page.get_by_label(re.compile("^Name$")).input_value() == "pasted")
    assert page.get_by_label("Command").input_value() == 'echo "hello from the form"'
    fill(page.get_by_role("region", name="node"), {"Replicas": "3"})
    wait_for("the number in the YAML, with its comments", lambda: "replicas: 3" in editor_text(page) and "# a role" in editor_text(page))
    page.get_by_text("Also in the YAML, kept as it is:").get_by_text("spec.elastic.note").wait_for()


def test_fields_are_suggested_and_explained(console, engine):
    page = console("create/pytorchtrainingjobs.batch.tensorstack.dev", width=1600).page
    page.get_by_role("textbox", name="YAML").wait_for()
    replace_text(page, MANIFEST.replace("spec:\n  replica", "spec:\n  runPolicy:\n    cleanUp\n  replica", 1))
    # Type the next letter of the half-typed field.
    page.keyboard.press("Control+Home")
    for _ in range(7):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    page.keyboard.type("P")
    page.get_by_role("listbox", name="Completions").get_by_role("option", name="cleanUpPolicy").click()
    wait_for("the field", lambda: "cleanUpPolicy:" in editor_text(page))
    page.keyboard.type("U")
    page.get_by_role("listbox", name="Completions").get_by_role("option", name="Unfinished").click()
    wait_for("the value", lambda: "cleanUpPolicy: Unfinished" in editor_text(page))
    page.locator(".cm-line").filter(has_text="restartPolicy").get_by_text("restartPolicy").hover()
    page.get_by_text("When a replica that ended restarts.").wait_for()


def test_a_copy_of_a_job_is_imported_or_cloned(console, engine):
    engine.apply(dict(training_job("first", ["true"]), metadata={"name": "first", "labels": {"team": "vision"}}))
    engine.wait_phase("first", "Succeeded")
    tab = console("create/pytorchtrainingjobs.batch.tensorstack.dev")
    page = tab.page
    page.get_by_label(re.compile("^Name$")).fill("mine")
    page.get_by_role("button", name="Import PyTorchTrainingJob").click()
    page.get_by_role("dialog").get_by_role("button", name="first", exact=True).click()
    wait_for("the copy", lambda: page.get_by_label(re.compile("^Name$")).input_value() == "first-2")
    page.get_by_role("button", name="Undo").click()
    wait_for("what was typed", lambda: page.get_by_label(re.compile("^Name$")).input_value() == "mine")

    page.goto(page.url.split("/console/")[0] + "/console/jobs")
    page.get_by_role("button", name="More for first", exact=True).click()
    page.get_by_role("menuitem", name="Clone").click()
    wait_for("the copy", lambda: page.get_by_label(re.compile("^Name$")).input_value() == "first-2")
    assert page.get_by_label(re.compile("^Labels")).input_value() == "team=vision"
    page.get_by_label("Replicas").fill("2")
    page.get_by_role("button", name="Preview YAML").click()
    page.get_by_label("Show changes").check()
    page.locator(".cm-deletedChunk").get_by_text("replicas: 1").wait_for()
    tab.picture("clone-changes")
    page.get_by_role("dialog").get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("row").filter(has=page.get_by_role("link", name="first-2", exact=True)).wait_for()
    copy = engine.get("pj", "first-2")
    assert copy["spec"]["replicaSpecs"][0]["replicas"] == 2 and copy["metadata"]["labels"] == {"team": "vision"}


JOB = "jobs/default/pytorchtrainingjobs.batch.tensorstack.dev"


def edit_limit(page, value):
    """Changes backoffLimit in the editor and shows the changes."""
    text = editor_yaml(page)
    page.keyboard.press("Control+a")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("text => navigator.clipboard.writeText(text)", re.sub(r"backoffLimit: \d+", f"backoffLimit: {value}", text))
    page.keyboard.press("Control+v")
    page.get_by_role("button", name="Show changes").click()
    page.locator(".cm-deletedChunk").first.wait_for()


def editor_yaml(page):
    editor = page.get_by_role("textbox", name="YAML of edited")
    editor.wait_for()
    editor.click()
    return editor.inner_text()


def test_two_tabs_edit_one_job(console, engine):
    job = training_job("edited", ["sleep", "600"])
    job["spec"]["runPolicy"] = {"backoffLimit": 1}
    engine.apply(job)
    engine.wait_phase("edited", "Running")
    first, second = (console(f"{JOB}/edited?tab=yaml") for _ in range(2))
    for tab in (first, second):
        tab.page.get_by_role("button", name="Edit", exact=True).click()
        editor_yaml(tab.page)
    edit_limit(first.page, 5)
    first.picture("edit-changes")
    first.page.get_by_role("button", name="Apply").click()
    first.page.get_by_role("region", name="YAML of edited").get_by_text("backoffLimit: 5").wait_for()
    assert engine.get("pj", "edited")["spec"]["runPolicy"]["backoffLimit"] == 5

    edit_limit(second.page, 7)
    second.page.get_by_role("button", name="Apply").click()
    second.page.get_by_role("alert").get_by_text("Conflict").wait_for()
    assert engine.get("pj", "edited")["spec"]["runPolicy"]["backoffLimit"] == 5
    assert "backoffLimit: 7" in editor_yaml(second.page)
    second.picture("edit-conflict")
    second.page.get_by_role("button", name="Compare with the current version").click()
    second.page.locator(".cm-deletedChunk").get_by_text("backoffLimit: 5").wait_for()
    second.page.get_by_role("button", name="Apply").click()
    second.page.get_by_role("region", name="YAML of edited").get_by_text("backoffLimit: 7").wait_for()
    assert engine.get("pj", "edited")["spec"]["runPolicy"]["backoffLimit"] == 7
    engine.muster("delete", "pj", "edited", "--grace-period=1")


def test_a_job_is_run_again_and_scaled_from_its_page(console, engine):
    job = training_job("grows", ["sleep", "600"], 1)
    job["spec"].update(torchrunConfig={"enabled": True, "procPerNode": "1"}, elastic={"enabled": True, "minReplicas": 1, "maxReplicas": 2, "expectedReplicas": 1},
                       runMode={"debug": {"enabled": True}})
    engine.apply(job)
    engine.wait_phase("grows", "Running")
    page = console(f"{JOB}/grows").page
    page.get_by_role("button", name="More for grows").click()
    page.get_by_role("menuitem", name="Scale").click()
    dialog = page.get_by_role("dialog", name="Scale grows")
    dialog.get_by_label("Replicas").fill("5")
    dialog.get_by_role("button", name="Scale").click()
    dialog.get_by_role("alert").get_by_text("maxReplicas").first.wait_for()  # the server's words
    dialog.get_by_label("Replicas").fill("2")
    dialog.get_by_role("button", name="Scale").click()
    dialog.wait_for(state="detached")
    wait_for("two replicas", lambda: len(engine.get("pj", "grows")["status"]["tasks"][0]["replicas"]) == 2)
    page.get_by_role("button", name="More for grows").click()
    page.get_by_role("menuitem", name="Rerun").click()
    page.get_by_role("heading", name="grows-2").wait_for()
    assert engine.get("pj", "grows-2")["spec"]["elastic"]["expectedReplicas"] == 2
    engine.muster("delete", "pj", "grows", "grows-2", "--grace-period=1")


@pytest.mark.parametrize("language, theme", [("en", "light"), ("zh", "dark")])
def test_pages_are_accessible_and_fit(console, engine, language, theme):
    engine.apply(training_job("looked-at", ["true"]))
    for width in (1600, 1280, 390):
        tab = console("jobs", language=language, theme=theme, width=width)
        page = tab.page
        page.get_by_role("link", name="looked-at", exact=True).wait_for()
        for place in ("pytorchtrainingjobs.batch.tensorstack.dev", "genericjobs.batch.tensorstack.dev", "tfjobs.kubeflow.org"):
            page.goto(f"http://127.0.0.1:{engine.port}/console/create/{place}")
            page.locator(".form").wait_for()
            for switch in page.get_by_role("switch").all():
                switch.check()
            page.locator(".buttons .button").first.click()
            assert_looks_right(tab, place)
            tab.picture(f"{language}-{theme}-{width}-create-{place.split('.')[0]}")
        page.goto(f"http://127.0.0.1:{engine.port}/console/{JOB}/looked-at?tab=yaml&edit=true")
        page.get_by_role("textbox").first.wait_for()
        assert_looks_right(tab, "edit", names=["PyTorchTrainingJob"])
        assert page.evaluate("document.documentElement.scrollWidth") <= width, ("edit", width)
