"""A condition that fails for a row, such as a cast of its text, makes PostgreSQL fail the search
for a whole page. Only that row stays, in quarantine; all others go, and no limit is looser."""

import pytest

from support.buckets import TABLE, uploads  # noqa: F401
from support.sentences import house  # noqa: F401
from support.own_job import OWN, counts, own, tick  # noqa: F401

JOB = "events.purge"
WHERE = "table = events\nwhere = payload::int > 5\nbatch = 100\nmax_share = off\n"
BAD = [37, 150, 151, 300]


@pytest.fixture
def events(house):  # noqa: F811
    """300 rows; of these the payload is no number."""
    house.sql(f"""
        CREATE TABLE events (id bigint PRIMARY KEY, payload text NOT NULL);
        CREATE TABLE event_notes (id bigint PRIMARY KEY, event_id bigint REFERENCES events);
        CREATE INDEX ON event_notes (event_id);
        INSERT INTO events SELECT n, CASE WHEN n = ANY ('{{{",".join(map(str, BAD))}}}') THEN 'secret ' || n ELSE n::text END FROM generate_series(1, 300) AS n""")
    return house


def ids(house):  # noqa: F811
    return house.database.column("SELECT id FROM events ORDER BY id")


def quarantined(house):  # noqa: F811
    return {int(row["item"].split(":")[1]): row["reason"] for row in house.database.rows("SELECT item, reason FROM pruned.quarantine")}


@pytest.mark.check_all
def test_the_rows_at_fault_stand_alone(events):
    events.say(JOB, WHERE)
    planned = [(key, action) for _, key, action, _ in events.plan(JOB)]
    assert sorted(int(key) for key, action in planned if action == "failed") == BAD and {action for _, action in planned} == {"failed", "removed"}
    counts, run_id = events.done(JOB)
    stay = sorted([1, 2, 3, 4, 5, *BAD])
    assert counts == {"removed": 291, "updated_rows": 291, "failed": 4} and ids(events) == stay
    assert sorted(key for key, action in planned if action == "removed") == sorted(str(key) for _, _, key, _ in events.audit(run_id))
    assert events.database.value("SELECT attempts FROM pruned.runs WHERE run_id = %s", [run_id]) == 0
    kept = quarantined(events)
    assert sorted(kept) == BAD and all("22P02" in reason and "secret" not in reason for reason in kept.values())
    daemon = events.daemons[-1]
    lines = [one for one in daemon.lines("Step failed") if one["error"].startswith("invalid input syntax")]
    assert [(one["level"], one["attempts"]) for one in lines] == [("warning", 0)] * 2
    # They wait; once they are right and asked again, they go as all others do.
    assert events.done(JOB)[0] == {"passed_over": 4} and ids(events) == stay
    events.sql("UPDATE events SET payload = '6' WHERE payload LIKE 'secret%'")
    events.pruned.run("quarantine", "retry", JOB, "--all").ok()
    assert events.done(JOB)[0]["removed"] == 4 and ids(events) == [1, 2, 3, 4, 5] and quarantined(events) == {}


@pytest.mark.check_all
def test_as_long_as_no_other_row_is_at_fault_no_other_is_looked_at(events):
    """Every night: the page has the rows that are due and those in quarantine."""
    events.say(JOB, WHERE.replace("> 5", "> 400"))
    assert events.done(JOB)[0] == {"status": "failed", "failed": 4}
    events.sql("INSERT INTO events SELECT n, n::text FROM generate_series(350, 2410) AS n")
    counts, run_id = events.done(JOB)
    assert counts == {"removed": 2010, "updated_rows": 2010, "passed_over": 4}
    row, daemon = events.pruned.run_row(run_id), events.daemons[-1]
    assert row["step"] <= 21, "pages of 100 of 2014 rows, not of 2361"
    assert len([one for one in daemon.lines("Step failed") if one["error"].startswith("invalid input syntax")]) == 1
    # Another row at fault is found and stands alone, too; then the rest has pages of that kind
    # again.
    events.sql("INSERT INTO events VALUES (3000, 'another'), (3001, '500')")
    assert events.done(JOB)[0] == {"removed": 1, "updated_rows": 1, "failed": 1, "passed_over": 4}
    assert quarantined(events).keys() == {*BAD, 3000}


