"""A clock that is wrong for a while, the database's or this machine's, drops nothing, fires nothing early, and leaves nothing behind."""

import datetime

import pytest

from stack.process import wait_until
from support.scene import UTC, now, tick_id

JOB = "scratch.remove"
AHEAD_S = 400 * 86400


def audited(scene, *ages):
    """Days of the audit with a row each."""
    for age in ages:
        scene.database.execute("SELECT pruned.ensure_day('deletions', (now() AT TIME ZONE 'UTC')::date - %s::int)", [age])
        scene.database.execute("INSERT INTO pruned.deletions (run_id, step, table_name, action, keys, at) VALUES "
                               "(gen_random_uuid(), 0, 'members', 'deleted', '[1]', now() - %s * interval '1 day')", [age])


def ages(scene, table="deletions"):
    return scene.database.column(
        "SELECT (now() AT TIME ZONE 'UTC')::date - right(relid::text, 8)::date FROM pg_partition_tree(%s::regclass) "
        r"WHERE relid::text ~ '_\d{8}$' ORDER BY 1", [f"pruned.{table}"])


def settled(scene):
    """The janitor has been here: tomorrow's partition is there."""
    scene.run_until_idle()
    assert -1 in ages(scene)


def findings(scene, check):
    return [line for line in scene.run("doctor", "--json").json() if line["check"] == check]


# --- what is dropped

def test_days_go_only_if_the_newest_row_is_younger_by_the_time_they_are_kept(scene):
    """As if the clock were 400 days ahead: what was recorded last is that old."""
    audited(scene, 400, 410, 429)
    settled(scene)
    assert ages(scene) == [-1, 0, 400, 410, 429]
    audited(scene, 397)
    settled(scene)
    assert ages(scene) == [-1, 0, 397, 400, 410]


def test_no_more_than_three_days_go_at_a_time(scene):
    audited(scene, 0, 33, 34, 35, 36, 37)
    settled(scene)
    assert ages(scene) == [-1, 0, 33, 34]
    settled(scene)
    assert ages(scene) == [-1, 0]


def test_of_the_archive_as_well(scene):
    for age in (0, 40, 41, 42, 43, 44):
        scene.database.execute("SELECT pruned.ensure_day('runs_done', (now() AT TIME ZONE 'UTC')::date - %s::int)", [age])
    scene.database.execute("INSERT INTO pruned.runs_done (run_id, job, state, scheduled_at, due_at) "
                           "VALUES (gen_random_uuid(), 'x', 'finished', now() - interval '41 days', now())")
    settled(scene)
    assert ages(scene, "runs_done") == [0, 40, 41, 42, 43, 44]
    scene.database.execute("INSERT INTO pruned.runs_done (run_id, job, state, scheduled_at, due_at) "
                           "VALUES (gen_random_uuid(), 'x', 'finished', now(), now())")
    settled(scene)
    assert ages(scene, "runs_done") == [0, 40, 41]


def timers(scene):
    return scene.database.value("SELECT count(*) FROM pruned.timers")


def add_timers(scene, n, days):
    scene.database.execute("INSERT INTO pruned.timers (unique_key, run_id, scheduled_at) SELECT 'timer ' || i || '/' || %(days)s, "
                           "gen_random_uuid(), now() - %(days)s * interval '1 day' FROM generate_series(1, %(n)s) AS i",
                           {"n": n, "days": days})


def test_old_timers_go_until_none_is_left(scene):
    add_timers(scene, 30000, 100)
    add_timers(scene, 10, 30)
    scene.start()
    scene.database.wait("SELECT count(*) FROM pruned.timers", until=10)


def test_timers_that_are_old_by_the_clock_only_stay(scene):
    add_timers(scene, 10, 390)
    scene.database.execute("INSERT INTO pruned.runs (run_id, job, state, scheduled_at, due_at, finished_at) VALUES "
                           "(gen_random_uuid(), 'scratch.one', 'dead', now(), now(), now() - interval '400 days')")
    settled(scene)
    assert timers(scene) == 10


# --- the next tick

@pytest.fixture
def hourly(new_scene):
    minute = (datetime.datetime.now(UTC).minute + 30) % 60
    return new_scene({"jobs.scratch.remove.schedule": f"{minute} * * * *"})


