"""The page of notebooks with a real JupyterLab: list, create, open, stop, resume, delete, and why one does not run."""

import re

import pytest
from harness import Engine, wait_for
from looks import assert_looks_right
from tutorials import configured, skip_without_jupyterlab

IMAGE = "t9kpublic/torch-1.13.1-notebook:1.77.1"


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    skip_without_jupyterlab()
    made = Engine(tmp_path_factory.mktemp("notebooks"), config=configured({}) + "- {image: other, host: true}\n").start()
    made.volume("work")
    yield made
    made.muster("delete", "notebooks", "--all")
    made.stop()


def row(page, name):
    return page.get_by_role("row").filter(has=page.get_by_title(name, exact=True))


def create(page, name, image):
    page.get_by_role("button", name="创建 Notebook").click()
    dialog = page.get_by_role("dialog", name="创建 Notebook")
    dialog.get_by_label("名称").fill(name)
    dialog.get_by_label("镜像").fill(image)
    dialog.get_by_label("持久卷").select_option("work")
    dialog.get_by_label(re.compile("CPU 上限")).fill("1")
    dialog.get_by_label(re.compile("空闲时暂停")).fill("90")
    dialog.get_by_role("button", name="创建", exact=True).click()
    dialog.wait_for(state="detached")


def test_the_life_of_a_notebook(console, engine):
    tab = console("", language="zh")
    page = tab.page
    page.get_by_role("link", name="Notebook", exact=True).click()
    page.get_by_text("没有可展示的条目").wait_for()
    create(page, "lab", IMAGE)
    spec = engine.get("notebook", "lab")["spec"]
    assert spec["stopAfterIdleSeconds"] == 5400
    pod = spec["template"]["spec"]
    assert pod["volumes"][0]["persistentVolumeClaim"]["claimName"] == "work"
    assert pod["containers"][0]["resources"]["limits"] == {"cpu": "1", "memory": "4Gi"}
    row(page, "lab").get_by_role("cell", name="Running", exact=True).wait_for(timeout=120_000)
    tab.picture("notebooks-zh")
    with tab.context.expect_page() as opened:
        row(page, "lab").get_by_role("button", name="打开").click()
    lab = opened.value
    lab.wait_for_url(re.compile(r"/notebook/default/lab/"))
    lab.get_by_title("Create a new Python file").first.wait_for(timeout=120_000)
    lab.close()

    row(page, "lab").get_by_role("button", name="暂停").click()
    row(page, "lab").get_by_role("cell", name="Paused", exact=True).wait_for(timeout=60_000)
    assert row(page, "lab").get_by_role("button", name="打开").is_disabled()
    assert engine.get("notebook", "lab")["spec"]["suspend"] is True
    row(page, "lab").get_by_role("button", name="恢复").click()
    row(page, "lab").get_by_role("cell", name="Running", exact=True).wait_for(timeout=120_000)

    page.get_by_role("button", name="lab 的更多操作").click()
    page.get_by_role("menuitem", name="终端").click()
    page.wait_for_url(re.compile(r"/console/pods/default/lab-.*tab=terminal"))
    page.go_back()
    page.get_by_role("button", name="lab 的更多操作").click()
    page.get_by_role("menuitem", name="删除").click()
    page.get_by_role("dialog", name="删除 lab？").get_by_role("button", name="删除").click()
    wait_for("it to go", lambda: row(page, "lab").count() == 0)
    assert engine.muster("get", "notebook", "lab", check=False).returncode != 0


def test_without_jupyterlab_the_row_says_so_and_leads_to_the_files(console, engine):
    tab = console("notebooks", language="zh")
    page = tab.page
    create(page, "bare", "other")
    row(page, "bare").get_by_text(re.compile("there is no jupyterlab", re.IGNORECASE)).wait_for(timeout=120_000)
    # Each time its container restarts it counts as running for an instant.
    wait_for("it not to open", row(page, "bare").get_by_role("button", name="打开").is_disabled)
    row(page, "bare").get_by_role("link", name="work").click()
    page.get_by_role("button", name="新建文件", exact=True).wait_for()
    page.go_back()
    row(page, "bare").wait_for()
    assert_looks_right(tab, "a notebook without JupyterLab")
    engine.muster("delete", "notebook", "bare")


@pytest.mark.parametrize("language, theme", [("en", "light"), ("zh", "dark")])
def test_pages_are_accessible_and_fit(console, engine, language, theme):
    for width in (1280, 390):
        tab = console("notebooks", language=language, theme=theme, width=width)
        tab.page.locator(".empty .command").wait_for()
        assert_looks_right(tab, "notebooks")
        tab.picture(f"{language}-{theme}-{width}-notebooks")
