"""Sentences that drop partitions beside others: who waits for whose locks, other processes and
jobs, PgBouncer in between."""

import shutil

import pytest

from stack.pair import new_folder
from stack.pgbouncer import PgBouncer
from support.partitioned import OLD, left, make, noted, own, say, tables
from support.places import ROLE
from support.scene import due_now, now
from support.sentences import house  # noqa: F401


# --- locks of others

@pytest.mark.check_all
def test_readers_of_the_table_do_not_wait_and_a_locked_partition_does_not_block_them(house):  # noqa: F811
    make(house, OLD[:1])
    house.sql("CREATE TABLE logs_new PARTITION OF logs FOR VALUES FROM ('2026-01-01') TO ('2099-01-01')")
    own(house)
    say(house)
    house.start()
    with house.database.connect() as other:
        other.execute("BEGIN; LOCK TABLE logs_1 IN ROW SHARE MODE")
        run_id = house.pruned.run("tick", "logs.old", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
        daemon = house.pruned.start()
        line = daemon.wait_line("Step failed", job="logs.old", state="waiting")
        assert line["attempts"] == 0 and "logs_1" in line["error"], line
        assert "logs_1" in house.pruned.run_row(run_id)["error"]
        house.sql("SET statement_timeout = '1s'; INSERT INTO logs VALUES (9, '2026-11-01'); SELECT count(*) FROM logs; RESET statement_timeout")
        assert tables(house) == ["logs", "logs_1", "logs_new"]
        other.execute("COMMIT")
    due_now(house.database, run_id)
    run = house.pruned.wait_run(run_id)
    assert run["result"]["removed"] == 1 and tables(house) == ["logs", "logs_new"] and daemon.stop() == 0


@pytest.mark.check_all
def test_a_detach_that_was_cut_off_is_finished(house):  # noqa: F811
    """The detach waits for a transaction that has read the table and leaves a partition half
    detached. The next try completes it."""
    make(house, OLD[:2])
    say(house)
    house.start()
    with house.database.connect() as other:
        other.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        assert other.execute("SELECT count(*) FROM logs").fetchone()
        run_id = house.pruned.run("tick", "logs.old", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
        daemon = house.pruned.start()
        daemon.wait_line("Step failed", job="logs.old", state="waiting")
        assert house.database.value("SELECT inhdetachpending FROM pg_inherits WHERE inhrelid = 'logs_1'::regclass")
        house.sql("SET statement_timeout = '1s'; SELECT count(*) FROM logs; RESET statement_timeout")
        assert other.execute("SELECT count(*) AS n FROM logs").fetchone()["n"] == 4
        other.execute("COMMIT")
    due_now(house.database, run_id)
    assert house.pruned.wait_run(run_id, deadline_s=60)["result"]["removed"] == 2
    assert tables(house) == ["logs"] and noted(house) == [] and daemon.stop() == 0


@pytest.mark.check_all
def test_beside_a_default_partition_the_job_gives_way_to_the_application(house):  # noqa: F811
    make(house, OLD[:1], default=True)
    say(house)
    house.start()
    with house.database.connect() as other:
        other.execute("BEGIN; SELECT count(*) FROM logs")
        run_id = house.pruned.run("tick", "logs.old", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
        daemon = house.pruned.start()
        assert "timeout" in daemon.wait_line("Step failed", job="logs.old", state="waiting")["error"]
        other.execute("COMMIT")
    due_now(house.database, run_id)
    assert house.pruned.wait_run(run_id, deadline_s=60)["result"]["removed"] == 1
    assert left(house) == ["logs_rest"] and daemon.stop() == 0


def test_a_stranger_that_is_half_detached_blocks_with_the_command(house):  # noqa: F811
    make(house, [*OLD[:1], ("logs_new", "2026-01-01", "2099-01-01")])
    say(house)
    with house.database.connect() as reader, house.database.connect() as other:
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM logs")
        other.execute("SET statement_timeout = '300ms'")
        with pytest.raises(Exception, match="statement timeout"):
            other.execute("ALTER TABLE logs DETACH PARTITION logs_new CONCURRENTLY")
        reader.execute("COMMIT")
    run = house.run("logs.old")
    assert run["result"]["status"] == "blocked" and "DETACH PARTITION logs_new FINALIZE" in run["result"]["reason"], run
    assert left(house) == ["logs_1", "logs_new"]


# --- several of them

@pytest.mark.check_all
def test_two_processes_and_two_ticks_drop_each_once(house):  # noqa: F811
    make(house, default=False)
    say(house)
    house.start()
    ids = [house.pruned.run("tick", "logs.old", "--at", now(minutes=-n).isoformat()).ok().stdout.strip() for n in (3, 2, 1)]
    daemons = [house.pruned.start(), house.pruned.start()]
    runs = [house.pruned.wait_run(one, deadline_s=60) for one in ids]
    assert sum((run["result"] or {}).get("removed", 0) for run in runs) == 3 and tables(house) == ["logs"]
    assert sorted(house.database.column("SELECT v #>> '{}' FROM pruned.deletions d, jsonb_array_elements(d.keys) AS v")) == ["logs_1", "logs_2", "logs_3"]
    assert [daemon.stop() for daemon in daemons] == [0, 0]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("hours, goes", [(23, False), (25, True)])
@pytest.mark.parametrize("attached", [True, False])
def test_what_another_job_has_begun_is_its_own_for_a_day(house, hours, goes, attached):  # noqa: F811
    """So a renamed job completes what it began under its old name."""
    make(house, OLD[:1])
    say(house)
    house.database.execute("""INSERT INTO pruned.partitions (relid, job, run_id, parent, name, bound, upper, upper_at, decided_at)
        SELECT oid, 'other', gen_random_uuid(), 'logs'::regclass, 'logs_1', pg_get_expr(relpartbound, oid), '2024-02-01', '2024-02-01',
               now() - %s * interval '1 hour' FROM pg_class WHERE relname = 'logs_1'""", [hours])
    if attached:
        house.database.execute("UPDATE pruned.partitions SET bound = 'FOR VALUES FROM (''2024-01-01 00:00:00+00'') TO (''2024-02-01 00:00:00+00'')'")
    else:
        house.sql("ALTER TABLE logs DETACH PARTITION logs_1")
    counters, _ = house.done("logs.old")
    assert counters == ({"removed": 1, "updated_rows": 1} if goes else {})
    assert tables(house) == (["logs"] if goes else ["logs", "logs_1"]) and noted(house) == ([] if goes else [("logs_1",)])


@pytest.mark.check_first(1)
@pytest.mark.parametrize("default", [False, True])
def test_behind_pgbouncer_partitions_go_as_ever(house, shared, default):  # noqa: F811
    """In transaction mode: a detach has no transaction, and leaves nothing on the connection that
    the next statement would meet."""
    make(house, default=default)
    say(house)
    folder = new_folder("pruned-pgbouncer-")
    server = PgBouncer(folder / "pgbouncer", shared.postgres_url, [ROLE], statements=0).start()
    try:
        house.pruned.settings |= {"postgres.url": server.url(house.database.role_url), "postgres.prepare": False, "run.workers": 4}
        counters, _ = house.done("logs.old")
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)
    assert counters == {"removed": 3, "updated_rows": 3} and noted(house) == []
    assert left(house) == (["logs_rest"] if default else []) and tables(house) == ["logs"] + ["logs_rest"] * default
