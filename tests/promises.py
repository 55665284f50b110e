"""Which cases of a run show each guarantee of docs/guarantees.md, and which kill at each fault
point. A guarantee or a point without a case is a failure of the run.

A case is the id of a test of pytest (`fault/test_zombie.py::test_x[a]`) or a C unit
(`unit/pg/test_quoted.c`), below tests/."""

import collections
import os
import pathlib
import re
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
GUARANTEES = HERE.parent / "docs/guarantees.md"
# A file or folder below tests/, a test in it, or a test in the file that was named before.
NAMED = re.compile(r"`((?:unit|integration|fault|model)/[\w./]*)?(?:\.\.)?(?:::(\w+))?`")
KILLED = "TEST_KILLED"  # the file with `point case` lines, for the processes of a run


@dataclass
class Promise:
    section: str
    text: str
    tests: list = field(default_factory=list)  # (file or folder, test or None)

    def shown_by(self, case):
        return any(case.startswith(place) and (test is None or re.match(rf"{re.escape(place)}::{test}(\[|$)", case))
                   for place, test in self.tests)

    def __str__(self):
        words = re.sub(r"[`*]|\]\([^)]*\)|\[", "", self.text)
        return words if len(words) <= 90 else f"{words[:87].rstrip()}..."


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def promises(text=None):
    """The guarantees, in the order of the page: the rows of its tables, whose last column names
    tests."""
    found, section, before = [], "", ""
    for line in (GUARANTEES.read_text() if text is None else text).splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("|") and before.startswith("|") and not re.match(r"\|[-|]+$", line):
            first, *_, named = cells(line)
            found.append(Promise(section, first, tests_in(named)))
        before = line
    return found


def tests_in(cell):
    found, file = [], None
    for place, test in NAMED.findall(cell):
        file = place or file
        if place or test:
            found.append((file, test or None))
    return found


def record_kill(point):
    """Remembers that the test that runs now starts a daemon that ends or fails at POINT."""
    if KILLED in os.environ:
        case = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" (")[0].removeprefix("tests/")
        with open(os.environ[KILLED], "a") as file:
            file.write(f"{point.partition('=')[0].partition(':')[0]} {case}\n")


def kills(path, passed):
    """{point: [case]} of what the processes of a run have recorded, of cases that PASSED."""
    found = collections.defaultdict(list)
    for line in path.read_text().splitlines() if path.exists() else []:
        point, _, case = line.partition(" ")
        if case in passed and case not in found[point]:
            found[point].append(case)
    return found


def list_cases(title, by_name):
    """Lines with each name and its cases, and the names that have none."""
    lines = [f"## {title}", ""]
    for name, cases in by_name:
        lines += [f"{name}", *(f"    {case}" for case in sorted(cases) or ["NO CASE"]), ""]
    return lines, [name for name, cases in by_name if not cases]


def functions(cases):
    """{file::test: number of its cases}"""
    return collections.Counter(case.partition("[")[0] for case in cases)


def list_more(cases, only_here):
    """Lines with what CASES have that `make check` has not, ONLY_HERE, by guarantee. What shows
    several guarantees stands at the first."""
    left, lines, section = set(only_here), [], None
    for promise in promises():
        here = {case for case in left if promise.shown_by(case)}
        left -= here
        if here and promise.section != section:
            section = promise.section
            lines += ["", section]
        if here:
            lines += [f"  {promise}", *list_functions(here, cases)]
    if left:
        lines += ["", "Named by no guarantee", *list_functions(left, cases)]
    return lines


def list_functions(here, cases):
    every = functions(cases)
    return [f"    {name}: {n} of {every[name]}" for name, n in sorted(functions(here).items())]
