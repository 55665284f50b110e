"""A process dies in a step in which children go before their row: the next one ends it, and all is
as if nobody had died."""

import pytest

from integration.test_sentences_portions import JOB, begin, check_whole
from support.sentences import house  # noqa: F401
from support.scene import now

# Steps 1 to 3 are portions, order 1 goes in the fourth, and the others in the fifth. The first
# commit is that of the intake.
POINTS = [(f"step.{at}", n) for at in ("after_effects", "before_commit", "after_commit") for n in (1, 3, 4)]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("point, nth", POINTS)
def test_killed_in_a_portion(house, point, nth):  # noqa: F811
    house.pruned.with_faults()
    before = begin(house)
    house.start()
    run = house.pruned.run("tick", JOB, "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
    assert house.pruned.start(environment={"PRUNED_FAULT": f"{point}:kill:{nth}"}).wait(90) == -9
    house.work()
    row = house.pruned.run_row(run)
    assert row["state"] == "finished" and {"removed": 8, "portions": 3}.items() <= row["result"].items(), row
    assert "in_part" not in row["result"]
    check_whole(house, run, before)
