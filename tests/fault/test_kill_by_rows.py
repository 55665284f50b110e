"""A process dies where a run turns to asking each row by itself, or in such a step: the next one
ends it, each row goes once, and the rows at fault stand alone."""

import pytest

from integration.test_conditions_that_fail import BAD, JOB, WHERE, events, ids, quarantined  # noqa: F401
from support.places import binary_with_faults
from support.sentences import house  # noqa: F401
from support.scene import now

# The turn is written by the answer to the search that failed. Its steps have 100 rows each; the
# first commit is that of the intake.
POINTS = [("answer.before_commit", 1)] + [(f"step.{at}", n) for at in ("after_effects", "before_commit", "after_commit") for n in (1, 3)]


@pytest.mark.parametrize("point, nth", POINTS)
def test_killed_there_each_row_goes_once(events, point, nth):  # noqa: F811
    events.pruned.binary = binary_with_faults()
    events.say(JOB, WHERE)
    events.start()
    run = events.pruned.run("tick", JOB, "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
    assert events.pruned.start(environment={"PRUNED_FAULT": f"{point}:kill:{nth}"}).wait(90) == -9
    events.work()
    row = events.pruned.run_row(run)
    assert row["state"] == "finished" and {"removed": 291, "failed": 4}.items() <= row["result"].items(), row
    assert ids(events) == sorted([1, 2, 3, 4, 5, *BAD]) and sorted(quarantined(events)) == BAD
    gone = sorted(int(key) for _, _, key, _ in events.audit(run))
    assert gone == [n for n in range(6, 301) if n not in BAD]
