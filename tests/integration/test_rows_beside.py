"""Rows that change with those of a run stand in the plan and in the result, and count for
max_rows: whether a foreign key empties or moves them, or a trigger changes them."""

import pytest

from support.scene import now
from support.sentences import house  # noqa: F811,F401

SHOP = """CREATE TABLE cat (id bigint PRIMARY KEY, code text UNIQUE, gone bool);
    INSERT INTO cat SELECT g, 'c' || g, g <= 10 FROM generate_series(1, 50) g;
    CREATE TABLE prod (id bigint PRIMARY KEY, cat_id bigint DEFAULT 50 REFERENCES cat ON DELETE {action}, code text REFERENCES cat (code) ON UPDATE CASCADE);
    INSERT INTO prod SELECT g, 1 + g % 10, NULL FROM generate_series(1, 300) g; CREATE INDEX ON prod (cat_id); CREATE INDEX ON prod (code)"""


@pytest.mark.check_first(1)
@pytest.mark.parametrize("action", ["SET NULL", "SET DEFAULT"])
def test_rows_that_are_emptied_count(house, action):  # noqa: F811
    house.sql(SHOP.format(action=action))
    house.say("cat", "table = cat\nwhere = gone\nmax_rows = 100\nmax_share = off")
    said = house.pruned.run("plan", "cat").ok().stdout.splitlines()
    assert "changed with them: 300 rows of prod" in said and said[-1] == "would be held: 310 rows are above max_rows 100"
    held = house.run("cat")
    assert (held["state"], held["error"]) == ("held", "held: 310 rows are above max_rows 100")
    assert house.rows("cat", "count(*)") == [(50,)] and house.rows("prod", "count(*) FILTER (WHERE cat_id <= 10)") == [(300,)]
    house.pruned.run("approve", held["run_id"]).ok()
    house.pruned.run_until_idle()
    run = house.pruned.run_row(held["run_id"])
    assert (run["state"], run["rows_done"], run["result"]["removed"]) == ("finished", 310, 10)
    assert (run["result"]["others"], run["result"]["tables"]) == (300, {"prod": {"changed": 300}})


def test_rows_that_a_trigger_changes_count(house):  # noqa: F811
    """No plan sees them; the step that would exceed is rolled back. What is inserted is told
    only."""
    house.sql("""CREATE TABLE cat (id bigint PRIMARY KEY, gone bool); INSERT INTO cat SELECT g, g <= 10 FROM generate_series(1, 50) g;
        CREATE TABLE stock (id bigint PRIMARY KEY, cat_id bigint, n int); INSERT INTO stock SELECT g, 1 + g % 10, 1 FROM generate_series(1, 300) g;
        CREATE TABLE log (id bigint);
        CREATE FUNCTION zero() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
          'BEGIN UPDATE stock SET n = 0 WHERE cat_id = OLD.id; INSERT INTO log VALUES (OLD.id); RETURN OLD; END';
        CREATE TRIGGER zero AFTER DELETE ON cat FOR EACH ROW EXECUTE FUNCTION zero()""")
    house.say("cat", "table = cat\nwhere = gone\nmax_rows = 100\nmax_share = off")
    held = house.run("cat")
    assert (held["state"], held["error"]) == ("held", "held: 310 rows are above max_rows 100")
    assert house.rows("stock", "sum(n)") == [(300,)] and house.rows("cat", "count(*)") == [(50,)]
    house.pruned.run("approve", held["run_id"]).ok()
    house.pruned.run_until_idle()
    run = house.pruned.run_row(held["run_id"])
    assert (run["state"], run["rows_done"], run["result"]["others"]) == ("finished", 310, 300)
    assert run["result"]["tables"] == {"stock": {"changed": 300}, "log": {"inserted": 10}}


def test_rows_that_follow_a_changed_key_count(house):  # noqa: F811
    house.sql(SHOP.format(action="SET NULL") + "; UPDATE prod SET code = 'c' || cat_id")
    house.say("cat", "table = cat\nwhere = gone\nset = code = code || 'x', gone = false\nmax_rows = 100\nmax_share = off")
    held = house.run("cat")
    assert (held["state"], held["error"]) == ("held", "held: 310 rows are above max_rows 100")
    assert house.rows("prod", "count(*) FILTER (WHERE code LIKE '%x')") == [(0,)]


def test_rows_beside_are_no_share_of_the_table_and_not_usual(house):  # noqa: F811
    """Each page changes 120 more rows than the plan knows, and the run goes on: its own are few."""
    house.sql("""CREATE TABLE cat (id bigint PRIMARY KEY, gone bool); INSERT INTO cat SELECT g, g <= 10 FROM generate_series(1, 50) g;
        CREATE TABLE stock (id bigint PRIMARY KEY, cat_id bigint, n int); INSERT INTO stock SELECT g, 1 + g % 10, 1 FROM generate_series(1, 300) g;
        CREATE FUNCTION zero() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
          'BEGIN UPDATE stock SET n = 0 WHERE cat_id = OLD.id; RETURN OLD; END';
        CREATE TRIGGER zero AFTER DELETE ON cat FOR EACH ROW EXECUTE FUNCTION zero()""")
    house.say("cat", "table = cat\nwhere = gone\nbatch = 4\ndelay_ms = 0\nmax_share = 40 %\nmin_rows = 0")
    run = house.run("cat", at=now(minutes=-9))
    assert (run["state"], run["rows_done"], run["result"]["removed"], run["result"]["others"]) == ("finished", 310, 10, 300)
    house.sql("""INSERT INTO pruned.runs (run_id, job, state, scheduled_at, due_at, finished_at, result, rows_done)
        SELECT gen_random_uuid(), job, state, scheduled_at - n * interval '1 minute', due_at, finished_at, result, rows_done
        FROM pruned.runs, generate_series(1, 4) AS n WHERE job = 'cat';
        UPDATE cat SET gone = id <= 31""")
    house.say("cat", "table = cat\nwhere = gone\nbatch = 4\ndelay_ms = 0\nmax_share = off\nmax_ratio = 2\nmin_rows = 0")
    assert house.run("cat")["error"] == "held: 21 rows are 2.1 times the usual 10, above max_ratio 2"
