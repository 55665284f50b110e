"""Killed at any point, started again: every effect happened once, nothing is lost, and the outbox is empty."""

import subprocess

import pytest

from support.places import binary_with_faults
from support.scene import fill, now, refuse_rows, tick_id
from support.story import JOB, check, prepare

# Where this scenario does not come by: each has a test of its own, errands are in test_kill_every_job.py, or is about something else.
ELSEWHERE = {"rebalance.before_revoke", "rebalance.after_revoke", "dispatcher.before_commit", "dispatcher.after_commit",
             "answer.after_commit", "suspect.counted", "schedule.before_publish", "schedule.after_publish", "schedule.before_commit"}


def points():
    if not binary_with_faults().exists():
        return ["none: make FAULTS=1"]
    listed = subprocess.run([binary_with_faults(), "version", "--faults"], stdout=subprocess.PIPE, text=True, check=True)
    return [name for name in listed.stdout.split() if "." in name and not name.startswith("errand.")]


def kill_at(scene, point, passage=1):
    killed = scene.start(environment={"PRUNED_FAULT": f"{point}:kill:{passage}"})
    assert killed.wait(60) == -9


# Intake takes the whole backlog as one batch: it comes by once. The first batch of a lane is counted once, too.
@pytest.mark.parametrize("point, passage", [(p, n) for p in points() if p not in ELSEWHERE for n in (1, 2)
                                            if n == 1 or not p.startswith(("intake.", "suspect."))])
def test_killed_there_and_started_again_everything_happened_once(scene_with_faults, point, passage):
    scene = scene_with_faults
    story = prepare(scene)
    kill_at(scene, point, passage)
    scene.run_until_idle(deadline_s=90)
    check(scene, *story)


@pytest.mark.parametrize("point", ["dispatcher.before_commit", "dispatcher.after_commit"])
def test_killed_between_two_pages_the_next_one_comes(scene_with_faults, point):
    scene = scene_with_faults
    scene.settings["jobs.scratch.remove.delay_ms"] = 1
    story = prepare(scene)
    scene.database.execute("INSERT INTO pruned.controls (job, paused) VALUES ('scratch.wide', true)")
    daemon = scene.start(environment={"PRUNED_FAULT": f"{point}:stop:1000000"})
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE job = 'scratch.wide' AND state = 'waiting'", until=3)
    daemon.kill()
    scene.database.execute("DELETE FROM pruned.controls")
    scene.run_until_idle(deadline_s=90)
    check(scene, *story)


def test_killed_after_a_failure_was_written_down_it_is_charged_once(scene_with_faults):
    scene = scene_with_faults
    scene.settings["jobs.scratch.remove.batch"] = 25
    fill(scene.database, 25)
    refuse_rows(scene.database, "true")
    at = now(minutes=-9)
    scene.topics.tick(JOB, at)
    kill_at(scene, "answer.after_commit")
    scene.run_until_idle()
    row = scene.run_row(tick_id(JOB, at))
    assert (row["state"], row["attempts"], row["step"]) == ("waiting", 1, 0)


@pytest.mark.parametrize("point", ["schedule.before_publish", "schedule.after_publish", "schedule.before_commit"])
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
