"""Volumes and their files in the console: what the page says, what the API says, and what is on the disk."""

import re

import pytest
from harness import wait_for
from looks import assert_looks_right

PICTURE = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c626001000000ffff03000006000557bfabd40000000049454e44ae426082")
ODD = "50% of <b>π & #1?.txt"


@pytest.fixture(scope="module")
def files(engine):
    """A volume with a file of each kind. Returns its folder."""
    folder = engine.volume("data")
    (folder / "plots").mkdir()
    (folder / "plots" / "loss.png").write_bytes(PICTURE)
    (folder / "train.py").write_text("import torch\n\n\ndef main():\n    print('epoch 1')\n")
    (folder / "windows.txt").write_bytes(b"one\r\ntwo\r\n")
    (folder / "model.pt").write_bytes(b"\x80\x02}q\x00.")
    (folder / "big.log").write_bytes(b"a line of a long log\n" * 200_000)
    (folder / ODD).write_text("odd")
    (folder / "latest").symlink_to("plots")
    wait_for("the volume", lambda: engine.get("pvc", "data")["status"].get("phase") == "Bound")
    return folder


def row(page, name):
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))


def names(page):
    return page.locator(".table-body .name-cell a").all_inner_texts()


def choose(page, name, item, more="More for {}"):
    page.get_by_role("button", name=more.format(name), exact=True).click()
    page.get_by_role("menuitem", name=item, exact=True).click()


def replace_text(page, text):
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def test_a_volume_is_created_grows_and_is_deleted_only_when_nothing_uses_it(console, engine):
    tab = console("volumes?ns=fresh", language="zh")
    page = tab.page
    page.get_by_text("该项目中还没有持久卷").wait_for()
    page.goto(f"http://127.0.0.1:{engine.port}/console/volumes")
    page.get_by_role("button", name="创建 PersistentVolumeClaim").click()
    dialog = page.get_by_role("dialog", name="创建 PersistentVolumeClaim")
    dialog.get_by_label("名称").fill("Bad_Name")
    dialog.get_by_label("大小").fill("1.5Gi")
    dialog.get_by_label("访问模式").select_option("ReadWriteOnce")
    dialog.get_by_role("button", name="创建", exact=True).click()
    dialog.get_by_role("alert").filter(has_text="metadata.name").wait_for()
    assert dialog.get_by_label("大小").input_value() == "1.5Gi", "what was typed stays"
    dialog.get_by_label("名称").fill("made")
    dialog.get_by_role("alert").wait_for(state="detached")  # it was about what was typed before
    dialog.get_by_role("button", name="预览 YAML").click()
    dialog.get_by_role("textbox", name="YAML").get_by_text("PersistentVolumeClaim").wait_for()
    dialog.get_by_text("服务器接受此配置").wait_for()
    tab.picture("volume-create-zh")
    dialog.get_by_role("button", name="创建", exact=True).click()
    row(page, "made").get_by_role("cell", name="Bound", exact=True).wait_for()
    spec = engine.get("pvc", "made")["spec"]
    assert spec["accessModes"] == ["ReadWriteOnce"] and spec["resources"]["requests"]["storage"] == "1536Mi"

    choose(page, "made", "扩容", "{} 的更多操作")
    dialog = page.get_by_role("dialog", name="扩容 made")
    dialog.get_by_label("新的大小").fill("1Gi")
    dialog.get_by_role("button", name="扩容").click()
    dialog.get_by_role("alert").filter(has_text="less than status.capacity").wait_for()
    dialog.get_by_label("新的大小").fill("2Gi")
    dialog.get_by_role("button", name="扩容").click()
    row(page, "made").get_by_role("cell", name="2Gi").wait_for()
    assert engine.get("pvc", "made")["status"]["capacity"] == {"storage": "2Gi"}

    engine.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "holds-it"}, "spec": {
        "terminationGracePeriodSeconds": 0,
        "containers": [{"name": "c", "image": "i", "command": ["sleep", "1000"], "volumeMounts": [{"name": "d", "mountPath": "/d"}]}],
        "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "made"}}]}})
    row(page, "made").get_by_role("cell", name="holds-it").wait_for()
    choose(page, "made", "删除", "{} 的更多操作")
    dialog = page.get_by_role("dialog", name="删除 made？")
    dialog.get_by_text("以下 Pod 必须先结束：holds-it").wait_for()
    assert dialog.get_by_role("button", name="删除持久卷").is_disabled()
    tab.picture("volume-in-use-zh")
    engine.muster("delete", "pod", "holds-it")
    dialog.get_by_label("键入 made 以确认").fill("mad")
    assert dialog.get_by_role("button", name="删除持久卷").is_disabled()
    dialog.get_by_label("键入 made 以确认").fill("made")
    dialog.get_by_role("button", name="删除持久卷").click()
    wait_for("the volume to go", lambda: "made" not in names(page))
    assert engine.muster("get", "pvc", "made", check=False).returncode != 0


def test_files_are_edited_with_care_for_what_others_write(console, engine, files):
    tab = console("volumes")
    page = tab.page
    page.get_by_role("link", name="data", exact=True).click()
    wait_for("the files", lambda: "train.py" in names(page))
    assert names(page)[0] == "plots", "folders are first"
    page.get_by_role("button", name="New file").click()
    page.get_by_role("dialog", name="New file").get_by_label("Name").fill("../escape.py")
    page.keyboard.press("Enter")
    page.get_by_role("alert").filter(has_text="../escape.py").wait_for()
    page.get_by_role("dialog", name="New file").get_by_label("Name").fill("train.py")
    page.keyboard.press("Enter")
    page.get_by_role("alert").filter(has_text="exists already").wait_for()
    page.get_by_role("dialog", name="New file").get_by_label("Name").fill("new.py")
    page.keyboard.press("Enter")
    editor = page.get_by_role("textbox", name="Text of new.py")
    editor.click()
    page.keyboard.insert_text("print('made here')\n")
    page.get_by_text("Not saved").wait_for()
    page.reload()
    page.get_by_text("Restored your unsaved changes.").wait_for()
    editor.get_by_text("made here").wait_for()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Saved", exact=True).wait_for()
    assert (files / "new.py").read_text() == "print('made here')\n"
    assert not (files.parent / "escape.py").exists()

    # Somebody else writes the same file.
    editor.click()
    replace_text(page, "print('mine')\n")
    (files / "new.py").write_text("print('theirs')\n")
    page.keyboard.press("Control+s")
    page.get_by_role("alert").filter(has_text="has changed since it was opened here").wait_for()
    tab.picture("file-conflict")
    assert (files / "new.py").read_text() == "print('theirs')\n"
    page.get_by_role("button", name="Overwrite with my version").click()
    page.get_by_text("Saved", exact=True).wait_for()
    assert (files / "new.py").read_text() == "print('mine')\n"
    editor.click()
    replace_text(page, "print('again')\n")
    (files / "new.py").write_text("print('theirs')\n")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name="Load the version on the volume").click()
    editor.get_by_text("theirs").wait_for()

    # Lines keep their ends.
    page.goto(f"http://127.0.0.1:{engine.port}/console/volumes/default/data?file=windows.txt")
    page.get_by_role("textbox", name="Text of windows.txt").click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("three")
    page.keyboard.press("Control+s")
    page.get_by_text("Saved", exact=True).wait_for()
    assert (files / "windows.txt").read_bytes() == b"one\r\ntwo\r\nthree"


