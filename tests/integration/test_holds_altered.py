"""Tables with held rows that are altered while a step goes on: whom that delays, and that nothing
held goes."""

import pytest

from stack.process import wait_until
from support.held import OPEN, hold
from support.scene import now
from support.sentences import house  # noqa: F401

DOCS = "CREATE TABLE docs (id int PRIMARY KEY, dead boolean); INSERT INTO docs SELECT n, true FROM generate_series(1, 3) n; "
PARTS = """CREATE TABLE papers (id int, at date, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
    CREATE TABLE papers_1 PARTITION OF papers FOR VALUES FROM ('2020-01-01') TO ('2020-02-01'); INSERT INTO papers VALUES (1, '2020-01-10')"""
ELSEWHERE = {"a table": ("CREATE TABLE papers (id int PRIMARY KEY); INSERT INTO papers VALUES (1)", "papers:1", "ALTER TABLE papers ALTER id TYPE text"),
             "a partition": (PARTS, 'papers:{"id": 1, "at": "2020-01-10"}', "ALTER TABLE papers_1 ALTER at SET STATISTICS 5; ALTER TABLE papers_1 ADD CHECK (id > 0)")}


@pytest.mark.parametrize("what", ELSEWHERE)
def test_a_table_that_is_altered_delays_no_job_that_cannot_reach_it(house, what):  # noqa: F811
    made, row, change = ELSEWHERE[what]
    house.sql(DOCS + made)
    house.say("it", f"table = docs\nwhere = dead\n{OPEN}")
    hold(house, row, "docs:2").ok()
    with house.database.connect() as other, other.transaction():
        other.execute(change)
        assert house.done("it")[0] == {"removed": 2, "updated_rows": 2, "kept_hold": 1}


TRIGGER = """CREATE TABLE papers (a int, n int, PRIMARY KEY (a, n)); INSERT INTO papers SELECT n, n FROM generate_series(1, 3) n;
    CREATE FUNCTION take() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'DELETE FROM ' || (SELECT c.oid::regclass FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid AND t.attname = 'n' WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace) || ' WHERE n = $1' USING OLD.id; RETURN OLD; END $$;
    CREATE TRIGGER take BEFORE DELETE ON docs FOR EACH ROW EXECUTE FUNCTION take();"""


@pytest.mark.check_first(1)
@pytest.mark.parametrize("change", ["ALTER TABLE papers RENAME COLUMN a TO b", "ALTER TABLE papers RENAME TO sheets"])
def test_what_a_trigger_takes_of_a_table_that_is_renamed_meanwhile_stays(house, change):  # noqa: F811
    house.pruned.with_faults()
    house.sql(DOCS + TRIGGER)
    house.say("it", f"table = docs\nwhere = dead\n{OPEN}")
    house.start()
    hold(house, 'papers:{"a":2,"n":2}').ok()
    house.pruned.topics.tick("it", now(minutes=-1))
    daemon = house.pruned.start("--until-idle", environment={"PRUNED_FAULT": "step.after_fence:sleep=3000"})
    wait_until(lambda: house.database.execute("SELECT FROM pg_locks WHERE relation = 'pruned.holds'::regclass AND pid <> pg_backend_pid()").rowcount, 30, "a step that has begun")
    house.sql(change)
    daemon.wait()
    house.work()
    table = "sheets" if "sheets" in change else "papers"
    assert house.rows(table, "n") == [(2,)] and house.rows("docs", "id") == [(2,)]
