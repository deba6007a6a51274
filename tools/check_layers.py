#!/usr/bin/env python3
"""Checks that src/ follows the include table of ARCHITECTURE.md, that the folders of each module form an order, that only
the outer modules read time and environment, that there is no coroutine, and that the source files which comments and
documents name exist. Prints every violation.

--order [MODULE...] prints the order of the folders instead, --cycles [MODULE...] every cycle between them."""

import collections
import pathlib
import re
import sys

ALLOWED = {
    "base": set(),
    "json": {"base"},
    "reflect": {"base", "json"},
    "api": {"base", "json", "reflect"},
    "jobs": {"base", "json", "reflect", "api"},
    "store": {"base", "json"},
    "net": {"base"},
    "linux": {"base"},
    "node": {"base", "json"},
    "python": {"base"},
    "shim": {"base"},
    "door": {"base", "linux", "shim"},
    "client": {"base", "json", "reflect", "api", "net", "node"},
    "apiserver": {"base", "json", "reflect", "api", "store", "net", "client", "node"},
    "control": {"base", "json", "reflect", "api", "jobs", "client"},
    "agent": {"base", "json", "reflect", "api", "client", "linux", "net", "node", "python", "shim"},
    "cli": {"base", "json", "reflect", "api", "jobs", "client", "net", "node", "python"},
    "arena": {"base", "json", "reflect", "api", "jobs", "client", "net", "cli"},
    "install": {"base", "json", "reflect", "api", "jobs", "client", "control", "net", "cli"},
    "mpi": {"base", "json", "api", "client", "net", "linux"},
    "notify": {"base", "json", "reflect", "api", "jobs", "client", "net"},
    "web": {"base", "json", "reflect", "api", "jobs", "client", "net", "node", "apiserver", "control"},
}
ALLOWED["main"] = set(ALLOWED)
ALLOWED["testing"] = set(ALLOWED) - {"main"}
# Everything in control except its runtime works on values only: no client, no ports, no log, no clock.
RUNTIME = "control/runtime/"
PURE_FORBIDDEN = {"base/ports.h", "base/log.h", "base/random.h"}
# All other code uses the Clock port or gets the value from its caller.
OUTSIDE_WORLD = re.compile(r"\b(?:system|steady|high_resolution)_clock::now\(|\bgetenv\(|\bs?rand\(")
AT_THE_EDGE = {"base/log.cc", "cli/connect/connect.cc", "net/event_loop.cc", "cli/connect/environment.cc", "main/boot_unit.cc", "main/data_dir.cc", "main/socket_activation.cc"}
HEAVY = {"boost/": {"json", "net"}, "openssl/": {"net", "base/sha256.cc"}, "sqlite3.h": {"store"}, "yaml-cpp/": {"json"}}
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')


def sources(root):
    """Yields name, path and whether it is a test, for every source file."""
    for path in sorted(root.rglob("*")):
        if path.suffix in (".h", ".cc", ".c"):
            name = path.relative_to(root).as_posix()
            yield name, path, name.endswith(("_test.cc", "_fixture.h", "_for_tests.cc", "_for_tests.h"))


def violations(root):
    for name, path, is_test in sources(root):
        module = name.split("/")[0]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(r"\bco_(await|return|yield)\b", line):
                yield f"{name}:{number}: coroutines are not used here (g++ 12 miscompiles them)"
            if OUTSIDE_WORLD.search(line) and not is_test and name not in AT_THE_EDGE:
                yield f"{name}:{number}: time and environment come in through {', '.join(sorted(AT_THE_EDGE))}"
            found = INCLUDE.match(line)
            if not found:
                continue
            included = found.group(1)
            target = included.split("/")[0]
            for heavy, homes in HEAVY.items():
                if included.startswith(heavy) and not homes & {module, name}:
                    yield f"{name}:{number}: {included} belongs to {', '.join(sorted(homes))} only"
                if included.startswith(heavy) and path.suffix == ".h":
                    yield f"{name}:{number}: {included} must stay in .cc files"
            pure = module == "control" and not name.startswith(RUNTIME) and not is_test
            if pure and (target == "client" or included in PURE_FORBIDDEN or included.startswith(RUNTIME)):
                yield f"{name}:{number}: decisions are pure; {included} is out of reach there"
            is_of_system = "<" in line  # such as <net/if.h>
            if is_of_system or target not in ALLOWED or target == module or (is_test and target == "testing"):
                continue
            if target not in ALLOWED[module]:
                yield f"{name}:{number}: {module} may not include {included}"