@pytest.mark.check_all
def test_where_that_takes_too_long_each_row_is_asked_by_itself(events):
    """As on a large table without an index that helps."""
    events.say(JOB, WHERE.replace("> 5", "> 400"))
    assert events.done(JOB)[0] == {"status": "failed", "failed": 4}
    events.sql("""
        CREATE FUNCTION slowly(text) RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM pg_sleep(0.02); RETURN $1::int; END $$;
        UPDATE events SET payload = '401' WHERE id = 200; DELETE FROM events WHERE id <= 20 OR id > 240 AND id < 300""")
    events.say(JOB, WHERE.replace("payload::int > 5", "slowly(payload) > 400").replace("batch = 100", "batch = 20\nbudget_ms = 2000"))
    counts, _ = events.done(JOB)  # a row in quarantine may be due again meanwhile
    assert counts["removed"] == 1 and counts["passed_over"] + counts.get("failed", 0) == 4, counts
    assert [one for one in events.daemons[-1].lines("Step failed") if one["error_class"] == "57014"]


@pytest.mark.check_all
def test_whatever_becomes_of_the_others(events):
    """Changed, archived, with what refers to them, and divided into ranges."""
    events.sql("CREATE TABLE archived (LIKE events INCLUDING ALL); INSERT INTO event_notes SELECT n, n FROM generate_series(1, 300) AS n")
    events.say(JOB, WHERE.replace("> 5", "> 250") + "children = event_notes\n")
    events.say("events.archive", WHERE.replace("> 5", "BETWEEN 201 AND 250") + "archive = archived\n")
    events.say("events.change", WHERE.replace("> 5", "BETWEEN 101 AND 200").replace("batch = 100", "batch = 10") + "set = payload = '0'\nranges = 2\n")
    assert events.done(JOB)[0]["removed"] == 49 and quarantined(events).keys() == set(BAD)
    assert events.database.column("SELECT event_id FROM event_notes ORDER BY 1") == ids(events) == [*range(1, 251), 300]
    events.sql("DELETE FROM event_notes; DELETE FROM pruned.quarantine")
    assert events.done("events.archive")[0]["removed"] == 50 and events.rows("archived", "id", "1")[0] == (201,)
    assert events.done("events.change")[0]["changed"] == 98
    assert events.database.column("SELECT count(*) FROM events WHERE payload = '0'") == [98]


@pytest.mark.check_all
def test_a_run_that_would_exceed_its_limits_is_held_before_any_row_goes(events):
    events.say(JOB, WHERE.replace("max_share = off", "max_rows = 290"))
    row = events.run(JOB)
    assert row["state"] == "held" and "held: 291 rows are above max_rows 290" in row["error"] and len(ids(events)) == 300, row
    events.pruned.run("approve", row["run_id"]).ok()
    events.work()
    row = events.pruned.run_row(row["run_id"])
    assert (row["state"], row["result"]["removed"]) == ("finished", 291)


@pytest.mark.check_all
def test_what_there_was_no_time_to_count_counts_as_if_it_were_due(events):
    """The first rows, which are counted, are not due; two of them take all the time there is."""
    events.sql("""
        CREATE FUNCTION read_slowly(text) RETURNS int LANGUAGE plpgsql STABLE AS $$
        BEGIN IF $1 IN ('60', '90') THEN PERFORM pg_sleep(4.2); END IF; RETURN $1::int; END $$""")
    events.say(JOB, WHERE.replace("payload::int > 5", "read_slowly(payload) > 100").replace("batch = 100", "batch = 40").replace("max_share = off", "max_rows = 150"))
    row = events.run(JOB)
    assert row["state"] == "held" and "no time for all" in row["error"] and len(ids(events)) == 300, row
    assert row["held"]["estimated"] and row["held"]["counted"] > 196


@pytest.mark.check_all
def test_a_first_page_of_which_nothing_goes_says_nothing_about_rows_below(events):
    events.sql("INSERT INTO event_notes SELECT n, 101 + n % 200 FROM generate_series(1, 2000) AS n")
    events.say(JOB, WHERE.replace("> 5", "> 150").replace("max_share = off", "max_rows = 1000") + "children = event_notes\n")
    row = events.run(JOB)
    assert row["state"] == "held" and len(ids(events)) == 300 and row["held"]["counted"] > 1600, row


