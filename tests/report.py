"""What a run of the tests has found: counts, cases with their times, lists that it keeps."""

import json
import pathlib
import re
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field

import promises

TAP_LINE = re.compile(r"^(not )?ok\b.*?(# *SKIP\b.*)?$", re.I)
SAID = 2000  # characters of why a test failed
SLOWEST = 10
FAILED = "TEST_FAILED"  # where it writes each failure as it comes
MARKED = "TEST_MARKED"  # where conftest.py writes which cases are marked check_all


def say(text):
    print(text, flush=True)


@dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    units: list = field(default_factory=list)  # and lints and fuzz programs that failed
    cases: dict = field(default_factory=dict)  # those that passed: seconds

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.units += other.units
        self.cases |= other.cases


def count_tap(code, text):
    """A program that ends with an error, or runs fewer tests than it announced, counts as one more
    failure."""
    count, planned = Count(), None
    for line in text.splitlines():
        if line.startswith("1.."):
            planned = int(line[3:].split()[0])
        told = TAP_LINE.match(line)
        if told and told[1]:
            count.failed += 1
        elif told and told[2]:
            count.skipped += 1
        elif told:
            count.passed += 1
    told = count.passed + count.failed + count.skipped
    if (code != 0 and count.failed == 0) or planned != told:
        count.failed += 1
    return count


# --- pytest's report

def case_of(test):
    """The id of a testcase of pytest, as promises.py names it."""
    return f"{test.get('classname', '').replace('.', '/')}.py::{test.get('name')}"


def say_failures(suite):
    """Says each failed test again, and why, in one place: the report of a storm is long."""
    for test in suite.iter("testcase"):
        for trouble in (*test.iter("failure"), *test.iter("error")):
            say(f"failed: {test.get('classname')}::{test.get('name')}: {trouble.get('message', '')[:SAID]}")


def count_suite(suite):
    number = {k: int(suite.get(k, 0)) for k in ("tests", "failures", "errors", "skipped")}
    bad = number["failures"] + number["errors"]
    ran = {case_of(test): float(test.get("time", 0)) for test in suite.iter("testcase")
           if not any(test.find(end) is not None for end in ("failure", "error", "skipped"))}
    return Count(number["tests"] - bad - number["skipped"], bad, number["skipped"], cases=ran)


def count_junit(code, path):
    if not path.exists():
        say(f"pytest ended with {code} and without a report")
        return Count(failed=1)
    count = Count()
    for suite in xml.parse(path).getroot().iter("testsuite"):
        count.add(count_suite(suite))
        say_failures(suite)
    if code != 0 and count.failed == 0:
        say(f"pytest ended with {code}")
        count.failed += 1
    return count


# --- what a whole run keeps, in a folder of its own

class Kept:
    """The lists of one run. `marked` is a JSON list of ids: all cases that are marked check_all."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.killed, self.marked, self.failed = folder / "killed.txt", folder / "marked.json", folder / "failed.txt"
        for path in (self.killed, self.marked, self.failed):
            path.unlink(missing_ok=True)

    def tell(self, environment):
        environment[promises.KILLED], environment[MARKED], environment[FAILED] = str(self.killed), str(self.marked), str(self.failed)

    def keep_durations(self, cases):
        slowest = sorted(cases.items(), key=lambda case: -case[1])
        (self.folder / "durations.txt").write_text("".join(f"{seconds:8.2f} {case}\n" for case, seconds in slowest))
        say(f"slowest of {len(cases)} cases, {sum(cases.values()):.0f} s in all ({shown(self.folder / 'durations.txt')}):")
        for case, seconds in slowest[:SLOWEST]:
            say(f"{seconds:8.1f} s {case}")

    def check_promises(self, cases, points):
        """A failure for each guarantee without a case, and for each of the fault POINTS."""
        killed = promises.kills(self.killed, cases)
        by_promise = [(f"{p.section}: {p}", [case for case in cases if p.shown_by(case)]) for p in promises.promises()]
        lines, empty = promises.list_cases("Guarantees", by_promise)
        more, unkilled = promises.list_cases("Fault points", [(point, killed.get(point, [])) for point in points])
        (self.folder / "promises.txt").write_text("\n".join(lines + more) + "\n")
        say(f"{len(by_promise)} guarantees and {len(points)} fault points, each with its cases: {shown(self.folder / 'promises.txt')}")
        return Count(passed=2 - bool(empty) - bool(unkilled), failed=bool(empty) + bool(unkilled),
                     units=[f"no case shows: {name}" for name in empty] + [f"no case kills at {point}" for point in unkilled])

    def say_more(self, cases):
        """What this run has and `make check` has not."""
        only_here = set(json.loads(self.marked.read_text())) & cases.keys() if self.marked.exists() else set()
        say(f"{len(only_here)} of {len(cases)} cases are not in `make check`:")
        say("\n".join(promises.list_more(cases, only_here)))


def shown(path):
    return path.relative_to(pathlib.Path.cwd()) if path.is_relative_to(pathlib.Path.cwd()) else path