def lost_references(root):
    """Yields the places in comments, documents and build files that name a source file that does not exist."""
    files = [*root.rglob("*.h"), *root.rglob("*.cc"), *root.rglob("*.c"), *(root.parent / "console" / "src").rglob("*.ts"),
             *(root.parent / "tests").rglob("CMakeLists.txt"), *(root.parent / "docs").rglob("*.md"), *root.parent.glob("*.md")]
    named = re.compile(r"(?<![\w/.<-])(?:src/|\$\{src\}/)?((?:%s)/[\w/]+\.(?:h|cc|c))\b" % "|".join(ALLOWED))
    for path in files:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for name in named.findall(line):
                if not (root / name).exists():
                    yield f"{path.relative_to(root.parent)}:{number}: {name} does not exist"


def folder_of(name):
    """The folder inside the module; files of the module's own folder are in "."."""
    return name.partition("/")[2].rpartition("/")[0] or "."


def folder_graph(root, module):
    """Returns {folder: {included folder: "file:line includes file"}}, with the first such include."""
    graph = collections.defaultdict(dict)
    for name, path, is_test in sources(root / module):
        if is_test:
            continue
        source = graph[folder_of(f"{module}/{name}")]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if found and found.group(1).startswith(module + "/"):
                source.setdefault(folder_of(found.group(1)), f"{module}/{name}:{number} includes {found.group(1)}")
    for folder, included in graph.items():
        included.pop(folder, None)
    return graph


def shortest_path(graph, start, end):
    came_from = {start: None}
    queue = collections.deque([start])
    while queue:
        folder = queue.popleft()
        if folder == end:
            path = [end]
            while came_from[path[0]] is not None:
                path.insert(0, came_from[path[0]])
            return path
        for following in sorted(graph[folder]):
            if following not in came_from:
                came_from[following] = folder
                queue.append(following)
    return None


def cycles(root, module):
    """Yields the shortest cycle through every include between folders that lies on one, each cycle once."""
    graph = folder_graph(root, module)
    seen = set()
    for folder in sorted(graph):
        for included in sorted(graph[folder]):
            back = shortest_path(graph, included, folder)
            if back is None or frozenset(back) in seen:
                continue
            seen.add(frozenset(back))
            steps = zip([folder, *back], back)
            yield f"{module}: {' -> '.join([folder, *back])}: " + ", ".join(graph[a][b] for a, b in steps)


def order(root, module):
    """Returns the folders of a module in lines; a folder includes only folders of the lines below it."""
    graph = folder_graph(root, module)
    below = {}
    while len(below) < len(graph):
        ready = [folder for folder in graph if folder not in below and graph[folder].keys() <= below.keys()]
        if not ready:
            return None
        line = 1 + max(below.values(), default=0)
        below.update((folder, line) for folder in ready)
    lines = [" ".join(sorted(f for f in below if below[f] == line)) for line in range(max(below.values()), 0, -1)]
    return [f"{module if i == 0 else '':<12}{line}" for i, line in enumerate(lines)]


def modules_with_folders(root):
    return [module for module in ALLOWED if len(folder_graph(root, module)) > 1]


def knots(root):
    """Yields the cycles of the modules, and orders that ARCHITECTURE.md does not show."""
    shown = (root.parent / "ARCHITECTURE.md").read_text()
    for module in modules_with_folders(root):
        found = list(cycles(root, module))
        yield from found
        if not found and "\n".join(order(root, module)) not in shown:
            yield f"ARCHITECTURE.md: the folders of {module} are outdated; copy tools/check_layers.py --order {module}"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent / "src"
    option, *modules = sys.argv[1:] or [""]
    modules = modules or modules_with_folders(root)
    if option == "--order":
        print("\n\n".join("\n".join(order(root, module) or [f"{module}: has cycles"]) for module in modules))
        return 0
    if option == "--cycles":
        print("\n".join(cycle for module in modules for cycle in cycles(root, module)))
        return 0
    found = [*violations(root), *lost_references(root), *knots(root)]
    print("\n".join(found) or "include rules hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
