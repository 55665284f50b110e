"""Sentences that drop partitions beside somebody who takes one by hand: only what the job itself
has detached is dropped."""

import contextlib

import pytest

from support.partitioned import OLD, left, make, noted, own, say, tables
from support.scene import due_now, now
from support.sentences import house  # noqa: F401

REASON = "somebody else has detached it"


@contextlib.contextmanager
def waiting(house):
    """A run that has noted all three and waits for a lock of the first. Then goes on to its end."""
    make(house)
    say(house, more="batch = 10")
    house.start()
    with house.database.connect() as other:
        other.execute("BEGIN; LOCK TABLE logs_1 IN ROW SHARE MODE")
        run_id = house.pruned.run("tick", "logs.old", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
        daemon = house.pruned.start()
        daemon.wait_line("Step failed", job="logs.old", state="waiting")
        assert [name for (name,) in noted(house)] == ["logs_1", "logs_2", "logs_3"]
        run = {"run_id": run_id}
        yield run
        other.execute("COMMIT")
    due_now(house.database, run_id)
    run |= house.pruned.wait_run(run_id, deadline_s=60)
    run["lines"] = [(line["partition"], line["reason"]) for line in daemon.lines("Partition kept")]
    assert daemon.stop() == 0


def ends_with(house, run, lines=(), **counters):
    assert {name: run["result"][name] for name in counters} == counters, run["result"]
    assert noted(house) == [] and run["lines"] == list(lines), run["lines"]


@pytest.mark.check_all
def test_one_that_is_dropped_by_hand_is_gone_and_the_others_go(house):  # noqa: F811
    with waiting(house) as run:
        house.sql("DROP TABLE logs_2")
    ends_with(house, run, removed=2, gone=1)
    assert tables(house) == ["logs"]


@pytest.mark.check_all
def test_of_another_table_of_its_name_nothing_goes(house):  # noqa: F811
    with waiting(house) as run:
        house.sql("DROP TABLE logs_3; CREATE TABLE logs_3 (x int)")
    ends_with(house, run, removed=2, gone=1)
    assert tables(house) == ["logs", "logs_3"]


@pytest.mark.check_all
def test_one_that_is_detached_by_hand_is_kept(house):  # noqa: F811
    with waiting(house) as run:
        house.sql("ALTER TABLE logs DETACH PARTITION logs_3")
    ends_with(house, run, [("logs_3", REASON)], removed=2, kept=1)
    assert tables(house) == ["logs", "logs_3"] and house.rows("logs_3", "id", "1") == [(1,), (2,)]


@pytest.mark.check_all
def test_the_one_that_the_run_waits_for_is_kept_if_it_is_detached_by_hand(house):  # noqa: F811
    """A detach that gave way was none."""
    make(house, OLD[:1])
    say(house)
    house.start()
    with house.database.connect() as other:
        other.execute("BEGIN; LOCK TABLE logs IN EXCLUSIVE MODE")
        run_id = house.pruned.run("tick", "logs.old", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
        daemon = house.pruned.start()
        daemon.wait_line("Step failed", job="logs.old", state="waiting")
        house.database.wait("SELECT count(*) FROM pruned.partitions WHERE detaching", until=0)
        other.execute("ALTER TABLE logs DETACH PARTITION logs_1; COMMIT")
    due_now(house.database, run_id)
    run = house.pruned.wait_run(run_id, deadline_s=60)
    assert (run["result"]["removed"], run["result"]["kept"]) == (0, 1)
    assert tables(house) == ["logs", "logs_1"] and noted(house) == [] and daemon.stop() == 0


def behind(house, sql):
    """The run's own detach waits for a transaction that then does `sql`."""
    make(house, OLD[:1])
    say(house)
    house.start()
    with house.database.connect() as other:
        other.execute("BEGIN; LOCK TABLE logs IN EXCLUSIVE MODE")
        run_id = house.pruned.run("tick", "logs.old", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
        daemon = house.pruned.start()
        house.database.wait("""SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            AND query LIKE '%DETACH%CONCURRENTLY'""", until=1)
        other.execute(f"{sql}; COMMIT")
    run = house.pruned.wait_run(run_id, deadline_s=60)
    assert daemon.stop() == 0
    return run, [line["partition"] for line in daemon.lines("Partition kept")]


def test_a_detach_by_hand_that_ours_waits_behind_is_not_taken_for_ours(house):  # noqa: F811
    run, lines = behind(house, "ALTER TABLE logs DETACH PARTITION logs_1")
    assert (run["result"]["status"], run["result"]["removed"], run["result"]["kept"]) == ("completed", 0, 1)
    assert tables(house) == ["logs", "logs_1"] and noted(house) == [] and lines == ["logs_1"]


def test_a_drop_by_hand_that_ours_waits_behind_is_none_of_ours(house):  # noqa: F811
    run, lines = behind(house, "DROP TABLE logs_1")
    assert (run["result"]["status"], run["result"]["removed"], run["result"]["gone"]) == ("completed", 0, 1)
    assert tables(house) == ["logs"] and noted(house) == [] and lines == []


def test_one_that_somebody_else_has_left_half_detached_is_not_finished(house):  # noqa: F811
    make(house, OLD[:2])
    say(house, more="batch = 10")
    with house.database.connect() as reader, house.database.connect() as other:
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM logs")
        other.execute("SET statement_timeout = '300ms'")
        with pytest.raises(Exception, match="statement timeout"):
            other.execute("ALTER TABLE logs DETACH PARTITION logs_1 CONCURRENTLY")
        reader.execute("COMMIT")
    assert [line[1] for line in house.plan("logs.old")] == ["logs_2"]
    run = house.run("logs.old")
    assert run["result"]["status"] == "blocked" and "DETACH PARTITION logs_1 FINALIZE" in run["result"]["reason"], run
    assert left(house) == ["logs_1", "logs_2"]


@pytest.mark.check_all
def test_after_a_discard_one_that_is_detached_by_hand_is_kept_by_the_next_run(house):  # noqa: F811
    make(house)
    say(house, more="batch = 10")
    house.start()
    with house.database.connect() as other:
        other.execute("BEGIN; LOCK TABLE logs_1 IN ROW SHARE MODE")
        run_id = house.pruned.run("tick", "logs.old", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
        daemon = house.pruned.start()
        daemon.wait_line("Step failed", job="logs.old", state="waiting")
        house.pruned.run("discard", run_id, "--yes").ok()
        assert daemon.stop() == 0
        other.execute("COMMIT")
    house.sql("ALTER TABLE logs DETACH PARTITION logs_3; INSERT INTO logs_3 VALUES (7, '2024-03-03')")
    assert [line[1] for line in house.plan("logs.old")] == ["logs_1", "logs_2"]
    counters, _ = house.done("logs.old", at=now(seconds=-5))
    assert counters == {"removed": 2, "updated_rows": 2, "kept": 1}
    assert tables(house) == ["logs", "logs_3"] and noted(house) == []


# --- what comes to need one meanwhile

@pytest.mark.check_all
@pytest.mark.parametrize("partition", ["logs_1", "logs_2"])
def test_what_comes_to_need_one_that_is_noted_keeps_it(house, partition):  # noqa: F811
    """The first is half detached by then: it stays as a table of its own."""
    with waiting(house) as run:
        house.sql(f"CREATE TABLE typed (x {partition})")
    ends_with(house, run, [(partition, "used by column x of table typed")], removed=2, kept=1)
    assert tables(house) == ["logs", partition]


@pytest.mark.check_all
def test_beside_a_default_partition_it_is_the_same(house):  # noqa: F811
    make(house, default=True)
    say(house, more="batch = 10")
    house.start()
    with house.database.connect() as other:
        other.execute("BEGIN; SELECT count(*) FROM logs")
        run_id = house.pruned.run("tick", "logs.old", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
        daemon = house.pruned.start()
        daemon.wait_line("Step failed", job="logs.old", state="waiting")
        other.execute("CREATE TABLE typed (x logs_2); COMMIT")
    house.sql("ALTER TABLE logs DETACH PARTITION logs_3")
    own(house)
    due_now(house.database, run_id)
    run = house.pruned.wait_run(run_id, deadline_s=60)
    assert run["result"]["removed"] + run["result"].get("kept", 0) == 3 and daemon.stop() == 0
    assert left(house) == ["logs_2", "logs_rest"] and "logs_3" in tables(house) and noted(house) == []
