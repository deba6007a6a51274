"""The get-started tour in the console, from a new Python file to the files of the training moved aside; a real training behind it."""

import re
import signal

import pytest
from after_success import look_at_everything
from harness import NO_GPUS, Engine, wait_for
from test_create import open_menu, replace_text
from tutorials import EXAMPLES, SHORT, TIMEOUT, bring_script, check_networks, configured, prepare, skip_without_jupyterlab

SCRIPT = "torch_mnist_trainingjob.py"
TOUR = EXAMPLES / "parallel-training"
GPUS = "resources:\n  nvidia.com/gpu: 4\n"


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    """First without GPUs; restart_with_gpus() declares them."""
    skip_without_jupyterlab()
    config = configured(SHORT)
    made = Engine(tmp_path_factory.mktemp("get-started"), config=config + NO_GPUS).start()
    check_networks(made)
    prepare(MUSTER_DATA_DIR=str(made.data))

    def restart_with_gpus():
        assert made.kill(signal.SIGTERM) == 0  # running pods, also the notebook, keep running
        (made.data / "config.yaml").write_text(config + GPUS)
        made.start()
    made.restart_with_gpus = restart_with_gpus
    yield made
    made.stop()


def job_row(page):
    return page.get_by_role("row").filter(has=page.get_by_role("link", name="mnist", exact=True))


def names(page):
    return page.locator(".table-body .name-cell a").all_inner_texts()


def create_by_yaml(page, words, manifest):
    """创建 Job > PyTorch, 预览 YAML, paste over everything, 创建."""
    create_job, preview, create = words
    open_menu(page, create_job, "PyTorch")
    page.get_by_role("button", name=preview).click()
    dialog = page.get_by_role("dialog", name=preview)
    dialog.get_by_role("textbox", name="YAML").wait_for()
    replace_text(page, manifest.read_text())
    dialog.get_by_role("button", name=create, exact=True).click()


def write_python_file(lab, name, code):
    """In JupyterLab: + at the top left, Python File below Other, this code, saved under the name."""
    lab.get_by_role("button", name="New Launcher").first.click(timeout=120_000)
    lab.locator(".jp-LauncherCard:visible", has_text="Python File").first.click()
    lab.locator(".jp-FileEditor .cm-content").click()
    lab.keyboard.insert_text(code)
    lab.keyboard.press("Control+s")
    lab.get_by_role("dialog").get_by_role("textbox").fill(name)
    lab.get_by_role("button", name="Rename and Save").click()
    lab.get_by_role("tab", name=name).wait_for()


def test_without_gpus_the_job_waits_with_the_reason_and_the_cpu_variant_runs(engine, console):
    page = console("jobs").page
    words = ("Create Job", "Preview YAML", "Create")
    create_by_yaml(page, words, TOUR / "job.yaml")
    job_row(page).get_by_role("cell", name="Pending", exact=True).wait_for(timeout=60_000)
    job_row(page).get_by_text(re.compile("nvidia.com/gpu")).wait_for(timeout=60_000)
    assert engine.get("pj", "mnist")["status"]["phase"] == "Pending"
    page.get_by_role("button", name="More for mnist").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog", name="Delete mnist?").get_by_role("button", name="Delete").click()
    page.get_by_text("No jobs").wait_for(timeout=60_000)

    bring_script(engine)
    create_by_yaml(page, words, TOUR / "job_cpu.yaml")
    job_row(page).get_by_role("cell", name="Succeeded", exact=True).wait_for(timeout=TIMEOUT * 1000)
    assert engine.get("pj", "mnist")["status"]["phase"] == "Succeeded"
    engine.muster("delete", "pj", "mnist")
    for left in ("model_state_dict.pt", "log", SCRIPT):
        engine.muster("volume", "rm", "-r", f"mnist:{left}")


