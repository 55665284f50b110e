"""A tick from any client becomes exactly one run, with the id of the contract."""

import datetime
import json

import pytest

from support.scene import UTC, fill, now, refuse_rows, result, tick_id

JOB = "scratch.remove"


@pytest.fixture
def daemon(scene):
    scene.start()
    return scene


def test_a_tick_with_only_the_job_removes_expired_rows(daemon):
    database, topics = daemon.database, daemon.topics
    fill(database, 3)
    fill(database, 1, day="2999-01-01", first=100)
    partition, offset = topics.produce("ticks", b'{"job":"scratch.remove"}')
    sent = topics.read("ticks")[0]
    assert (partition, offset) == (0, 0)
    run_id = tick_id(JOB, sent.timestamp_ms * 1000)
    row = daemon.wait_run(run_id)
    assert (row["state"], row["job"], row["args"], row["attempts"], row["step"]) == ("finished", JOB, {}, 0, 1)
    assert row["scheduled_at"] == datetime.datetime.fromtimestamp(sent.timestamp_ms / 1000, UTC)
    assert row["unique_key"] is None and row["error"] is None
    assert result(row) == {"status": "completed", "updated_rows": 3, "removed": 3}
    assert database.column("SELECT id FROM scratch") == [100]


@pytest.mark.parametrize("args, canonical", [
    (None, "{}"),
    ({}, "{}"),
    ({"n": 1, "a": {"z": 1.50, "b": [1, 2]}}, '{"a":{"b":[1,2],"z":1.5},"n":1}'),
    ({"ü": "é\n\"", "_": None}, '{"_":null,"ü":"é\\n\\""}'),
])
def test_the_id_of_a_run_is_that_of_its_canonical_text(busy_scene, args, canonical):
    daemon, topics, at = busy_scene, busy_scene.topics, now(hours=-1) + datetime.timedelta(microseconds=7)
    wanted = tick_id("scratch.wide", at, canonical)
    topics.tick("scratch.wide", at, args)
    row = daemon.wait_run(wanted)
    assert row["scheduled_at"] == at and row["args"] == (args or {})
    topics.tick("scratch.wide", at, args, avro=True)
    topics.tick("scratch.wide", at, args, headers={"ce_specversion": "1.0", "ce_type": "pruned.Tick", "ce_id": "1"})
    topics.tick("scratch.wide", at, {"last": True})
    daemon.wait_run(tick_id("scratch.wide", at, '{"last":true}'))
    assert daemon.database.value("SELECT count(*) FROM pruned.runs WHERE scheduled_at = %s", [at]) == 2


@pytest.mark.parametrize("written", ["1.50", "1e2", "1E+2", "-0", "100", "0.1000"])
def test_numbers_stay_as_they_were_written(busy_scene, written):
    at = now(hours=-1)
    busy_scene.topics.produce("ticks", f'{{"job":"scratch.wide","scheduled_at":"{at.isoformat()}",'
                                       f'"args":{{ "b" : {written}, "a":"x" }} }}'.encode())
    busy_scene.wait_run(tick_id("scratch.wide", at, f'{{"a":"x","b":{written}}}'))


def test_times_of_another_zone_are_the_same_moment(busy_scene):
    at = now(hours=-3).replace(microsecond=500000)
    there = at.astimezone(datetime.timezone(datetime.timedelta(hours=5, minutes=30)))
    busy_scene.topics.produce("ticks", json.dumps({"job": "scratch.wide", "scheduled_at": there.isoformat()}).encode())
    busy_scene.wait_run(tick_id("scratch.wide", at))


def test_a_tick_that_overlaps_is_recorded_as_skipped(scene):
    database, topics = scene.database, scene.topics
    fill(database, 30)
    scene.settings["jobs.scratch.remove.delay_ms"] = 60000
    scene.start()
    first, second = now(hours=-2), now(hours=-1)
    topics.tick(JOB, first)
    database.wait("SELECT state = 'waiting' AND step = 1 FROM pruned.runs")
    topics.tick(JOB, second)
    row = scene.wait_run(tick_id(JOB, second))
    assert (row["state"], row["error"]) == ("skipped", f"overlaps {tick_id(JOB, first)}")
    assert row["finished_at"] is not None and row["unique_key"] is None
    topics.tick(JOB, second)
    topics.tick(JOB, first)
    third = now(minutes=-1)
    topics.tick(JOB, third)
    assert scene.wait_run(tick_id(JOB, third))["error"] == f"overlaps {tick_id(JOB, first)}"
    assert database.rows("SELECT run_id::text AS id, state FROM pruned.runs ORDER BY scheduled_at") == [
        {"id": tick_id(JOB, first), "state": "waiting"}, {"id": tick_id(JOB, second), "state": "skipped"},
        {"id": tick_id(JOB, third), "state": "skipped"}]
    assert database.value("SELECT count(*) FROM scratch") == 20


