"""A process dies with outcomes that are too large for their topic: the next one cuts and sends
them, with the ids that they had, and none is missing."""

import pytest

from integration.test_long_outcomes import LONG, SAID
from support.own_job import own, tick  # noqa: F401
from support.places import binary_with_faults


# The first commit is that of the intake.
@pytest.mark.parametrize("point", ["step.after_commit:kill:1", "publish.before:kill:1", "publish.after_acknowledgement:kill:1"])
def test_killed_there_every_row_is_told_of(own, point):  # noqa: F811
    scene = own({"decide": LONG}, rows=100, conf=SAID.format(entity="key"))
    scene.binary = binary_with_faults()
    daemon = scene.start(environment={"PRUNED_FAULT": point})
    run_id = tick(scene)
    assert daemon.wait(90) == -9
    scene.start()
    scene.wait_run(run_id)
    scene.database.wait("SELECT count(*) FROM pruned.unpublished", until=0)
    told = [m for m in scene.topics.read("outcomes") if m.schema.endswith(".MemberKept")]
    assert {m.value["member_id"] for m in told} == set(range(1, 101))
    assert len({m.headers["ce_id"] for m in told}) == 100
    cut = "r" * 10000 + "... (2990000 bytes more)"
    assert {m.value["reason"] for m in told if m.value["member_id"] in (2, 50)} == {cut}
