"""Tutorial 002 as a tour of the console, with a real Horovod training behind it; one training serves both languages."""

import re

import pytest
from after_success import look_at_everything
from harness import wait_for
from tutorials import EXAMPLES, SHORT, TIMEOUT, horovod_engine

MPI = "torch-mnist-mpijob"


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    made = horovod_engine(tmp_path_factory.mktemp("horovod"), SHORT)
    yield made
    made.stop()


def facts(page):
    """What the first tab says, by its labels."""
    return dict(zip(page.locator(".facts dt").all_inner_texts(), page.locator(".facts dd").all_inner_texts()))


def test_002_horovod(engine, console):
    engine.muster("create", "-f", EXAMPLES / "mpijob" / "horovod-torch" / "job.yaml")
    tab = console("jobs", language="zh")
    page = tab.page

    # 进入模型构建控制台的 Job 页面，可以看到名为 torch-mnist-mpijob 的 MPIJob 正在运行
    listed = page.get_by_role("row").filter(has=page.get_by_role("link", name=MPI, exact=True))
    listed.get_by_role("cell", name="Running", exact=True).wait_for(timeout=60_000)
    for text in ("MPIJob", "16.10 / 32.20", "8.10Gi / 16.20Gi"):
        assert text in listed.inner_text()
    tab.picture("002-running")

    # 点击该名称进入详情页面，可以看到基本信息、状况信息和事件信息
    page.get_by_role("link", name=MPI, exact=True).click()
    for title in ("基本信息", "状况信息", "事件信息"):
        page.get_by_role("heading", name=title).wait_for()
    wait_for("the facts", lambda: sorted(facts(page).get("副本", "").split("\n")) == ["launcher: 1", "worker: 4"])
    assert facts(page)["存储卷"] == "tutorial" and "TensorBoard" not in facts(page)
    for condition in ("Running", "Initialized", "ReplicaFailure"):
        page.get_by_role("cell", name=condition, exact=True).first.wait_for()

    # 点击上方标签页的副本，查看 MPIJob 的 Pod 信息：the launcher first
    page.get_by_role("link", name="副本").click()
    names = page.locator("tbody td:nth-child(2)")
    wait_for("five rows", lambda: names.count() == 5)
    replicas = [replica["name"] for task in engine.get("mj", MPI)["status"]["tasks"] for replica in task["replicas"]]
    assert "launcher" in replicas[0] and [name.split("★")[0].strip() for name in names.all_inner_texts()] == replicas
    assert page.get_by_role("row").filter(has_text="4.00 / 8.00").filter(has_text="2.00Gi / 4.00Gi").count() == 4
    tab.picture("002-replicas")

    # 更多信息下的 ⋮ > 日志: only rank 0 prints
    page.get_by_role("button", name="launcher-0 的更多操作").click()
    page.get_by_role("menuitem", name="日志").click()
    log = page.get_by_role("dialog").get_by_role("log")
    log.get_by_text("4 ranks on cpu").wait_for(timeout=TIMEOUT * 1000)
    log.get_by_text(re.compile(r"epoch 1/\d+, batch +\d+/\d+ with loss: \d")).first.wait_for(timeout=TIMEOUT * 1000)
    tab.picture("002-log")
    page.keyboard.press("Escape")

    # 点击上方标签页的指标（资源监测）
    page.get_by_role("link", name="资源监测").click()
    page.get_by_role("img", name=re.compile("CPU（核），当前 ")).wait_for()
    for title in ("集群资源", "网络带宽", "存储 I/O"):
        page.get_by_role("heading", name=title).wait_for()

    # 一段时间之后，状态变为 Succeeded；the workers are cleaned up, the launcher's log stays
    page.locator(".title-row").get_by_text("Succeeded", exact=True).wait_for(timeout=TIMEOUT * 1000)
    wait_for("the workers to be gone", lambda: engine.get("mj", MPI)["status"]["aggregate"]["deleted"] == 4)
    tab.picture("002-done")
    look_at_everything(page, "zh", {"launcher-0": "4 ranks on cpu", **{f"worker-{index}": None for index in range(4)}})
    tab.picture("002-after")

    # The same in English, of the same training.
    page.get_by_role("button", name="English").click()
    page.get_by_role("link", name="Logs").click()
    page.get_by_label("Search (regular expression)").fill("test set: .*accuracy")
    page.get_by_role("status").filter(has_text=re.compile(r"^1 of 1$")).wait_for()
    page.get_by_role("link", name="MPIJob", exact=True).click()
    wait_for("the facts in English", lambda: facts(page).get("Status", "").strip() == "Succeeded")


def test_002_error_branch(engine, console):
    """若 MPIJob 在运行过程中出错: one rank raises, so the job fails, and the page says why."""
    manifest = (EXAMPLES / "mpijob" / "horovod-torch" / "job.yaml").read_text().replace(f"name: {MPI}", "name: broken-mpijob")
    manifest = re.sub(r"    - /t9k/mnt/\S+\.py\n(?:    - --\S+\n|    - log\n)+",
                      "    - -c\n    - import os; assert os.environ['OMPI_COMM_WORLD_RANK'] != '2', 'rank 2 has no data'\n", manifest)
    engine.muster("create", "-f", "-", stdin=manifest)
    tab = console("jobs/default/mpijobs.batch.tensorstack.dev/broken-mpijob")
    page = tab.page
    page.locator(".title-row").get_by_text("Failed", exact=True).wait_for(timeout=TIMEOUT * 1000)
    page.locator(".truth").get_by_text("exit code 1").wait_for()
    page.get_by_role("link", name="Logs").click()
    page.get_by_role("log").get_by_text("AssertionError: rank 2 has no data").first.wait_for()
    page.get_by_role("button", name="First error").wait_for()
    tab.picture("002-error")
    assert engine.get("mj", "broken-mpijob")["status"]["phase"] == "Failed"
