#!/usr/bin/env python3
"""Prints the ten longest functions and files: candidates for a split. It never fails."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOPS = ("src", "include", "tests/unit", "tests/fuzz")


def functions(lines):
    """(name, first line, length) of each function: its body starts and ends with a brace in the
    first column."""
    start = None
    for number, line in enumerate(lines, 1):
        if line.startswith("{"):
            start = number
        elif line.startswith("}") and start is not None and not line.startswith("};"):
            yield name_above(lines, start), start, number - start - 1
            start = None


def name_above(lines, brace):
    for line in reversed(lines[max(0, brace - 8):brace - 1]):
        if line and not line[0].isspace() and "(" in line:
            return line.split("(")[0].split()[-1].lstrip("*")
    return "?"


def main():
    files, found = [], []
    for path in (p for top in TOPS for p in sorted((ROOT / top).rglob("*.[ch]"))):
        lines = path.read_text().splitlines()
        name = path.relative_to(ROOT)
        files.append((len(lines), name))
        found += [(length, f"{name}:{line} {function}") for function, line, length in functions(lines)]
    lengths = sorted(length for length, _ in found)
    if lengths:
        print(f"{len(lengths)} functions: median {lengths[len(lengths) // 2]}, "
              f"p90 {lengths[len(lengths) * 9 // 10]} lines")
    print("longest functions:")
    for length, where in sorted(found, key=lambda f: (-f[0], f[1]))[:10]:
        print(f"  {length:5} {where}")
    print("longest files:")
    for length, where in sorted(files, key=lambda f: (-f[0], str(f[1])))[:10]:
        print(f"  {length:5} {where}")


main()
