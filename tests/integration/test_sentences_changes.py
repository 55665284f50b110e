"""Sentences that change rows, move them to an archive or keep the newest ones, and what the audit
has of their rows."""

import datetime

import pytest

from support.scene import now
from support.sentences import house  # noqa: F401


@pytest.mark.check_all
def test_set_changes_and_the_audit_has_what_was(house):  # noqa: F811
    house.sql("""CREATE TABLE people (id uuid PRIMARY KEY, email text, name text NOT NULL, erased_at timestamptz, left_on date);
        INSERT INTO people VALUES ('00000000-0000-0000-0000-000000000001', 'a@x', 'Ann', NULL, '2020-01-01'),
          ('00000000-0000-0000-0000-000000000002', 'b@x', 'Bob', NULL, NULL), ('00000000-0000-0000-0000-000000000003', NULL, 'Cem', NULL, '2020-01-02')""")
    house.say("people.erase", "table = people\nwhere = left_on < '2025-01-01' AND erased_at IS NULL\n"
                              "set = email = NULL, name = 'erased, ' || left_on, erased_at = :T\nbatch = 1\ndelay_ms = 0")
    at = now(hours=-3)
    plan = house.plan("people.erase")
    assert [(key[-1], action) for _, key, action, _ in plan] == [("1", "changed"), ("3", "changed")]
    counters, run = house.done("people.erase", at=at)
    assert counters == {"changed": 2, "updated_rows": 2}
    assert house.rows("people", "email, name, erased_at", "id") == [
        (None, "erased, 2020-01-01", at), ("b@x", "Bob", None), (None, "erased, 2020-01-02", at)]
    assert [(table, action, key[-1], row["email"], row["name"]) for table, action, key, row in house.audit(run)] == [
        ("people", "updated", "1", "a@x", "Ann"), ("people", "updated", "3", None, "Cem")]
    again, _ = house.done("people.erase", at=at + datetime.timedelta(hours=1))
    assert again == {}
    house.restore(run)
    assert house.rows("people", "email, name, erased_at", "id") == [("a@x", "Ann", None), ("b@x", "Bob", None), (None, "Cem", None)]


def test_archive_moves_and_restore_takes_out_of_it(house):  # noqa: F811
    house.sql("""CREATE TABLE events (id bigint PRIMARY KEY, at timestamptz, "it's" jsonb, double_id bigint GENERATED ALWAYS AS (id * 2) STORED);
        CREATE TABLE events_archive (moved_at timestamptz NOT NULL DEFAULT now(), double_id bigint, "it's" jsonb, at timestamptz, id bigint PRIMARY KEY);
        CREATE TABLE marks (id bigint PRIMARY KEY, event_id bigint REFERENCES events);
        INSERT INTO events VALUES (1, '2020-01-01+00', '{"a": [1, 2.50]}'), (2, '2020-01-02+00', NULL), (3, NULL, '{}');
        INSERT INTO marks VALUES (10, 1), (30, 3)""")
    house.say("events.archive", "table = events\nwhere = at < :T - interval '1 year'\narchive = events_archive\nchildren = marks")
    counters, run = house.done("events.archive")
    assert counters == {"removed": 2, "updated_rows": 2}
    assert house.rows("events", "id") == [(3,)] and house.rows("marks", "id") == [(30,)]
    assert house.rows("events_archive", 'id, double_id, "it\'s"') == [(1, 2, {"a": [1, 2.5]}), (2, 4, None)]
    assert house.keys(run) == [("marks", "deleted", 10), ("events", "deleted", 1), ("events", "deleted", 2)]
    house.restore(run)
    assert house.rows("events", "id, double_id") == [(1, 2), (2, 4), (3, 6)] and house.rows("marks", "id") == [(10,), (30,)]
    assert house.rows("events_archive", "id") == []


@pytest.mark.check_all
@pytest.mark.parametrize("schema", ["public", "store"])
def test_restore_takes_one_row_of_a_key_out_of_an_archive_that_has_several(house, schema):  # noqa: F811
    """Keys are used again, and the archive has no unique key: the row of an earlier run stays."""
    name = "events_archive" if schema == "public" else "store.events"
    house.sql(f"""CREATE SCHEMA IF NOT EXISTS {schema}; GRANT USAGE ON SCHEMA {schema} TO PUBLIC; ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} GRANT ALL ON TABLES TO PUBLIC;
        CREATE TABLE events (id int, part int, note varchar(9), at timestamptz, weight real, PRIMARY KEY (part, id));
        CREATE TABLE {name} (note text, at timestamptz, id bigint, part int, weight double precision, moved_at timestamptz DEFAULT now());
        INSERT INTO events VALUES (1, 7, 'first', '2020-01-01+00', 1.1), (2, 7, NULL, '2020-01-01+00', 1.5)""")
    house.say("events.archive", f"table = events\nwhere = at < :T - interval '1 year'\narchive = {name}")
    _, first = house.done("events.archive")
    house.sql("INSERT INTO events VALUES (1, 7, 'second', '2020-01-01+00', 1.1)")
    _, second = house.done("events.archive")
    assert house.rows(name, "note", "at") == [("first",), (None,), ("second",)]
    house.restore(second)
    assert house.rows("events", "id, note") == [(1, "second")] and house.rows(name, "note", "id") == [("first",), (None,)]
    house.sql("DELETE FROM events")
    house.restore(first)
    assert house.rows("events", "id, note") == [(1, "first"), (2, None)] and house.rows(name, "note") == []


