"""A run that becomes ready begins before its message has come back from Kafka, and what the message
finds then is done already."""

import pytest

from stack.process import wait_until
from support.metrics import http as listening  # noqa: F401
from support.metrics import start
from support.scene import fill, now, result, tick_id

JOB = "scratch.wide"
# Both runs are of one lane. However slow the machine is, its partitions stay its own while the
# broker stands still.
SETTINGS = {f"jobs.{JOB}.capacity": 1, "kafka.session.timeout.ms": 120000}


def args(n):
    return f'{{"n":{n}}}'


@pytest.mark.check_all
def test_a_due_run_does_not_wait_for_its_message_and_is_done_once(own_kafka, own_servers, new_scene):
    """The broker stands still from before the run is due until it has ended."""
    scene = new_scene(SETTINGS, **own_servers)
    scene.daemon = scene.start()
    # Its lane reads a message, seconds before the other run is due: that one cannot have killed a
    # process.
    scene.topics.tick(JOB, before := now(minutes=-1), {"n": 1})
    assert scene.wait_run(tick_id(JOB, before, args(1)))["state"] == "finished"
    scene.topics.tick(JOB, later := now(seconds=6), {"n": 2})
    scene.wait_run(run_id := tick_id(JOB, later, args(2)), "waiting")
    own_kafka.freeze()
    try:
        row = scene.wait_run(run_id)
        assert (row["state"], row["step"], row["attempts"], result(row)["removed"]) == ("finished", 1, 0, 1)
    finally:
        own_kafka.thaw()
    scene.topics.wait("outcomes", lambda m: m.text_key == run_id)
    scene.topics.wait(f"work.{JOB}", lambda m: m.text_key == run_id)
    scene.daemon.stop()
    assert scene.database.column("SELECT id FROM scratch_log ORDER BY id") == [1, 2]
    assert not scene.daemon.lines(level="error") and not scene.daemon.lines("Work message was missing and is sent again")


def test_a_chain_is_ahead_of_its_messages_and_asks_postgresql_about_none_of_them(new_scene, listening):
    scene = new_scene({"jobs.scratch.remove.batch": 1})
    fill(scene.database, 50)
    scene.daemon = start(scene, listening)
    scene.topics.tick("scratch.remove", due := now(minutes=-1))
    row = scene.wait_run(tick_id("scratch.remove", due))
    assert (row["state"], result(row)["removed"]) == ("finished", 50)
    messages = scene.topics.wait("work.scratch.remove", lambda m: m.text_key == str(row["run_id"]), count=row["step"])
    assert [m.value["step"] for m in messages] == list(range(row["step"]))
    wait_until(lambda: scene.topics.committed("work.scratch.remove") == {0: row["step"]}, 30, "all messages to be handled")
    assert "pruned_stale_messages_total" not in {name for name, _ in listening.metrics().samples}
