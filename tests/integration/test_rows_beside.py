"""Rows that change with those of a run stand in the plan and in the result, and count for
max_rows: whether a foreign key empties or moves them, or a trigger changes them."""

import pytest

from support.places import ROLE
from support.scene import now, tick_id
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
    """No plan sees them, which it says; the step that would exceed is rolled back. What is inserted
    is told only."""
    house.sql("""CREATE TABLE cat (id bigint PRIMARY KEY, gone bool); INSERT INTO cat SELECT g, g <= 10 FROM generate_series(1, 50) g;
        CREATE TABLE stock (id bigint PRIMARY KEY, cat_id bigint, n int); INSERT INTO stock SELECT g, 1 + g % 10, 1 FROM generate_series(1, 300) g;
        CREATE TABLE log (id bigint);
        CREATE FUNCTION zero() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
          'BEGIN UPDATE stock SET n = 0 WHERE cat_id = OLD.id; INSERT INTO log VALUES (OLD.id); RETURN OLD; END';
        CREATE TRIGGER zero AFTER DELETE ON cat FOR EACH ROW EXECUTE FUNCTION zero()""")
    house.say("cat", "table = cat\nwhere = gone\nmax_rows = 100\nmax_share = off")
    assert house.pruned.run("plan", "cat").ok().stdout.splitlines()[-1] == "not foreseen: what trigger zero of cat changes"
    held = house.run("cat")
    assert (held["state"], held["error"]) == ("held", "held: 310 rows are above max_rows 100")
    assert house.rows("stock", "sum(n)") == [(300,)] and house.rows("cat", "count(*)") == [(50,)]
    house.pruned.run("approve", held["run_id"]).ok()
    house.pruned.run_until_idle()
    run = house.pruned.run_row(held["run_id"])
    assert (run["state"], run["rows_done"], run["result"]["others"]) == ("finished", 310, 300)
    assert run["result"]["tables"] == {"stock": {"changed": 300}, "log": {"inserted": 10}}


def test_rows_that_a_trigger_changes_count_from_the_page_on_behind_which_it_came(house):  # noqa: F811
    """A migration makes the trigger between two pages of a run. The process has just asked which
    triggers there are."""
    house.sql("""CREATE TABLE cat (id bigint PRIMARY KEY, gone bool); INSERT INTO cat SELECT g, g <= 10 FROM generate_series(1, 50) g;
        CREATE TABLE stock (id bigint PRIMARY KEY, cat_id bigint, n int); INSERT INTO stock SELECT g, 1 + g % 10, 1 FROM generate_series(1, 300) g""")
    house.say("cat", "table = cat\nwhere = gone\nmax_rows = 100\nmax_share = off\nbatch = 5\ndelay_ms = 3600000")
    house.start()
    house.pruned.start()
    at = now(minutes=-1)
    house.pruned.topics.tick("cat", at)
    run = tick_id("cat", at)
    house.database.wait("SELECT step FROM pruned.runs WHERE run_id = %s AND state = 'waiting'", [run], until=1)
    house.sql("""CREATE FUNCTION zero() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN UPDATE stock SET n = 0 WHERE cat_id = OLD.id; RETURN OLD; END';
        CREATE TRIGGER zero AFTER DELETE ON cat FOR EACH ROW EXECUTE FUNCTION zero()""")
    house.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s", [run])
    house.pruned.run("retry", str(run))  # wakes the dispatcher, unless it is there already
    held = house.pruned.wait_run(run, "held", "finished")
    assert held["state"] == "held" and "above max_rows 100" in held["error"], held
    assert house.rows("stock", "sum(n)") == [(300,)] and house.rows("cat", "count(*)") == [(45,)]


def test_rows_that_follow_a_changed_key_count(house):  # noqa: F811
    house.sql(SHOP.format(action="SET NULL") + "; UPDATE prod SET code = 'c' || cat_id")
    house.say("cat", "table = cat\nwhere = gone\nset = code = code || 'x', gone = false\nmax_rows = 100\nmax_share = off")
    said = house.pruned.run("plan", "cat").ok().stdout.splitlines()
    assert "changed with them: 300 rows of prod" in said and said[-1] == "would be held: 310 rows are above max_rows 100"
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


CONF = """[job]
starts = tick
table = cat
unique_key = cat
arguments = cursor
cursor = id bigint
max_rows = 100
max_share = off
[what removed]
counts_as_updated = true
"""
FILES = {
    "page": "SELECT c.id AS key, c.id FROM cat c WHERE c.gone AND c.id > :cursor.id::bigint ORDER BY c.id LIMIT :limit::int",
    "decide": "SELECT k AS key, 'removed' AS what, NULL::text AS reason FROM unnest(:key::bigint[]) k",
    "apply/removed/10-cat": "DELETE FROM cat c USING unnest(:key::bigint[]) AS k (id) WHERE c.id = k.id RETURNING c.id AS key, to_jsonb(c) AS row",
}


def write_folder(house, more=(), without=None):
    for file, text in (FILES | dict(more)).items():
        if file == without:
            continue
        path = house.folder / "cat" / f"{file}.sql"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("-- A file of the tests.\n" + text)
    (house.folder / "cat" / "job.conf").write_text(CONF)


