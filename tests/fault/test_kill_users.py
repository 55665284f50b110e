"""A process that is killed while it destroys many users in one transaction: each is destroyed
once."""

import pytest

from integration.test_users_together import JOB, ONE_LANE, check_each, fill
from support.instance import Instance
from support.scene import now

pytestmark = pytest.mark.built_in

# Each user passes step.after_fence twice, once for each of their steps. Several users take each
# step as one.
PLACES = [("at_once.between_steps", 1), ("at_once.between_steps", 2), ("at_once.between_steps", 3), ("step.after_fence", 12),
          ("step.after_fence", 4), ("step.after_fence", 5), ("together.before_settle", 1),
          ("step.before_commit", 1), ("step.after_commit", 1)]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("point, passage", PLACES)
def test_killed_among_many_users_each_was_destroyed_once(scene_with_faults, point, passage):
    scene = scene_with_faults
    scene.settings |= ONE_LANE
    there = Instance(scene.database, now(minutes=-1))
    there.user(user_type=5, username="ghost")
    bots = fill(there, 30)  # several transactions, however their messages come
    scene.run("pause", JOB).ok()
    scene.topics.tick("members.remove_expired", there.at)
    scene.run_until_idle()
    scene.run("resume", JOB).ok()
    killed = scene.start(environment={"PRUNED_FAULT": f"{point}:kill:{passage}"})
    assert killed.wait(60) == -9
    left = there.ids("users", "user_type = 6")
    finished = {int(args["user_id"]) for args in scene.database.column(
        "SELECT args FROM pruned.runs WHERE job = %s AND state = 'finished'", [JOB])}
    assert set(bots) - set(left) == finished
    scene.run_until_idle(deadline_s=90)
    check_each(scene.database, scene.topics, bots)
