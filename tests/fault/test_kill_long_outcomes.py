"""A process dies with outcomes that are too large for their topic, or that it refuses: the next one
sends them, cut or to the dead topic, with the ids that they had, and none is missing."""

import pytest

from integration.test_long_outcomes import LONG, SAID
from integration.test_refused_outcomes import MIDDLE, MIXED, all_sent, kept, topic_of_outcomes
from support.own_job import own, tick  # noqa: F401


# The first commit is that of the intake.
POINTS = ["step.after_commit:kill:1", "publish.before:kill:1", "publish.after_acknowledgement:kill:1"]


def run_killed_and_begun_again(scene, point):
    scene.with_faults()
    daemon = scene.start(environment={"PRUNED_FAULT": point})
    run_id = tick(scene)
    assert daemon.wait(90) == -9
    scene.start()
    scene.wait_run(run_id)


@pytest.mark.check_all
@pytest.mark.parametrize("point", POINTS)
def test_killed_there_every_row_is_told_of(own, point):  # noqa: F811
    scene = own({"decide": LONG}, rows=100, conf=SAID.format(entity="key"))
    run_killed_and_begun_again(scene, point)
    scene.database.wait("SELECT count(*) FROM pruned.unpublished", until=0)
    told = [m for m in scene.topics.read("outcomes") if m.schema.endswith(".MemberKept")]
    assert {m.value["member_id"] for m in told} == set(range(1, 101))
    assert len({m.headers["ce_id"] for m in told}) == 100
    cut = "r" * 10000 + "... (2990000 bytes more)"
    assert {m.value["reason"] for m in told if m.value["member_id"] in (2, 50)} == {cut}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("point", POINTS)
def test_killed_there_what_the_topic_refuses_is_in_the_dead_topic(own, point):  # noqa: F811
    scene = own({"decide": MIXED}, rows=30, conf=SAID.format(entity="key"))
    topic_of_outcomes(scene, max_message_bytes=MIDDLE)
    run_killed_and_begun_again(scene, point)
    all_sent(scene)
    large = {n for n in range(1, 31) if n % 3 == 0}
    assert kept(scene.topics.read("outcomes")).keys() == set(range(1, 31)) - large
    dead = [m for m in scene.topics.read("dead") if m.schema == "pruned.outcomes.MemberKept"]
    assert {m.value["member_id"] for m in dead} == large and len({m.headers["ce_id"] for m in dead}) == len(large)
