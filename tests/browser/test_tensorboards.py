"""The page of TensorBoards: list, create, open, suspend, resume, delete, and why one does not run."""

import fake_tensorboard
import pytest
from harness import Engine, wait_for
from looks import assert_looks_right


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    made = Engine(tmp_path_factory.mktemp("boards"), config=fake_tensorboard.CONFIG).start()
    fake_tensorboard.install(made)
    yield made
    made.muster("delete", "tb", "--all")
    made.stop()


def row(page, name):
    return page.get_by_role("row").filter(has=page.get_by_title(name, exact=True))


def create(page, name, folders, image):
    page.get_by_role("button", name="创建 TensorBoard").click()
    dialog = page.get_by_role("dialog", name="创建 TensorBoard")
    dialog.get_by_label("名称").fill(name)
    dialog.get_by_label("文件集").fill(folders)
    dialog.get_by_label("镜像").fill(image)
    dialog.get_by_role("button", name="创建", exact=True).click()
    dialog.wait_for(state="detached")


def test_the_life_of_a_tensorboard(console, engine):
    tab = console("", language="zh")
    page = tab.page
    page.get_by_role("link", name="TensorBoard", exact=True).click()
    page.get_by_text("没有可展示的条目").wait_for()
    tab.picture("boards-empty-zh")
    create(page, "two", "logs/run\nlogs/other", "fake")
    assert engine.get("tb", "two")["spec"]["logDir"] == {"pvc": [{"name": "logs", "subPath": ["run", "other"]}]}
    create(page, "bare", "logs", "other")
    row(page, "two").get_by_role("cell", name="Running", exact=True).wait_for(timeout=60_000)
    row(page, "two").get_by_text("t9k://pvc/logs/run, t9k://pvc/logs/other").wait_for()
    row(page, "bare").get_by_text("there is no tensorboard in this environment; pip install tensorboard").wait_for(timeout=60_000)
    # Each time its container restarts it counts as running for an instant.
    wait_for("it not to open", row(page, "bare").get_by_role("button", name="打开").is_disabled)
    tab.picture("boards-zh")

    with tab.context.expect_page() as opened:
        row(page, "two").get_by_role("button", name="打开").click()
    board = opened.value
    board.wait_for_url(lambda url: "/tb/default/two/" in url)
    board.get_by_text("--logdir_spec logs/run:/pvc-logs/run,logs/other:/pvc-logs/other").wait_for()
    board.close()

    row(page, "two").get_by_role("button", name="暂停").click()
    row(page, "two").get_by_role("cell", name="Paused", exact=True).wait_for(timeout=60_000)
    assert row(page, "two").get_by_role("button", name="打开").is_disabled()
    assert engine.get("tb", "two")["status"]["phase"] == "Suspended"
    row(page, "two").get_by_role("button", name="恢复").click()
    row(page, "two").get_by_role("cell", name="Running", exact=True).wait_for(timeout=60_000)

    page.get_by_role("button", name="two 的更多操作").click()
    page.get_by_role("menuitem", name="删除").click()
    page.get_by_role("dialog", name="删除 two？").get_by_role("button", name="删除").click()
    wait_for("it to go", lambda: row(page, "two").count() == 0)
    assert engine.muster("get", "tb", "two", check=False).returncode != 0


@pytest.mark.parametrize("language, theme", [("en", "light"), ("zh", "dark")])
def test_pages_are_accessible_and_fit(console, engine, language, theme):
    engine.apply({"apiVersion": "tensorstack.dev/v1beta1", "kind": "TensorBoard", "metadata": {"name": "bare"},
                  "spec": {"logDir": {"pvc": [{"name": "logs"}]}, "image": "other"}})
    for width in (1280, 390):
        tab = console("tensorboards", language=language, theme=theme, width=width)
        row(tab.page, "bare").wait_for()
        assert_looks_right(tab, "tensorboards")
        tab.picture(f"{language}-{theme}-{width}-boards")
