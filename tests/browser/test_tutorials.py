"""The tutorials as tours of the console, with a real training behind each; one training serves both languages."""

import re

import pytest
from after_success import look_at_everything
from harness import Engine, wait_for
from tutorials import EXAMPLES, SHORT, TIMEOUT, check_networks, configured, prepare

DDP = "torch-mnist-trainingjob"
PS = "torch-mnist-trainingjob-ps"


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    made = Engine(tmp_path_factory.mktemp("tour"), config=configured(SHORT)).start()
    check_networks(made)
    prepare(MUSTER_DATA_DIR=str(made.data))
    yield made
    made.muster("delete", "tb", "--all", check=False)
    made.stop()


def facts(page):
    """What the first tab says, by its labels."""
    return dict(zip(page.locator(".facts dt").all_inner_texts(), page.locator(".facts dd").all_inner_texts()))


def test_000_data_parallel_training(engine, console):
    engine.muster("create", "-f", EXAMPLES / "pytorchtrainingjob" / "ddp" / "job_cpu.yaml")
    tab = console("", language="zh")
    page = tab.page

    # 进入模型构建控制台的 Job 页面，可以看到名为 torch-mnist-trainingjob 的 PyTorchTrainingJob 正在运行
    page.get_by_role("link", name="Job", exact=True).first.click()
    listed = page.get_by_role("row").filter(has=page.get_by_role("link", name=DDP, exact=True))
    listed.get_by_role("cell", name="Running", exact=True).wait_for(timeout=60_000)
    for text in ("PyTorchTrainingJob", "16.00 / 32.00", "8.00Gi / 16.00Gi"):
        assert text in listed.inner_text()
    tab.picture("000-running")

    # 点击该名称进入详情页面，可以看到基本信息、状况信息和事件信息
    page.get_by_role("link", name=DDP, exact=True).click()
    for title in ("基本信息", "状况信息", "事件信息"):
        page.get_by_role("heading", name=title).wait_for()
    wait_for("the facts", lambda: facts(page).get("副本") == "node: 1 × 4 个进程")
    assert facts(page)["存储卷"] == "tutorial"
    for condition in ("Running", "Initialized", "ReplicaFailure"):
        page.get_by_role("cell", name=condition, exact=True).first.wait_for()
    for event in ("Created", "Start"):
        page.get_by_role("cell", name=event, exact=True).wait_for()
    assert not page.get_by_label("详细事件").is_checked()
    tab.picture("000-details")

    # 点击 TensorBoard 右侧的 Running 打开 TensorBoard
    link = page.get_by_role("button", name="在新标签页中打开 TensorBoard: Running")
    link.wait_for(timeout=120_000)
    with tab.context.expect_page() as opened:
        link.click()
    board = opened.value
    board.wait_for_url(re.compile(r"/tb/default/"))
    assert board.url.split("/tb/")[0] != page.url.split("/console/")[0], "it has an origin of its own"
    board.close()

    # 点击上方标签页的副本，查看 Pod 信息；更多信息下的 ⋮ > 日志
    page.get_by_role("link", name="副本").click()
    pod = engine.get("pj", DDP)["status"]["tasks"][0]["replicas"][0]["name"]
    page.get_by_role("cell", name=pod).wait_for()
    page.get_by_text("job-role: master").wait_for()
    tab.picture("000-replicas")
    page.get_by_role("button", name="node-0 的更多操作").click()
    page.get_by_role("menuitem", name="日志").click()
    log = page.get_by_role("dialog", name=pod).get_by_role("log")
    log.get_by_text(re.compile(r"epoch 1/\d+, batch +\d+/\d+ with loss: \d")).first.wait_for(timeout=TIMEOUT * 1000)
    tab.picture("000-log")
    page.keyboard.press("Escape")

    # 点击上方标签页的资源监测
    page.get_by_role("link", name="资源监测").click()
    page.get_by_role("img", name=re.compile("CPU（核），当前 ")).wait_for()
    for title in ("集群资源", "网络带宽", "存储 I/O"):
        page.get_by_role("heading", name=title).wait_for()
    page.get_by_text("上限 32.00").wait_for()
    tab.picture("000-metrics")

    # 一段时间之后，状态变为 Succeeded
    page.locator(".title-row").get_by_text("Succeeded", exact=True).wait_for(timeout=TIMEOUT * 1000)
    job = engine.get("pj", DDP)
    assert job["status"]["phase"] == "Succeeded"
    page.get_by_text("从 start 到 finish").wait_for()
    for tag in ("train.loss", "val.loss", "val.accuracy"):
        page.get_by_role("img", name=re.compile(f"^{tag}，当前 ")).wait_for()
    tab.picture("000-done")

    # The same in English, of the same training.
    page.get_by_role("button", name="English").click()
    page.get_by_role("link", name="Logs").click()
    page.get_by_label("Search (regular expression)").fill("test set: .*accuracy")
    page.get_by_role("status").filter(has_text=re.compile(r"^1 of \d")).wait_for()
    page.get_by_role("link", name="PyTorchTrainingJob", exact=True).click()
    wait_for("the facts in English", lambda: facts(page).get("Replicas") == "node: 1 × 4 processes")
    assert facts(page)["Status"].strip() == "Succeeded" and facts(page)["TensorBoard"].strip() == "Running"


