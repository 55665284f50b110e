"""A process that is killed while it steps a run whose message has not come yet: the run happens
once, and is announced."""

import pytest

from integration.test_early import JOB, SETTINGS, args
from support.scene import now, result, tick_id

pytestmark = pytest.mark.built_in

POINTS = ("dispatcher.before_commit", "dispatcher.after_commit", "dispatcher.before_send", "dispatcher.after_send", "step.after_fence", "step.after_effects", "step.before_commit",
          "step.after_commit", "publish.before", "publish.after_acknowledgement")
OF_THE_DISPATCHER = 1  # which passage: the first run is never waiting
OF_THE_STEP = 2


@pytest.mark.check_first(1)
@pytest.mark.parametrize("point", POINTS)
def test_killed_in_a_run_that_is_ahead_of_its_message_it_happened_once(scene_with_faults, point):
    scene = scene_with_faults
    scene.settings |= {f"jobs.{JOB}.capacity": SETTINGS[f"jobs.{JOB}.capacity"]}
    passage = OF_THE_DISPATCHER if point.startswith("dispatcher.") else OF_THE_STEP
    killed = scene.start(environment={"PRUNED_FAULT": f"{point}:kill:{passage}"})
    scene.topics.tick(JOB, before := now(minutes=-1), {"n": 1})
    assert scene.wait_run(tick_id(JOB, before, args(1)))["state"] == "finished"
    scene.topics.tick(JOB, later := now(seconds=6), {"n": 2})
    assert killed.wait(60) == -9
    scene.run_until_idle(deadline_s=90)
    row = scene.run_row(run_id := tick_id(JOB, later, args(2)))
    assert (row["state"], row["step"], row["attempts"], result(row)["removed"]) == ("finished", 1, 0, 1)
    assert scene.database.column("SELECT id FROM scratch_log ORDER BY id") == [1, 2]
    told = {(m.headers["ce_id"], m.raw) for m in scene.topics.outcomes("RunFinished") if m.text_key == run_id}
    assert len(told) == 1
