#!/usr/bin/env python3
"""Checks how long functions and files are. Prints each that is too long; exit 1 if any.

    longest.py [--all]    --all: prints the ten longest functions and files, too

Nine of ten functions have at most 50 lines, and none of src has more; in tests, where tables of
rows stand in functions, 60. Files have at most 350 lines, or 700 where the comment at their head
says why, behind `Length:`. Source and tests are reported by themselves."""

import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENDINGS = (".c", ".h", ".py", ".sql")
MOST_OF_NINE, MOST_OF_A_FILE, MOST_WITH_A_REASON = 50, 350, 700
# Of a function, by the folder that it is in.
MOST = {"src": 50, "include": 50, "schemas": 50, "tests": 60, "tools": 60}
TESTS = ("tests", "tools")
# Long because they are lists, in the order in which they are read.
LISTS = {"schemas/app/tables.sql", "src/cli/demo/sql/instance.sql"}


def functions_of_c(text):
    """(name, first line, length) of each function: its body starts and ends with a brace in the
    first column."""
    lines, start = text.splitlines(), None
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


def functions_of_python(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            yield node.name, node.lineno, node.end_lineno - node.body[0].lineno + 1


def most_of_a_file(text):
    head = re.match(r"(?:#!.*\n)?(/\*.*?\*/|\"{3}.*?\"{3}|(?:--.*\n)+)", text, re.S)
    return MOST_WITH_A_REASON if head and re.search(r"\bLength: \w", head[1]) else MOST_OF_A_FILE


FUNCTIONS = {".c": functions_of_c, ".h": functions_of_c, ".py": functions_of_python, ".sql": lambda text: ()}


def measured(tops):
    """(length, most, place) of each file, and of each function, below these folders."""
    files, functions = [], []
    for top, most in ((top, MOST[top]) for top in tops):
        for path in sorted(p for p in (ROOT / top).rglob("*") if p.suffix in ENDINGS):
            text, name = path.read_text(), str(path.relative_to(ROOT))
            if name not in LISTS:
                files.append((len(text.splitlines()), most_of_a_file(text), name))
            functions += [(length, most, f"{name}:{line} {function}") for function, line, length in FUNCTIONS[path.suffix](text)]
    return files, functions


def print_longest(what, found):
    print(f"longest {what}:")
    for length, _, place in sorted(found, key=lambda one: (-one[0], one[2]))[:10]:
        print(f"  {length:5} {place}")


def report(what, tops):
    """Whether nothing is too long."""
    files, functions = measured(tops)
    lengths = sorted(length for length, _, _ in functions)
    ninth = lengths[len(lengths) * 9 // 10]
    if "--all" in sys.argv[1:]:
        print_longest(f"functions of {what}", functions)
        print_longest(f"files of {what}", files)
    complaints = [f"{place}: {length} lines, at most {most}" for length, most, place in [*files, *functions] if length > most]
    if ninth > MOST_OF_NINE:
        complaints.append(f"{what}: one function in ten has {ninth} lines or more: nine of ten have at most {MOST_OF_NINE}")
    print("\n".join(complaints) if complaints else
          f"{what}: {len(lengths)} functions: median {lengths[len(lengths) // 2]} lines, nine of ten at most {ninth}, "
          f"the longest {lengths[-1]}")
    return not complaints


def main():
    source = report("source", [top for top in MOST if top not in TESTS])
    return 0 if report("tests", TESTS) and source else 1


if __name__ == "__main__":
    sys.exit(main())
