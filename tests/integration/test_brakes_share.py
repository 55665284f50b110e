"""`max_share` of a job of one's own counts for tables of 1,000 rows or more, whatever its run
has."""

import pytest

from support.sentences import house  # noqa: F401

TABLE = """CREATE TABLE t (id int PRIMARY KEY, dead bool); ALTER TABLE t SET (autovacuum_enabled = false);
    INSERT INTO t SELECT i, i <= {dead} FROM generate_series(1, {rows}) i; ANALYZE t"""


def said(run):
    return "held" if run["state"] == "held" else run["result"]["status"]


@pytest.mark.check_all
@pytest.mark.parametrize("more", ["", "batch = 50\ndelay_ms = 0\n", "set = dead = NULL\n"])
@pytest.mark.parametrize("rows, dead, share, end", [
    (5000, 900, "5 %", "held"), (1200, 1100, "20 %", "held"), (1000, 201, "20 %", "held"), (1000, 200, "20 %", "completed"), (999, 900, "20 %", "completed")])
def test_a_table_of_a_thousand_rows(house, rows, dead, share, end, more):  # noqa: F811
    house.sql(TABLE.format(rows=rows, dead=dead))
    house.say("t", f"table = t\nwhere = dead\nmax_share = {share}\n{more}")
    planned = house.pruned.run("plan", "t").ok().stdout
    assert ("would be held" in planned) == (end == "held"), planned
    run = house.run("t")
    assert said(run) == end, run
    assert house.database.value("SELECT count(*) FROM t WHERE dead") == (dead if end == "held" else 0)
    if end == "held":
        assert run["error"] == f"held: {dead:,} rows are {100 * dead / rows:.1f} % of t, above max_share {share}"


@pytest.mark.check_first(1)
@pytest.mark.parametrize("min_rows, end", [(1000, "completed"), (900, "held"), (0, "held")])
def test_min_rows_that_is_set_counts_the_rows_of_the_run(house, min_rows, end):  # noqa: F811
    house.sql(TABLE.format(rows=2000, dead=950))
    house.say("t", f"table = t\nwhere = dead\nmin_rows = {min_rows}")
    assert said(house.run("t")) == end


def test_pages_of_a_small_table_do_not_make_it_large(house):  # noqa: F811
    """With other settings the limits are read again, after 300 of its 900 rows have changed."""
    house.sql(TABLE.format(rows=900, dead=900))
    change = "table = t\nwhere = dead\nset = dead = NULL\nbatch = 300\ndelay_ms = "
    house.say("t", change + "3600000")
    house.start()
    daemon = house.pruned.start()
    run = house.pruned.run("tick", "t", "--at", "-1m").ok().stdout.strip()
    house.database.wait("SELECT count(*) FROM pruned.runs WHERE run_id = %s AND state = 'waiting' AND step = 1", [run], until=1)
    daemon.stop()
    house.say("t", change + "0\nmax_share = 10 %")
    house.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s", [run])
    house.work()
    row = house.pruned.run_row(run)
    assert said(row) == "completed" and row["result"]["changed"] == 900, row


def test_statistics_of_before_a_purge(house):  # noqa: F811
    house.sql(TABLE.format(rows=100000, dead=2000) + "; DELETE FROM t WHERE id > 2100")
    house.sql("SELECT pg_stat_force_next_flush()")
    house.database.wait("SELECT pg_stat_get_live_tuples('t'::regclass)", until=2100)
    house.say("t", "table = t\nwhere = dead")
    run = house.run("t")
    assert (run["state"], run["error"]) == ("held", "held: 2,000 rows are 95.2 % of t, above max_share 20 %")


def test_counters_that_know_nothing(house):  # noqa: F811
    """As behind a crash of the server: they are at 0, and the table has all its rows."""
    house.sql(TABLE.format(rows=20000, dead=3000) + "; SELECT pg_stat_reset()")
    house.say("t", "table = t\nwhere = dead")
    assert said(house.run("t")) == "completed"
