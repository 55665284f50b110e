"""What `pruned check JOB --apply N` ends with."""

import pytest

from support.database import connect
from support.instance import tenant  # noqa: F401
from support.restored import EXPIRED, GROUPS, doomed, expired, world  # noqa: F401
from support.sentences import house  # noqa: F401


@pytest.fixture
def applied(house):  # noqa: F811
    house.sql("""CREATE TABLE t (id bigint PRIMARY KEY, dead boolean); CREATE TABLE c (id bigint PRIMARY KEY, t bigint REFERENCES t);
        INSERT INTO t SELECT n, n < 5 FROM generate_series(1, 9) n""")
    house.say("t.dead", "table = t\nwhere = dead")
    return house


def test_apply_is_well(applied):
    assert applied.pruned.run("check", "t.dead", "--apply", "3").code == 0


def test_rows_that_somebody_holds_are_no_fault_of_the_job(applied):
    with connect(applied.database.url) as other:
        other.autocommit = False
        other.execute("SELECT FROM t WHERE id = 2 FOR UPDATE")
        done = applied.pruned.run("check", "t.dead", "--apply", "3")
    assert done.code == 3 and "lock" in done.stderr, done
    assert applied.rows("t", "count(*)") == [(9,)]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("check, asks", [("page", "!~"), ("decide", "~")])
def test_a_page_that_waits_for_somebody_is_no_fault_of_the_job(applied, check, asks):
    """Only who reads rows waits here, EXPLAIN does not."""
    applied.sql(f"""CREATE FUNCTION waits(boolean) RETURNS boolean STABLE LANGUAGE plpgsql AS $$
        BEGIN IF current_query() {asks} 'pruned_spared' THEN PERFORM pg_advisory_xact_lock_shared(9); END IF; RETURN $1; END $$""")
    applied.say("t.dead", "table = t\nwhere = waits(dead)")
    with connect(applied.database.url) as other:
        other.execute("SELECT pg_advisory_lock(9)")
        done = applied.pruned.run("check", "t.dead", "--json")
    (wrong,) = [one for one in done.json() if not one["ok"]]
    assert done.code == 3 and (wrong["check"], wrong["remedy"], wrong["line"]) == (check, "pruned check t.dead", 1), wrong
    assert applied.pruned.run("check", "t.dead").code == 0


def test_a_row_at_fault_is_one_of_the_job(applied):
    applied.sql("INSERT INTO c VALUES (1, 1)")
    done = applied.pruned.run("check", "t.dead", "--apply", "3")
    assert done.code == 2 and "a row is at fault" in done.stderr, done


def test_files_behind_the_one_of_the_jobs_own_table(applied):
    """In a daemon they run while the outcomes are made; here there are none."""
    applied.sql("CREATE TABLE log (t bigint PRIMARY KEY)")
    applied.pruned.run("jobs", "show", "t.dead", "--to", applied.folder).ok()
    (applied.folder / "t.dead.conf").unlink()
    apply = applied.folder / "t.dead/apply/removed"
    (apply / "900-log.insert.sql").write_text("INSERT INTO log SELECT k FROM unnest(:key::bigint[]) AS k RETURNING t AS key")
    done = applied.pruned.run("check", "t.dead", "--apply", "3", "--json")
    assert done.code == 0, done
    assert [line["rows"] for line in done.json() if line["file"].endswith("900-log.insert.sql")] == [3]
    assert applied.rows("log", "count(*)") == [(0,)]


@pytest.mark.check_all
@pytest.mark.parametrize("job, fixture, file", [(EXPIRED, "expired", "10-members.sql"), (GROUPS, "doomed", None)])
def test_built_in_jobs_that_page_are_applied_too(request, job, fixture, file):
    """The one takes what lies below its rows in C, the other plans in C."""
    there = request.getfixturevalue(fixture)
    there.database.connection.execute("CREATE TABLE badges (member_id bigint REFERENCES members ON DELETE CASCADE);"
                                      "GRANT SELECT, UPDATE, DELETE ON badges TO PUBLIC; INSERT INTO badges SELECT id FROM members")
    before = world(there.database)
    done = there.pruned.run("check", job, "--apply", "3", "--json")
    assert done.code == 0, done
    if file is not None:
        assert [line["rows"] for line in done.json() if line["file"].endswith(file)] == [3]
    assert world(there.database) == before
    assert there.database.value("SELECT count(*) FROM pruned.deletions") == there.database.value("SELECT count(*) FROM pruned.runs") == 0
