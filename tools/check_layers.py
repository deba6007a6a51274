#!/usr/bin/env python3
"""Checks the include table of ARCHITECTURE.md over src/, and that no coroutine slipped in. Prints every violation."""

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
}
# The pure part of control sees values only: no client, no ports, no log, no clock.
PURE_FOLDERS = ("control/job", "control/scheduler")
PURE_FORBIDDEN = {"base/ports.h", "base/log.h", "base/random.h"}
# Headers that one .cc file and its fuzzer include: heavy, but for nobody else.
PRIVATE = {"net/request_reader.h"}

HEAVY = {"boost/": {"json", "net"}, "openssl/": {"net"}, "sqlite3.h": {"store"}, "yaml-cpp/": {"json"}}
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')


def violations(root):
    modules = set(ALLOWED) | {"main", "testing"}
    for path in sorted(root.rglob("*")):
        if path.suffix not in (".h", ".cc", ".c"):
            continue
        name = path.relative_to(root).as_posix()
        module = name.split("/")[0]
        is_test = name.endswith("_test.cc")
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(r"\bco_(await|return|yield)\b", line):
                yield f"{name}:{number}: coroutines are not used here (g++ 12 miscompiles them)"
            found = INCLUDE.match(line)
            if not found:
                continue
            included = found.group(1)
            target = included.split("/")[0]
            for heavy, homes in HEAVY.items():
                if included.startswith(heavy) and module not in homes:
                    yield f"{name}:{number}: {included} belongs to {', '.join(sorted(homes))} only"
                if included.startswith(heavy) and path.suffix == ".h" and name not in PRIVATE:
                    yield f"{name}:{number}: {included} must stay in .cc files"
            if target not in modules or target == module:
                continue
            if module in ("main", "testing") or (is_test and target == "testing"):
                continue
            if target not in ALLOWED[module]:
                yield f"{name}:{number}: {module} may not include {included}"
            pure = name.startswith(PURE_FOLDERS) and not is_test
            if pure and (target == "client" or included in PURE_FORBIDDEN):
                yield f"{name}:{number}: decisions are pure; {included} is out of reach there"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent / "src"
    found = list(violations(root))
    print("\n".join(found) or "include rules hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