def test_ticks_that_lie_together_in_the_topic_are_taken_in_order(scene):
    ids = []
    for at in (now(hours=-2), now(hours=-3), now(hours=-1)):
        scene.topics.tick(JOB, at)
        ids.append(tick_id(JOB, at))
    scene.run_until_idle()
    runs = {r["id"]: r for r in scene.database.rows("SELECT run_id::text AS id, state, error FROM pruned.runs")}
    assert runs.keys() == set(ids) and runs[ids[0]]["state"] == "finished"
    for i, run_id in enumerate(ids[1:], 1):
        run = runs[run_id]
        assert run["state"] == "finished" or run["error"].removeprefix("overlaps ") in ids[:i]


def test_a_tick_takes_the_place_of_a_run_that_waits_for_its_retry(scene):
    database, topics = scene.database, scene.topics
    fill(database, 25)
    refuse_rows(database, "true")
    scene.settings["jobs.scratch.remove.batch"] = 25
    scene.start()
    first, second = now(hours=-2), now(hours=-1)
    topics.tick(JOB, first)
    database.wait("SELECT state = 'waiting' AND attempts = 1 AND error IS NOT NULL FROM pruned.runs")
    topics.tick(JOB, second)
    old = scene.wait_run(tick_id(JOB, first))
    assert (old["state"], old["error"]) == ("skipped", f"superseded by {tick_id(JOB, second)}")
    new = scene.wait_run(tick_id(JOB, second), "waiting")
    assert new["attempts"] == 2 and new["unique_key"] == JOB


def test_a_tick_ahead_of_its_time_waits_without_the_key(daemon):
    database, topics = daemon.database, daemon.topics
    fill(database, 2)
    later, at = now(hours=23), now(hours=-1)
    topics.tick(JOB, later)
    row = daemon.wait_run(tick_id(JOB, later), "waiting")
    assert (row["due_at"], row["scheduled_at"], row["unique_key"]) == (later, later, None)
    topics.tick(JOB, at)
    assert result(daemon.wait_run(tick_id(JOB, at)))["removed"] == 2
    assert daemon.run_row(tick_id(JOB, later))["state"] == "waiting"


@pytest.mark.check_all
def test_a_tick_ahead_of_its_time_runs_when_it_is_due(daemon):
    """The test above shows that it waits until then."""
    fill(daemon.database, 2)
    daemon.daemons[0].wait_line("Partitions assigned")
    soon = now(seconds=3)
    daemon.topics.tick(JOB, soon)
    row = daemon.wait_run(tick_id(JOB, soon))
    assert row["state"] == "finished" and row["published_at"] >= soon and row["started_at"] >= soon


def test_a_tick_of_a_disabled_job_is_recorded_as_skipped(scene):
    scene.settings["jobs.scratch.remove.enabled"] = False
    scene.start()
    at = now(hours=-1)
    scene.topics.tick(JOB, at)
    row = scene.wait_run(tick_id(JOB, at))
    assert (row["state"], row["error"]) == ("skipped", "disabled")


def test_a_cursor_in_the_arguments_is_where_the_run_begins(daemon):
    fill(daemon.database, 5)
    at = now(hours=-1)
    daemon.topics.tick(JOB, at, {"cursor": {"day": "2026-01-01", "id": 3}})
    row = daemon.wait_run(tick_id(JOB, at, '{"cursor":{"day":"2026-01-01","id":3}}'))
    assert result(row)["removed"] == 2
    assert daemon.database.column("SELECT id FROM scratch ORDER BY id") == [3, 4, 5]


def test_an_invalid_cursor_is_buried_and_says_why(daemon):
    daemon.topics.tick(JOB, now(hours=-1), {"cursor": {"day": "someday", "id": 3}})
    [letter] = daemon.topics.wait("dead")
    assert "argument cursor" in letter.headers["pruned_reason"] and "day" in letter.headers["pruned_reason"]
    assert daemon.database.value("SELECT count(*) FROM pruned.runs") == 0


def test_a_cursor_that_postgresql_refuses_ends_the_run_dead_and_says_why(daemon):
    at = now(hours=-1)
    daemon.topics.tick(JOB, at, {"cursor": {"day": "9999999-01-01", "id": 3}})
    row = daemon.wait_run(tick_id(JOB, at, '{"cursor":{"day":"9999999-01-01","id":3}}'))
    assert row["state"] == "dead" and row["error"].startswith("args.cursor: ") and "9999999" in row["error"]


@pytest.mark.check_all
def test_runs_with_and_without_rows_in_one_batch_end_at_their_first_try(new_scene):
    """Runs without rows are stepped together. The first of the batch has rows, so it is stepped
    again, alone."""
    scene = new_scene({"jobs.scratch.wide.capacity": 1})
    for n in range(60):
        scene.topics.tick("scratch.wide", now(hours=-1, minutes=-n), {"n": n} if n % 7 == 0 else {})
    scene.run_until_idle()
    assert scene.database.rows("SELECT state, attempts, count(*) AS n FROM pruned.runs GROUP BY 1, 2") == [
        {"state": "finished", "attempts": 0, "n": 60}]
