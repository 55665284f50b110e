#!/usr/bin/env python3
"""Runs all tests of one build and counts them: `make check` calls it.

    run.py BUILD [pytest's arguments]            make check: without the cases marked check_all
    run.py BUILD --all [pytest's arguments]      make check-all
    run.py BUILD --quick [pytest's arguments]    make quick: the C units, and the tests of quick.txt

BUILD is a folder such as build/release. If the arguments name files, only these run, whatever they
are marked with: tests of pytest, or C units (below tests/unit, by file or by folder).

The runners' own closing lines are shown unchanged. BUILD/check keeps how long each case took
(durations.txt) and which cases show each guarantee (promises.txt). Units, lints and fuzz programs
that failed are named again at the end, and how long all took is said. The last line is `N passed, N
failed`. The exit code is 0 only if nothing failed and something passed."""

import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed, wait

from report import SAID, Count, Kept, count_junit, count_tap, say
from stack.pair import Pair
from stack.process import end_orderly, patient, spawn
from support.pruned import clean_environment

HERE = pathlib.Path(__file__).resolve().parent
UNIT_DEADLINE_S = 120
UNITS_AT_ONCE = max(4, os.cpu_count() or 0)
TEST_DEADLINE_S = 180
# The randomized comparisons rely on the model: it has tests of its own. The longest cases are kills
# and the storm: they do not begin last.
FOLDERS = ("model", "fault", "integration")
FUZZ_S = 30
# Random worlds a model, and rounds of the storm: what `make check` has of them.
FEW = {"TEST_SEEDS": "15", "TEST_STORM_ROUNDS": "3"}
MANY = {"TEST_SEEDS": "60"}
# Arguments with which pytest runs only some of the cases.
CHOOSING = re.compile(r"-[km]|--(deselect|ignore|lf|last-failed|co\b|collect)")
# `make lint` runs these, too, and cppcheck.
OF_A_BUILD = ("layers.py", "unused.py", "prefixed.py")
OF_THE_TREE = ("qualified.py", "named.py", "wrapped.py", "formatted.py", "mirrored.py", "longest.py", "kinds.py")


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


def unit_sources(place=HERE / "unit"):
    return sorted(place.rglob("test_*.c")) if place.is_dir() else [place]


def waits_for_kafka(source):
    return "support/cluster.h" in source.read_text()


def run_unit(build, source):
    """(name, exit code or a word, output, seconds) of one unit."""
    name, began = source.relative_to(HERE / "unit").with_suffix(""), time.monotonic()
    told = output_of([build / "unit" / name, "--tap"], patient(UNIT_DEADLINE_S), env=clean_environment())
    return name, *told, time.monotonic() - began


def run_units(build, sources):
    """Runs some units at once and tells of each when it has ended. Those that wait for most of
    their time begin first."""
    total = Count()
    ordered = sorted(sources, key=waits_for_kafka, reverse=True)
    with ThreadPoolExecutor(UNITS_AT_ONCE) as pool:
        for ended in as_completed([pool.submit(run_unit, build, source) for source in ordered]):
            name, code, text, seconds = ended.result()
            count = count_tap(code, text)
            if not count.failed:
                count.cases[f"unit/{name}.c"] = seconds
            total.add(count)
            if count.failed:
                say(f"--- {name} ended with {code}\n{text}")
                total.units.append(f"{name} ended with {code}")
            say(f"{name}: {count.passed} ok, {count.failed} not ok"
                + (f", {count.skipped} skipped" if count.skipped else ""))
    say(f"unit: {total.passed} ok, {total.failed} not ok")
    return total


def run_lint(name, *arguments):
    code, text = output_of([sys.executable, HERE / "lint" / name, *arguments], 120)
    say(text.rstrip())
    return Count(1) if code == 0 else Count(failed=1, units=[f"{name}: {text[-SAID:].rstrip()}"])


def run_lints(build):
    total = Count()
    for lint in OF_A_BUILD:
        total.add(run_lint(lint, build))
    for lint in OF_THE_TREE:
        total.add(run_lint(lint))
    return total


