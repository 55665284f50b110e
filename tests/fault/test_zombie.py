"""A process stops for longer than its session lasts. Another continues its work, and when the first
one resumes nothing happens twice."""

import pytest

from stack.process import wait_until
from support.scene import fill, now, result, tick_id
from support.slow import hold_rows, let_held_rows_go, wait_in_flight
from support.story import JOB, check, prepare

# Where it stops: with uncommitted rows, between commit and message, between message and offset.
POINTS = ["step.after_fence", "step.before_commit", "step.after_commit", "publish.after_acknowledgement", "lane.before_store",
          "intake.before_commit", "intake.after_commit"]


ASLEEP = ("SELECT max(application_name) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep' "
          "AND application_name IN ('one', 'two')")


def all_done(scene, n):
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'finished'", until=n, deadline_s=60)


def wake_up(zombie, scene):
    """Resumes the process. It learns that it has lost its partitions, and joins again."""
    assigned = len(zombie.lines("Partitions assigned"))
    zombie.thaw()
    zombie.wait_line("Partitions assigned", count=assigned + 1)
    later = [now(minutes=-2 - n) for n in range(16)]
    before = len(zombie.lines("Finished", job="scratch.wide"))
    for n, at in enumerate(later):
        scene.topics.tick("scratch.wide", at, {"n": 1000 + n})
    scene.database.wait("SELECT count(*) FROM scratch_log WHERE id >= 1000", until=len(later))
    zombie.wait_line("Finished", job="scratch.wide", count=before + 1)


WORK = (f"work.{JOB}", "work.scratch.wide")


def committed(scene):
    """{(topic, partition): offset} of the group."""
    return {(topic, partition): offset for topic in ("ticks", *WORK) for partition, offset in scene.topics.committed(topic).items()}


def all_committed(scene):
    """The group's offsets, once those of work are behind the last message of each partition."""
    ends = {(topic, m.partition): m.offset + 1 for topic in WORK for m in scene.topics.read(topic)}
    offsets = committed(scene)
    return ends.items() <= offsets.items() and offsets


@pytest.mark.check_first(1)
@pytest.mark.parametrize("point", POINTS)
def test_stopped_there_and_woken_up_everything_happened_once(scene, point):
    scene.with_faults(at_once=2)
    story = prepare(scene)
    zombie = scene.start(environment={"PRUNED_FAULT": f"{point}:stop"})
    zombie.wait_stopped()
    other = scene.start()
    all_done(scene, 4)
    before = wait_until(lambda: all_committed(scene), 30, lambda: committed(scene))
    zombie.thaw()
    zombie.wait_line("Partitions assigned", count=2 if zombie.lines("Partitions assigned") else 1)
    assert [daemon.stop(10) for daemon in (zombie, other)] == [0, 0]
    after = committed(scene)
    assert all(after[place] >= offset for place, offset in before.items()), "it has committed nothing of what it had lost"
    # a suspect that the zombie had counted is forgotten at the next assignment
    scene.run_until_idle()
    check(scene, *story)


@pytest.mark.check_all
def test_a_zombie_gives_up_its_step_and_works_again_when_it_is_back(scene):
    """One of two processes stops in the middle of a page. The server ends its transaction; the
    other process does the page."""
    daemons = {name: scene.start(settings={"postgres.url": f"{scene.database.role_url}?application_name={name}"}) for name in ("one", "two")}
    for daemon in daemons.values():
        daemon.wait_line("Partitions assigned")
    fill(scene.database, 45)
    hold_rows(scene.database, "OLD.id = 40")
    at = now(minutes=-1)
    scene.topics.tick(JOB, at)
    wait_in_flight(scene.database)
    zombie = daemons[wait_until(lambda: scene.database.value(ASLEEP), 30, "the process that does the step")]
    zombie.freeze()
    let_held_rows_go(scene.database)
    all_done(scene, 1)
    row = scene.run_row(tick_id(JOB, at))
    assert (row["step"], row["attempts"], result(row)["removed"]) == (5, 0, 45)
    wake_up(zombie, scene)
    audit = scene.database.column("SELECT jsonb_array_elements(keys)::bigint FROM pruned.deletions WHERE table_name = 'scratch'")
    assert sorted(audit) == list(range(1, 46))
    assert scene.run_row(tick_id(JOB, at)) == row
    assert len([m for m in scene.topics.outcomes("RunFinished") if m.text_key == str(row["run_id"])]) == 1
    assert not any(d.lines(level="error") for d in scene.daemons)
