"""Files of a job's folder that are no text, or no files: they are refused with their place, and
nothing waits for them. Each of them: unit/engine/job/test_job_files.c."""

import os

import pytest

from support.own_job import DECIDE, JOB, KEPT, OWN, PAGE, REMOVED, counts, goes_well, own, tick, without_notes, write  # noqa: F401
from support.scene import result

HELD = "SELECT s.id AS key, CASE WHEN s.id <= 500 THEN 'kept' ELSE 'removed' END AS what, NULL::text AS reason FROM unnest(:key::bigint[]) k JOIN scratch s ON s.id = k"
WORDS = REMOVED + "[what kept]\n"


@pytest.fixture
def mended(own, tmp_path):  # noqa: F811
    """A job that is well, and a way to replace bytes of one of its files."""
    scene = without_notes(own({"page": PAGE, "decide": HELD, "apply/removed/10-scratch": OWN}, conf=WORDS))

    def replace(file, old, new):
        path = tmp_path / "jobs" / JOB / file
        data = path.read_bytes()
        assert old in data
        path.write_bytes(data.replace(old, new))
        return path
    return scene, replace


def test_a_file_that_is_no_text_refuses_its_job(mended):
    scene, replace = mended
    path, line, why = replace("page.sql", b"ORDER BY", b"\0 ORDER BY"), 2, "not UTF-8 text: a NUL byte"
    done = scene.run("check", JOB)
    assert done.code == 2 and f"{path}:{line}" in done.stdout + done.stderr and why in done.stdout + done.stderr, done
    assert "assertion" not in done.stderr, done
    run_id = tick(scene)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert result(row)["status"] == "blocked" and why in result(row)["reason"] and counts(scene) == 1000, row


def test_what_is_no_file_refuses_its_job_and_nothing_waits(mended, tmp_path):
    scene, _ = mended
    path = tmp_path / "jobs" / JOB / "page.sql"
    path.unlink()
    os.mkfifo(path)
    done = scene.run("check", JOB, deadline_s=30)
    assert done.code == 2 and str(path) in done.stdout and "this is no file" in done.stdout, done
    assert scene.run("stop", "--reason", "x", deadline_s=30).code == 0
    assert scene.run("go", deadline_s=30).code == 0


def test_a_byte_order_mark_is_none_of_the_text(mended):
    scene, replace = mended
    for file in ("page.sql", "decide.sql", "apply/removed/10-scratch.sql"):
        replace(file, b"-- A file", b"\xef\xbb\xbf-- A file")
    replace("job.conf", b"\n[job]\n", b"\xef\xbb\xbf[job]\n")
    assert scene.run("check", JOB).code == 0
    assert goes_well(scene, left=500)["removed"] == 500
