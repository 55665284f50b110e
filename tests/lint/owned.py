#!/usr/bin/env python3
"""Counts the fields of a Step that two files or more write, besides step.c, which makes and frees
it. Prints them; exit 1 if they are more than MOST."""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENGINE = ROOT / "src/engine"
MAKES = ENGINE / "step/step.c"
MOST = 6
COMMENT = re.compile(r"/\*.*?\*/", re.S)
DECLARED = re.compile(r"\bStep \*(?:const )?\*?(\w+)")


def fields():
    struct = re.search(r"struct _Step \{(.*?)\n\};", COMMENT.sub("", (MAKES.with_suffix(".h")).read_text()), re.S)[1]
    functions = re.findall(r"\(\*(\w+)\)\s*\(", struct)
    plain = re.sub(r"\w+ \(\*\w+\)\s*\([^)]*\)", "", struct)
    return functions + [name for line in plain.split(";") for name in re.findall(r"(\w+)\s*(?:,|$)", line.strip())]


def main():
    writers = collections.defaultdict(set)
    names = fields()
    for path in sorted((ROOT / "src").rglob("*.c")):
        text = COMMENT.sub("", path.read_text())
        called = "|".join({"step", "lead", *DECLARED.findall(text)})
        if path == MAKES or not DECLARED.search(text):
            continue
        for name in names:
            field = rf"\b(?:{called})(?:\[\w+\])?->{name}\b(?!->)(?:\.\w+)*"
            if re.search(rf"{field}\s*(?:=(?!=)|[-+|&]=|\+\+|--)|(?:\+\+|--|&){field}", text):
                writers[name].add(path.relative_to(ROOT / "src").as_posix())
    shared = {name: files for name, files in writers.items() if len(files) > 1}
    for name, files in sorted(shared.items()):
        print(f"{name}: {' '.join(sorted(files))}")
    print(f"owned.py: {len(names)} fields of a Step, {len(shared)} written by several files")
    return 1 if len(shared) > MOST else 0


sys.exit(main())
