"""A run of the tests fails if a guarantee has no case, or if nobody kills at a fault point; and
what `make check` leaves out is listed by guarantee."""

import pytest

import promises
import report

PAGE = """# Guarantees

## Nothing twice

| promise | mechanism | tests |
|---|---|---|
| A step happens **once** | [the fence](design.md) | `fault/test_x.py::test_killed`, `::test_stopped`, `unit/pg/test_y.c` |
| Offsets | rows | all of `integration/` |
| Nobody shows this | hope | - |

## Errors

| input | tests |
|---|---|
| a long one | `integration/test_long.py` |
"""
CASES = {"fault/test_x.py::test_stopped[a-1]": 1.5, "fault/test_x.py::test_killed_too": 0.1, "unit/pg/test_y.c": 0.1,
         "integration/test_tick.py::test_z": 2.0}


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setattr(promises, "GUARANTEES", tmp_path / "guarantees.md")
    promises.GUARANTEES.write_text(PAGE)


@pytest.fixture
def kept(tmp_path, page, capsys):
    return report.Kept(tmp_path / "check")


def test_a_guarantee_has_the_cases_of_the_tests_that_it_names(page):
    found = promises.promises()
    assert [(p.section, str(p)) for p in found] == [("Nothing twice", "A step happens once"), ("Nothing twice", "Offsets"),
                                                    ("Nothing twice", "Nobody shows this"), ("Errors", "a long one")]
    assert [[case for case in CASES if p.shown_by(case)] for p in found] == [
        ["fault/test_x.py::test_stopped[a-1]", "unit/pg/test_y.c"], ["integration/test_tick.py::test_z"], [], []]


def test_a_guarantee_without_a_case_is_a_failure(kept):
    count = kept.check_promises(CASES, [])
    assert (count.passed, count.failed) == (1, 1)
    assert count.units == ["no case shows: Nothing twice: Nobody shows this", "no case shows: Errors: a long one"]
    assert (kept.folder / "promises.txt").read_text().count("NO CASE") == 2


def test_a_fault_point_where_no_passed_case_kills_is_a_failure(kept, monkeypatch):
    promises.GUARANTEES.write_text("")
    monkeypatch.setenv(promises.KILLED, str(kept.killed))
    for point, case in [("step.one=some.job:kill:2", "fault/test_x.py::test_stopped[a-1] (call)"),
                        ("step.two:kill", "fault/test_x.py::test_that_failed (call)")]:
        monkeypatch.setenv("PYTEST_CURRENT_TEST", case)
        promises.record_kill(point)
    count = kept.check_promises(CASES, ["step.one", "step.two", "step.three"])
    assert (count.passed, count.failed) == (1, 1)
    assert count.units == ["no case kills at step.two", "no case kills at step.three"]


def test_what_check_leaves_out_is_listed_by_guarantee(page):
    lines = promises.list_more(CASES, {"fault/test_x.py::test_stopped[a-1]", "fault/test_x.py::test_killed_too"})
    assert lines == ["", "Nothing twice", "  A step happens once", "    fault/test_x.py::test_stopped: 1 of 1",
                     "", "Named by no guarantee", "    fault/test_x.py::test_killed_too: 1 of 1"]


def test_each_guarantee_names_tests_that_are_there():
    for promise in promises.promises():
        assert promise.tests, str(promise)
        for place, test in promise.tests:
            assert (promises.HERE / place).exists(), place
            assert test is None or f"def {test}(" in (promises.HERE / place).read_text(), (place, test)


def test_each_line_of_quick_names_a_test_that_is_there():
    lines = [line.split()[1] for line in (promises.HERE / "quick.txt").read_text().splitlines() if line and line[0] != "#"]
    for file, _, test in (line.partition("::") for line in lines):
        assert f"def {test}(" in (promises.HERE / file).read_text(), (file, test)
