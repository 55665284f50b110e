"""What `pruned check JOB --apply N` ends with."""

import pytest

from support.database import connect
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


def test_a_row_at_fault_is_one_of_the_job(applied):
    applied.sql("INSERT INTO c VALUES (1, 1)")
    done = applied.pruned.run("check", "t.dead", "--apply", "3")
    assert done.code == 2 and "a row is at fault" in done.stderr, done
