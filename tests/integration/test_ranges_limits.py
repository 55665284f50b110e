"""`ranges`: limits are of the run as a whole."""

import pytest

from integration.test_ranges import INSIDE, JOB, audited, by_range, left
from stack.process import wait_until
from support.scene import fill, result, send_tick


def test_a_run_over_its_limit_is_held_before_it_is_divided(new_scene):
    scene = new_scene({f"jobs.{JOB}.ranges": 4, f"jobs.{JOB}.max_rows": 300})
    fill(scene.database, 400)
    run_id = send_tick(scene)
    scene.start()
    row = scene.wait_run(run_id, "held")
    assert (row["error"], left(scene)) == ("held: 400 rows are above max_rows 300", 400)
    scene.run("approve", run_id, "--reason", "right").ok()
    scene.wait_run(run_id)
    assert set(by_range(audited(scene, run_id)[1])) == {0, 1, 2, 3}
    assert (scene.run_row(run_id)["rows_done"], left(scene)) == (400, 0)


def run_that_grows(scene):
    """A run of 400 rows; when it is divided, 300 more come into one of its ranges."""
    fill(scene.database, 200, first=1)
    fill(scene.database, 200, first=10001)
    run_id = send_tick(scene)
    scene.start()
    wait_until(lambda: scene.database.value(INSIDE) == 3, 30, "ranges")
    fill(scene.database, 300, first=201)
    return run_id


@pytest.mark.check_all
def test_a_run_that_grows_in_its_ranges_stops_before_its_limit_as_one(new_scene):
    """Rows come into a range while it is worked off. The run takes its ranges in, and is held with
    the rows that are left."""
    scene = new_scene({f"jobs.{JOB}.ranges": 4, f"jobs.{JOB}.max_rows": 420, f"jobs.{JOB}.delay_ms": 1500})
    run_id = run_that_grows(scene)
    row = scene.wait_run(run_id, "held", deadline_s=120)
    done = 700 - left(scene)
    assert row["rows_done"] == done <= 420 and row["error"] == "held: 700 rows are above max_rows 420"
    assert scene.database.value(INSIDE) == 0
    scene.run("approve", run_id, "--reason", "right").ok()
    scene.run("pause", JOB).ok()
    scene.settings[f"jobs.{JOB}.delay_ms"] = 0
    scene.daemons[0].stop()
    scene.run("resume", JOB).ok()
    scene.start()
    row = scene.wait_run(run_id, deadline_s=60)
    assert (row["rows_done"], left(scene), result(row)["removed"]) == (700, 0, 700)
    assert len(audited(scene, run_id)[0]) == len(set(audited(scene, run_id)[0])) == 700


def test_rows_of_a_day_are_counted_once_over_all_ranges(new_scene):
    """What ranges have changed counts for the day while they go, and no second time when the run
    takes them in."""
    scene = new_scene({f"jobs.{JOB}.ranges": 4, f"jobs.{JOB}.max_rows_per_day": 500})
    fill(scene.database, 400)
    first = send_tick(scene, minutes=-2)
    scene.start()
    scene.wait_run(first)
    fill(scene.database, 100, first=1001)
    second = send_tick(scene)
    scene.wait_run(second)
    assert left(scene) == 0
    fill(scene.database, 1, first=2001)
    third = send_tick(scene, minutes=0)
    assert scene.wait_run(third, "held")["error"] == "held: 1 row after 500 today is above max_rows_per_day 500"
    assert left(scene) == 1


@pytest.mark.check_all
def test_ranges_that_meet_the_limit_of_a_day_stop_before_it_as_one(new_scene):
    """The day is known only while the ranges go: rows come into them behind the count of the first
    page."""
    most = 420
    scene = new_scene({f"jobs.{JOB}.ranges": 4, f"jobs.{JOB}.max_rows_per_day": most, f"jobs.{JOB}.delay_ms": 1500})
    run_id = run_that_grows(scene)
    row = scene.wait_run(run_id, "held", deadline_s=120)
    done = 700 - left(scene)
    assert 0 < row["rows_done"] == done <= most and row["error"].endswith(f" rows after 0 today are above max_rows_per_day {most}")
    assert scene.database.value(INSIDE) == 0 and len(audited(scene, run_id)[0]) == done
