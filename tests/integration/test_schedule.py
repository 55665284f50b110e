"""Schedules: one run for each tick, whatever the number of processes; missed ticks; changed
schedules."""

import datetime

import pytest

from support.scene import UTC, fill, result, tick_id

JOB = "scratch.remove"


@pytest.fixture
def hourly(new_scene):
    """A schedule half an hour from now: its ticks were missed, or are far off."""
    minute = (datetime.datetime.now(UTC).minute + 30) % 60
    scene = new_scene({"jobs.scratch.remove.schedule": f"{minute} * * * *"})
    scene.minute = minute
    plant(scene)
    return scene


def plant(scene):
    """Starts a daemon, so that it plants the schedules."""
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    assert daemon.stop() == 0


def set_back(scene, hours):
    """As if no daemon had run for HOURS. Returns the ticks due since then, oldest first."""
    return scene.database.column(
        "WITH moved AS (UPDATE pruned.schedules SET next_at = next_at - %(n)s * interval '1 hour' WHERE job = %(job)s "
        "RETURNING next_at) SELECT next_at + i * interval '1 hour' FROM moved, generate_series(0, %(n)s - 1) i ORDER BY 1",
        {"n": hours, "job": JOB})


def next_at(scene):
    return scene.database.value("SELECT next_at FROM pruned.schedules WHERE job = %s", [JOB])


def states(scene):
    return {str(r["run_id"]): (r["state"], r["error"]) for r in
            scene.database.rows("SELECT run_id, state, error FROM pruned.runs WHERE job = %s", [JOB])}


def test_a_new_schedule_is_planted_in_the_future_and_fires_nothing(hourly):
    assert hourly.database.value("SELECT next_at > now() AND next_at <= now() + interval '1 hour' AND "
                                 "extract(minute FROM next_at) = %s FROM pruned.schedules WHERE job = %s", [hourly.minute, JOB])
    assert states(hourly) == {}


def test_of_missed_ticks_the_latest_runs_and_the_others_are_recorded(hourly):
    fill(hourly.database, 3)
    after = next_at(hourly)
    due = set_back(hourly, 4)
    hourly.run_until_idle()
    assert states(hourly) == {tick_id(JOB, due[-1]): ("finished", None),
                              **{tick_id(JOB, at): ("skipped", "missed") for at in due[:-1]}}
    assert next_at(hourly) == after
    assert result(hourly.run_row(tick_id(JOB, due[-1])))["removed"] == 3
    [sent] = hourly.topics.read("ticks")
    assert sent.value == {"job": JOB, "scheduled_at": due[-1], "args": "{}"} and sent.text_key == JOB
    assert sent.headers["ce_type"] == "pruned.Tick"


def test_with_none_all_missed_ticks_are_recorded_and_nothing_runs(hourly):
    hourly.settings["jobs.scratch.remove.catch_up"] = "none"
    fill(hourly.database, 3)
    after = next_at(hourly)
    due = set_back(hourly, 4)
    hourly.run_until_idle()
    assert states(hourly) == {tick_id(JOB, at): ("skipped", "missed") for at in due}
    assert next_at(hourly) == after and hourly.topics.read("ticks") == []
    assert hourly.database.value("SELECT count(*) FROM scratch") == 3


@pytest.mark.check_all
def test_with_all_they_run_one_after_the_other(hourly):
    hourly.settings["jobs.scratch.remove.catch_up"] = "all"
    after = next_at(hourly)
    due = set_back(hourly, 3)
    hourly.start()
    for at in due:
        assert hourly.wait_run(tick_id(JOB, at))["state"] == "finished"
    assert [m.value["scheduled_at"] for m in hourly.topics.read("ticks")] == due
    ended = [hourly.run_row(tick_id(JOB, at))["finished_at"] for at in due]
    assert ended == sorted(ended)
    hourly.database.wait("SELECT next_at FROM pruned.schedules WHERE job = %s", [JOB], until=after)


@pytest.mark.check_all
def test_three_processes_fire_a_tick_once(hourly):
    fill(hourly.database, 3)
    daemons = [hourly.start() for _ in range(3)]
    for daemon in daemons:
        daemon.wait_line("Partitions assigned")
    [at] = set_back(hourly, 1)
    row = hourly.wait_run(tick_id(JOB, at))
    assert (row["state"], result(row)["removed"]) == ("finished", 3)
    assert len(states(hourly)) == 1
    assert sum(len(d.lines("Started", job=JOB)) for d in daemons) == 1


@pytest.mark.check_all
def test_a_changed_schedule_is_planted_again_and_an_unchanged_one_keeps_missed_ticks(hourly):
    before = next_at(hourly)
    [at] = set_back(hourly, 1)
    daemon = hourly.start()
    hourly.wait_run(tick_id(JOB, at))
    daemon.stop()
    hourly.settings["jobs.scratch.remove.schedule"] = f"{(hourly.minute + 1) % 60} * * * *"
    plant(hourly)
    assert next_at(hourly).minute == (hourly.minute + 1) % 60 and next_at(hourly) != before
    hourly.settings["jobs.scratch.remove.time_zone"] = "Asia/Kolkata"
    plant(hourly)
    assert next_at(hourly).minute == (hourly.minute + 31) % 60
    hourly.settings["jobs.scratch.remove.schedule"] = "off"
    plant(hourly)
    assert next_at(hourly) is None


@pytest.mark.check_first(1)
@pytest.mark.parametrize("catch_up, ended", [("last", "finished"), ("none", "skipped")])
def test_ticks_older_than_the_ledger_keeps_are_recorded_only(hourly, catch_up, ended):
    hourly.settings |= {"runs.keep_days": 1, "jobs.scratch.remove.catch_up": catch_up}
    due = set_back(hourly, 48)
    hourly.run_until_idle()
    assert {run_id: state for run_id, (state, _) in states(hourly).items()} == {
        tick_id(JOB, due[-1]): ended, **{tick_id(JOB, at): "skipped" for at in due[:-1]}}


@pytest.mark.check_all
def test_with_all_those_that_the_ledger_still_keeps_run_and_older_ones_are_recorded_only(hourly):
    """The messages of older ticks would be refused as too old, and the schedule would wait for
    their runs for ever."""
    hourly.settings |= {"runs.keep_days": 1, "jobs.scratch.remove.catch_up": "all"}
    after = next_at(hourly)
    due = set_back(hourly, 30)
    kept = due[-24:]  # the oldest of these is half an hour younger than a day
    hourly.start()
    for at in kept:
        assert hourly.wait_run(tick_id(JOB, at), deadline_s=60)["state"] == "finished"
    hourly.database.wait("SELECT next_at FROM pruned.schedules WHERE job = %s", [JOB], until=after)
    assert states(hourly) == {tick_id(JOB, at): ("finished", None) if at in kept else ("skipped", "missed") for at in due}
    assert [m.value["scheduled_at"] for m in hourly.topics.read("ticks")] == kept
    assert hourly.topics.read("dead") == []


@pytest.mark.check_all
def test_of_very_many_missed_ticks_the_youngest_thousand_are_recorded(hourly):
    hourly.settings["runs.keep_days"] = 90
    due = set_back(hourly, 1200)
    hourly.run_until_idle()
    assert states(hourly).keys() == {tick_id(JOB, at) for at in due[-1001:]}