def test_001_parameter_server(engine, console):
    engine.muster("create", "-f", EXAMPLES / "pytorchtrainingjob" / "ps" / "job_cpu.yaml")
    tab = console("jobs", language="zh")
    page = tab.page
    listed = page.get_by_role("row").filter(has=page.get_by_role("link", name=PS, exact=True))
    listed.get_by_role("cell", name="Running", exact=True).wait_for(timeout=60_000)
    for text in ("16.00 / 32.00", "12.00Gi / 24.00Gi"):
        assert text in listed.inner_text()
    page.get_by_role("link", name=PS, exact=True).click()
    wait_for("the facts", lambda: facts(page).get("副本", "").split("\n") == ["ps: 1", "worker: 4"])

    # 副本: the parameter server first, which decides
    page.get_by_role("link", name="副本").click()
    names = page.locator("tbody td:nth-child(2)")
    wait_for("five rows", lambda: names.count() == 5)
    assert [re.search(r"(ps|worker)-[0-3](?![\w-])", name).group() for name in names.all_inner_texts()] == ["ps-0", "worker-0", "worker-1", "worker-2", "worker-3"]
    assert page.get_by_role("row").filter(has=page.get_by_role("img", name="该副本决定 Job 的结果")).filter(has_text="8.00 / 16.00").count() == 1
    tab.picture("001-replicas")

    # 日志: worker-0 is rank 1
    page.get_by_role("button", name="worker-0 的更多操作").click()
    page.get_by_role("menuitem", name="日志").click()
    log = page.get_by_role("dialog").get_by_role("log")
    log.get_by_text(re.compile(r"rank 1")).first.wait_for(timeout=TIMEOUT * 1000)
    page.keyboard.press("Escape")

    # 资源监测: the curves of four workers, and the end
    page.get_by_role("link", name="资源监测").click()
    page.locator(".title-row").get_by_text("Succeeded", exact=True).wait_for(timeout=TIMEOUT * 1000)
    for worker in range(1, 5):
        page.get_by_role("img", name=re.compile(rf"^train.loss .worker_{worker}.，当前 ")).wait_for()
    assert engine.get("pj", PS)["status"]["phase"] == "Succeeded"
    tab.picture("001-done")

    # After the end, and after clean-up has taken the workers that ended last, everything is still there.
    look_at_everything(page, "zh", {"ps-0": "parameter server has shut down RPC", **{f"worker-{index}": "test set: loss" for index in range(4)}})
    tab.picture("001-after")
