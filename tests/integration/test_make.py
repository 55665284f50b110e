"""`make check ARGS=...` with a file that does not exist ends before anything is built."""

import os
import subprocess

import pytest

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