def fuzz_one(program):
    """(exit code or a word, output) of one fuzz program. It starts with the kept inputs, in its own
    folder."""
    with tempfile.TemporaryDirectory() as scratch:
        return output_of([program, f"-max_total_time={FUZZ_S}", "-verbosity=0", "-print_funcs=0", scratch,
                          *HERE.glob(f"fuzz/corpus/{program.name}")], 20 * FUZZ_S, cwd=scratch)


def run_fuzz(build):
    """Runs each fuzz program for a short time, all at once: each is one thread and ends after a
    given time."""
    programs = [p for p in sorted(build.with_name("fuzz").glob("fuzz_*")) if not p.suffix]
    total = Count(failed=int(not programs))
    with ThreadPoolExecutor(len(programs) or 1) as pool:
        for program, (code, text) in zip(programs, pool.map(fuzz_one, programs)):
            total.add(Count(passed=int(code == 0), failed=int(code != 0)))
            if code != 0:
                say(f"--- {program.name} ended with {code}\n{text[-6000:]}")
                total.units.append(f"{program.name} ended with {code}")
            say(f"{program.name}: {FUZZ_S} s, {'ok' if code == 0 else 'not ok'}")
    return total


def place_of(argument):
    """The file or folder that an argument names, or None."""
    path = pathlib.Path(argument.split("::")[0])
    return path.resolve() if not argument.startswith("-") and path.exists() else None


def quick_tests():
    """The tests of tests/quick.txt, and the jobs that are missing in it."""
    lines = [line.split() for line in (HERE / "quick.txt").read_text().splitlines() if line and line[0] != "#"]
    jobs = {conf.parent.name for conf in HERE.parent.glob("src/jobs/*/job.conf")}
    return [str(HERE / test) for _, test in lines], sorted(jobs - {job for job, _ in lines})


def is_one_test(argument):
    """Whether it names a single test: not a file, and not a function with several parameters."""
    file, _, name = argument.partition("::")
    if not name or "[" in name:
        return bool(name)
    return not re.search(rf"parametrize\((?:(?!\ndef ).)*\ndef {name}\b", place_of(file).read_text(), re.S)


def workers(arguments):
    """How many processes of pytest. Each makes for itself what tests share, so a single test runs
    in pytest's own (0). A whole folder waits for most of its time: six keep two cores busy."""
    named = [argument for argument in arguments if place_of(argument)]
    if len(named) == 1 and is_one_test(named[0]):
        return 0
    return 6 if len(named) > 20 or any(place_of(argument).is_dir() for argument in named) else 3