def test_003_get_started(engine, console):
    engine.restart_with_gpus()
    tab = console("", language="zh")
    page = tab.page
    volume = engine.data / "volumes" / "default" / "mnist"

    # 回到 Notebook mnist，在 HOME 目录下，点击左上角的 +，然后点击 Other 下的 Python File 以新建一个 Python 脚本文件，复制代码，命名为 torch_mnist_trainingjob.py
    assert not (volume / SCRIPT).exists(), "examples/prepare leaves this step to the reader"
    code = (EXAMPLES / "pytorchtrainingjob" / "ddp" / SCRIPT).read_text()
    page.get_by_role("link", name="Notebook", exact=True).click()
    notebook = page.get_by_role("row").filter(has=page.get_by_title("mnist", exact=True))
    notebook.get_by_role("cell", name="Running", exact=True).wait_for(timeout=120_000)
    with tab.context.expect_page() as opened:
        notebook.get_by_role("button", name="打开").click()
    write_python_file(opened.value, SCRIPT, code)
    wait_for("the script", lambda: (volume / SCRIPT).exists() and (volume / SCRIPT).read_text() == code)

    # It is the same file in the console.
    notebook.get_by_role("link", name="mnist", exact=True).click()
    page.get_by_role("link", name=SCRIPT, exact=True).click()
    page.get_by_role("textbox", name=f"{SCRIPT} 的文本").get_by_text("import argparse").wait_for()
    tab.picture("003-script")

    # 点击构建 > Job 进入 Job 管理页面，然后点击右上角的创建 Job > PyTorch；预览 YAML，粘贴，创建
    page.get_by_role("link", name="Job", exact=True).first.click()
    page.get_by_text("暂无数据").wait_for()
    tab.picture("003-empty")
    create_by_yaml(page, ("创建 Job", "预览 YAML", "创建"), TOUR / "job.yaml")

    # 跳转回到 Job 管理页面，点击刷新图标；开始运行之后，点击其名称进入详情页面
    page.get_by_role("button", name="刷新").click()
    job_row(page).get_by_role("cell", name="Running", exact=True).wait_for(timeout=60_000)
    for text in ("PyTorchTrainingJob", "4.00 / 8.00", "8.00Gi / 16.00Gi"):
        assert text in job_row(page).inner_text()
    tab.picture("003-running")
    page.get_by_role("link", name="mnist", exact=True).click()
    page.get_by_text("node: 1 × 4 个进程").wait_for()
    assert page.get_by_role("link", name="mnist", exact=True).get_attribute("href") == "/console/volumes/default/mnist"

    # 切换到副本标签页，点击副本的日志
    page.get_by_role("link", name="副本").click()
    page.get_by_role("button", name="node-0 的更多操作").click()
    page.get_by_role("menuitem", name="日志").click()
    log = page.get_by_role("dialog", name=re.compile(r"^mnist-[0-9a-z]{5}-node-0$")).get_by_role("log")
    log.get_by_text(re.compile(r"epoch 1/\d+, batch +\d+/\d+ with loss: \d")).first.wait_for(timeout=TIMEOUT * 1000)
    tab.picture("003-log")
    page.keyboard.press("Escape")

    # 点击 TensorBoard 右侧的 Running 进入其前端页面
    page.get_by_role("link", name="PyTorchTrainingJob", exact=True).click()
    link = page.get_by_role("button", name="在新标签页中打开 TensorBoard: Running")
    link.wait_for(timeout=120_000)
    with tab.context.expect_page() as opened:
        link.click()
    board = opened.value
    board.wait_for_url(re.compile(r"/tb/default/mnist"))

    def of_board(path):
        answer = tab.context.request.get(re.sub("[?#].*", "", board.url) + path)
        return answer.json() if answer.ok else {}
    wait_for("the curves of an epoch", timeout=TIMEOUT, condition=lambda: {"train/loss", "val/accuracy", "val/loss"} <= {
        tag for run in of_board("data/plugin/scalars/tags").values() for tag in run})
    assert of_board("data/environment")["data_location"] == "/pvc-mnist/log"
    board.reload()
    board.get_by_text("train/loss", exact=True).first.wait_for(timeout=120_000)
    board.close()

    # 一段时间之后，Job 的状态变为 Done
    page.locator(".title-row").get_by_text("Succeeded", exact=True).wait_for(timeout=TIMEOUT * 1000)
    assert engine.get("pj", "mnist")["status"]["phase"] == "Succeeded"
    assert "Done" in page.locator(".title-row .state").get_attribute("title")
    tab.picture("003-done")
    look_at_everything(page, "zh", {"node-0": r"epoch 1/\d+"})

    # The same training in English: the lines of its log, and the TensorBoard in the list of all.
    page.get_by_role("button", name="English").click()
    page.get_by_role("link", name="Logs").click()
    page.get_by_label("Search (regular expression)").fill("test set: .*accuracy")
    page.get_by_role("status").filter(has_text=re.compile(r"^1 of \d")).wait_for()
    page.get_by_role("link", name="TensorBoards", exact=True).click()
    shown = page.get_by_role("row").filter(has_text="t9k://pvc/mnist/log")
    shown.get_by_role("cell", name="Running", exact=True).wait_for()
    page.get_by_role("link", name="Jobs", exact=True).first.click()
    page.get_by_label("Type a name to search").fill("done")
    job_row(page).get_by_role("cell", name="Succeeded", exact=True).wait_for()

    # 将当前教程产生的所有文件移动到名为 parallel-training 的新文件夹下
    page.get_by_role("link", name="Volumes", exact=True).click()
    page.get_by_role("link", name="mnist", exact=True).click()
    for name in (SCRIPT, "model_state_dict.pt", "log"):
        page.get_by_label(f"Select {name}", exact=True).check()
    page.get_by_role("button", name="Move", exact=True).click()
    page.get_by_role("dialog", name="Move 3 entries").get_by_label(re.compile("Target folder")).fill("parallel-training")
    page.keyboard.press("Enter")
    wait_for("the files to move", lambda: sorted(one.name for one in (volume / "parallel-training").glob("*")) == sorted([SCRIPT, "log", "model_state_dict.pt"]))
    wait_for("the page to show it", lambda: "parallel-training" in names(page) and SCRIPT not in names(page))
    tab.picture("003-moved")
