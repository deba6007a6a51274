"""Which folders of the machine a job of `muster run` sees, and what stays of what it writes there."""

import subprocess
import textwrap

import pytest

from harness import MUSTER


@pytest.fixture
def place(tmp_path):
    """A project, and next to it what people keep elsewhere."""
    for folder in ("project", "data/images", "scratch"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "data/images/one.txt").write_text("a cat\n")
    return tmp_path


def script(place, text, name="train.py"):
    (place / "project" / name).write_text(textwrap.dedent(text))


def run(engine, place, *words, folder="project", **variables):
    return subprocess.run([MUSTER, "run", *map(str, words)], cwd=place / folder, env={**engine.environment(), **variables}, text=True,
                          timeout=60, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def output_of(done):
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


READ = """
    import sys
    print(open(sys.argv[1].split("=")[-1] + "/one.txt").read(), end="")
"""


def test_a_folder_that_an_argument_names_is_mounted_and_said(engine, place):
    script(place, READ)
    for word in (place / "data/images", f"--data={place}/data/images", "../data/images"):
        done = run(engine, place, "train.py", word)
        assert output_of(done) == "a cat\n", word
        assert f"mount: {place}/data/images (writable)" in done.stderr


def test_results_stay_in_a_folder_that_did_not_exist(engine, place):
    script(place, """
        import os, sys
        os.makedirs(sys.argv[2])
        open(sys.argv[2] + "/model.pt", "w").write("trained")
    """)
    done = run(engine, place, "train.py", "--output_dir", place / "scratch/first/run")
    output_of(done)
    assert f"mount: {place}/scratch (writable), because of {place}/scratch/first/run" in done.stderr
    assert (place / "scratch/first/run/model.pt").read_text() == "trained"


def test_where_a_result_would_be_lost_the_run_says_so(engine, place):
    script(place, "pass")
    home = engine.home
    done = run(engine, place, "train.py", f"--out={home}/results")
    assert f"note: {home}/results does not exist, so the job keeps nothing there; to let it write there: mkdir {home}/results" in done.stderr


def test_links_that_lead_out_of_the_project_work(engine, place):
    (place / "project/data").symlink_to("../data")
    script(place, "print(open('data/images/one.txt').read(), end='')")
    done = run(engine, place, "train.py")
    assert output_of(done) == "a cat\n"
    assert f"mount: {place}/data (writable), because of the link data" in done.stderr


def test_the_whole_repository_is_visible_and_the_script_runs_in_the_current_folder(engine, place):
    (place / "project/.git").mkdir()
    (place / "project/conf").mkdir()
    (place / "project/conf/lr").write_text("0.1")
    (place / "project/src").mkdir()
    (place / "project/src/train.py").write_text("import os; print(os.path.basename(os.getcwd()), open('../conf/lr').read())")
    assert output_of(run(engine, place, "train.py", folder="project/src")) == "src 0.1\n"


def test_a_script_outside_of_the_project(engine, place):
    (place / "data/tool.py").write_text("import os; print(os.path.basename(os.getcwd()))")
    assert output_of(run(engine, place, "../data/tool.py")) == "project\n"
    refused = run(engine, place, "--no-auto-mount", "../data/tool.py")
    assert refused.returncode == 2
    assert f"{place}/data/tool.py is outside of {place}/project, and the job does not see its folder" in refused.stderr


def test_mounts_by_hand(engine, place):
    script(place, """
        import os, sys
        print(os.listdir("/in"))
        try:
            open("/in/new", "w")
        except OSError as error:
            print(error.strerror)
    """)
    done = run(engine, place, "--mount", "../data/images:/in:ro", "train.py")
    assert output_of(done) == "['one.txt']\nRead-only file system\n"
    output_of(run(engine, place, "--mount", f"{place}/scratch:/in", "train.py"))
    assert (place / "scratch/new").exists()


@pytest.mark.parametrize("mount, why", [
    ("/no/such/folder", "--mount /no/such/folder: /no/such/folder does not exist"),
    ("/", "no job sees /: it is the whole machine"),
    ("~", "it is your home folder"),
    ("~/.ssh", "/.ssh holds credentials"),
    ("../data/images/one.txt", "one.txt is not a folder"),
    ("{data}", "it is the engine's"),
    ("{data}/volumes", "it is the engine's"),
])
def test_a_mount_that_cannot_be_is_refused_before_anything_starts(engine, place, mount, why):
    (engine.home / ".ssh").mkdir(exist_ok=True)
    script(place, "pass")
    before = jobs_of(engine)
    done = run(engine, place, "--mount", mount.format(data=engine.data), "train.py")
    assert done.returncode == 2 and why in done.stderr, done.stderr
    assert len(done.stderr.splitlines()) <= 2
    assert jobs_of(engine) == before


def jobs_of(engine):
    return engine.muster("get", "jobs", "-o", "name", check=False).stdout


def test_arguments_never_show_a_home_or_credentials(engine, place):
    (engine.home / ".aws").mkdir(exist_ok=True)
    (engine.home / ".aws/credentials").write_text("secret")
    script(place, """
        import os, sys
        print([os.path.exists(word) for word in sys.argv[1:]])
    """)
    done = run(engine, place, "train.py", engine.home, engine.home / ".aws", engine.home / ".aws/credentials", engine.data)
    assert output_of(done) == "[False, False, False, False]\n"
    assert f"note: the job does not see {engine.home}: it is your home folder; name a folder in it" in done.stderr


def test_no_auto_mount(engine, place):
    (place / "project/data").symlink_to("../data")
    script(place, "import os, sys; print(os.path.exists(sys.argv[1]), os.path.exists('data'))")
    assert output_of(run(engine, place, "--no-auto-mount", "train.py", place / "data/images")) == "False False\n"


def test_a_file_that_only_the_machine_has_is_explained(engine, place):
    script(place, f"open('{place}/data/images/one.txt')")
    done = run(engine, place, "train.py")
    assert done.returncode == 1
    assert (f"note: {place}/data/images/one.txt exists on this machine but not in the job: "
            f"muster run --mount {place}/data/images …") in done.stderr
    assert output_of(run(engine, place, "--mount", place / "data/images", "train.py")) == ""
    script(place, f"open('{place}/data/images/result.txt', 'w')")
    assert f"note: {place}/data/images exists on this machine but not in the job" in run(engine, place, "train.py").stderr
    (place / "home/ds").mkdir(parents=True)
    (place / "home/ds/a.txt").touch()
    script(place, "import os; open(os.path.expanduser('~/ds/a.txt'))")
    assert (f"note: ~ in the job is a home that the engine keeps for jobs, not {place}/home: "
            f"muster run --mount {place}/home/ds:/root/ds …") in run(engine, place, "train.py", HOME=str(place / "home")).stderr
    assert output_of(run(engine, place, "--mount", f"{place}/home/ds:/root/ds", "train.py", HOME=str(place / "home"))) == ""
    script(place, "open('/no/such/file')")
    assert "note:" not in run(engine, place, "train.py").stderr


def test_caches_and_logins_stay_in_a_home_of_the_jobs(engine, place):
    script(place, """
        import os, pathlib
        cache = pathlib.Path.home() / ".cache" / "model"
        print(cache.exists(), os.environ["HOME"])
        cache.parent.mkdir(exist_ok=True)
        cache.write_text("weights")
    """)
    assert output_of(run(engine, place, "train.py")) == "False /root\n"
    assert output_of(run(engine, place, "train.py")) == "True /root\n"
    assert not (engine.home / ".cache/model").exists()


def test_the_users_own_home(engine, place):
    (engine.home / ".cache").mkdir(exist_ok=True)
    (engine.home / ".cache/token").write_text("mine")
    script(place, "import pathlib; print(pathlib.Path.home().joinpath('.cache/token').read_text())")
    done = run(engine, place, "--home", "train.py")
    assert output_of(done) == "mine\n"
    assert f"warning: --home: the job can read and change your home folder {engine.home} with its credentials" in done.stderr


def test_folders_of_variables(engine, place):
    (place / "library").mkdir()
    (place / "library/mine.py").write_text("VALUE = 7\n")
    (place / "hub").mkdir()
    script(place, "import os, mine; print(mine.VALUE, os.listdir(os.environ['HF_HOME']), os.environ['PIP_INDEX_URL'])")
    (place / "hub/model").touch()
    done = run(engine, place, "train.py", PYTHONPATH=f"{place}/library", HF_HOME=f"{place}/hub", PIP_INDEX_URL="http://index/simple")
    assert output_of(done) == "7 ['model'] http://index/simple\n"
    assert f"mount: {place}/hub (writable), because of HF_HOME" in done.stderr


@pytest.mark.parametrize("word, why", [
    ("trian.py", 'trian.py: no such file in {place}/project; did you mean "train.py"?'),
    ("pkg", "pkg is a folder without a __main__.py; name the script in it"),
    ("data.csv", "data.csv is not a program"),
    ("no-such-program", "no such program in PATH"),
])
def test_what_is_not_a_script_is_refused_before_anything_starts(engine, place, word, why):
    script(place, "pass")
    (place / "project/pkg").mkdir()
    (place / "project/data.csv").touch()
    before = jobs_of(engine)
    done = run(engine, place, word)
    assert done.returncode == 2 and why.format(place=place) in done.stderr, done.stderr
    assert jobs_of(engine) == before


def executable(path, content):
    path.write_bytes(content)
    path.chmod(0o755)


@pytest.mark.parametrize("name, content, why", [
    ("noise", b"\x00\x01\x02noise", "noise is not a program: it is executable, but neither a binary nor a script that begins with #!"),
    ("windows.sh", b"#!/bin/bash\r\necho x\r\n", "windows.sh: its lines end as on Windows (CRLF)"),
    ("lost", b"#!/no/such/bash\necho x\n", "lost: its first line names /no/such/bash, which is not a program of this machine"),
    ("typo", b"#!/usr/bin/env bsah\necho x\n", "typo: its first line names bsah, and there is no such program in PATH"),
])
def test_an_executable_that_cannot_start_is_refused_before_anything_starts(engine, place, name, content, why):
    executable(place / "project" / name, content)
    before = jobs_of(engine)
    done = run(engine, place, f"./{name}")
    assert done.returncode == 2 and why in done.stderr, done.stderr
    assert jobs_of(engine) == before


def test_a_shell_script_needs_no_first_line(engine, place):
    executable(place / "project/plain.sh", b"echo plain $1\n")
    assert output_of(run(engine, place, "plain.sh", "words")) == "plain words\n"


@pytest.mark.parametrize("words", [
    ("torchrun", "--nproc-per-node", "2", "nothere.py"),
    ("python3", "-u", "-W", "ignore", "nothere.py"),
    ("python3", "-m", "torch.distributed.run", "--nproc-per-node", "2", "nothere.py"),
])
def test_a_script_behind_another_program_is_looked_for_too(engine, place, words):
    before = jobs_of(engine)
    done = run(engine, place, *words)
    assert done.returncode == 2 and f"nothere.py: no such file in {place}/project" in done.stderr, done.stderr
    assert jobs_of(engine) == before


def test_a_name_without_its_ending_is_understood(engine, place):
    script(place, "pass")
    assert "did you mean train.py?" in run(engine, place, "train").stderr


def test_in_a_home_the_folder_of_the_script_is_named(engine, place):
    (engine.home / "proj").mkdir(exist_ok=True)
    (engine.home / "proj/train.py").write_text("print('x')\n")
    done = subprocess.run([MUSTER, "run", "proj/train.py"], cwd=engine.home, env=engine.environment(), text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2 and "it is your home folder" in done.stderr and "cd proj" in done.stderr, done.stderr
