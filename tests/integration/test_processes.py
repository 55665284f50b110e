"""Several processes share the work without a leader: a chain is not doubled, the capacity holds,
and commands reach all."""

import datetime
import json

import pytest

from stack.process import patient, wait_until
from support.scene import fill, now, result, tick_id
from support.topics import rfc3339

JOB = "scratch.remove"


def most_at_once(rows):
    """The largest number of intervals that overlap."""
    edges = sorted([(r["began_at"], 1) for r in rows] + [(r["ended_at"], -1) for r in rows], key=lambda e: (e[0], e[1]))
    running = most = 0
    for _, step in edges:
        running += step
        most = max(most, running)
    return most


def send_wide(scene, number):
    """Sends all at once. Sent one after the other, they might come more slowly than they are
    done."""
    scene.topics.produce_many("ticks", [("scratch.wide", json.dumps(
        {"job": "scratch.wide", "scheduled_at": rfc3339(now(minutes=-n)), "args": {"n": n}}).encode()) for n in range(1, number + 1)])


def start_all(scene, n):
    daemons = [scene.start() for _ in range(n)]
    for daemon in daemons:
        daemon.wait_line("Partitions assigned")
    return daemons


@pytest.mark.check_all
@pytest.mark.parametrize("processes", [2, 3])
def test_each_page_of_a_chain_runs_once_among_several_processes(scene, processes):
    fill(scene.database, 300)
    daemons = start_all(scene, processes)
    at = now(minutes=-1)
    for _ in range(3):
        scene.topics.tick(JOB, at)
    row = scene.wait_run(tick_id(JOB, at), deadline_s=60)
    assert (row["step"], row["attempts"]) == (30, 0) and result(row)["removed"] == 300
    assert scene.database.value("SELECT sum(jsonb_array_length(keys)) FROM pruned.deletions") == 300
    assert scene.database.value("SELECT count(*) FROM pruned.runs") == 1
    wait_until(lambda: sum(len(d.lines("Finished", job=JOB)) for d in daemons) >= 30, 30, "the last line")
    assert sum(len(d.lines("Finished", job=JOB)) for d in daemons) == 30
    assert not any(d.lines(level="error") for d in daemons)


@pytest.mark.check_all
def test_capacity_holds_over_all_processes(scene):
    start_all(scene, 2)
    send_wide(scene, 48)
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'finished'", until=48, deadline_s=60)
    rows = scene.database.rows("SELECT l.id, r.slot, l.began_at, l.ended_at FROM scratch_log l "
                               "JOIN pruned.runs r ON (r.args->>'n')::bigint = l.id")
    assert len(rows) == 48
    assert 2 <= most_at_once(rows) <= 8
    for slot in range(8):
        assert most_at_once([r for r in rows if r["slot"] == slot]) <= 1


def test_another_process_takes_over_the_slots_of_one_that_dies(scene):
    """As soon as the session of the dead process has ended and the other one has had its
    heartbeat."""
    session_s, heartbeat_s = scene.settings["kafka.session.timeout.ms"] / 1000, 3
    first, second = start_all(scene, 2)
    send_wide(scene, 60)
    scene.database.wait("SELECT count(*) FROM scratch_log", until=lambda n: n >= 10)
    assigned, died = len(second.lines("Partitions assigned")), now()
    first.kill()
    line = second.wait_line("Partitions assigned", count=assigned + 1, deadline_s=60)
    took_s = (datetime.datetime.fromisoformat(line["time"]) - died).total_seconds()
    assert took_s < patient(session_s + heartbeat_s + 5), took_s
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'finished'", until=60, deadline_s=60)
    assert scene.database.value("SELECT count(*) FROM scratch_log") == 60
    assert second.running


def test_a_rolling_restart_loses_nothing(scene):
    first, second = start_all(scene, 2)
    fill(scene.database, 400)
    at = now(minutes=-1)
    scene.topics.tick(JOB, at)
    scene.database.wait("SELECT step FROM pruned.runs", until=lambda step: step is not None and step >= 3)
    third = scene.start()
    assert first.stop(10) == 0
    third.wait_line("Partitions assigned")
    fourth = scene.start()
    assert second.stop(10) == 0
    row = scene.wait_run(tick_id(JOB, at), deadline_s=60)
    assert (row["step"], row["attempts"]) == (40, 0) and result(row)["removed"] == 400
    assert not any(d.lines(level="error") for d in (first, second, third, fourth))


@pytest.mark.check_all
def test_a_process_that_ends_in_order_gives_its_partitions_away_at_once(new_scene):
    """Not only when its session has ended, which takes long here."""
    session_s = 60
    first, second = start_all(new_scene({"kafka.session.timeout.ms": session_s * 1000}), 2)
    assigned = len(second.lines("Partitions assigned"))
    assert first.stop() == 0
    again = second.wait_line("Partitions assigned", count=assigned + 1, deadline_s=2 * session_s)
    [ended] = first.lines("Stopped")
    waited = datetime.datetime.fromisoformat(again["time"]) - datetime.datetime.fromisoformat(ended["time"])
    assert waited.total_seconds() < session_s / 3


@pytest.mark.check_all
def test_a_paused_job_starts_nothing_in_any_process_until_it_is_resumed(scene):
    start_all(scene, 2)
    scene.run("pause", JOB).ok()
    fill(scene.database, 30)
    times = [now(minutes=-3), now(minutes=-2)]
    for at in times:
        scene.topics.tick(JOB, at)
    for at in times:
        assert scene.wait_run(tick_id(JOB, at), "waiting")["unique_key"] is None
    scene.topics.tick("scratch.wide", times[0])
    scene.wait_run(tick_id("scratch.wide", times[0]))
    assert scene.topics.read("work.scratch.remove") == []
    assert scene.database.value("SELECT count(*) FROM scratch") == 30
    scene.run("resume", JOB).ok()
    assert result(scene.wait_run(tick_id(JOB, times[0])))["removed"] == 30
    assert scene.wait_run(tick_id(JOB, times[1]))["state"] in ("skipped", "finished")


def test_a_pause_holds_a_chain_between_two_pages(new_scene):
    scene = new_scene()
    [daemon] = start_all(scene, 1)
    at = now(minutes=-1)
    scene.topics.tick("scratch.endless", at)
    run_id = tick_id("scratch.endless", at)
    wait_until(lambda: (scene.run_row(run_id) or {"step": 0})["step"] > 5, 30, "some steps")
    scene.run("pause", "scratch.endless").ok()
    held = scene.wait_run(run_id, "waiting")
    other = now(minutes=-2)
    scene.topics.tick("scratch.wide", other)
    scene.wait_run(tick_id("scratch.wide", other))
    assert scene.run_row(run_id)["step"] == held["step"]
    scene.run("resume", "scratch.endless").ok()
    wait_until(lambda: scene.run_row(run_id)["step"] > held["step"], 30, "more steps")
    scene.run("discard", run_id).ok()
    row = scene.wait_run(run_id)
    assert (row["state"], row["error"]) == ("skipped", "discarded")
    assert daemon.running
