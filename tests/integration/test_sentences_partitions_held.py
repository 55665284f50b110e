"""Sentences that drop partitions are held by their limits, paused and stopped between two
partitions, and planned without effect."""

import datetime

import pytest

from support.partitioned import OLD, left, make, noted, say, tables
from support.scene import configure, due_now, now
from support.sentences import house  # noqa: F401


@pytest.mark.check_all
@pytest.mark.parametrize("batch", [1, 2, 10])
def test_too_many_are_held_before_the_first_is_touched(house, batch):  # noqa: F811
    make(house)
    say(house, more=f"max_rows = 2\nbatch = {batch}")
    run = house.run("logs.old")
    assert run["state"] == "held" and run["held"]["counted"] == 3, run
    assert left(house) == ["logs_1", "logs_2", "logs_3"] and noted(house) == []
    [values] = [part["values"] for part in house.pruned.run("runs", str(run["run_id"]), "--json").ok().json() if "values" in part]
    assert [(value["value"][:10], value["rows"]) for value in values] == [(upper, 1) for _, _, upper in OLD]
    house.pruned.run("approve", str(run["run_id"]), "--reason", "read").ok()
    house.work()
    assert house.pruned.run_row(run["run_id"])["result"]["removed"] == 3 and left(house) == []


@pytest.mark.check_all
def test_none_is_dropped_after_its_approval_has_ended(house):  # noqa: F811
    """They were noted while it stood, and waited for a lock."""
    make(house)
    say(house, more="max_rows = 2\nbatch = 10")
    run_id = house.run("logs.old")["run_id"]
    house.pruned.run("approve", str(run_id)).ok()
    with house.database.connect() as other:
        other.execute("BEGIN; LOCK TABLE logs_1 IN ROW SHARE MODE")
        daemon = house.pruned.start()
        daemon.wait_line("Step failed", job="logs.old", state="waiting")
        assert [name for (name,) in noted(house)] == ["logs_1", "logs_2", "logs_3"] and daemon.stop() == 0
        other.execute("COMMIT")
    house.sql("UPDATE pruned.runs SET approved_at = approved_at - interval '1 day', approved_until = approved_until - interval '1 day', "
              "due_at = now()")
    house.work()
    run = house.pruned.run_row(run_id)
    assert (run["state"], run["error"]) == ("held", "held: 3 rows are above max_rows 2"), run
    assert tables(house) == ["logs", "logs_1", "logs_2", "logs_3"]
    house.pruned.run("approve", str(run_id)).ok()
    house.work()
    assert house.pruned.run_row(run_id)["result"]["removed"] == 3 and tables(house) == ["logs"]


@pytest.mark.check_all
def test_more_than_31_at_once_are_held_by_default(house):  # noqa: F811
    first = datetime.date(2024, 1, 1)
    days = [(f"logs_{n:02}", (first + datetime.timedelta(days=n)).isoformat(), (first + datetime.timedelta(days=n + 1)).isoformat()) for n in range(32)]
    make(house, days, "date", rows=0)
    say(house)
    assert house.run("logs.old")["error"] == "held: 32 rows are above max_rows 31"
    assert len(left(house)) == 32


def test_a_run_that_only_plans_counts_them(house):  # noqa: F811
    make(house)
    say(house)
    run = house.run("logs.old", **{"jobs.logs.old.mode": "plan"})
    assert (run["result"]["mode"], run["result"]["removed"]) == ("plan", 3)
    assert left(house) == ["logs_1", "logs_2", "logs_3"] and noted(house) == []


@pytest.mark.check_all
@pytest.mark.parametrize("halt, on", [(["pause", "logs.old"], ["resume", "logs.old"]), (["stop"], ["go"])], ids=["pause", "stop"])
def test_a_run_that_is_halted_between_two_partitions_goes_on_with_the_next(house, halt, on):  # noqa: F811
    make(house)
    house.say("logs.old", "table = logs\ndrop_partitions_older_than = 90 days\ndelay_ms = 3600000")
    house.start()
    run_id = house.pruned.run("tick", "logs.old", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
    daemon = house.pruned.start()
    house.pruned.wait_run(run_id, "waiting")
    assert len(daemon.lines("Partition dropped")) == 1
    house.pruned.run(*halt).ok()
    due_now(house.database, run_id)
    house.database.wait("SELECT state FROM pruned.runs WHERE run_id = %s AND due_at < now()", [run_id], until="waiting")
    assert left(house) == ["logs_2", "logs_3"] and house.pruned.run_row(run_id)["result"]["removed"] == 1
    configure(house.pruned, "[jobs.logs.old]\ndelay_ms = 0\n", daemon)
    house.pruned.run(*on).ok()
    assert house.pruned.wait_run(run_id, deadline_s=60)["result"]["removed"] == 3
    assert left(house) == [] and daemon.stop() == 0


def test_a_stop_that_cancels_leaves_a_detach_to_the_next_try(house):  # noqa: F811
    """A transaction that has read the table makes the detach wait."""
    make(house, OLD[:2])
    say(house)
    house.start()
    with house.database.connect() as other:
        other.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        assert other.execute("SELECT count(*) FROM logs").fetchone()
        run_id = house.pruned.run("tick", "logs.old", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
        daemon = house.pruned.start()
        house.database.wait("SELECT count(*) FROM pg_inherits WHERE inhdetachpending", until=1)
        [said] = house.pruned.run("stop", "--now", "--json").ok().json()
        assert all(process["stopped"] for process in said["processes"]) and said["runs"] == []
        house.database.wait("SELECT state FROM pruned.runs WHERE run_id = %s", [run_id], until="waiting")
        row = house.pruned.run_row(run_id)
        assert row["attempts"] == 0 and tables(house) == ["logs", "logs_1", "logs_2"]
        other.execute("COMMIT")
    house.pruned.run("go").ok()
    assert house.pruned.wait_run(run_id, deadline_s=60)["result"]["removed"] == 2
    assert tables(house) == ["logs"] and noted(house) == [] and daemon.stop() == 0
