#!/usr/bin/env python3
"""External functions and variables of src that nobody uses: neither another object of the program
nor a C source of the tests. They are dead, or could be static. Functions of include/pruned need no
user yet: they are for authors of jobs. Reads the objects of a build (build/release, or the given
folder); prints each, exit 1 if any."""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("TEST_BUILD") or ROOT / "build/release")


def symbols(objects):
    """Of each object: (what it defines, symbols that it needs from others)."""
    found = {path: (set(), set()) for path in objects}
    listed = subprocess.run(["nm", "-P", "-A", *objects], check=True, capture_output=True, text=True).stdout if objects else ""
    for path, name, kind in re.findall(r"^(\S+): (\S+) (\w)", listed, re.M):
        defined, wanted = found[pathlib.Path(path)]
        if kind in "TDBR" and "." not in name:  # those of a sanitizer are no names of C
            defined.add(name)
        elif kind == "U":
            wanted.add(name)
    return found


def source_of(path):
    return ROOT / path.relative_to(BUILD).with_suffix(".c")


def words(*globs):
    return {word for glob in globs for path in ROOT.glob(glob) for word in re.findall(r"\w+", path.read_text())}


def named_for_linker():
    return {name for path in ROOT.glob("src/**/*.c") for name in re.findall(r'\bNAMED \("(\w+)"\)', path.read_text())}


def main():
    # The objects of sources that are gone stay in a build.
    objects = symbols([path for path in sorted(BUILD.glob("src/**/*.o")) if source_of(path).exists()])
    if not objects:
        print(f"unused.py: no objects below {BUILD / 'src'}: make first")
        return 1
    users = {}  # name -> how many objects need it
    for _, asked in objects.values():
        for name in asked:
            users[name] = users.get(name, 0) + 1
    # The dynamic linker finds those that libraries call.
    spared = words("tests/**/*.c", "tests/**/*.h", "include/pruned/*.h") | {"main", *named_for_linker()}
    complaints = [f"{source_of(path).relative_to(ROOT)}: {name} is used by nobody else: remove it, or make it static"
                  for path, (defined, _) in objects.items() for name in sorted(defined) if name not in users and name not in spared]
    print("\n".join(complaints) if complaints else "functions and variables: each is used")
    return 1 if complaints else 0


sys.exit(main())