@pytest.mark.parametrize("action, said, tables", [
    ("SET NULL", ["changed with them: 300 rows of prod"], {"prod": {"changed": 300}}),
    pytest.param("CASCADE", ["with them: 300 rows of prod", "changed with them: 600 rows of part"],
                 {"prod": {"deleted": 300}, "part": {"changed": 600}}, marks=pytest.mark.check_all),
    pytest.param("NO ACTION", ["with them: 300 rows of prod", "changed with them: 600 rows of part"],
                 {"prod": {"deleted": 300}, "part": {"changed": 600}}, marks=pytest.mark.check_all)])
def test_rows_behind_a_folder_stand_in_its_plan(house, action, said, tables):  # noqa: F811
    """With NO ACTION a file of the folder removes them first."""
    house.sql(SHOP.format(action=action) + """; CREATE TABLE part (id bigint PRIMARY KEY, prod_id bigint REFERENCES prod ON DELETE SET NULL);
        INSERT INTO part SELECT g, 1 + g % 300 FROM generate_series(1, 600) g; CREATE INDEX ON part (prod_id)""")
    first = {"apply/removed/05-prod": "DELETE FROM prod p USING unnest(:key::bigint[]) AS k (id) WHERE p.cat_id = k.id RETURNING p.id AS key, to_jsonb(p) AS row"}
    write_folder(house, first if action == "NO ACTION" else ())
    lines = house.pruned.run("plan", "cat").ok().stdout.splitlines()
    rows = 10 + sum(n for table in tables.values() for n in table.values())
    assert [line for line in lines if "with them" in line] == said
    assert lines[-1] == f"would be held: {rows} rows are above max_rows 100"
    held = house.run("cat")
    assert (held["state"], held["error"]) == ("held", f"held: {rows} rows are above max_rows 100")
    house.pruned.run("approve", held["run_id"]).ok()
    house.pruned.run_until_idle()
    run = house.pruned.run_row(held["run_id"])
    assert (run["state"], run["rows_done"], run["result"]["tables"]) == ("finished", rows, tables)


def test_a_plan_says_what_it_does_not_foresee(house):  # noqa: F811
    """A trigger of a table whose rows only change runs for the columns that change; files of a
    folder may change any; rows that a role may not read are not counted, and hinder nothing."""
    house.sql(SHOP.format(action="SET NULL") + """; UPDATE prod SET code = 'c' || cat_id;
        CREATE TABLE part (id bigint PRIMARY KEY, cat_id bigint);
        CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
        CREATE TRIGGER on_cat BEFORE UPDATE OF cat_id ON prod FOR EACH ROW EXECUTE FUNCTION nothing();
        CREATE TRIGGER on_code BEFORE UPDATE OF code ON prod FOR EACH ROW EXECUTE FUNCTION nothing();
        CREATE TRIGGER off BEFORE UPDATE ON prod FOR EACH ROW EXECUTE FUNCTION nothing(); ALTER TABLE prod DISABLE TRIGGER off""")
    rest = "max_rows = 100\nmax_share = off"

    def said(job="cat"):
        lines = house.pruned.run("plan", job).ok().stdout.splitlines()
        return [line for line in lines if line.startswith(("not foreseen", "changed with", "would"))]

    house.say("cat", f"table = cat\nwhere = gone\n{rest}")
    held = "would be held: 310 rows are above max_rows 100"
    assert said() == ["changed with them: 300 rows of prod", "not foreseen: what trigger on_cat of prod changes", held]
    house.say("cat", f"table = cat\nwhere = gone\nset = code = code || 'x'\n{rest}")
    assert said() == ["changed with them: 300 rows of prod", "not foreseen: what trigger on_code of prod changes", held]
    house.say("cat", f"table = cat\nwhere = gone\nset = code = 'c' || id, gone = false\n{rest}")
    assert said() == ["not foreseen: what trigger on_code of prod changes"]
    house.say("cat", f"table = cat\nwhere = gone\nset = gone = false\n{rest}")
    assert said() == []
    house.say("cat", f"table = cat\nwhere = gone\nset = code = code || 'x'\n{rest}")
    house.database.connection.execute(f"REVOKE SELECT ON prod FROM {ROLE}")
    assert said() == ["not foreseen: rows of prod, which this role does not see; what trigger on_code of prod changes"]
    assert house.run("cat")["error"] == "held: 310 rows are above max_rows 100"
    (house.folder / "cat.conf").unlink()
    write_folder(house, {"apply/removed/05-part": "DELETE FROM part p USING unnest(:key::bigint[]) AS k (id) WHERE p.cat_id = k.id RETURNING p.id AS key, to_jsonb(p) AS row"})
    assert said() == ["not foreseen: rows of part, which no foreign key names; rows of prod, which this role does not see; what trigger on_cat of prod changes"]
    (house.folder / "cat" / "apply" / "removed" / "05-part.sql").unlink()
    (house.folder / "cat" / "apply" / "removed" / "10-cat.sql").unlink()
    write_folder(house, {"apply/removed/10-cat.update": """WITH was AS MATERIALIZED (SELECT c.* FROM cat c WHERE c.id = ANY (:key::bigint[]) FOR UPDATE)
        UPDATE cat c SET code = c.code || 'x' FROM was WHERE c.id = was.id RETURNING c.id AS key, to_jsonb(was) AS row"""}, without="apply/removed/10-cat")
    assert said() == ["not foreseen: rows of prod that ON UPDATE of prod_code_fkey changes"]
