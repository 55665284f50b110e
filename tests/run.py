#!/usr/bin/env python3
"""Runs all tests of one build and counts them: `make check` calls it.

    run.py BUILD [pytest's arguments]

BUILD is a folder such as build/release. The runners' own closing lines are shown as they are; the last
line is `N passed, N failed`, and the exit code is 0 only if nothing failed and something passed."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from stack.pair import Pair
from stack.process import end_orderly, patient, spawn
from support.pruned import clean_environment

HERE = pathlib.Path(__file__).resolve().parent
TAP_LINE = re.compile(r"^(not )?ok\b.*?(# *SKIP\b.*)?$", re.I)
UNIT_DEADLINE_S = 120
TEST_DEADLINE_S = 180
# The model is what the randomized comparisons believe: it has tests of its own.
FOLDERS = ("model", "integration", "fault")
FUZZ_S = 30
# `make lint` has these, too, and cppcheck beside them.
OF_A_BUILD = ("layers.py", "unused.py")
OF_THE_TREE = ("qualified.py", "named.py", "wrapped.py", "formatted.py")


@dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped


def say(text):
    print(text, flush=True)


def output_of(argv, deadline_s, **options):
    """(exit code or a word, stdout and stderr) of a program."""
    process = spawn(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                    errors="replace", **options)
    try:
        return_text, _ = process.communicate(timeout=deadline_s)
        return process.returncode, return_text
    except subprocess.TimeoutExpired:
        process.kill()
        return f"no end within {deadline_s} s", process.communicate()[0]


def count_tap(code, text):
    """A program that ends badly, or tests less than it has announced, has failed once more."""
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


def run_units(build):
    total = Count()
    for program in sorted((build / "unit").glob("test_*")):
        if program.suffix:
            continue
        code, text = output_of([program, "--tap"], patient(UNIT_DEADLINE_S), env=clean_environment())
        count = count_tap(code, text)
        total.add(count)
        if count.failed:
            say(f"--- {program.name} ended with {code}\n{text}")
        say(f"{program.name}: {count.passed} ok, {count.failed} not ok"
            + (f", {count.skipped} skipped" if count.skipped else ""))
    say(f"unit: {total.passed} ok, {total.failed} not ok")
    return total


def run_lint(name, *arguments):
    code, text = output_of([sys.executable, HERE / "lint" / name, *arguments], 120)
    say(text.rstrip())
    return Count(passed=int(code == 0), failed=int(code != 0))


def fuzz_one(program):
    """(exit code or a word, what it said): from the kept inputs on, in a folder of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        return output_of([program, f"-max_total_time={FUZZ_S}", "-verbosity=0", "-print_funcs=0", scratch,
                          *HERE.glob(f"fuzz/corpus/{program.name}")], 20 * FUZZ_S, cwd=scratch)


def run_fuzz(build):
    """A short run of each fuzz program, all at once: each is one thread that has its time by the clock."""
    programs = [p for p in sorted(build.with_name("fuzz").glob("fuzz_*")) if not p.suffix]
    total = Count(failed=int(not programs))
    with ThreadPoolExecutor(len(programs) or 1) as pool:
        for program, (code, text) in zip(programs, pool.map(fuzz_one, programs)):
            total.add(Count(passed=int(code == 0), failed=int(code != 0)))
            if code != 0:
                say(f"--- {program.name} ended with {code}\n{text[-6000:]}")
            say(f"{program.name}: {FUZZ_S} s, {'ok' if code == 0 else 'not ok'}")
    return total


def run_pytest(arguments):
    folders = [HERE / name for name in FOLDERS if any((HERE / name).glob("test_*.py"))]
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "report.xml"
        process = spawn(
            [sys.executable, "-m", "pytest", "-c", HERE / "pytest.ini", "-q", "-n", "3",
             "--dist", "worksteal", f"--timeout={patient(TEST_DEADLINE_S):.0f}", f"--junitxml={report}",
             *(arguments or folders)], cwd=HERE.parent)
        try:
            code = process.wait()
        except BaseException:
            end_orderly(process, 60)
            raise
        return count_junit(code, report)


def count_junit(code, report):
    if not report.exists():
        say(f"pytest ended with {code} and without a report")
        return Count(failed=1)
    count = Count()
    for suite in xml.parse(report).getroot().iter("testsuite"):
        number = {k: int(suite.get(k, 0)) for k in ("tests", "failures", "errors", "skipped")}
        bad = number["failures"] + number["errors"]
        count.add(Count(number["tests"] - bad - number["skipped"], bad, number["skipped"]))
    if code != 0 and count.failed == 0:
        say(f"pytest ended with {code}")
        count.failed += 1
    return count


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    os.environ["TEST_BUILD"] = str(build)
    os.environ.setdefault("TEST_PATIENCE", "5" if build.name.startswith("san-") else "2")
    total = Count()
    pair = Pair()
    try:
        pair.tell()
        total.add(run_units(build))
        for lint in OF_A_BUILD:
            total.add(run_lint(lint, build))
        for lint in OF_THE_TREE:
            total.add(run_lint(lint))
        total.add(run_fuzz(build))
        total.add(run_pytest(sys.argv[2:]))
    finally:
        pair.close()
    if total.skipped:
        say(f"{total.skipped} skipped")
    say(f"{total.passed} passed, {total.failed} failed")
    return 0 if total.failed == 0 and total.passed > 0 else 1


sys.exit(main())
