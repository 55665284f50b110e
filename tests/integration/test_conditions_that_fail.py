"""A condition that fails for a row, such as a cast of its text, makes PostgreSQL fail the search
for a whole page. Only that row stays, in quarantine; all others go, and no limit is looser."""

import pytest

from support.sentences import house  # noqa: F401

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
    [line] = [one for one in daemon.lines("Step failed") if one["error"].startswith("invalid input syntax")]
    assert line["level"] == "warning" and line["attempts"] == 0
    # They wait; once they are right and asked again, they go as all others do.
    assert events.done(JOB)[0] == {"passed_over": 4} and ids(events) == stay
    events.sql("UPDATE events SET payload = '6' WHERE payload LIKE 'secret%'")
    events.pruned.run("quarantine", "retry", JOB, "--all").ok()
    assert events.done(JOB)[0]["removed"] == 4 and ids(events) == [1, 2, 3, 4, 5] and quarantined(events) == {}


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


def test_a_run_that_would_exceed_its_limits_is_held_before_any_row_goes(events):
    events.say(JOB, WHERE.replace("max_share = off", "max_rows = 290"))
    row = events.run(JOB)
    assert row["state"] == "held" and "counted 291" in row["error"] and len(ids(events)) == 300, row
    events.pruned.run("approve", row["run_id"]).ok()
    events.work()
    row = events.pruned.run_row(row["run_id"])
    assert (row["state"], row["result"]["removed"]) == ("finished", 291)


def test_what_there_was_no_time_to_count_counts_as_if_it_were_due(events):
    """The first rows, which are counted, are not due; two of them take all the time there is."""
    events.sql("""
        CREATE FUNCTION read_slowly(text) RETURNS int LANGUAGE plpgsql STABLE AS $$
        BEGIN IF $1 IN ('60', '90') THEN PERFORM pg_sleep(4.2); END IF; RETURN $1::int; END $$""")
    events.say(JOB, WHERE.replace("payload::int > 5", "read_slowly(payload) > 100").replace("batch = 100", "batch = 40").replace("max_share = off", "max_rows = 150"))
    row = events.run(JOB)
    assert row["state"] == "held" and "no time for all" in row["error"] and len(ids(events)) == 300, row
    assert row["held"]["estimated"] and row["held"]["counted"] > 196


def test_a_first_page_of_which_nothing_goes_says_nothing_about_rows_below(events):
    events.sql("INSERT INTO event_notes SELECT n, 101 + n % 200 FROM generate_series(1, 2000) AS n")
    events.say(JOB, WHERE.replace("> 5", "> 150").replace("max_share = off", "max_rows = 1000") + "children = event_notes\n")
    row = events.run(JOB)
    assert row["state"] == "held" and len(ids(events)) == 300 and row["held"]["counted"] > 1600, row


def test_a_condition_that_fails_for_most_rows_ends_its_run_and_touches_nothing(events):
    events.sql("UPDATE events SET payload = 'x' || payload WHERE id > 20")
    events.say(JOB, WHERE + "max_attempts = 0\n")
    planned = events.pruned.run("plan", JOB)
    assert planned.code != 0 and "systemic: more than half of the page (100 rows) fails alike" in planned.stderr, planned
    row = events.run(JOB)
    assert row["state"] == "dead" and row["error"].startswith("systemic: ") and "22P02" in row["error"]
    assert len(ids(events)) == 300 and quarantined(events) == {}


def test_where_no_row_can_be_told_the_error_says_what_helps(events):
    """With `keep` the condition is asked of the other rows, too."""
    events.say(JOB, WHERE + "keep = 5 by id desc\nmax_attempts = 0\n")
    row = events.run(JOB)
    assert row["state"] == "dead" and "22P02" in row["error"] and "CASE WHEN" in row["error"] and JOB in row["error"]
    assert len(ids(events)) == 300
