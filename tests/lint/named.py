#!/usr/bin/env python3
"""What the documents name is there: files of this tree, and tests in them (`folder/test_x.py::test_y`; `::test_y`: of the file named before it
in the same row). Prints each that is not; exit 1 if any."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOPS = ("deploy", "docs", "include", "schemas", "src", "tests")
SPAN = re.compile(r"`([^`\s]+)`|\]\(([^)\s#]+)(?:#[^)]*)?\)")
NAMED = re.compile(r"([\w./*-]*\w\.(?:c|h|py|sql|md|yml|service|avsc|sh|html))?(?:::(\w+))?|(test_\w+)")
ELSEWHERE = re.compile(r"^/")  # of the machine that it runs on


def documents():
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def tree():
    return [str(p.relative_to(ROOT)) for top in TOPS for p in sorted((ROOT / top).rglob("*")) if p.is_file() and "__pycache__" not in p.parts]


def found(files, name):
    """Those files whose path ends so; `*` is any part of a name."""
    end = re.compile(r"(^|/)" + re.escape(name.removeprefix("../").removeprefix("./")).replace(r"\*", "[^/]*") + "$")
    return [path for path in files if end.search(path)]


def has_test(path, name):
    return re.search(rf"^(?:def )?{name} ?\(", (ROOT / path).read_text(), re.M) is not None


def wrong_of(files, line):
    """(what, why) of one line."""
    last = None
    for match in SPAN.finditer(line):
        name = match[1] or match[2]
        one = NAMED.fullmatch(name.removeprefix("..") if name.startswith("..::") else name)
        if one is None or not any(one.groups()) or ELSEWHERE.match(name):
            continue
        path, test, bare = one.groups()
        if path:
            last = found(files, path)
        if path and not last:
            yield name, "there is no such file"
        elif bare and not found(files, f"{bare}.py") + found(files, f"{bare}.c"):
            yield name, "there is no such file of tests"
        elif test and not (last and any(has_test(p, test) for p in last)):
            yield name, f"no such test in {' '.join(last or ['any file named before'])}"


def main():
    files, wrong = tree(), []
    for document in documents():
        for number, line in enumerate(document.read_text().splitlines(), 1):
            wrong += [f"{document.relative_to(ROOT)}:{number}: `{name}`: {why}" for name, why in wrong_of(files, line)]
    print("\n".join(wrong) if wrong else "documents: all they name is there")
    return 1 if wrong else 0


sys.exit(main())
