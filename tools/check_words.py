#!/usr/bin/env python3
"""Finds phrases that readers stumble over, in documents, texts and comments, and suggests better ones.

A phrase may be broken over lines of prose, of a comment or of a string literal. A line that quotes such a phrase on
purpose carries the remark "words: REASON"."""

import bisect
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHECKED = ["*.md", "quickstart", "run-tests", "src", "tests", "bench", "cmake", "tools", "console/src", "deploy", "examples"]
NOT_TEXT = {".lock", ".png", ".ico", ".svg", ".gz", ".bin", ".pb", ".db", ".wal"}

AMOUNTS = "many|much|few|little|large|small|long|short|old|new|late|early|deep|big|slow|fast|high|low|often"
PHRASES = {
    r"for ever": "forever",
    r"(?:go|goes|going|went) on(?! (?:the|a|an|top)\b)": "keep running, continue",
    r"is no(?! (?:longer|more|fewer|less|one)\b)": "is not a, does not exist",
    r"are no(?! (?:longer|more|fewer|less)\b)": "are not",
    rf", too(?! (?:{AMOUNTS})\b)": "also",
    r"in the place of": "instead of",
    r"anew": "again",
    r"to be had": "available, supported",
    r"shall": "must, should, will",
    r"end(?:s|ed)? badly": "fail",
    r"that runs does anything": "all … look idle",
    r"beside": "besides, next to, with",
    r"where there (?:is|are)": "if there is, if … exists",
    r"all the same": "anyway",
    r"shown is what": "showing …",
    r"who may what": "permissions",
    r"what is said": "messages",
    r"only so many": "only the last N",
    r"makes? a job of": "run … as a job",
    r"needs a person": "needs attention",
    r"ends the following": "stop following",
    r"the node's word": "the node's confirmation",
}
# What may stand between two words: a space, or the end of a line with what begins the next one.
GAP = r'(?:[ \t]+|[ \t]*"?\n[ \t]*(?:(?://+|\#+|\*)[ \t]*)?"?)'
PATTERNS = [(re.compile(phrase.replace(" ", GAP) + r"\b"), better) for phrase, better in PHRASES.items()]
# Before a phrase that begins with a word: another part of the same word, or "there", after which "is no" is right.
NOT_AFTER = re.compile(rf"(?:\w|\bthere{GAP})$")


def files():
    listed = subprocess.run(["git", "ls-files", "-z", "--", *CHECKED], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.split("\0"):
        if name and name != "tools/check_words.py" and pathlib.Path(name).suffix not in NOT_TEXT and (ROOT / name).is_file():
            yield name


def findings(text):
    """Yields line number, phrase and suggestion."""
    starts = [0] + [match.end() for match in re.finditer("\n", text)]
    for pattern, better in PATTERNS:
        for match in pattern.finditer(text):
            at = match.start()
            number = bisect.bisect_right(starts, at)
            line = text[starts[number - 1]:].split("\n", 1)[0]
            if text[at] != "," and NOT_AFTER.search(text[max(0, at - 40):at]):
                continue
            if not re.search(r"\bwords: \w", line):
                yield number, " ".join(re.sub(r'["/#*]+', " ", match.group()).split()), better


def main():
    bad = 0
    for name in files():
        try:
            text = (ROOT / name).read_text().lower()
        except UnicodeDecodeError:
            continue  # a test input that is not text
        for number, found, better in sorted(findings(text)):
            print(f"{name}:{number}: {found} → {better}")
            bad += 1
    if bad:
        sys.exit(f"{bad} phrases to reword; docs/glossary.md has the words that we use")


if __name__ == "__main__":
    main()
