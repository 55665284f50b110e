"""A run whose count takes too long is held, as an estimate; one whose count fails is charged like
any other step."""

import shutil

import pytest

from support.scene import JOBS, fill, now, tick_id
from support.slow import ENDLESS_S, cancel_until

JOB = "scratch.remove"
PAGE = """
SELECT s.id AS key, s.day, s.id
FROM scratch s
WHERE (s.day, s.id) < (:cursor.day::date, :cursor.id::bigint) AND s.day <= (:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date
  AND (SELECT CASE WHEN {when} THEN {then} END IS NULL)
ORDER BY s.day DESC, s.id DESC
LIMIT :limit::int
"""
LOCKS = ("EXISTS (SELECT FROM pg_catalog.pg_locks l WHERE l.pid = pg_catalog.pg_backend_pid() "
         "AND l.relation = 'pruned.runs'::regclass AND l.mode = 'RowShareLock')")
IN_COUNT = "NOT " + LOCKS  # a step has locked its run; the count after it has not
# within the step: how many keys are behind its page
OF_REST = f"{LOCKS} AND pg_catalog.current_query() LIKE '%cou' || 'nt(%'"
SLEEPS = f"pg_catalog.pg_sleep({ENDLESS_S})::text"
FAILS = "(1 / (SELECT pg_catalog.count(*) FROM scratch n WHERE n.id < 0))::text"


@pytest.fixture
def counted(new_scene, tmp_path):
    """Makes a scene of 30 rows of which 20 may go, whose page.sql does THEN where WHEN holds."""

    def make(when, then, **settings):
        shutil.copytree(JOBS, tmp_path / "jobs")
        (tmp_path / f"jobs/{JOB}/page.sql").write_text(PAGE.format(when=when, then=then))
        scene = new_scene({"run.jobs_dir": tmp_path / "jobs", f"jobs.{JOB}.max_rows": 20,
                           **{f"jobs.{JOB}.{name}": value for name, value in settings.items()}})
        fill(scene.database, 30)
        scene.start()
        scene.topics.tick(JOB, at := now(minutes=-1))
        return scene, tick_id(JOB, at)

    return make


def held(scene, run_id, rows_done=0):
    """The run's row, once it is held with so many rows done. Counts are cancelled as the server
    would after 15 s."""
    cancel_until(scene.database, "SELECT state = 'held' AND coalesce(rows_done, 0) = %s FROM pruned.runs WHERE run_id = %s", [rows_done, run_id])
    return scene.run_row(run_id)


def left(scene):
    return scene.database.value("SELECT count(*) FROM scratch")


@pytest.mark.check_all
def test_a_count_that_takes_too_long_holds_the_run_as_an_estimate(counted):
    scene, run_id = counted(IN_COUNT, SLEEPS)
    row = held(scene, run_id)
    assert (row["error"], row["attempts"], left(scene)) == ("held: 21 rows are above max_rows 20", 0, 30)
    shown = scene.run("runs", run_id, "--json").ok().json()[0]["held"]
    assert (shown["limit"], shown["counted"], shown["estimated"]) == ("max_rows", 21, True)
    assert scene.daemons[0].wait_line("Run is held", run_id=run_id)["estimated"] is True


def test_a_count_that_fails_is_charged(counted):
    scene, run_id = counted(IN_COUNT, FAILS)
    said = scene.daemons[0].wait_line("A statement failed because of this run's row", run_id=run_id)
    row = scene.run_row(run_id)
    assert (row["state"], row["attempts"], row["step"], left(scene)) == ("waiting", 1, 0, 30)
    assert "division by zero" in row["error"] and row["error_class"] == said["error_class"] == "22012"
    assert scene.run("retry", "--error-class", "22012", "--yes", "--json").ok().json()[0]["run_id"] == run_id


@pytest.mark.check_all
def test_keys_that_cannot_be_counted_within_the_step_are_counted_after_it(counted):
    """The next page is as large as before, because the count took long and not the page."""
    scene, run_id = counted(OF_REST, SLEEPS)
    row = held(scene, run_id)
    assert (row["error"], row["attempts"], row["cursor"], left(scene)) == ("held: 30 rows are above max_rows 20", 0, None, 30)
    assert scene.run("runs", run_id, "--json").ok().json()[0]["held"]["estimated"] is False
    assert scene.daemons[0].lines("Step failed") == []
    scene.run("approve", run_id).ok()


@pytest.mark.check_all
def test_what_can_never_be_counted_is_held(counted):
    """No count is known, neither in the step nor after it. So the run counts as one row above its
    limit."""
    scene, run_id = counted(f"{IN_COUNT} OR {OF_REST}", SLEEPS)
    row = held(scene, run_id)
    assert (row["error"], left(scene)) == ("held: 21 rows are above max_rows 20", 30)
    assert scene.run("runs", run_id, "--json").ok().json()[0]["held"]["estimated"] is True


@pytest.mark.check_all
def test_what_cannot_be_counted_goes_once_it_is_approved(counted):
    """Up to the rows that are approved: 21, and 1 % of them, which is none. The pages take 10 of
    the 30 rows each, so the third does not go."""
    scene, run_id = counted(f"{IN_COUNT} OR {OF_REST}", SLEEPS, batch=10)
    held(scene, run_id)
    assert "held: 21 rows are above max_rows 20 (estimated)" in scene.run("runs", run_id).ok().stdout
    scene.run("approve", run_id).ok()
    held(scene, run_id, rows_done=20)
    assert left(scene) == 10