def test_what_is_no_small_text_is_shown_as_what_it_is(console, engine, files):
    tab = console("volumes/default/data")
    page = tab.page
    page.get_by_role("link", name="big.log", exact=True).click()
    page.get_by_text("only the first 256.00KiB are shown").wait_for()
    page.locator(".cm-line").get_by_text("a line of a long log").first.wait_for()
    assert page.get_by_role("button", name="Save").count() == 0
    page.go_back()
    page.get_by_role("link", name="model.pt", exact=True).click()
    page.get_by_text("This file is neither text nor a picture").wait_for()
    page.go_back()
    page.get_by_role("link", name=ODD, exact=True).click()
    page.get_by_role("textbox", name=f"Text of {ODD}").get_by_text("odd").wait_for()
    page.go_back()
    page.get_by_role("link", name="latest", exact=True).click()
    page.get_by_role("link", name="loss.png", exact=True).click()
    page.get_by_role("img", name="Picture loss.png").wait_for()
    wait_for("the picture", lambda: page.evaluate("document.querySelector('.picture').naturalWidth") == 1)
    page.reload()
    page.get_by_role("img", name="Picture loss.png").wait_for()
    page.get_by_role("navigation", name="Folder").get_by_role("link", name="data").click()
    wait_for("the top folder", lambda: "big.log" in names(page))
    with page.expect_download() as saved:
        choose(page, "model.pt", "Download")
    assert saved.value.suggested_filename == "model.pt"
    assert open(saved.value.path(), "rb").read() == (files / "model.pt").read_bytes()
    page.goto(f"http://127.0.0.1:{engine.port}/console/volumes/default/data?file=nothing.txt")
    page.get_by_role("alert").filter(has_text="nothing.txt").wait_for()
    page.goto(f"http://127.0.0.1:{engine.port}/console/volumes/default/data?path=train.py")
    page.get_by_role("alert").filter(has_text="train.py: not a folder").wait_for()
    page.goto(f"http://127.0.0.1:{engine.port}/console/volumes/default/none")
    page.get_by_text("Volume none does not exist in project default.").wait_for()


