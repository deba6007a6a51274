#!/usr/bin/env python3
"""Builds and runs the test suites one after another and adds up their results. Called by ./run-tests."""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent
JOBS = str(len(os.sched_getaffinity(0)))
MEMORY_OF_A_COMPILER = 1 << 30  # a dozen files together take up to 800 MiB
COMPILERS = str(max(1, min(int(JOBS), os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // MEMORY_OF_A_COMPILER)))
LONGEST_PROGRAMS = ("agent_test", "contract_test", "simulation_test")
MOST_SECONDS = 900  # of a test program
MAX_REPEATED = 5  # more failures than this are not chance
# How other machines are set: some suites run like this, so that no test depends on how this one is.
OTHER_UMASK = 0o077
OTHER_TIME_ZONE = {"TZ": "Asia/Kolkata"}
OTHER_MACHINE = {**OTHER_TIME_ZONE, **{name: "http://127.0.0.1:9" for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")}}
CANNOT_RUN = 3  # how a script of tools/ exits where the machine lacks what it needs; it says what


class Tally:
    def __init__(self):
        self.passed = 0
        self.failed = []
        self.flaky = []    # those that failed while other tests ran and passed alone; `passed` counts them as well
        self.skipped = []  # (suite, reason), one per test

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.flaky += other.flaky
        self.skipped += other.skipped

    def add_junit(self, path, suite):
        for case in xml.parse(path).getroot().iter("testcase"):
            name = f"{suite}: {case.get('classname', '')}.{case.get('name')}"
            skipped = case.find("skipped")
            if case.find("failure") is not None or case.find("error") is not None:
                self.failed.append(name)
            elif skipped is not None or case.get("result") == "skipped":
                reason = "" if skipped is None else (skipped.get("message") or skipped.text or "")
                # GoogleTest puts the source location before the reason, on a line of its own.
                self.skipped.append((suite, reason.strip().splitlines()[-1] if reason.strip() else "no reason given"))
            else:
                self.passed += 1


class Ahead:
    """Builds what later suites need while earlier ones wait for clocks and servers: one item at a time, at the lowest
    priority. If an item fails, the suite that needs it builds it again and reports the error."""

    def __init__(self):
        self.pool = concurrent.futures.ThreadPoolExecutor(max_workers=1)
        self.made = {}
        self.process = None
        self.stopped = False

    def start(self, name, *commands):
        self.made[name] = self.pool.submit(self.make, commands)

    def make(self, commands):
        for command in commands:
            if self.stopped:
                return
            self.process = subprocess.Popen(["nice", "-n", "19", *command], cwd=ROOT, env=build_environment(),
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, process_group=0)
            if self.process.wait() != 0:
                return

    def wait(self, name):
        """Waits until the item is built or has failed; returns at once for an item that is not built ahead."""
        if name in self.made:
            self.made[name].result()

    def stop(self):
        self.stopped = True
        self.pool.shutdown(wait=False, cancel_futures=True)
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)


AHEAD = Ahead()


def run(command, **kwargs):
    print("+", " ".join(map(str, command)), flush=True)
    return subprocess.run(command, cwd=ROOT, check=False, **kwargs).returncode


def build_environment():
    return dict(os.environ, CCACHE_BASEDIR=str(ROOT), CCACHE_NOHASHDIR="1")


def configure_command(preset):
    return ["cmake", "--preset", preset, "--log-level=WARNING"]


def build_command(preset):
    return ["cmake", "--build", "--preset", preset, "-j", COMPILERS]


def build_directory(preset):
    return ROOT / ("build" if preset == "release" else f"build-{preset}")


def build(preset):
    AHEAD.wait(preset)
    for command in (configure_command(preset), build_command(preset)):
        if run(command, env=build_environment()) != 0:
            sys.exit(f"error: {' '.join(command)} failed")
    return build_directory(preset)


def run_check(tally, name, command):
    code = run(command)
    if code == 0:
        tally.passed += 1
    elif code == CANNOT_RUN:
        tally.skipped.append(("style", f"{name}: cannot be checked on this machine"))
    else:
        tally.failed.append(f"style: {name}")


def style(tally, _full):
    """include rules, generated tables, formatting, clang-tidy"""
    run_check(tally, "include rules", ["tools/check_layers.py"])
    run_check(tally, "readers of jobs", ["tools/check_job_readers.py"])
    run_check(tally, "words", ["tools/check_words.py"])
    run_check(tally, "named tests", ["tools/check_named_tests.py"])
    run_check(tally, "kubernetes fields", ["tools/update_kubernetes_fields", "--verify"])
    sources = subprocess.run(["git", "ls-files", "src/*.h", "src/*.cc", "tests/*.cc", "tests/*.h", "bench/*.cc"],
                             cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    run_check(tally, "clang-format", ["clang-format-14", "--dry-run", "-Werror", *sources])
    build("clang")
    run_check(tally, "clang-tidy", ["xargs", "-a", tidy_files(), "-P", COMPILERS, "-n", "1",
                                    "clang-tidy-14", "--quiet", "-p", "build-clang"])


def tidy_files():
    """Writes a file with the names of the sources that clang-tidy reads. Sources are grouped by the dozen, which takes
    a fifth of the time. Tests are left out, because the compiler's own warnings cover them."""
    compiled = json.loads((build_directory("clang") / "compile_commands.json").read_text())
    names = [os.path.relpath(entry["file"], ROOT) for entry in compiled]
    with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as file:
        file.write("\n".join(name for name in names if "_test" not in name and "tests/" not in name) + "\n")
        return file.name


def gtest_programs(directory, wanted):
    """The longest come first, so that the others run at the same time."""
    for program in sorted((directory / "bin").glob("*_test"), key=lambda path: (path.name not in LONGEST_PROGRAMS, path.name)):
        if (program.name == "contract_test") == (wanted == "contract"):
            yield program


def run_gtest(tally, suite, programs, prefix=(), full=False, variables=()):
    """Runs as many programs in parallel as there are processors; the output of each is kept together."""
    # As with fuzzing, the short run is deterministic, so that a failure is due to the change under test.
    environment = dict(os.environ, MUSTER_FULL="1" if full else "", RC_PARAMS="max_success=5000" if full else "seed=1", **dict(variables))

    def run_one(program):
        with tempfile.NamedTemporaryFile(suffix=".xml") as report:
            command = [*prefix, str(program), f"--gtest_output=xml:{report.name}"]
            # A test that waits for what never happens must fail and not hold up the run; `timeout` ends the servers
            # that `prefix` starts as well.
            limit = ["timeout", "--kill-after=10", str(MOST_SECONDS * (10 if full else 1))]
            done = subprocess.run([*limit, *command], cwd=ROOT, env=environment, check=False, text=True, errors="replace",
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            name = f"{suite}/{program.name}"
            result = Tally()
            if os.path.getsize(report.name) == 0:
                result.failed.append(f"{name}: ended with {done.returncode} before it could report")
            else:
                result.add_junit(report.name, name)
                if done.returncode != 0 and not result.failed:
                    result.failed.append(f"{name}: all tests passed but it ended with {done.returncode}")
            return command, done.stdout if done.returncode != 0 else without_progress(done.stdout), result

    def show(command, text):
        print("+", *command, flush=True)
        print(text, end="", flush=True)

    again = []
    programs = list(programs)
    with concurrent.futures.ThreadPoolExecutor(max_workers=int(JOBS)) as pool:
        for program, (command, text, result) in zip(programs, pool.map(run_one, programs)):
            show(command, text)
            if result.failed and len(again) < MAX_REPEATED:
                again.append((program, result))
            else:
                tally.add(result)
    for program, first in again:
        command, text, result = run_one(program)
        show(command, text)
        result.flaky = [line for line in first.failed if line not in result.failed]
        tally.add(result)


def without_progress(text):
    """The output of a program whose tests passed, without a line for each of them."""
    return "".join(line for line in text.splitlines(keepends=True) if not re.match(r"\[ RUN  |\[       OK|\[---", line))


def unit(tally, full):
    """unit tests, built with Clang"""
    run_gtest(tally, "unit", gtest_programs(build("clang"), "unit"), full=full, variables=OTHER_MACHINE)


def contract(tally, _full):
    """one suite over LocalTransport, over HTTPS to ours, over HTTPS to a real kube-apiserver"""
    run_gtest(tally, "contract", gtest_programs(build("clang"), "contract"), real_kubernetes())


def operator(tally, full):
    """the controllers of `muster operator` on a real kube-apiserver"""
    pytest(tally, "operator", "tests/operator", full, prefix=real_kubernetes())


def cluster(tally, full):
    """only when named or with --full: the tutorials on a whole Kubernetes, with a kubelet that runs their pods in containers"""
    if os.geteuid() != 0:
        return tally.skipped.append(("cluster", "needs root to be a node"))
    subprocess.run(["tools/install_packages", "cluster"], cwd=ROOT, check=True)
    made = subprocess.run(["tools/get_kubernetes", "node"], cwd=ROOT, stdout=subprocess.DEVNULL, check=False).returncode
    if made != 0:
        return tally.skipped.append(("cluster", "there is no Kubernetes: tools/get_kubernetes node says why"))
    pytest(tally, "cluster", "tests/cluster", full, prefix=["env", "MUSTER_NODE=1", "tests/contract/real_kubernetes.sh"])


def sanitized(tally, preset):
    directory = build(preset)
    run_gtest(tally, preset, [*gtest_programs(directory, "contract"), *gtest_programs(directory, "unit")], fixed_addresses())


def fixed_addresses():
    """The prefix that runs a command without random addresses: where the kernel randomises 32 bits of them, a quarter of
    the starts end at once, because something lies where the sanitizer wants its shadow memory. Not every container allows it."""
    command = ["setarch", "-R"]
    return command if subprocess.run([*command, "true"], check=False, stderr=subprocess.DEVNULL).returncode == 0 else []


def asan(tally, _full):
    """unit and contract tests under the address and undefined-behaviour sanitizers"""
    sanitized(tally, "asan")


def tsan(tally, _full):
    """unit and contract tests under the thread sanitizer"""
    sanitized(tally, "tsan")


def real_kubernetes():
    """The prefix that runs a command with a real API server; empty, with the reason printed, when there is none."""
    AHEAD.wait("kubernetes")
    built = subprocess.run(["tools/get_kubernetes"], cwd=ROOT, stdout=subprocess.DEVNULL, check=False).returncode
    return ["tests/contract/real_kubernetes.sh"] if built == 0 else []


def pytest(tally, suite, folder, full, python="/usr/bin/python3", extra=(), prefix=()):
    build("release")
    environment = pytest_environment(full)

    def run_tests(*tests):
        with tempfile.NamedTemporaryFile(suffix=".xml") as report:
            code = run([*prefix, *pytest_command(python, report.name, *extra, *tests)], env=environment)
            result = Tally()
            add_report(result, suite, report.name, code)
            return result

    tally.add(repeat_alone(run_tests(folder), run_tests))


def pytest_environment(full, **others):
    """PYTHONUTF8 is for machines whose locale has another encoding: the texts of our programs are UTF-8."""
    return dict(os.environ, MUSTER_FULL="1" if full else "", PYTHONDONTWRITEBYTECODE="1", PYTHONUTF8="1", **others)


def pytest_command(python, report, *arguments):
    return [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *arguments]


def repeat_alone(result, run_tests):
    """Runs the tests that failed a second time, alone. One that passes then depends on what else the machine does: the
    run continues, and its end names the test, because that is a defect of the test or a race in the product."""
    tests = [re.sub(r"^[^:]*: ([\w.]+)\.(test_.*?)(?:@[\w.]+)?$", lambda name: f"{name[1].replace('.', '/')}.py::{name[2]}", line)
             for line in result.failed]
    if not 0 < len(tests) <= MAX_REPEATED or not all("::" in test for test in tests):
        return result
    again = run_tests(*tests)
    result.flaky = [line for line in result.failed if line not in again.failed]
    result.passed += len(result.flaky)
    result.failed = again.failed
    return result


def add_report(tally, suite, report, code):
    if not os.path.exists(report) or os.path.getsize(report) == 0:
        tally.failed.append(f"{suite}: pytest ended with {code}")
    else:
        tally.add_junit(report, suite)


class OrdinaryUser:
    """An account without privileges that exists while the tests run, and a pytest that runs as this user, on a copy of
    this clone: the clone itself may be where only root can read it."""

    def __init__(self, full):
        self.name = f"muster-{os.getpid()}"
        self.home = pathlib.Path(tempfile.gettempdir()) / self.name
        subprocess.run(["useradd", "--create-home", "--home-dir", self.home, self.name], check=True)
        self.clone = self.home / "clone"
        shutil.copytree(ROOT, self.clone, symlinks=True,
                        ignore=shutil.ignore_patterns(".git", "build", "build-*", "node_modules", "__pycache__"))
        shutil.copytree(ROOT / "build" / "bin", self.clone / "build" / "bin", symlinks=True, ignore=shutil.ignore_patterns("*.debug"))
        subprocess.run(["chown", "-R", f"{self.name}:", self.clone], check=True)
        self.environment = pytest_environment(full, HOME=str(self.home), USER=self.name, LOGNAME=self.name, **OTHER_TIME_ZONE)
        for variable in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"):
            self.environment.pop(variable, None)

    def start_pytest(self, *arguments):
        self.report = self.home / "report.xml"
        self.report.unlink(missing_ok=True)
        self.output = open(self.home / "output", "w+")
        self.process = subprocess.Popen(
            [*self.with_tun(), "setpriv", f"--reuid={self.name}", f"--regid={self.name}", "--init-groups",
             *pytest_command("/usr/bin/python3", self.report, f"--basetemp={self.home}/tests", *arguments)],
            cwd=self.clone, env=self.environment, umask=OTHER_UMASK, stdout=self.output, stderr=subprocess.STDOUT)

    def with_tun(self):
        """The prefix that runs a command where everybody may use /dev/net/tun, as on most machines; on some, only root may."""
        tun = "/dev/net/tun"
        if not os.path.exists(tun) or os.stat(tun).st_mode & 0o006 == 0o006:
            return []
        own = self.home / "tun"
        if not own.exists():
            os.mknod(own, stat.S_IFCHR | 0o666, os.stat(tun).st_rdev)
            own.chmod(0o666)
        return ["unshare", "--mount", "sh", "-ec", f'mount --bind {own} {tun}; exec "$@"', "sh"]

    def finish_pytest(self, suite):
        code = self.process.wait()
        self.output.seek(0)
        print(f"+ the same as {self.name}", self.output.read(), sep="\n", flush=True)
        result = Tally()
        add_report(result, suite, self.report, code)
        return result

    def remove(self):
        subprocess.run(["pkill", "-KILL", "-u", self.name], check=False)
        subprocess.run(["userdel", "--remove", "--force", self.name], check=False, stderr=subprocess.DEVNULL)


def kubectl(tally, full):
    """all installed versions of kubectl, two at a time, against the engine"""
    pytest(tally, "kubectl", "tests/kubectl", full, extra=["-n", JOBS, "--dist", "loadgroup"])


def as_both_users(tally, suite, folder, full, roots_own=()):
    """Runs the tests of a folder; for root also as an ordinary user, at the same time, without the files that are root's own."""
    build("release")
    if os.geteuid() != 0:
        return pytest(tally, suite, folder, full)
    user = OrdinaryUser(full)
    try:
        user.start_pytest(folder, *(f"--ignore={folder}/test_{name}.py" for name in roots_own))
        pytest(tally, suite, folder, full)
        name = f"{suite} as an ordinary user"

        def run_tests(*tests):
            user.start_pytest(*tests)
            return user.finish_pytest(name)

        tally.add(repeat_alone(user.finish_pytest(name), run_tests))
    finally:
        user.remove()


def e2e(tally, full):
    """the real binary: training, bad input, the quickstart's job; for root also as an ordinary user, at the same time"""
    AHEAD.wait("tensorflow")
    # The tutorials' Python environments take minutes to make; one training of each tutorial is enough.
    as_both_users(tally, "e2e", "tests/e2e", full, ("tutorials", "tensorboard", "notebooks", "horovod", "tensorflow", "frameworks"))


def attack(tally, full):
    """what hostile pods and clients try, as root and as an ordinary user"""
    as_both_users(tally, "attack", "tests/attack", full)


def crash(tally, full):
    """kill -9 of the engine in mid-training and under load"""
    pytest(tally, "crash", "tests/crash", full)


def clients(tally, full):
    """the official Python client, the kubeflow-training SDK, client-go and TypeScript, against the engine"""
    AHEAD.wait("clients")
    made = subprocess.run(["tools/install_packages", "clients"], cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE)
    environment = made.stdout.strip()
    pytest(tally, "clients", "tests/clients", full, f"{environment}/bin/python" if environment else "/usr/bin/python3")


def browser(tally, full):
    """the console in Chromium, also on a real kube-apiserver, and its unit tests in Node"""
    build("release")
    if (ROOT / "console" / "node_modules").exists():
        vitest(tally)
    else:
        tally.skipped.append(("browser", "vitest: the console was not built, npm or its packages were missing"))
    made = subprocess.run(["tools/install_packages", "browser"], cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE)
    environment = made.stdout.strip()
    pytest(tally, "browser", "tests/browser", full, f"{environment}/bin/python" if environment else "/usr/bin/python3",
           prefix=real_kubernetes())


def vitest(tally):
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        code = run(["npm", "--prefix", "console", "run", "--silent", "test", "--", "--reporter=junit", f"--outputFile={report.name}"])
        add_report(tally, "vitest", report.name, code)


def fuzz(tally, full):
    """libFuzzer targets: 20 s each, 10 minutes each from a new seed with --full; a crash leaves its input in build-fuzz/found"""
    directory = build("fuzz")
    found = directory / "found"
    found.mkdir(exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(max_workers=int(JOBS)) as pool:
        programs = sorted((directory / "bin").glob("*_fuzz"))
        for program, (code, text) in zip(programs, pool.map(lambda p: fuzz_one(p, found, full), programs)):
            runs = re.search(r"number_of_executed_units: *(\d+)", text)
            print(f"{program.name}: {runs.group(1) if runs else 'no'} inputs", flush=True)
            if code == 0:
                tally.passed += 1
            else:
                print(text[-6000:], flush=True)
                given = re.search(r"Base64: (\S+)", text)
                tally.failed.append(f"fuzz: {program.name} ended with {code}, given {given.group(1) if given else 'nothing'} (base64)")


def fuzz_one(program, found, full):
    """Keeps new inputs in the build folder as a start for the next run; the committed corpus is only read. The short run
    is deterministic, so that a failure is due to the change under test; the long one searches further."""
    limits = ["-max_total_time=600"] if full else ["-max_total_time=20", "-seed=1"]
    name = program.name.removesuffix("_fuzz")
    grown = program.parent.parent / "corpus" / name
    grown.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([program, *limits, "-timeout=10", "-rss_limit_mb=1024", "-max_len=4096",
                           "-print_final_stats=1", "-verbosity=0", f"-artifact_prefix={found}/{name}-",
                           grown, ROOT / "tests" / "fuzz" / "corpus" / name],
                          cwd=ROOT, check=False, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


# The suites that mostly wait, kubectl to crash, come before those whose prerequisites are built in the meantime.
SUITES = {f.__name__: f for f in (style, unit, kubectl, clients, e2e, attack, browser, crash, contract, operator, fuzz, asan, tsan, cluster)}
RARE = {"cluster"}  # they take minutes to prepare, and root's rights over the machine


def make_ahead(suites):
    if "e2e" in suites[1:]:
        # An ordinary user can install no packages of the system, and its tests run next to root's.
        AHEAD.start("tensorflow", *(["tools/install_packages", group] for group in ("tutorials", "tensorflow", "frameworks")))
    if "clients" in suites[1:]:
        AHEAD.start("clients", ["tools/install_packages", "clients"])
    if {"contract", "operator", "browser"} & set(suites[1:]):
        AHEAD.start("kubernetes", ["tools/get_kubernetes"])
    for preset in ("fuzz", "asan", "tsan"):
        if preset in suites[1:]:
            AHEAD.start(preset, configure_command(preset), build_command(preset))


def main():
    listing = "\n".join(f"  {name:9} {f.__doc__}" for name, f in SUITES.items())
    parser = argparse.ArgumentParser(prog="./run-tests", epilog="suites:\n" + listing,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="suites to run (default: all)")
    parser.add_argument("--full", action="store_true", help="the large counts: hours instead of minutes")
    options = parser.parse_args()
    unknown = [s for s in options.suites if s not in SUITES]
    if unknown:
        parser.error(f"unknown suite {unknown[0]!r}; the suites are {' '.join(SUITES)}")

    tally = Tally()
    suites = options.suites or [name for name in SUITES if options.full or name not in RARE]
    make_ahead(suites)
    try:
        for name in suites:
            print(f"\n== {name}", flush=True)
            begin = time.monotonic()
            SUITES[name](tally, options.full)
            print(f"== {name}: {time.monotonic() - begin:.0f} s", flush=True)
    finally:
        AHEAD.stop()

    print()
    for (suite, reason), count in collections.Counter(tally.skipped).items():
        print(f"skipped {count} in {suite}: {reason}")
    for line in tally.flaky:
        print("FLAKY", line, "(failed while other tests ran, passed alone)")
    for line in tally.failed:
        print("FAILED", line)
    print(f"{tally.passed} passed, {len(tally.failed)} failed, {len(tally.skipped)} skipped")
    return 1 if tally.failed or tally.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
