"""An operator's command reaches three working processes, and lasts after they end."""

import json
import shutil
import signal

import pytest

from stack.process import wait_until
from support.scene import JOBS, fill, let_rows_go, now, refuse_rows, result, tick_id

JOB, OTHER = "scratch.remove", "scratch.wide"


class Live:
    """Three working processes."""

    def __init__(self, scene, **settings):
        self.scene, self.database = scene, scene.database
        self.daemons = [scene.start(settings=settings) for _ in range(3)]
        for daemon in self.daemons:
            daemon.wait_line("Partitions assigned")

    def restart(self):
        """Restarts each process once."""
        for daemon in self.daemons:
            daemon.send(signal.SIGTERM)
        assert [daemon.wait(30) for daemon in self.daemons] == [0, 0, 0]
        self.daemons = [self.scene.start() for _ in self.daemons]
        for daemon in self.daemons:
            daemon.wait_line("Partitions assigned")

    def say(self, *command):
        return self.scene.run(*command, "--json").ok().json()

    def tick(self, job=JOB, **ago):
        at = now(**(ago or {"minutes": -1}))
        self.scene.topics.tick(job, at)
        return tick_id(job, at)

    def done(self, job=OTHER):
        """Does a run of another job, from tick to end, which shows that the processes work."""
        return self.scene.wait_run(self.tick(job, seconds=-1), "finished", deadline_s=60)

    def left(self):
        return self.database.column("SELECT id FROM scratch ORDER BY id")


@pytest.mark.check_all
def test_a_dead_run_stays_dead_until_it_is_retried_and_a_discarded_one_for_good(new_scene):
    live = Live(new_scene({"jobs.scratch.remove.batch": 25, "jobs.scratch.remove.max_attempts": 0}))
    fill(live.database, 25)
    refuse_rows(live.database, "true")
    dead, discarded = [str(live.scene.wait_run(live.tick(minutes=-n), "dead")["run_id"]) for n in (2, 1)]
    assert live.say("discard", discarded)
    live.restart()
    live.done()
    assert [run["run_id"] for run in live.say("runs", "--state", "dead")] == [dead] and len(live.left()) == 25
    let_rows_go(live.database)
    live.say("retry", dead)
    row = live.scene.wait_run(dead, "finished")
    assert (row["attempts"], result(row)["removed"]) == (0, 25)
    row = live.scene.run_row(discarded)
    assert (row["state"], row["error"]) == ("skipped", "discarded")


@pytest.mark.check_all
def test_a_run_that_waits_for_its_next_try_is_brought_forward_or_ended(new_scene):
    live = Live(new_scene({"jobs.scratch.remove.batch": 25}))
    fill(live.database, 25)
    refuse_rows(live.database, "true")
    run_id = live.tick()
    first = live.scene.wait_run(run_id, "waiting")
    live.say("retry", run_id)
    wait_until(lambda: live.scene.run_row(run_id)["attempts"] == first["attempts"] + 1, 30, "another try")
    live.scene.wait_run(run_id, "waiting")
    live.say("discard", run_id)
    live.restart()
    live.done()
    assert live.scene.run_row(run_id)["error"] == "discarded" and len(live.left()) == 25


@pytest.mark.check_all
def test_a_paused_job_stays_paused_whoever_is_started(new_scene):
    live = Live(new_scene())
    fill(live.database, 30)
    live.say("pause", JOB)
    before = live.tick(minutes=-2)
    live.scene.wait_run(before, "waiting")
    live.restart()
    after = live.tick(minutes=-1)
    live.scene.wait_run(after, "waiting")
    live.done()
    assert len(live.left()) == 30 and [job["job"] for job in live.say("jobs") if job["paused"]] == [JOB]
    live.say("resume", JOB)
    assert result(live.scene.wait_run(before, "finished", deadline_s=60))["removed"] == 30
    live.restart()
    fill(live.database, 1)
    assert live.scene.wait_run(live.tick(seconds=-1))["state"] == "finished" and live.left() == []


@pytest.mark.check_all
def test_parked_items_are_listed_until_they_are_released_or_dropped(new_scene):
    live = Live(new_scene({"jobs.scratch.remove.item_attempts": 1}))
    fill(live.database, 12)
    refuse_rows(live.database, "OLD.id IN (5, 6)")
    live.scene.wait_run(live.tick(minutes=-9), "finished")

    def listed():
        return [(item["job"], item["item"], item["attempts"], item["parked"]) for item in live.say("quarantine", "list")]

    parked = [(JOB, f"scratch:{n}", 1, True) for n in (5, 6)]
    assert listed() == parked
    live.restart()
    let_rows_go(live.database)
    row = live.scene.wait_run(live.tick(minutes=-8), "finished")
    assert result(row)["passed_over"] == 2 and live.left() == [5, 6] and listed() == parked
    live.say("quarantine", "retry", JOB, "scratch:5")
    live.restart()
    assert result(live.scene.wait_run(live.tick(minutes=-7), "finished"))["removed"] == 1
    assert live.left() == [6] and listed() == parked[1:]
    live.say("quarantine", "drop", JOB, "scratch:6")
    live.restart()
    assert result(live.scene.wait_run(live.tick(minutes=-6), "finished"))["removed"] == 1
    assert live.left() == [] and listed() == []


@pytest.mark.check_all
def test_letters_are_settled_once_while_all_processes_work(new_scene, tmp_path):
    """A version that does not know the job buries them; the next version takes them."""
    scene = new_scene()
    shutil.copytree(JOBS, tmp_path / "older", ignore=shutil.ignore_patterns(OTHER))
    live = Live(scene, **{"run.jobs_dir": tmp_path / "older"} | {k: None for k in scene.settings if k.startswith(f"jobs.{OTHER}.")})
    known, dropped = now(hours=-1), now(hours=-2)
    for at in (known, dropped):
        scene.topics.produce("ticks", json.dumps({"job": OTHER, "scheduled_at": at.isoformat()}).encode())
    scene.topics.produce("ticks", b"garbage")

    def letters(*more):
        return live.say("dead", "list", *more)

    def wait_letters(n):
        return wait_until(lambda: len(found := letters()) == n and found, 60, f"{n} letters")

    first = {letter["source_offset"]: letter for letter in wait_letters(3)}
    assert live.say("dead", "show", first[2]["id"])[0]["value"] == "garbage"
    live.restart()
    live.say("dead", "drop", first[1]["id"])
    live.say("dead", "retry")
    assert scene.wait_run(tick_id(OTHER, known), deadline_s=60)["state"] == "finished"
    [again] = wait_letters(1)
    assert again["id"] not in {letter["id"] for letter in first.values()} and again["reason"].startswith("undecodable")
    live.say("dead", "drop", again["id"])
    live.restart()
    live.done()
    assert letters() == [] and scene.run_row(tick_id(OTHER, dropped)) is None
    assert {letter["id"]: letter["verdict"] for letter in letters("--all")} == {
        first[0]["id"]: "retried", first[1]["id"]: "dropped", first[2]["id"]: "retried", again["id"]: "dropped"}

