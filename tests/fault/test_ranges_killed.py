"""A daemon that is killed in any range of a run, or while it divides the run or takes its ranges
in: everything happens once."""

import collections

import pytest

from support.scene import fill, now, outcome_id, refuse_rows, tick_id

from test_kill import kill_at, points

JOB = "scratch.remove"
ROWS = 240


def prepare(scene):
    scene.settings |= {f"jobs.{JOB}.ranges": 4, f"jobs.{JOB}.batch": 5}
    scene.run("topics", "--apply").ok()
    fill(scene.database, ROWS)
    refuse_rows(scene.database, "OLD.id = 77")
    at = now(minutes=-5)
    scene.topics.tick(JOB, at)
    return tick_id(JOB, at)


def check(scene, run_id):
    row = scene.run_row(run_id)
    assert (row["state"], row["attempts"], row["error"], row["rows_done"]) == ("finished", 0, None, ROWS - 1)
    assert {k: row["result"][k] for k in ("status", "updated_rows", "removed", "failed")} == {
        "status": "completed", "updated_rows": ROWS - 1, "removed": ROWS - 1, "failed": 1}
    assert scene.database.column("SELECT run_id::text FROM pruned.runs") == [run_id]
    assert scene.database.column("SELECT id FROM scratch") == [77]
    audit = scene.database.rows("SELECT run_id::text, step, keys FROM pruned.deletions")
    keys = [key for record in audit for key in record["keys"]]
    assert sorted(keys) == [n for n in range(1, ROWS + 1) if n != 77] and {record["run_id"] for record in audit} == {run_id}
    assert max(collections.Counter(record["step"] for record in audit).values()) == 1
    assert {record["step"] // 100_000_000 for record in audit} == {0, 1, 2, 3}
    assert scene.database.column("SELECT item FROM pruned.quarantine") == ["scratch:77"]
    said = {m.headers["ce_id"]: str(m.value["run_id"]) for m in scene.topics.outcomes("RunFinished")}
    assert list(said.values()) == [run_id] and list(said) == [outcome_id(run_id, row["step"] - 1, "RunFinished", run_id)]


@pytest.mark.check_first(2)
@pytest.mark.parametrize("point, passage", [(p, 1) for p in points("ranges.")] + [
    (p, n) for p in points("step.", "publish.") for n in (3, 11, 20)])
def test_killed_there_every_range_is_done_once(scene_with_faults, point, passage):
    scene = scene_with_faults
    run_id = prepare(scene)
    kill_at(scene, point, passage)
    scene.run_until_idle(deadline_s=90)
    check(scene, run_id)


@pytest.mark.check_all
@pytest.mark.parametrize("n", range(3))
def test_killed_again_and_again_every_range_is_done_once(scene_with_faults, n):
    scene = scene_with_faults
    run_id = prepare(scene)
    for passage in (4 + n, 6 + n):  # a third death could convict a message as poison
        kill_at(scene, "step.after_fence", passage)
    scene.run_until_idle(deadline_s=90)
    check(scene, run_id)
