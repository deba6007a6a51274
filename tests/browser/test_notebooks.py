"""The notebook of the get-started tutorial in a browser: JupyterLab behind the engine's login, on an origin of its own."""

import pytest
from harness import Engine, wait_for
from tutorials import configured, prepare, skip_without_jupyterlab


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    skip_without_jupyterlab()
    made = Engine(tmp_path_factory.mktemp("notebooks"), config=configured({})).start()
    prepare(MUSTER_DATA_DIR=str(made.data))
    yield made
    made.stop()


def test_003_a_new_python_file_a_terminal_and_a_folder_for_the_results(engine, chromium):
    home = engine.data / "volumes" / "default" / "mnist"
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(120_000)
    page.goto(engine.muster("notebook", "mnist").stdout.strip())

    # 在 HOME 目录下，点击左上角的 +，然后点击 Other 下的 Python File 以新建一个 Python 脚本文件
    page.get_by_role("button", name="New Launcher").first.click()
    page.locator(".jp-LauncherCard:visible", has_text="Python File").first.click()
    page.locator(".cm-content:visible").click()
    page.keyboard.type("print('trained')")
    page.keyboard.press("Control+s")
    page.locator(".jp-Dialog input").first.fill("torch_mnist_parallel.py")
    page.get_by_role("button", name="Rename and Save").click()
    wait_for("the file on the claim", lambda: (home / "torch_mnist_parallel.py").exists() and
             (home / "torch_mnist_parallel.py").read_text() == "print('trained')")

    # 您也可以在 Notebook 中直接使用 kubectl 命令
    page.get_by_role("button", name="New Launcher").first.click()
    page.locator(".jp-LauncherCard:visible", has_text="Terminal").first.click()
    page.locator(".jp-Terminal .xterm-screen:visible").click()
    page.keyboard.type("kubectl get notebooks -o name > listed; python torch_mnist_parallel.py >> listed\n")
    wait_for("the terminal's output", lambda: (home / "listed").exists() and "trained" in (home / "listed").read_text(), timeout=60)
    assert (home / "listed").read_text() == "notebook.tensorstack.dev/mnist\ntrained\n"

    # 将当前教程产生的所有文件移动到名为 parallel-training 的新文件夹下
    page.keyboard.type("mkdir parallel-training && mv torch_mnist_parallel.py listed parallel-training/\n")
    wait_for("the move", lambda: sorted(file.name for file in (home / "parallel-training").glob("*")) == ["listed", "torch_mnist_parallel.py"])
    page.get_by_text("parallel-training", exact=True).first.wait_for()
    page.context.close()
