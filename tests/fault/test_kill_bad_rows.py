"""A daemon is killed while it ends runs whose rows are out of bounds: each is dead once, and its
outcome is not lost."""

import pytest

from support.bad_rows import assert_each_is_dead, insert_bad

pytestmark = pytest.mark.built_in


@pytest.mark.parametrize("point", ("step.before_commit", "step.after_commit"))
def test_killed_while_it_ends_runs_with_bad_rows_each_is_dead_and_told(scene_with_faults, point):
    scene = scene_with_faults
    ids = insert_bad(scene.database, "waiting")
    killed = scene.start(environment={"PRUNED_FAULT": f"{point}:kill"})
    assert killed.wait(60) == -9
    dead = scene.database.value("SELECT count(*) FROM pruned.runs WHERE state = 'dead'")
    assert dead == (0 if point == "step.before_commit" else len(ids)), "all in one transaction, the first of the process"
    # of runs, not of commands
    stored = scene.database.value("SELECT count(*) FROM pruned.unpublished WHERE step >= 0")
    assert stored == (0 if point == "step.before_commit" else 1)
    scene.run_until_idle()
    assert_each_is_dead(scene.database, ids)
    assert scene.database.value("SELECT count(*) FROM pruned.unpublished") == 0
    finished = {m.text_key for m in scene.topics.read("outcomes") if m.headers["ce_type"].endswith("RunFinished")}
    assert finished == {str(run_id) for run_id in ids.values()}
