#!/usr/bin/env python3
"""Checks that functions of PostgreSQL are named with their schema (docs/choices.md, "Functions of
others"). Prints each that is not; exit 1 if any.

    qualified.py [--fix]    --fix: writes `pg_catalog.` in front of them

A function of another schema wins over PostgreSQL's own, wherever it stands in the path, if its
arguments fit better: exactly the row type of a table, a varchar, an array of a domain. So every
function with arguments is named in full: in SQL files, in the statements that these compose, and in
statements that C composes. Exceptions: functions without arguments (`now()`, `count(*)`), because
nothing fits better, and words of the grammar (`coalesce`, `extract`, `unnest` of several arrays),
which PostgreSQL resolves itself."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Words of the grammar that may stand in front of a parenthesis, written without a blank.
GRAMMAR = set("coalesce nullif greatest least extract overlay position substring trim cast".split())
CALL = re.compile(r"(?<![\w.\"$:%])([a-z_][a-z0-9_]*)\((?!\s*[*)])")
COLUMNS_FOLLOW = re.compile(r"(\bAS|\bORDINALITY|\))\s+$")  # `AS u(id)` is not a call
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
TAKEN = re.compile(r"^00[1-5]-")  # schema steps that databases have already taken


def arguments(text, at):
    """The number of arguments; AT: the position after the parenthesis."""
    depth, n = 1, 1
    for c in text[at:]:
        depth += (c == "(") - (c == ")")
        n += c == "," and depth == 1
        if depth == 0:
            break
    return n


def calls(text, only=None):
    for call in CALL.finditer(text):
        name = call[1]
        if name in GRAMMAR or (only is not None and name not in only) or COLUMNS_FOLLOW.search(text[:call.start()][-40:]):
            continue
        if name == "unnest" and arguments(text, call.end()) > 1:
            continue
        yield call.start(), name


def in_sql(text):
    plain = re.sub(r"--[^\n]*", lambda comment: " " * len(comment[0]), text)
    return list(calls(plain))


def in_c(text, names):
    return [(string.start(1) + at, name) for string in STRING.finditer(text) for at, name in calls(string[1], names)]


def files(*endings):
    return [p for top in ("src", "schemas/postgres", "include") for e in endings for p in sorted((ROOT / top).rglob(f"*.{e}"))
            if not TAKEN.match(p.name)]


def look(path, found, fix):
    text = path.read_text()
    for at, name in found:
        yield f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, at) + 1}: {name} is not pg_catalog.{name}"
    if fix and found:
        for at, _ in reversed(found):
            text = text[:at] + "pg_catalog." + text[at:]
        path.write_text(text)


def main():
    fix, complaints, names = "--fix" in sys.argv[1:], [], set()
    for path in files("sql"):
        text = path.read_text()
        found = in_sql(text)
        names |= {name for _, name in found} | set(re.findall(r"\bpg_catalog\.([a-z_0-9]+)\(", text))
        complaints += look(path, found, fix)
    for path in files("c", "h"):
        complaints += look(path, in_c(path.read_text(), names), fix)
    print("\n".join(complaints) if complaints else "functions: named with their schema")
    return 1 if complaints and not fix else 0


sys.exit(main())
