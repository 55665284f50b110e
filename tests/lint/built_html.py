#!/usr/bin/env python3
"""Checks that the page builds its HTML with src/base/html.h only, which can add nothing as it is:
no text in src/web/page is markup, and its script makes none of a text. Prints each place; exit 1 if
any."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "src/web/page"
COMMENT = re.compile(r"/\*.*?\*/", re.S)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
INCLUDE = re.compile(r"^#\s*include.*$", re.M)
MARKUP = re.compile(r"[<>]|&\w+;|&#")
FROM_TEXT = re.compile(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function|\.on\w+ *=")


def findings(path):
    plain = path.read_text()
    if path.suffix == ".js":
        for match in FROM_TEXT.finditer(plain):
            yield plain.count("\n", 0, match.start()) + 1, f"makes markup or code of a text: {match[0]}"
        return
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])  # noqa: E731
    plain = INCLUDE.sub(blank, COMMENT.sub(blank, plain))
    for match in LITERAL.finditer(plain):
        if MARKUP.search(match[1]):
            yield plain.count("\n", 0, match.start()) + 1, f"is markup: {match[0]}"


def main():
    found = [(path, *finding) for path in sorted(PAGE.iterdir()) if path.suffix in (".c", ".h", ".js") for finding in findings(path)]
    for path, line, what in found:
        print(f"{path.relative_to(ROOT)}:{line}: {what} (src/base/html.h)")
    print(f"built_html.py: {len(found)} found")
    return 1 if found else 0


sys.exit(main())