@pytest.mark.parametrize("left", ["now() + interval '400 days'", "'infinity'"])
def test_a_next_tick_beyond_the_next_regular_one_is_named_and_planted_again(hourly, left):
    daemon = hourly.start()
    right = hourly.database.wait("SELECT next_at FROM pruned.schedules")
    assert daemon.stop() == 0
    hourly.database.execute(f"UPDATE pruned.schedules SET next_at = {left}")
    [said] = findings(hourly, "schedules")
    assert not said["ok"] and JOB in said["detail"]
    hourly.start()
    hourly.database.wait("SELECT CASE WHEN isfinite(next_at) THEN next_at END FROM pruned.schedules", until=right, deadline_s=45)
    assert findings(hourly, "schedules")[0]["ok"]


def test_days_that_lie_ahead_are_named(scene):
    assert findings(scene, "recorded days")[0]["ok"]
    scene.database.execute("SELECT pruned.ensure_day('deletions', '2031-01-01')")
    [said] = findings(scene, "recorded days")
    assert not said["ok"] and "deletions_20310101" in said["detail"] and "DROP TABLE pruned.deletions_20310101" in said["remedy"]


# --- clocks that disagree

@pytest.fixture
def shifted(preload):
    library = preload("shifted_clock")
    if library is None:
        pytest.skip("a sanitizer wants to be the first library itself")
    return lambda seconds: {"LD_PRELOAD": library, "SHIFTED_CLOCK_S": seconds}


def test_a_tick_that_only_one_clock_believes_in_is_not_fired(hourly, shifted):
    """This machine is an hour behind: for all it knows the database is ahead."""
    daemon = hourly.start()
    right = hourly.database.wait("SELECT next_at FROM pruned.schedules")
    assert daemon.stop() == 0
    hourly.database.execute("UPDATE pruned.schedules SET next_at = next_at - interval '1 hour'")
    due = right - datetime.timedelta(hours=1)
    behind = hourly.start(environment=shifted(-7200))
    behind.wait_line("Ticks of cron wait: the database's clock is ahead of this machine's by so many seconds")
    assert hourly.database.value("SELECT next_at FROM pruned.schedules") == due
    assert hourly.database.value("SELECT count(*) FROM pruned.runs") == 0
    assert behind.stop() == 0
    hourly.start()
    hourly.wait_run(tick_id(JOB, due))


def test_a_database_that_is_a_year_ahead_drops_nothing_fires_nothing_and_buries_nothing(hourly, shifted):
    """Seen from a machine whose clock is as far behind."""
    plant = hourly.start()
    right = hourly.database.wait("SELECT next_at FROM pruned.schedules")
    assert plant.stop() == 0
    audited(hourly, 0, 45)
    hourly.database.execute("UPDATE pruned.schedules SET next_at = now() - interval '1 minute'")
    behind = hourly.start(environment=shifted(-AHEAD_S))
    behind.wait_line("Ticks of cron wait: the database's clock is ahead of this machine's by so many seconds")
    behind.wait_line("Nothing old is dropped: the database's clock differs from this machine's by so many seconds")
    assert 45 in ages(hourly) and hourly.database.value("SELECT count(*) FROM pruned.runs") == 0
    old = now(seconds=-AHEAD_S)  # too old for the database, of today for the machine
    hourly.topics.tick("scratch.wide", old)
    hourly.wait_run(tick_id("scratch.wide", old), "finished")
    assert hourly.topics.read("dead") == []
    assert right > now()


def test_a_run_that_a_wrong_clock_made_due_waits(new_scene, shifted):
    """The database says that its day has come, the machine that this is a year off."""
    scene = new_scene()
    at = now(minutes=-1)
    scene.topics.tick("scratch.wide", at)
    scene.run_until_idle()
    run = tick_id("scratch.wide", at)
    scene.database.execute("DELETE FROM scratch_log")
    scene.database.execute("UPDATE pruned.runs SET state = 'ready', step = 0, finished_at = NULL WHERE run_id = %s", [run])
    scene.start(environment=shifted(-AHEAD_S))
    wait_until(lambda: scene.run_row(run)["state"] == "waiting", 30, lambda: f"{scene.run_row(run)}")
    assert scene.database.value("SELECT count(*) FROM scratch_log") == 0