@pytest.mark.check_all
def test_keep_leaves_the_newest_of_each_group(house):  # noqa: F811
    """NULLs are the oldest, ties go by primary key, and rows without a group stay."""
    house.sql("""CREATE TABLE devices (id bigint PRIMARY KEY, user_id int, seen_at date, broken boolean NOT NULL DEFAULT false);
        INSERT INTO devices (id, user_id, seen_at) VALUES
          (1, 1, '2026-01-01'), (2, 1, '2026-01-03'), (3, 1, '2026-01-02'), (4, 1, NULL),
          (5, 2, NULL), (6, 2, NULL), (7, 2, NULL),
          (8, NULL, '2026-01-01'), (9, NULL, '2026-01-02'), (10, NULL, NULL),
          (11, 3, '2026-01-01'), (12, 3, '2026-01-01'), (13, 3, '2026-01-01'), (14, 3, '2026-01-02'),
          (15, 4, '2026-01-05'), (16, 4, '2026-01-04'), (17, 4, '2026-01-03'), (18, 4, '2026-01-02'), (19, 4, '2026-01-01');
        UPDATE devices SET broken = true WHERE id IN (15, 16, 17)""")
    house.say("devices.newest", "table = devices\nkeep = 2 per user_id by seen_at desc\nbatch = 2\ndelay_ms = 0")
    house.say("devices.broken", "table = devices\nwhere = broken\nkeep = 1 per user_id by seen_at desc, id desc")
    assert [key for _, key, action, _ in house.plan("devices.newest") if action == "removed"] == ["1", "4", "7", "12", "13", "17", "18", "19"]
    counters, run = house.done("devices.broken")
    assert counters == {"removed": 2, "updated_rows": 2} and house.database.column("SELECT id FROM devices WHERE user_id = 4 ORDER BY id") == [15, 18, 19]
    house.restore(run)
    house.sql("DELETE FROM pruned.holds")  # what was put back is held
    counters, _ = house.done("devices.newest")
    assert counters == {"removed": 8, "updated_rows": 8}
    assert house.database.column("SELECT id FROM devices ORDER BY id") == [2, 3, 5, 6, 8, 9, 10, 11, 14, 15, 16]


def test_audit_of_keys_and_of_nothing(house):  # noqa: F811
    house.sql("CREATE TABLE a (id bigint PRIMARY KEY); CREATE TABLE b (id bigint PRIMARY KEY); INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)")
    house.say("of.a", "table = a\nwhere = true\naudit = keys")
    house.say("of.b", "table = b\nwhere = true\naudit = off")
    of_a, of_b = house.tick("of.a", "of.b")
    assert house.rows("a") == house.rows("b") == []
    assert [(r["table_name"], r["keys"], r["rows"]) for r in house.database.rows("SELECT * FROM pruned.deletions")] == [("a", [1], None)]
    house.restore(of_a["run_id"], code=6)
    house.restore(of_b["run_id"], code=6)


@pytest.mark.check_all
@pytest.mark.parametrize("sentence", ["where = true", "where = true\nchildren = auto", "where = true\nset = note = 'y'"])
@pytest.mark.parametrize("audit", ["full", "keys", "off"])
def test_a_row_that_is_not_recorded_is_not_made_for_the_audit(house, audit, sentence):  # noqa: F811
    """A type's own cast to json says when a row is made."""
    house.sql("""CREATE TYPE told AS ENUM ('a'); CREATE FUNCTION tell(told) RETURNS json LANGUAGE plpgsql AS $$ BEGIN RAISE 'a row is made'; END $$;
        CREATE CAST (told AS json) WITH FUNCTION tell(told);
        CREATE TABLE a (id bigint PRIMARY KEY, note text, of told); CREATE TABLE b (id bigint PRIMARY KEY, a bigint NOT NULL REFERENCES a, of told);
        INSERT INTO a VALUES (1, 'x', 'a'), (2, 'x', 'a'); INSERT INTO b VALUES (1, 1, 'a')""")
    house.say("of.a", f"table = a\n{sentence}\naudit = {audit}" + ("" if "children" in sentence or "set" in sentence else "\nchildren = b"))
    run, = house.tick("of.a")
    if audit == "full":
        assert run["state"] == "waiting" and "a row is made" in run["error"], run
    else:
        assert run["state"] == "finished" and run["result"]["updated_rows"] == 2 and run["result"]["failed"] == 0, run
    text = house.pruned.run("jobs", "show", "of.a").ok().stdout
    assert ("CASE WHEN coalesce(:audit_of::jsonb ->> 'a', :audit::text) = 'full'" in text) == (audit != "full")


def test_rows_that_fail_only_beside_each_other_are_tried_apart(house):  # noqa: F811
    """One of them can have the value; no attempt is charged, and nothing waits."""
    house.sql("""CREATE TABLE people (id bigint PRIMARY KEY, email text UNIQUE DEFERRABLE INITIALLY DEFERRED, room text UNIQUE);
        INSERT INTO people SELECT n, 'p' || n, 'r' || n FROM generate_series(1, 16) AS n""")
    house.say("people.email", "table = people\nwhere = id <= 8\nset = email = 'erased'")
    house.say("people.room", "table = people\nwhere = id > 8\nset = room = 'erased'")
    for run in house.tick("people.email", "people.room"):
        result = {k: v for k, v in (run["result"] or {}).items() if v != 0}
        assert (run["state"], run["attempts"], result) == ("finished", 0, {"status": "completed", "changed": 1, "updated_rows": 1, "failed": 7}), run
    assert house.rows("people WHERE email = 'erased' OR room = 'erased'", "id") == [(1,), (9,)]
    assert house.rows("pruned.quarantine", "count(*)") == [(14,)]
