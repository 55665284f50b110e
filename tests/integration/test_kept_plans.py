"""PostgreSQL keeps the plan of a statement. A plan made while the ledger was empty must not read
all of it when it is large, and a step of one row must not be planned each time."""

import json

import pytest

from stack.process import wait_until
from support.database import connect
from support.scene import fill, now, result, tick_id

JOB = "scratch.wide"
NUMBER = 50_000
WAITING = """
INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job)
SELECT gen_random_uuid(), now(), now() + interval '1 day' + n * interval '1 ms', 'waiting', %s FROM generate_series(1, %s) AS n"""
DUE = "INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job) VALUES (gen_random_uuid(), now(), now(), 'waiting', %s) RETURNING run_id"
READ = """
SELECT t.seq_tup_read + (SELECT sum(i.idx_tup_read) FROM pg_stat_user_indexes i WHERE i.relid = t.relid)::bigint
FROM pg_stat_user_tables t WHERE t.relid = 'pruned.runs'::regclass"""


def work(scene, daemon, times):
    """Runs that come as messages, and runs that become due: one after the other, so that each
    statement runs often enough."""
    for _ in range(times):
        scene.topics.tick(JOB, at := now(minutes=-1))
        daemon.wait_line("Finished", run_id=tick_id(JOB, at))
        daemon.wait_line("Finished", run_id=str(scene.database.row(DUE, [JOB])["run_id"]))


@pytest.mark.check_all
def test_no_plan_reads_the_whole_ledger_for_long(scene):
    database = scene.database
    database.execute("ALTER TABLE pruned.runs SET (autovacuum_enabled = off)")
    database.execute("VACUUM ANALYZE pruned.runs")
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    work(scene, daemon, 8)
    database.execute(WAITING, [JOB, NUMBER])

    def reads_little():
        before = database.value(READ)
        work(scene, daemon, 2)
        return database.value(READ) - before < NUMBER

    wait_until(reads_little, 60, "steps that find their rows by an index")


REMOVE, PAGE, ROWS = "scratch.remove", 1000, 1_000_000
# the search for a page is planned for its values; the check at the start named it so
REPEATED = """SELECT calls, plans, query FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
    WHERE d.datname = current_database() AND calls >= %s AND plans * 2 > calls AND query LIKE '%%$1%%' AND query LIKE '%%pruned%%'
    AND query NOT LIKE 'PREPARE pruned_explained AS%%'"""
SCANNED = "SELECT seq_tup_read FROM pg_stat_user_tables WHERE relid = 'scratch'::regclass"
# A scan of the ledger reads 20,000 blocks. The daemon does so at its start, in statements without
# lists and for quiet hours. The look for lost messages reads a block or two for each of its lanes,
# in all about 110, and may have been done twice only. The first page, whose records are read back,
# reads 1,200 of the catalogue.
FAR = """SELECT query FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
    WHERE d.datname = current_database() AND query LIKE '%unnest%' AND query NOT LIKE '%u.until%' AND query ~ 'scratch s|pruned.runs'
      AND shared_blks_hit + shared_blks_read > 2000 + 200 * (calls + rows)"""
LEDGER = WAITING.replace("SELECT gen_random_uuid(), now(),", "SELECT gen_random_uuid(), now() - interval '1 day',")


def remove_one(scene, daemon, row):
    """A run of a page of one row."""
    fill(scene.database, 1, first=row)
    scene.topics.tick(REMOVE, at := now(minutes=-1))
    daemon.wait_line("Finished", run_id=tick_id(REMOVE, at))
    assert result(scene.run_row(tick_id(REMOVE, at)))["removed"] == 1


@pytest.fixture
def counting(own_postgres):
    """A server that counts how often it plans a statement."""
    with connect(own_postgres.url()) as server:
        server.execute("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'")
    own_postgres.stop()
    own_postgres.start()
    with connect(own_postgres.url()) as server:
        server.execute("ALTER SYSTEM SET pg_stat_statements.track_planning = on")
        server.execute("SELECT pg_reload_conf()")
    return own_postgres


def test_a_step_of_one_row_is_not_planned_again(counting, new_scene):
    scene, times = new_scene(server=counting), 50
    scene.database.execute("CREATE EXTENSION pg_stat_statements")
    daemon = scene.start(settings={"run.workers": 2})
    daemon.wait_line("Partitions assigned")
    for row in range(times):
        remove_one(scene, daemon, row + 1)
    assert scene.database.rows(REPEATED, [times]) == []
    removes = "SELECT sum(calls) FROM pg_stat_statements WHERE query LIKE '%DELETE FROM scratch s%'"
    assert scene.database.value(removes) == times, "the statements were counted"


@pytest.mark.check_all
def test_tables_of_a_million_rows_are_read_by_index(new_scene, counting):
    """Pages of one row, whose plans are kept, and pages of a thousand."""
    scene = new_scene({f"jobs.{REMOVE}.batch": PAGE, f"jobs.{REMOVE}.delay_ms": 0, f"jobs.{REMOVE}.max_share": "off"}, counting)
    database = scene.database
    database.execute("CREATE EXTENSION pg_stat_statements")
    fill(database, ROWS, day="2999-01-01", first=1_000_000)
    database.execute("CREATE INDEX ON scratch (day, id)")
    database.execute(LEDGER, [JOB, ROWS])
    for table in ("scratch", "pruned.runs"):
        database.execute(f"VACUUM ANALYZE {table}")
    before = database.value(SCANNED)
    daemon = scene.start(settings={"run.workers": 2})
    daemon.wait_line("Partitions assigned")
    for row in range(12):
        remove_one(scene, daemon, row + 1)
    fill(database, 3 * PAGE, first=100)
    scene.topics.tick(REMOVE, at := now(minutes=-1))
    assert result(scene.wait_run(tick_id(REMOVE, at)))["removed"] == 3 * PAGE
    for row in range(12):
        remove_one(scene, daemon, row + 1)
    assert daemon.stop() == 0
    assert database.value(SCANNED) == before
    assert database.rows(FAR) == []


@pytest.mark.check_all
def test_runs_with_rows_are_asked_once_for_their_page(counting, new_scene):
    """The first batch is an exception: it shows that the runs have rows."""
    scene, number = new_scene({f"jobs.{JOB}.capacity": 1}, counting), 400
    scene.database.execute("CREATE EXTENSION pg_stat_statements")
    scene.topics.produce_many("ticks", [(JOB, json.dumps(
        {"job": JOB, "scheduled_at": now(milliseconds=-n).isoformat(), "args": {"n": n}})) for n in range(1, number + 1)])
    scene.run_until_idle(deadline_s=120)
    assert scene.database.value("SELECT count(*) FROM scratch_log") == number
    pages = ("SELECT sum(calls) FROM pg_stat_statements WHERE query LIKE '%SELECT n.id AS key%' "
             "AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())")
    assert number <= scene.database.value(pages) < 1.6 * number
