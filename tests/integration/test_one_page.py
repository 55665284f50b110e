"""Whoever follows one page of five rows from its tick to its outcome reads so many files of the
engine, and no more: a function of theirs is entered that a run without work does not enter."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

from stack.found import PROJECT
from support.own_job import DECIDE, OWN, counts, own, tick, without_notes  # noqa: F401

pytestmark = [pytest.mark.check_all, pytest.mark.timeout(1200)]  # it builds the program once more

MOST = 47  # 45 were counted; housekeeping that falls into the time can add some
COVERED = PROJECT / "build/coverage/pruned"


def functions_of(folder):
    """Those that were entered, as (file, function)."""
    notes = PROJECT / "build/coverage/src/engine"
    entered = set()
    for data in folder.rglob("*.gcda"):
        if notes.as_posix() not in data.as_posix():
            continue
        note = notes / data.as_posix().partition(notes.as_posix() + "/")[2].replace(".gcda", ".gcno")
        shutil.copy(note, data.with_suffix(".gcno"))
        told = subprocess.run(["gcov", "--json-format", "--stdout", data], stdout=subprocess.PIPE, check=True, cwd=PROJECT)
        for line in told.stdout.splitlines():
            entered |= {(file["file"], function["name"]) for file in json.loads(line)["files"]
                        for function in file["functions"] if function["execution_count"]}
    return {(file, name) for file, name in entered if file.startswith("src/engine/") and file.endswith(".c")}


@pytest.fixture
def covered(monkeypatch, tmp_path):
    """Runs something with the binary that counts; returns which functions of the engine it
    entered."""
    if shutil.which("gcov") is None:
        pytest.skip("gcov is not installed")
    own_make = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    subprocess.run(["make", "-s", "-j2", "FLAVOUR=coverage", "COVERAGE=1", "CFLAGS=-O0 -g", COVERED.relative_to(PROJECT)],
                   cwd=PROJECT, env=own_make, check=True)
    monkeypatch.setenv("PRUNED_BIN", str(COVERED))

    def run(name, what):
        monkeypatch.setenv("GCOV_PREFIX", str(tmp_path / name))
        what()
        monkeypatch.delenv("GCOV_PREFIX")
        return functions_of(tmp_path / name)
    return run


def test_one_page_is_read_in_few_files(own, covered):  # noqa: F811
    scene = without_notes(own({"decide": DECIDE, "apply/removed/10-scratch": OWN}, rows=5))
    scene.run_until_idle()
    without = covered("idle", scene.run_until_idle)
    tick(scene)
    entered = covered("page", scene.run_until_idle) - without
    assert counts(scene) == 0
    files = {file for file, _ in entered}
    print(f"{len(files)} files, {len(entered)} functions")
    listed = "\n".join(f"{pathlib.Path(file).relative_to('src/engine')}: {' '.join(n for f, n in sorted(entered) if f == file)}"
                       for file in sorted(files))
    assert len(files) <= MOST, f"{len(files)} files, {len(entered)} functions:\n{listed}"
