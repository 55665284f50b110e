"""`make check ARGS=...` with a file that does not exist ends before anything is built. A C unit
that hangs is ended and named."""

import os
import subprocess

import pytest

import run
from stack.found import PROJECT
from support.pruned import clean_environment

HERE = "tests/integration"


@pytest.mark.parametrize("goal", ["check", "quick"])
@pytest.mark.parametrize("arguments", [f"{HERE}/nothing.py", "nothing.py -k some", f"{HERE}/nothing.py::test_x"])
def test_a_file_that_does_not_exist_is_said_at_once(goal, arguments, tmp_path):
    without_make = {name: value for name, value in clean_environment().items() if not name.startswith("MAKE") and name != "MFLAGS"}
    made = subprocess.run(["make", goal, f"ARGS={arguments}", f"BUILD={tmp_path}/build"], cwd=PROJECT, env=without_make, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert made.returncode == 2
    assert f"ARGS: there is no file {arguments.split()[0]}" in made.stderr
    assert made.stdout == "" and not os.listdir(tmp_path)


def test_a_unit_that_hangs_is_ended_and_named(tmp_path, monkeypatch, capsys):
    hangs = tmp_path / "unit/engine/test_hangs"
    hangs.parent.mkdir(parents=True)
    hangs.write_text("#!/bin/sh\necho 1..2\necho ok 1\nexec sleep 1000\n")
    hangs.chmod(0o755)
    monkeypatch.setattr(run, "UNIT_DEADLINE_S", 1)
    monkeypatch.setattr(run, "waits_for_kafka", lambda source: False)
    count = run.run_units(tmp_path, [run.HERE / "unit/engine/test_hangs.c"])
    assert count.failed == 1
    assert [named.startswith("engine/test_hangs ended with no end within ") for named in count.units] == [True]
    assert "--- engine/test_hangs ended with no end within " in capsys.readouterr().out
