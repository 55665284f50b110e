"""Limits hold whoever dies, and however many processes there are."""

import pytest

from stack.process import wait_until
from support.places import binary_with_faults
from support.scene import fill, now, result, tick_id

JOB = "scratch.remove"


@pytest.fixture
def scene(new_scene):
    """A static member of its group, so that the next process gets the partitions of a killed one at once."""
    scene = new_scene({f"jobs.{JOB}.max_rows": 20, "kafka.group.instance.id": "the one process"})
    scene.binary = binary_with_faults()
    assert scene.binary.exists(), f"{scene.binary} is not there: make FAULTS=1"
    return scene


def tick(scene):
    at = now(minutes=-1)
    scene.topics.tick(JOB, at)
    return tick_id(JOB, at)


def killed_at(scene, point):
    assert scene.start(environment={"PRUNED_FAULT": f"{point}:kill"}).wait(90) == -9


@pytest.mark.parametrize("point", ["step.after_effects", "brakes.counted", "step.before_commit", "brakes.held"])
def test_a_run_is_held_once_whenever_its_process_dies(scene, point):
    fill(scene.database, 30)
    run_id = tick(scene)
    killed_at(scene, point)
    scene.start()
    assert scene.wait_run(run_id, "held", deadline_s=60)["error"] == "held: max_rows 20, counted 30"
    said = wait_until(lambda: scene.topics.outcomes("RunHeld"), 30, "RunHeld")
    assert len({m.headers["ce_id"] for m in said}) == 1
    assert scene.database.value("SELECT count(*) FROM scratch") == 30


@pytest.mark.parametrize("point", ["step.after_effects", "step.before_commit", "step.after_commit"])
def test_an_approved_run_is_done_once_whenever_its_process_dies(scene, point):
    fill(scene.database, 30)
    first = scene.start()
    run_id = tick(scene)
    scene.wait_run(run_id, "held")
    first.stop()
    scene.run("approve", run_id).ok()
    killed_at(scene, point)
    scene.start()
    row = scene.wait_run(run_id, deadline_s=60)
    assert (result(row)["removed"], row["rows_done"]) == (30, 30)
    assert scene.database.value("SELECT count(*) FROM scratch") == 0


def test_two_processes_remove_no_more_in_a_day_than_the_limit(new_scene):
    scene = new_scene({"jobs.scratch.one.max_rows_per_day": 10})
    fill(scene.database, 40)
    for name in ("one", "another"):
        scene.start(name=name).wait_line("Partitions assigned")
    for key in range(1, 41):
        scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": key}, ce_time=now())
    wait_until(lambda: scene.database.value("SELECT count(*) FROM pruned.runs WHERE state IN ('finished', 'held') AND job = 'scratch.one'") == 40,
               90, "all runs have ended or are held")
    assert scene.database.value("SELECT count(*) FROM scratch") == 30
    assert scene.database.column("SELECT DISTINCT error FROM pruned.runs WHERE state = 'held'") == ["held: max_rows_per_day 10, counted 1"]
