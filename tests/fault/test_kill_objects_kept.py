"""Objects whose leases are set back: a process dies while their ids are in the cursor of its
run."""

import pytest

from integration.test_objects_refused import SETS_BACK, SETS_BACK_AFTER, SWALLOWS, objects  # noqa: F401
from support.objects import SLOT, TICK

# Ten objects, four a step, two of them set back.
POINTS = [(f"errand.{at}", n) for at in ("before_lease", "after_lease", "before_settle") for n in (1, 2, 3)] + [
    (f"step.{at}", n) for at in ("before_commit", "after_commit") for n in (2, 3)]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("point, nth", POINTS)
@pytest.mark.parametrize("timing, how", [SWALLOWS, SETS_BACK, SETS_BACK_AFTER], ids=["swallowed", "set back before", "set back after"])
def test_killed_there_the_run_ends_and_the_others_go_once(objects, timing, how, point, nth):  # noqa: F811
    objects.pruned.with_faults()
    objects.add(10, store=1)
    objects.hold("OLD.file IN ('file 5', 'file 10')", how, timing)
    settings = {"store.local.root": objects.root, "jobs.ci.delete_objects.batch": 4}
    objects.pruned.run("tick", TICK).ok()
    daemon = objects.pruned.start("--until-idle", settings=settings, environment={"PRUNED_FAULT": f"{point}:kill:{nth}"})
    assert daemon.wait(60) == -9
    # What the dead one has leased is ready again when its lease is over.
    objects.database.execute("UPDATE ci_deleted_objects SET pick_up_at = now() - interval '1 hour' WHERE pick_up_at > now()")
    objects.pruned.run_until_idle(settings=settings)
    assert sorted(objects.left()) == ["file 10", "file 5"]
    assert {(run["state"], run["attempts"]) for run in objects.runs()} == {("finished", 0)}
    audit = objects.database.column("SELECT jsonb_array_elements(keys)::bigint FROM pruned.deletions WHERE table_name = 'ci_deleted_objects'")
    assert len(audit) == len(set(audit)) == 8
    assert sum(run["result"]["updated_rows"] for run in objects.runs()) == 8
    # A run counts each of them once: what one step has found, the next ones pass over.
    counted = {entry["file"]: entry["attempts"] for entry in objects.quarantine()}
    assert counted.keys() == {"file 5", "file 10"} and max(counted.values()) <= len(objects.runs())
    assert {run["job"] for run in objects.runs()} == {SLOT}
