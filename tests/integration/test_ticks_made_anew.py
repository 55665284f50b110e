"""The topic of ticks is deleted and made anew, with fewer partitions, while a daemon runs: whatever
of it was read before Kafka assigns it anew, each tick becomes a run."""

import pytest

from stack.process import wait_until
from support.scene import now, start, tick_id


def send(scene, n, minutes):
    ticks = [now(minutes=-minutes - i) for i in range(n)]
    for at in ticks:
        scene.topics.tick("scratch.wide", at)
    return {tick_id("scratch.wide", at) for at in ticks}


def missing(scene, ids):
    return ids - set(scene.database.column("SELECT run_id::text FROM pruned.runs WHERE state = 'finished'"))


@pytest.mark.check_all
def test_each_tick_becomes_a_run_in_another_process(new_scene):
    """The process that has gone on ends before it has compared."""
    scene = new_scene({})
    (daemon,) = start(scene)
    before = send(scene, 10, 10)
    wait_until(lambda: not missing(scene, before), 60, "the first ten")
    daemon.freeze()
    scene.topics.drop("ticks")
    scene.topics.make("ticks", 1)
    after = send(scene, 25, 1000)
    daemon.thaw()
    scene.database.wait("SELECT next_offset FROM pruned.intake WHERE topic = %s", [scene.topics.full("ticks")], until=25)
    daemon.kill()
    start(scene)
    wait_until(lambda: not missing(scene, after), 150, lambda: f"{len(missing(scene, after))} ticks are no runs")


@pytest.mark.check_all
def test_each_tick_becomes_a_run(new_scene):
    scene = new_scene({"topics.partitions": 2})
    (daemon,) = start(scene)
    before = send(scene, 10, 10)
    wait_until(lambda: not missing(scene, before), 60, "the first ten")
    daemon.freeze()  # so that it goes on reading where it stood before it learns of the new topic
    scene.topics.drop("ticks")
    scene.topics.make("ticks", 1)
    after = send(scene, 25, 1000)
    daemon.thaw()
    # housekeeping compares each partition once a minute
    wait_until(lambda: not missing(scene, after), 150, lambda: f"{len(missing(scene, after))} ticks are no runs")
