"""What `pruned check` says of the order of a page: of NULL where job.conf says it may be, and of
pages that are too short to show one."""

import shutil

import pytest

from support.places import ROLE
from support.scene import JOBS, fill

JOB = "scratch.remove"
PAGE = """SELECT s.id AS key, s.day, s.id FROM scratch s
WHERE CASE WHEN :cursor.id::bigint < 0 THEN true
           WHEN :cursor.day::date IS NULL THEN s.day IS NULL AND s.id > :cursor.id::bigint
           ELSE s.day IS NULL OR (s.day, s.id) > (:cursor.day::date, :cursor.id::bigint) END
ORDER BY s.day NULLS LAST, {then} LIMIT :limit::int
"""


@pytest.fixture
def own(stored):
    shutil.copytree(JOBS / JOB, stored.folder / "jobs" / JOB)
    stored.database.connection.execute(
        f"CREATE TABLE scratch (id bigint PRIMARY KEY, day date DEFAULT '2026-01-01', note text); GRANT SELECT, UPDATE, DELETE ON scratch TO {ROLE}")
    stored.settings["run.jobs_dir"] = stored.folder / "jobs"
    return stored


def page(pruned, then):
    folder = pruned.folder / "jobs" / JOB
    conf = (folder / "job.conf").read_text()
    (folder / "job.conf").write_text(conf.replace("cursor = day date desc; id bigint desc", "cursor = day date null; id bigint"))
    (folder / "page.sql").write_text(PAGE.format(then=then))
    fill(pruned.database, 100)
    pruned.database.execute("UPDATE scratch SET day = NULL WHERE id % 2 = 0")


def found(pruned, code):
    done = pruned.run("check", JOB, "--json")
    assert done.code == code, done
    return done.json()


@pytest.mark.parametrize("batch", [10, 60, 1000])
def test_null_where_it_may_be_is_well(own, batch):
    page(own, "s.id")
    own.settings[f"jobs.{JOB}.batch"] = batch
    assert all(one["ok"] for one in found(own, 0))
    assert own.run("doctor", "--json").code in (0, 6)


@pytest.mark.parametrize("batch", [10, 60])
def test_rows_behind_null_are_held_to_the_order_of_the_rest(own, batch):
    page(own, "s.id DESC")
    own.settings[f"jobs.{JOB}.batch"] = batch
    wrong = [one for one in found(own, 2) if not one["ok"]]
    assert [one["check"] for one in wrong] == ["page"] and "does not come behind the row before it" in wrong[0]["detail"]


@pytest.mark.parametrize("rows, words", [(0, "too few rows"), (1, "too few rows"), (2, "in the cursor's order")])
def test_an_order_that_cannot_be_seen_is_not_praised(own, rows, words):
    fill(own.database, rows)
    page_said, = [one["detail"] for one in found(own, 0) if one["check"] == "page"]
    assert words in page_said
