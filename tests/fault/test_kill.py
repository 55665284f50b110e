"""A daemon that is killed at any point and started again: every effect happens once, nothing is
lost, the outbox is empty."""

import pytest

from support.places import fault_points
from support.scene import fill, now, refuse_rows, tick_id
from support.story import JOB, check, minute_passes, prepare

# Points that this story does not reach. Each has its own test below; errands are in
# test_kill_every_job.py and test_kill_objects_together.py, users who are removed at once in
# test_kill_users.py, brakes in test_brakes_killed.py, shared transactions in test_kill_shared.py,
# partitions in test_partitions_killed.py, the ledger in test_kill_reapply.py, ranges in
# test_ranges_killed.py, a standby in integration/test_replica_meanwhile.py, batches that cannot be
# unpacked in integration/test_unread_batches.py.
ELSEWHERE = ("archive.", "rebalance.", "together.", "dispatcher.", "answer.", "schedule.", "errand.", "errands.", "clock_set_back.", "alone.", "at_once.", "brakes.", "day.", "partitions.", "replica.", "ranges.", "remember.", "unread.")


def points(*beginnings):
    if beginnings:
        return [name for name in fault_points() if name.startswith(beginnings)]
    return [name for name in fault_points() if not name.startswith(ELSEWHERE) and name != "suspect.counted"]


def kill_at(scene, point, passage=1):
    killed = scene.start(environment={"PRUNED_FAULT": f"{point}:kill:{passage}"})
    assert killed.wait(60) == -9
    minute_passes(scene.database)


# Reached only once: intake takes the whole backlog as one batch, and the first batch of a lane is
# counted as one.
@pytest.mark.parametrize("point, passage", [
    *((p, 1) for p in points()), *(pytest.param(p, 2, marks=pytest.mark.check_all) for p in points() if not p.startswith(("intake.", "suspect.")))])
def test_killed_there_and_started_again_everything_happened_once(scene_with_faults, point, passage):
    scene = scene_with_faults
    story = prepare(scene)
    kill_at(scene, point, passage)
    scene.run_until_idle(deadline_s=90)
    check(scene, *story)


@pytest.mark.parametrize("point", points("dispatcher."))
@pytest.mark.parametrize("passage", [1, pytest.param(2, marks=pytest.mark.check_all)])
def test_killed_while_claiming_a_due_run_it_runs_once(scene_with_faults, point, passage):
    """What is due is the next page of a chain."""
    scene = scene_with_faults
    scene.settings["jobs.scratch.remove.delay_ms"] = 1
    story = prepare(scene)
    kill_at(scene, point, passage)
    scene.run_until_idle(deadline_s=90)
    check(scene, *story)


@pytest.mark.parametrize("point", points("rebalance."))
def test_killed_while_it_gives_its_partitions_to_another_everything_happened_once(scene_with_faults, point):
    scene = scene_with_faults
    story = prepare(scene)
    first = scene.start(environment={"PRUNED_FAULT": f"{point}:kill"})
    first.wait_line("Partitions assigned")
    second = scene.start()
    assert first.wait(60) == -9
    second.wait_line("Partitions assigned", deadline_s=60)
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'finished'", until=4, deadline_s=60)
    assert second.stop() == 0
    # suspects that the dead process had counted are forgotten at the next assignment
    scene.run_until_idle()
    check(scene, *story)


def test_killed_while_a_suspect_is_tried_alone_everything_happened_once(scene_with_faults):
    scene = scene_with_faults
    story = prepare(scene)
    kill_at(scene, "suspect.counted_together")
    kill_at(scene, "suspect.counted")
    scene.run_until_idle(deadline_s=90)
    check(scene, *story)