def test_files_are_uploaded_renamed_moved_and_deleted(console, engine, files):
    tab = console("volumes/default/data")
    page = tab.page
    page.get_by_role("button", name="New folder").click()
    page.get_by_role("dialog", name="New folder").get_by_label("Name").fill("inbox")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="inbox", exact=True).click()
    page.get_by_text("This folder is empty").wait_for()
    assert (files / "inbox").is_dir()

    def give(*names_and_texts):
        page.locator("input[type=file]").set_input_files([{"name": name, "mimeType": "text/plain", "buffer": text} for name, text in names_and_texts])
    give(("a.txt", b"first"), (ODD, b"odd again"), ("large.bin", b"x" * 5_000_000))
    wait_for("three files", lambda: sorted(names(page)) == sorted(["a.txt", ODD, "large.bin"]))
    assert (files / "inbox" / ODD).read_bytes() == b"odd again"
    assert (files / "inbox" / "large.bin").stat().st_size == 5_000_000
    give(("a.txt", b"second"))
    page.get_by_text("A file with this name already exists.").wait_for()
    assert (files / "inbox" / "a.txt").read_bytes() == b"first"
    tab.picture("upload-exists")
    page.get_by_role("button", name="Replace").click()
    wait_for("the second text", lambda: (files / "inbox" / "a.txt").read_bytes() == b"second")

    # Dropped on the page.
    dropped = page.evaluate_handle("() => { const data = new DataTransfer(); data.items.add(new File(['dropped'], 'dropped.txt')); return data; }")
    page.dispatch_event("section.files", "drop", {"dataTransfer": dropped})
    wait_for("the dropped file", lambda: "dropped.txt" in names(page))
    assert (files / "inbox" / "dropped.txt").read_text() == "dropped"

    choose(page, "a.txt", "Rename")
    page.get_by_role("dialog", name="Rename a.txt").get_by_label("New name").fill("b.txt")
    page.keyboard.press("Enter")
    wait_for("the new name", lambda: "b.txt" in names(page) and "a.txt" not in names(page))
    page.get_by_label("Filter by name").fill(".txt")
    page.get_by_label("Select all").check()
    page.get_by_role("button", name="Move", exact=True).click()
    page.get_by_role("dialog", name="Move 3 entries").get_by_label(re.compile("Target folder")).fill("/kept/here/")
    page.keyboard.press("Enter")
    wait_for("the files to move", lambda: sorted(one.name for one in (files / "kept" / "here").glob("*")) == sorted(["b.txt", "dropped.txt", ODD]))
    page.get_by_label("Filter by name").fill("")
    wait_for("one file to stay", lambda: names(page) == ["large.bin"])
    page.get_by_role("navigation", name="Folder").get_by_role("link", name="data").click()
    choose(page, "kept", "Delete")
    page.get_by_role("dialog", name="Delete kept?").get_by_role("button", name="Delete").click()
    wait_for("the folder to go", lambda: "kept" not in names(page))
    assert not (files / "kept").exists()


def test_a_filter_finds_files_beyond_the_first_page(console, engine):
    folder = engine.volume("crowded") / "many"
    folder.mkdir()
    for number in range(2500):
        (folder / f"file-{number:04}.txt").touch()
    page = console("volumes/default/crowded?path=many").page
    page.get_by_role("button", name="Show more").wait_for()
    page.get_by_label("Filter by name").fill("2499")
    wait_for("the last file", lambda: names(page) == ["file-2499.txt"])
    page.get_by_label("Filter by name").fill("no such file")
    page.get_by_text("Nothing matches these filters.").wait_for()


def test_a_volume_that_is_deleted_under_ones_eyes_says_so(console, engine):
    engine.volume("short-lived")
    page = console("volumes/default/short-lived").page
    page.get_by_text("This folder is empty").wait_for()
    engine.muster("delete", "pvc", "short-lived")
    page.get_by_text("This volume was deleted.").wait_for()
    assert page.get_by_role("button", name="Upload").count() == 0


@pytest.mark.parametrize("language, theme", [("en", "light"), ("zh", "dark")])
def test_pages_are_accessible_and_fit(console, engine, files, language, theme):
    for width in (1280, 390):
        tab = console("volumes", language=language, theme=theme, width=width)
        page = tab.page
        row(page, "data").wait_for()
        for place, shown in (("volumes", "data"), ("volumes/default/data", "train.py"), ("volumes/default/data?file=train.py", "import"), ("volumes/default/data?path=plots&file=loss.png", "loss.png")):
            page.goto(f"http://127.0.0.1:{engine.port}/console/{place}")
            page.get_by_text(shown).first.wait_for()
            assert_looks_right(tab, place)
            tab.picture(f"{language}-{theme}-{width}-{place.replace('/', '-').replace('?', '-')}")
