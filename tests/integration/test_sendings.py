"""A lane does not wait for the acknowledgement of each step: while Kafka stands still, its chain
goes on for some steps. What they publish is in the outbox; nothing is lost or done twice."""

import signal

import pytest

from stack.process import wait_until
from support.ending import end
from support.scene import fill, now, result, tick_id
from support.slow import slow_rows, wait_in_flight

JOB, ROWS = "scratch.remove", 60
AHEAD = 10  # steps that are not acknowledged, at least


@pytest.fixture
def under_way(own_kafka, own_servers, new_scene):
    """The scene, and the id of a run of one row a step: Kafka stands still, and the run has gone on
    for some steps."""
    # Its partitions stay its own while the broker stands still.
    scene = new_scene({f"jobs.{JOB}.batch": 1, f"jobs.{JOB}.delay_ms": 0, "kafka.session.timeout.ms": 20000}, **own_servers).run_at_once(1)
    fill(scene.database, ROWS)
    slow_rows(scene.database, 0.05)
    scene.topics.tick(JOB, at := now(minutes=-1))
    scene.daemon = scene.start()
    wait_in_flight(scene.database)
    step = f"SELECT step FROM pruned.runs WHERE run_id = '{tick_id(JOB, at)}'"
    wait_until(lambda: (scene.database.value(step) or 0) >= 5, 30, "five steps")
    own_kafka.freeze()
    try:
        frozen = scene.database.value(step)
        scene.database.wait(step, until=lambda now: now >= frozen + AHEAD)
        yield scene, tick_id(JOB, at)
    finally:
        own_kafka.thaw()


def finished_once(scene, run_id):
    row = scene.wait_run(run_id)
    assert (row["state"], row["attempts"], result(row)["removed"]) == ("finished", 0, ROWS)
    keys = scene.database.column("SELECT key::text FROM pruned.deletions, jsonb_array_elements(keys) AS key WHERE run_id = %s", [run_id])
    assert len(keys) == len(set(keys)) == ROWS
    scene.database.wait("SELECT count(*) FROM pruned.unpublished", until=0)
    scene.topics.wait("outcomes", lambda m: m.text_key == run_id)


@pytest.mark.check_all
def test_steps_that_are_not_acknowledged_survive_a_killed_process(own_kafka, under_way):
    scene, run_id = under_way
    assert scene.database.value("SELECT count(*) FROM pruned.unpublished WHERE run_id = %s", [run_id]) >= AHEAD
    scene.daemon.kill()
    own_kafka.thaw()
    scene.daemon = scene.start()
    finished_once(scene, run_id)


@pytest.mark.check_all
def test_a_process_with_many_ends_when_asked(own_kafka, under_way):
    scene, run_id = under_way
    end(scene.daemon, 10, signal.SIGTERM)
    own_kafka.thaw()
    scene.daemon = scene.start()
    finished_once(scene, run_id)


@pytest.mark.check_all
def test_they_are_acknowledged_when_kafka_goes_on(own_kafka, under_way):
    scene, run_id = under_way
    own_kafka.thaw()
    finished_once(scene, run_id)
    assert not scene.daemon.lines(level="error") and not scene.daemon.lines("Work message was missing and is sent again")
