"""A process dies where a run turns to asking each row by itself, or in such a step: the next one
ends it, each row goes once, and the rows at fault stand alone."""

import pytest

from integration.test_conditions_that_fail import BAD, JOB, WHERE, events, ids, quarantined  # noqa: F401
from support.buckets import TABLE, Uploads
from support.sentences import house  # noqa: F401
from support.scene import now

# The turn is written by the answer to the search that failed. Its steps have 100 rows each; the
# first commit is that of the intake.
POINTS = [("answer.before_commit", 1)] + [(f"step.{at}", n) for at in ("after_effects", "before_commit", "after_commit") for n in (1, 3)]


COMMITS = ("after_effects", "before_commit", "after_commit")


def killed(house, job, point, nth):  # noqa: F811
    """The row of a run whose process dies there, once another one has ended it."""
    house.pruned.with_faults()
    house.start()
    run = house.pruned.run("tick", job, "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
    assert house.pruned.start(environment={"PRUNED_FAULT": f"{point}:kill:{nth}"}).wait(90) == -9
    house.work()
    row = house.pruned.run_row(run)
    assert (row["state"], row["result"]["status"]) == ("finished", "completed"), row
    return run, {what: n for what, n in row["result"].items() if n != 0 and what not in ("status", "updated_rows")}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("point, nth", POINTS)
def test_killed_there_each_row_goes_once(events, point, nth):  # noqa: F811
    events.say(JOB, WHERE)
    run, counters = killed(events, JOB, point, nth)
    assert {"removed": 291, "failed": 4}.items() <= counters.items()
    assert ids(events) == sorted([1, 2, 3, 4, 5, *BAD]) and sorted(quarantined(events)) == BAD
    gone = sorted(int(key) for _, _, key, _ in events.audit(run))
    assert gone == [n for n in range(6, 301) if n not in BAD]


# The night before has put rows into quarantine, and another row is at fault tonight. So the search
# fails twice: the first answer turns to the rows in quarantine, the second to all rows.
@pytest.mark.check_all
@pytest.mark.parametrize("point, nth", [("answer.before_commit", 1), ("answer.before_commit", 2), *((f"step.{at}", 2) for at in COMMITS)])
def test_killed_where_one_more_row_is_at_fault(events, point, nth):  # noqa: F811
    events.say(JOB, WHERE.replace("> 5", "> 400"))
    assert events.done(JOB)[0] == {"status": "failed", "failed": 4}
    events.sql("INSERT INTO events SELECT n, CASE WHEN n = 450 THEN 'another' ELSE n::text END FROM generate_series(350, 600) AS n")
    run, counters = killed(events, JOB, point, nth)
    assert counters == {"removed": 199, "failed": 1, "passed_over": 4}
    assert sorted(quarantined(events)) == [*BAD, 450]
    assert sorted(int(key) for _, _, key, _ in events.audit(run)) == [n for n in range(401, 601) if n != 450]


# Row 10 and row 200 have portions of their own, row 37 is at fault.
@pytest.mark.check_all
@pytest.mark.parametrize("point, nth", [("answer.before_commit", 1), *((f"step.{at}", n) for at in COMMITS for n in (1, 3))])
def test_killed_where_such_rows_go_in_portions(events, point, nth):  # noqa: F811
    events.sql("INSERT INTO event_notes SELECT n, (ARRAY[10, 37, 3, 200])[1 + n / 2500] FROM generate_series(0, 9999) AS n")
    events.say(JOB, WHERE + "children = event_notes\nchildren_portion = 1000\ndelay_ms = 0\n")
    run, counters = killed(events, JOB, point, nth)
    notes = {"event_notes": {"deleted": 5000}}
    assert counters == {"removed": 291, "failed": 4, "portions": 4, "others": 5000, "tables": notes}
    assert ids(events) == sorted([1, 2, 3, 4, 5, *BAD]) and sorted(quarantined(events)) == BAD
    assert events.database.column("SELECT DISTINCT event_id FROM event_notes ORDER BY 1") == [3, 37]
    gone = events.keys(run)
    assert len(gone) == len(set(gone)) == 291 + 5000


OBJECTS = [("answer.before_commit", 1), *((f"errand.{at}", n) for at in ("before_lease", "after_lease", "before_settle") for n in (1, 2)),
           *((f"step.{at}", n) for at in COMMITS for n in (1, 2))]


@pytest.mark.check_all
@pytest.mark.parametrize("point, nth", OBJECTS)
def test_killed_where_objects_of_such_rows_go_first(house, gateway, request, point, nth):  # noqa: F811
    uploads = Uploads(house, gateway, request.node.name)
    try:
        uploads.make(table=TABLE + "; ALTER TABLE uploads ADD payload text")
        house.say("files", f"table = uploads\nwhere = payload::int > 5\nobject = s3:{uploads.bucket} column s3_key\nmax_share = off\nbatch = 25\ndelay_ms = 0")
        house.sql("INSERT INTO uploads SELECT n, 'key ' || n, NULL, CASE WHEN n IN (7, 50) THEN 'secret' ELSE n::text END FROM generate_series(1, 60) AS n")
        uploads.put(*[f"key {n}" for n in range(1, 61)])
        run, counters = killed(house, "files", point, nth)
        assert {"removed": 53, "failed": 2}.items() <= counters.items()
        stay = [1, 2, 3, 4, 5, 7, 50]
        assert uploads.left() == stay and sorted(uploads.keys()) == sorted(f"key {n}" for n in stay)
        assert len(house.audit(run)) == 53
    finally:
        uploads.proxy.close()