def keep_bytecode():
    """Pytest finds what it has compiled of the tests, also in an earlier run and where the
    environment says to keep none. To compile all takes a process 14 s."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(HERE.parent / "build/bytecode")


def compile_tests(folders):
    """Each worker of pytest would compile all for itself. What does not compile fails with the
    tests."""
    output_of([sys.executable, "-m", "pytest", "-c", HERE / "pytest.ini", "-q", "--collect-only", *folders], 300, cwd=HERE.parent)


def show_later(stream, others):
    """Shows what is printed once OTHERS, futures, have ended; what came before is kept until
    then."""
    wait(others)
    for line in iter(lambda: os.read(stream.fileno(), 1 << 16), b""):
        os.write(sys.stdout.fileno(), line)


def run_pytest(arguments, beside=()):
    """BESIDE: futures of what runs at the same time and tells of itself first."""
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(1) as shown:
        report = pathlib.Path(scratch) / "report.xml"
        process = spawn(
            [sys.executable, "-m", "pytest", "-c", HERE / "pytest.ini", "-q", "-n", str(workers(arguments)),
             "--dist", "worksteal", f"--timeout={patient(TEST_DEADLINE_S):.0f}", f"--junitxml={report}",
             *arguments], cwd=HERE.parent, stdout=subprocess.PIPE if beside else None)
        if beside:
            shown.submit(show_later, process.stdout, beside)
        try:
            code = process.wait()
        except BaseException:
            end_orderly(process, 60)
            raise
        return count_junit(code, report)


def run_named(build, arguments):
    """Runs only what the arguments name."""
    units = [source for argument in arguments if (place := place_of(argument)) and place.is_relative_to(HERE / "unit")
             for source in unit_sources(place)]
    rest = [a for a in arguments if not ((place := place_of(a)) and place.is_relative_to(HERE / "unit"))]
    total = run_units(build, units) if units else Count()
    if any(map(place_of, rest)):
        total.add(run_pytest(rest))
    return total


def run_quick(build, arguments):
    tests, forgotten = quick_tests()
    for job in forgotten:
        say(f"tests/quick.txt has no test of {job}")
    total = Count(failed=len(forgotten))
    with ThreadPoolExecutor(1) as pool:
        units = pool.submit(run_units, build, unit_sources())
        total.add(run_pytest([*tests, *arguments], [units]))
        total.add(units.result())
    return total


def fault_points(build):
    """The names of the points at which the binary with faults can be killed."""
    _, text = output_of([build.with_name(f"{build.name}-faults") / "pruned", "version", "--faults"], 60, env=clean_environment())
    return [name for name in text.split() if "." in name]


def run_everything(build, arguments, everything):
    """EVERYTHING: also the cases that are marked check_all, the fuzz programs, and more seeds."""
    kept = Kept(build / "check")
    kept.tell(os.environ)
    for name, value in (MANY if everything else FEW).items():
        os.environ.setdefault(name, value)
    total = run_all_parts(build, arguments if everything else ["-m", "not check_all", *arguments], everything)
    kept.keep_durations(total.cases)
    if not any(map(CHOOSING.match, arguments)):
        if not build.name.startswith("san-"):  # cases that a sanitizer cannot run show nothing
            total.add(kept.check_promises(total.cases, fault_points(build)))
    if everything:
        kept.say_more(total.cases)
    return total


def run_all_parts(build, arguments, everything):
    total = Count()
    folders = [HERE / name for name in FOLDERS if any((HERE / name).glob("test_*.py"))]
    with pair_for_all(), ThreadPoolExecutor(2) as pool:
        # units wait for most of their time
        beside = [pool.submit(run_units, build, unit_sources()), pool.submit(run_lints, build)]
        compile_tests(folders)
        if everything:
            total.add(run_fuzz(build))
        total.add(run_pytest([*map(str, folders), *arguments], beside))
        for one in beside:
            total.add(one.result())
    return total


@contextlib.contextmanager
def pair_for_all():
    """Servers that outlive pytest's own process."""
    pair = Pair(lasts=True)
    try:
        pair.tell()
        yield
    finally:
        pair.close()


def keep_out_others():
    """What the checkout's files are for others, and what tests make, does not depend on who cloned
    it: the program refuses files of jobs that others can change."""
    os.umask(0o022)
    for path in (HERE / "jobs", *(HERE / "jobs").rglob("*")):
        if path.stat().st_mode & 0o002:
            path.chmod(path.stat().st_mode & ~0o002)
        if os.geteuid() == 0 and path.stat().st_uid != 0:
            os.chown(path, 0, -1)


def main():
    began = time.monotonic()
    build, arguments = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    os.environ["TEST_BUILD"] = str(build)
    keep_bytecode()
    keep_out_others()
    os.environ.setdefault("TEST_PATIENCE", "5" if build.name.startswith("san-") else "2")
    modes = {word for word in arguments if word in ("--quick", "--all")}
    arguments = [word for word in arguments if word not in modes]
    if "--quick" in modes:
        total = run_quick(build, arguments)
    elif any(map(place_of, arguments)):
        total = run_named(build, arguments)
    else:
        total = run_everything(build, arguments, "--all" in modes)
    for unit in total.units:
        say(f"failed: {unit}")
    if total.skipped:
        say(f"{total.skipped} skipped")
    minutes, seconds = divmod(round(time.monotonic() - began), 60)
    say(f"took {minutes} min {seconds} s")
    say(f"{total.passed} passed, {total.failed} failed")
    return 0 if total.failed == 0 and total.passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