def test_a_condition_that_fails_for_most_rows_ends_its_run_and_touches_nothing(events):
    events.sql("UPDATE events SET payload = 'x' || payload WHERE id > 20")
    events.say(JOB, WHERE + "max_attempts = 0\n")
    planned = events.pruned.run("plan", JOB)
    assert planned.code != 0 and "at least 51 of 100 rows of this batch fail for the same reason" in planned.stderr, planned
    row = events.run(JOB)
    assert row["state"] == "dead" and "51 of 100 rows of this batch" in row["error"] and "22P02" in row["error"]
    assert len(ids(events)) == 300 and quarantined(events) == {}


def test_where_no_row_can_be_told_the_error_says_what_helps(events):
    """With `keep` the condition is asked of the other rows, too."""
    events.say(JOB, WHERE + "keep = 5 by id desc\nmax_attempts = 0\n")
    row = events.run(JOB)
    assert row["state"] == "dead" and "22P02" in row["error"] and "CASE WHEN" in row["error"] and JOB in row["error"]
    assert len(ids(events)) == 300


def test_a_folder_stops_with_an_error_that_says_what_helps(own):  # noqa: F811
    """What its page.sql finds is its author's."""
    scene = own({"page": "SELECT s.id AS key, s.id FROM scratch s WHERE s.id > :cursor.id::bigint AND left(s.id::text || 'x', 2)::int > 5"
                 " ORDER BY s.id LIMIT :limit::int", "apply/removed/10-scratch": OWN}, rows=300, settings={"jobs.own.max_attempts": 0})
    run_id = tick(scene)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert row["state"] == "dead" and "22P02" in row["error"] and "CASE WHEN" in row["error"], (row["result"], row["error"])
    assert counts(scene) == 300 and scene.database.value("SELECT count(*) FROM pruned.deletions") == 0


def test_with_keep_what_helps_lets_the_others_go(events):
    """The condition that the error proposes: the rows at fault are not asked, so they count for no
    place among the newest."""
    where = "CASE WHEN payload ~ '^[0-9]{1,9}$' THEN payload::int > 5 END"
    events.say(JOB, WHERE.replace("payload::int > 5", where) + "keep = 5 by id desc\n")
    assert events.done(JOB)[0]["removed"] == 286
    assert ids(events) == sorted([1, 2, 3, 4, 5, *BAD, 295, 296, 297, 298, 299])


@pytest.mark.check_all
def test_rows_that_go_in_portions(events):
    """Two of them have many rows below them, one at fault as well."""
    events.sql("INSERT INTO event_notes SELECT n, (ARRAY[10, 37, 3, 200])[1 + n / 2500] FROM generate_series(0, 9999) AS n")
    events.say(JOB, WHERE + "children = event_notes\nchildren_portion = 1000\ndelay_ms = 0\n")
    counters, run_id = events.done(JOB)
    assert counters == {"removed": 291, "updated_rows": 291, "failed": 4, "portions": 4}
    assert ids(events) == sorted([1, 2, 3, 4, 5, *BAD]) and quarantined(events).keys() == set(BAD)
    assert events.database.column("SELECT DISTINCT event_id FROM event_notes ORDER BY 1") == [3, 37]
    assert len(events.keys(run_id)) == 291 + 5000


@pytest.mark.check_all
def test_rows_whose_objects_go_first(uploads):  # noqa: F811
    """Neither the row at fault nor those that are not due lose their objects."""
    uploads.make(table=TABLE + "; ALTER TABLE uploads ADD payload text")
    uploads.house.say("files", f"table = uploads\nwhere = payload::int > 5\nobject = s3:{uploads.bucket} column s3_key\nmax_share = off\nbatch = 25\ndelay_ms = 0")
    bad = {7, 50}
    uploads.house.sql("INSERT INTO uploads SELECT n, 'key ' || n, NULL, CASE WHEN n IN (7, 50) THEN 'secret' ELSE n::text END FROM generate_series(1, 60) AS n")
    uploads.put(*[f"key {n}" for n in range(1, 61)])
    assert sorted(int(key) for _, key, action, _ in uploads.house.plan("files") if action == "failed") == sorted(bad)
    counters, run_id = uploads.house.done("files")
    assert counters == {"removed": 53, "updated_rows": 53, "failed": 2, "deleted": 53}
    stay = sorted({1, 2, 3, 4, 5} | bad)
    assert uploads.left() == stay and sorted(uploads.keys()) == sorted(f"key {n}" for n in stay)
    assert {int(row["item"].split(":")[1]) for row in uploads.database.rows("SELECT item FROM pruned.quarantine")} == bad
    assert len(uploads.house.audit(run_id)) == 53
