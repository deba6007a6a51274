#!/usr/bin/env python3
"""Checks that every test that some documents name exists. Prints every name that does not."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = ["docs/coming-from-torchrun.md", "docs/security.md"]
IN_CPP = re.compile(r"\bTEST(?:_F|_P)?\((\w+), *(\w+)\)")
IN_PYTHON = re.compile(r"^def (test_\w+)\(", re.MULTILINE)
NAMED = re.compile(r"`((?:[A-Z]\w+\.[A-Z]\w+)|test_\w+|[\w/]*\w+_?test\w*\.(?:cc|py|ts))`")


def tests():
    names = set()
    for path in (ROOT / "src").rglob("*_test.cc"):
        names.add(path.name)
        names.update(".".join(found) for found in IN_CPP.findall(path.read_text()))
    for folder in ("tests", "console"):
        for path in (ROOT / folder).rglob("*.test.ts" if folder == "console" else "test_*.py"):
            if "node_modules" in path.parts:
                continue
            names.update({path.name, path.relative_to(ROOT).as_posix()})
            if path.suffix == ".py":
                names.update(IN_PYTHON.findall(path.read_text()))
    return names


def missing():
    known = tests()
    for document in DOCUMENTS:
        for number, line in enumerate((ROOT / document).read_text().splitlines(), 1):
            for name in NAMED.findall(line):
                if name not in known and name.rsplit("/", 1)[-1] not in known:
                    yield f"{document}:{number}: names the test {name}, which does not exist"


def main():
    found = list(missing())
    print("\n".join(found) or f"the tests that {' and '.join(DOCUMENTS)} name exist")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
