"""A process that is killed within a transaction that many runs share: every run happens once."""

import pytest

from integration.test_shared_transaction import N, ONE_LANE, check_each_alone, send
from support.scene import fill

pytestmark = pytest.mark.built_in

# Which passage of a step's own point kills: one between the others. Points of effects are passed
# once for all runs. `at_once.done` is only passed by a transaction that has done two runs or more
# as one.
PLACES = [("at_once.done", 1), ("at_once.done", 2), ("together.before_settle", 1), ("together.before_settle", 2), ("step.after_fence", 12), ("step.after_effects", 2),
          ("step.before_commit", 1), ("step.after_commit", 1), ("step.before_commit", 2), ("step.after_commit", 2)]


@pytest.mark.parametrize("point, passage", PLACES)
def test_killed_in_a_transaction_of_many_runs_each_happened_once(scene_with_faults, point, passage):
    scene = scene_with_faults
    scene.settings |= ONE_LANE | {"jobs.scratch.one.batch": 15}
    fill(scene.database, N)
    runs = send(scene, range(1, N + 1))
    killed = scene.start(environment={"PRUNED_FAULT": f"{point}:kill:{passage}"})
    assert killed.wait(60) == -9
    counts = scene.database.row("""SELECT (SELECT count(*) FROM pruned.deletions) AS audit, %s - (SELECT count(*) FROM scratch) AS gone,
                                   (SELECT count(*) FROM pruned.runs WHERE job = 'scratch.one' AND state = 'finished') AS finished""", [N])
    assert counts["audit"] == counts["gone"] == counts["finished"]
    scene.run_until_idle(deadline_s=90)
    assert scene.database.value("SELECT count(*) FROM scratch") == 0
    check_each_alone(scene, runs)
