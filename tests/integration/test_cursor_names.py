"""A column of a folder's cursor can have any name: what the engine keeps of a run is apart from
it. Of a thousand rows those with an even id go, in pages of a hundred."""

import json

import pytest

from support.own_job import DECIDE, JOB, OWN, REMOVED, own, tick, without_notes  # noqa: F401
from support.scene import result

NAMES = ("limit", "plan_gone", "ranges", "by_rows", "portion", "of", "looks", "systemic", "timeouts", "index", "began_at")
PAGE = ('SELECT s.id AS key, s.id AS "{name}" FROM scratch s WHERE s.id > :cursor.{name}::bigint{until}'
        " ORDER BY s.id LIMIT :limit::int")
UNTIL = " AND (:until.{name}::bigint IS NULL OR s.id <= :until.{name}::bigint)"
EVEN = DECIDE.replace("'removed'", "CASE WHEN k % 2 = 0 THEN 'removed' ELSE 'kept' END")
DONE = {"status": "completed", "updated_rows": 500, "removed": 500, "kept": 500}


def folder(own, name, until="", more="", settings=None):  # noqa: F811
    files = {"page": PAGE.format(name=name, until=until.format(name=name)), "decide": EVEN, "apply/removed/10-scratch": OWN}
    return without_notes(own(files, conf=REMOVED + "[what kept]\n", more=f"cursor = {name} bigint\n{more}", settings=settings))


def even_rows_have_gone(scene, run_id):
    row = scene.run_row(run_id)
    assert (row["state"], row["error"], {key: result(row).get(key) for key in DONE}) == ("finished", None, DONE), row
    assert scene.database.column("SELECT id FROM scratch ORDER BY id") == list(range(1, 1001, 2))
    return row


@pytest.mark.check_all
@pytest.mark.parametrize("name", NAMES)
def test_a_run_goes_through_all_rows_whatever_its_cursor_is_called(own, name):  # noqa: F811
    scene = folder(own, name)
    assert scene.run("check", JOB).code == 0
    run_id = tick(scene)
    scene.run_until_idle()
    assert even_rows_have_gone(scene, run_id)["step"] == 10


@pytest.mark.check_first(1)
@pytest.mark.parametrize("name", ("ranges", "limit", "of"))
def test_so_does_a_run_in_ranges(own, name):  # noqa: F811
    scene = folder(own, name, UNTIL, "reads = ranges", {f"jobs.{JOB}.ranges": 3, f"jobs.{JOB}.batch": 20})
    run_id = tick(scene)
    scene.run_until_idle()
    even_rows_have_gone(scene, run_id)
    assert scene.database.value("SELECT count(DISTINCT step / 100000000) FROM pruned.deletions") == 3


@pytest.mark.check_first(1)
@pytest.mark.parametrize("name", ("plan_gone", "limit"))
def test_a_plan_counts_all_rows(own, name):  # noqa: F811
    scene = folder(own, name, settings={f"jobs.{JOB}.mode": "plan"})
    run_id = tick(scene)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert row["state"] == "finished" and {"mode": "plan", "removed": 500, "kept": 500}.items() <= result(row).items(), row


# --- a run that is under way, beside the version before: that has the engine's keys in the cursor

def evens(first, last):
    return list(range(first, last + 1, 2))


UNDER_WAY = {
    "the version before has cut it": ("id", {"id": 300, "limit": 10}, None, evens(302, 310), evens(302, 1000)),
    "the version before has gone on with it": ("id", {"id": 300}, {"limit": 10, "plan_gone": "{"}, evens(302, 400), evens(302, 1000)),
    "the version before has begun a plan": ("id", {"id": 300, "plan_gone": "{"}, None, [], []),
    "the version before does not know where it was": ("limit", {"limit": 500}, None, evens(2, 100), evens(2, 1000)),
    "this version has cut it": ("limit", {"limit": 300}, {"limit": 10}, evens(302, 310), evens(302, 1000)),
    "this version has begun a plan": ("plan_gone", {"plan_gone": 300}, {"plan_gone": "{"}, [], []),
}


@pytest.mark.check_all
@pytest.mark.parametrize("when", UNDER_WAY)
def test_a_run_that_was_begun_before_goes_on(own, when):  # noqa: F811
    name, cursor, progress, first, gone = UNDER_WAY[when]
    scene = folder(own, name)
    scene.run("pause", JOB)
    run_id = tick(scene)
    scene.run_until_idle()
    scene.database.execute("UPDATE pruned.runs SET step = 3, started_at = now(), cursor = %s, progress = %s WHERE run_id = %s",
                           [json.dumps(cursor), json.dumps(progress) if progress else None, run_id])
    scene.run("resume", JOB)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert (row["state"], result(row)["status"], result(row).get("mode")) == ("finished", "completed", None if gone else "plan"), row
    steps = scene.database.rows("SELECT step, keys FROM pruned.deletions WHERE run_id = %s ORDER BY step", [run_id])
    assert (sorted(steps[0]["keys"]) if steps else []) == first
    assert sorted(key for step in steps for key in step["keys"]) == gone
    assert scene.database.column("SELECT id FROM scratch ORDER BY id") == sorted(set(range(1, 1001)) - set(gone))