@pytest.mark.parametrize("point", points("answer."))
def test_killed_while_a_failure_is_written_down_it_is_charged_once(scene_with_faults, point):
    scene = scene_with_faults
    scene.settings["jobs.scratch.remove.batch"] = 25
    fill(scene.database, 25)
    refuse_rows(scene.database, "true")
    at = now(minutes=-9)
    scene.topics.tick(JOB, at)
    kill_at(scene, point)
    scene.run_until_idle()
    row = scene.run_row(tick_id(JOB, at))
    assert (row["state"], row["attempts"], row["step"]) == ("waiting", 1, 0)


@pytest.mark.parametrize("point", points("schedule."))
def test_killed_while_a_schedule_fires_its_tick_is_one_run(scene_with_faults, point):
    scene = scene_with_faults
    scene.settings["jobs.scratch.remove.schedule"] = "0 0 1 1 *"
    scene.start().wait_line("Partitions assigned")
    scene.daemons[-1].stop()
    fill(scene.database, 3)
    at = scene.database.value("UPDATE pruned.schedules SET next_at = next_at - interval '1 year' WHERE job = %s "
                              "RETURNING next_at", [JOB])
    scene.settings["runs.keep_days"] = 400
    kill_at(scene, point)
    scene.run_until_idle()
    assert scene.database.column("SELECT run_id::text FROM pruned.runs") == [tick_id(JOB, at)]
    assert scene.database.value("SELECT count(*) FROM scratch") == 0


# What a clock that was ahead has left: the number of times in the future, by kind.
AHEAD = "now() + interval '400 days'"
LEFT = {
    "runs that wait": f"INSERT INTO pruned.runs (run_id, job, state, scheduled_at, due_at, changed_at, attempts, error) VALUES (gen_random_uuid(), "
                      f"'scratch.wide', 'waiting', now() - interval '3 minutes', {AHEAD} + interval '2 s', {AHEAD}, 1, 'x')",
    "runs that ended": f"INSERT INTO pruned.runs (run_id, job, state, scheduled_at, due_at, finished_at) VALUES (gen_random_uuid(), "
                       f"'scratch.wide', 'finished', now() - interval '3 minutes', now(), {AHEAD})",
    "refreshes": f"INSERT INTO pruned.dirty_users (user_id, kind, due_at) VALUES (1, 'authorizations', {AHEAD})",
    "items": f"INSERT INTO pruned.quarantine (job, item, reason, attempts, parked, next_try_at) VALUES ('{JOB}', 'scratch:1', 'x', 1, false, {AHEAD})",
    "suspects": f"INSERT INTO pruned.suspects (topic, partition, \"offset\", deaths, at) VALUES ('no topic', 0, 0, 1, {AHEAD})",
}
COUNT_LEFT = """
    SELECT (SELECT count(*) FROM pruned.runs WHERE state = 'waiting' AND due_at > now() + interval '1 day') AS "runs that wait",
           (SELECT count(*) FROM pruned.runs WHERE finished_at > now() + interval '1 day') AS "runs that ended",
           (SELECT count(*) FROM pruned.dirty_users WHERE due_at > now() + interval '1 day') AS refreshes,
           (SELECT count(*) FROM pruned.quarantine WHERE next_try_at > now() + interval '1 day') AS items,
           (SELECT count(*) FROM pruned.suspects WHERE at > now() + interval '1 day') AS suspects"""


@pytest.mark.parametrize("point, mended", [("clock_set_back.before_mend", False), ("alone.before_commit=src/engine/clock/sql/clock_set_back.sql", False),
                                           ("clock_set_back.after_mend", True)])
def test_killed_while_mending_times_of_a_wrong_clock_mends_all_or_none(scene_with_faults, point, mended):
    scene = scene_with_faults
    for statement in LEFT.values():
        scene.database.execute(statement)
    assert scene.database.row(COUNT_LEFT) == dict.fromkeys(LEFT, 1)
    kill_at(scene, point)
    assert scene.database.row(COUNT_LEFT) == dict.fromkeys(LEFT, 0 if mended else 1)
    scene.start()
    for what in LEFT:
        scene.database.wait(f'SELECT "{what}" FROM ({COUNT_LEFT}) AS x', until=0)
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'finished'", until=2)
