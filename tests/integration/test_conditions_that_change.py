"""What finds rows or decides about them changes none: a function in `where`, or in page.sql or
decide.sql of a folder, could remove rows unrecorded and uncounted."""

import pytest

from support.own_events import answers, dead, runs, say_event, send, topics  # noqa: F401
from support.sentences import house  # noqa: F401

CHANGES = """CREATE OR REPLACE FUNCTION hit(bigint) RETURNS boolean {} LANGUAGE plpgsql AS $$
    BEGIN IF $1 = 1 THEN DELETE FROM t WHERE id > 9; END IF; RETURN $1 = 1; END $$"""
READS = "CREATE OR REPLACE FUNCTION hit(bigint) RETURNS boolean {} LANGUAGE plpgsql AS $$ BEGIN RETURN $1 = 1; END $$"
TABLE = "CREATE TABLE t (id bigint PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 500);"


def count(house):  # noqa: F811
    return house.database.value("SELECT count(*) FROM t")


def assert_blocked(house, run, *words):  # noqa: F811
    assert run["result"]["status"] == "blocked" and count(house) == 500 and house.keys(run["run_id"]) == [], run
    assert all(word in run["error"] for word in words), run["error"]


def test_a_condition_that_may_change_rows_is_blocked(house):  # noqa: F811
    house.sql(TABLE + CHANGES.format(""))
    mores = ["", "\nmode = plan", "\napprove = always", "\nmax_rows = 10"]
    for number, more in enumerate(mores):
        house.say(f"t{number}", f"table = t\nwhere = hit(id){more}")
    for run in house.tick(*[f"t{number}" for number in range(len(mores))]):
        assert_blocked(house, run, "where: hit(bigint) is VOLATILE", "ALTER FUNCTION hit(bigint) STABLE")
    done = house.pruned.run("check", "t0", "--json")
    wrong, = [one for one in done.json() if not one["ok"]]
    assert done.code == 2, done
    assert "hit(bigint)" in wrong["detail"] and wrong["line"] == 3, wrong


@pytest.mark.check_all
def test_a_call_is_seen_however_it_is_written(house):  # noqa: F811
    house.sql(TABLE + CHANGES.format("") + "; CREATE SEQUENCE seq")
    calls = ["public . hit (id)", "\"hit\"(id)", "id < 9 AND EXISTS (SELECT FROM t o WHERE public.\"hit\" (o.id))", "id < nextval('seq')",
             "id < pg_catalog.nextval('seq')"]
    for number, where in enumerate(calls):
        house.say(f"t{number}", f"table = t\nwhere = {where}")
    for run in house.tick(*[f"t{number}" for number in range(len(calls))]):
        assert_blocked(house, run, "is VOLATILE")


@pytest.mark.check_first(1)
@pytest.mark.parametrize("where", ["hit(id)", "id = 1 AND random() < 2 AND clock_timestamp() > '2020-01-01'",
                                   "id = 1 AND gen_random_uuid() IS NOT NULL"])
def test_what_only_reads_goes_on(house, where):  # noqa: F811
    house.sql(TABLE + READS.format("STABLE") + "; CREATE SCHEMA away; CREATE FUNCTION away.hit(bigint) RETURNS boolean LANGUAGE sql AS 'SELECT true'")
    house.say("t", f"table = t\nwhere = {where}")
    assert house.done("t")[0]["removed"] == 1 and count(house) == 499


def test_a_function_that_is_declared_stable_ends_the_block(house):  # noqa: F811
    house.sql(TABLE + READS.format(""))
    house.say("t", "table = t\nwhere = hit(id)")
    run = house.run("t")
    assert_blocked(house, run)
    house.sql("ALTER FUNCTION hit(bigint) STABLE")
    house.pruned.run("check", "t").ok()


@pytest.mark.check_all
@pytest.mark.parametrize("more", ["", "\napprove = always", "\nmax_rows = 10", "\nmode = plan"])
@pytest.mark.parametrize("how", ["function", "operator"])
def test_what_the_catalogue_does_not_tell_is_refused_when_it_changes_rows(house, how, more):  # noqa: F811
    """A function that reads calls one that does not; an operator hides its function."""
    if how == "function":
        house.sql(TABLE + CHANGES.format("").replace("hit", "inner_hit"))
        house.sql("CREATE FUNCTION hit(bigint) RETURNS boolean STABLE LANGUAGE sql AS 'SELECT inner_hit($1)'")
    else:
        house.sql(TABLE + CHANGES.format("") + "; CREATE OPERATOR !!! (RIGHTARG = bigint, FUNCTION = hit)")
    house.say("t", f"table = t\nwhere = {'hit(id)' if how == 'function' else '!!! id'}{more}")
    assert_blocked(house, house.run("t"), "[25006]", "DELETE")


def folder(house, where="id = 1"):  # noqa: F811
    """The job t as a folder."""
    house.sql(TABLE)
    house.say("t", f"table = t\nwhere = {where}")
    house.pruned.run("jobs", "show", "t", "--to", house.folder).ok()
    (house.folder / "t.conf").unlink()
    return house.folder / "t"


@pytest.mark.check_first(1)
@pytest.mark.parametrize("file, old, new", [
    ("decide", "WHEN pruned_r.pruned_spared IS NULL", "WHEN public.hit(pruned_k.pruned_1) OR pruned_r.pruned_spared IS NULL"),
    ("page", "WHERE", "WHERE public.hit(id) IS NOT NULL AND")])
def test_files_of_a_folder_change_nothing_but_by_apply(house, file, old, new):  # noqa: F811
    at = folder(house) / f"{file}.sql"
    house.sql(CHANGES.format(""))
    at.write_text(at.read_text().replace(old, new))
    assert_blocked(house, house.run("t"), "[25006]", f"{file}.sql")


def test_a_page_that_locks_its_rows_goes_on(house):  # noqa: F811
    at = folder(house) / "page.sql"
    at.write_text(at.read_text() + "FOR NO KEY UPDATE SKIP LOCKED\n")
    assert house.done("t")[0]["removed"] == 1


def test_an_event_waits_for_a_condition_that_changes_rows(house, topics):  # noqa: F811
    house.sql(TABLE + CHANGES.format("").replace("hit", "inner_hit"))
    house.sql("CREATE FUNCTION hit(bigint) RETURNS boolean STABLE LANGUAGE sql AS 'SELECT inner_hit($1)'")
    topics.make("app-t")
    house.say("t", "table = t\non = E\nwhere = hit(id)")
    say_event(house, "E", "app-t", "key = id")
    send(house, {"id": 1}, "app-t")
    house.work()
    row, = house.database.rows("SELECT state, error FROM pruned.runs WHERE job = 't'")
    assert row["state"] == "waiting" and row["error"].startswith("blocked: ") and count(house) == 500, row
    assert answers(house) == [] and dead(house) == {}
