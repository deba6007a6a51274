#!/usr/bin/env python3
"""Checks that src/ follows the include table of ARCHITECTURE.md, that only the outer modules read time and environment,
and that there is no coroutine. Prints every violation."""

import pathlib
import re
import sys

ALLOWED = {
    "base": set(),
    "json": {"base"},
    "reflect": {"base", "json"},
    "api": {"base", "json", "reflect"},
    "store": {"base", "json"},
    "net": {"base"},
    "linux": {"base"},
    "client": {"base", "json", "reflect", "api", "net"},
    "apiserver": {"base", "json", "reflect", "api", "store", "net", "client"},
    "control": {"base", "json", "reflect", "api", "client"},
    "agent": {"base", "json", "reflect", "api", "client", "linux", "net"},
    "cli": {"base", "json", "reflect", "api", "client", "net"},
    "arena": {"base", "json", "reflect", "api", "client", "net", "cli"},
    "mpi": {"base", "json", "api", "client", "net", "linux"},
}
ALLOWED["main"] = set(ALLOWED)
ALLOWED["testing"] = set(ALLOWED) - {"main"}
# Everything in control except its runtime works on values only: no client, no ports, no log, no clock.
RUNTIME = "control/runtime/"
PURE_FORBIDDEN = {"base/ports.h", "base/log.h", "base/random.h"}
# All other code uses the Clock port or gets the value from its caller.
OUTSIDE_WORLD = re.compile(r"\b(?:system|steady|high_resolution)_clock::now\(|\bgetenv\(|\bs?rand\(")
AT_THE_EDGE = {"base/log.cc", "cli/connect/connect.cc", "net/event_loop.cc", "cli/connect/environment.cc", "main/data_dir.cc"}
HEAVY = {"boost/": {"json", "net"}, "openssl/": {"net", "base/sha256.cc"}, "sqlite3.h": {"store"}, "yaml-cpp/": {"json"}}
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')


def violations(root):
    for path in sorted(root.rglob("*")):
        if path.suffix not in (".h", ".cc", ".c"):
            continue
        name = path.relative_to(root).as_posix()
        module = name.split("/")[0]
        is_test = name.endswith(("_test.cc", "_fixture.h", "_for_tests.cc"))
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
            if target not in ALLOWED or target == module or (is_test and target == "testing"):
                continue
            if target not in ALLOWED[module]:
                yield f"{name}:{number}: {module} may not include {included}"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent / "src"
    found = list(violations(root))
    print("\n".join(found) or "include rules hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
