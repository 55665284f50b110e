"""Failures: what is charged, how long the pause is, when a run is dead, and what an operator can
do."""

import datetime
import shutil

import pytest

from support.scene import JOBS, fill, let_rows_go, now, refuse_rows, result, send_tick, tick_id

pytestmark = pytest.mark.built_in

JOB = "scratch.remove"


@pytest.fixture
def failing(new_scene):
    """A whole page of 25 is refused: every try of the run fails."""
    scene = new_scene({"jobs.scratch.remove.batch": 25})
    fill(scene.database, 25)
    refuse_rows(scene.database, "true")
    return scene


def pause_s(daemon, row):
    """The pause as it was drawn. It counts from the transaction's beginning; on a slow machine the
    end comes seconds later."""
    [*_, failed] = daemon.lines("Step failed")
    began = row["due_at"] - datetime.timedelta(seconds=failed["retry_in_s"])
    assert row["created_at"] <= began <= row["changed_at"]
    return failed["retry_in_s"]


def again(scene, run_id):
    scene.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s AND state = 'waiting'", [run_id])
    return scene.run_until_idle()


@pytest.mark.check_first(1)
@pytest.mark.parametrize("failures", [0, 1, 3])
def test_the_pause_grows_by_the_formula(failing, failures):
    run_id = send_tick(failing)
    daemon = failing.start()
    failing.wait_run(run_id, "waiting")
    if failures:
        failing.database.execute("UPDATE pruned.runs SET attempts = %s, due_at = now() WHERE run_id = %s", [failures, run_id])
        failing.database.wait("SELECT attempts FROM pruned.runs", until=failures + 1)
    daemon.wait_line("Step failed", attempts=failures + 1)
    row = failing.run_row(run_id)
    least = failures ** 4 + 15
    assert least <= pause_s(daemon, row) <= least + 9 * (failures + 1)
    assert (row["step"], row["unique_key"], row["finished_at"]) == (0, JOB, None)


@pytest.mark.check_all
def test_a_run_is_dead_after_its_last_retry_and_says_so(failing):
    failing.settings["jobs.scratch.remove.max_attempts"] = 1
    run_id = send_tick(failing)
    failing.run_until_idle()
    assert failing.run_row(run_id)["state"] == "waiting"
    again(failing, run_id)
    row = failing.run_row(run_id)
    assert (row["state"], row["attempts"], row["unique_key"]) == ("dead", 2, None)
    assert " rows of this batch fail for the same reason: " in row["error"] and row["finished_at"] is not None
    [finished] = failing.topics.outcomes("RunFinished")
    assert (finished.value["state"], finished.value["error"]) == ("dead", row["error"])
    assert failing.run("runs", "--state", "dead", "--json").ok().json()[0]["run_id"] == run_id
    let_rows_go(failing.database)
    second = send_tick(failing)
    failing.run_until_idle()
    assert failing.run_row(second)["state"] == "finished"


def test_a_dead_run_that_is_retried_by_hand_begins_with_no_attempts(failing):
    failing.settings["jobs.scratch.remove.max_attempts"] = 0
    run_id = send_tick(failing)
    failing.run_until_idle()
    assert failing.run_row(run_id)["state"] == "dead"
    let_rows_go(failing.database)
    failing.run("retry", run_id).ok()
    failing.run_until_idle()
    row = failing.run_row(run_id)
    assert (row["state"], row["attempts"], result(row)["removed"]) == ("finished", 0, 25)


@pytest.mark.check_all
def test_a_run_that_waits_is_brought_forward_by_retry_and_ended_by_discard(failing):
    run_id = send_tick(failing)
    failing.run_until_idle()
    failing.run("retry", run_id).ok()
    failing.run_until_idle()
    assert failing.run_row(run_id)["attempts"] == 2
    failing.run("discard", run_id).ok()
    assert (failing.run_row(run_id)["state"], failing.run_row(run_id)["error"]) == ("skipped", "discarded")
    assert failing.run("retry", run_id).code == 1


@pytest.mark.check_all
def test_a_slow_statement_halves_the_page_and_charges_no_attempt(new_scene):
    """The first try of all rows takes 18 s, the limit is 15. A sequence keeps its place when a
    statement is cut."""
    scene = new_scene()
    fill(scene.database, 4)
    scene.database.execute("CREATE SEQUENCE deletions; CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS "
                           "$$ BEGIN IF nextval('public.deletions') <= 4 THEN PERFORM pg_sleep(4.5); END IF; RETURN OLD; END $$;"
                           "CREATE TRIGGER slow BEFORE DELETE ON scratch FOR EACH ROW EXECUTE FUNCTION slow()")
    run_id = send_tick(scene)
    daemon = scene.run_until_idle()
    row = scene.run_row(run_id)
    assert (row["state"], row["attempts"], result(row)["removed"], row["error"]) == ("finished", 0, 4, None)
    [line] = daemon.lines("Step failed")
    assert (line["error_class"], line["limit"], line["level"]) == ("57014", 2, "warning")


@pytest.mark.check_first(1)
@pytest.mark.parametrize("what, words", [
    ("ALTER TABLE scratch RENAME COLUMN day TO date", "day"),
    ("ALTER TABLE scratch RENAME TO scratched", "scratch"),
    ("REVOKE ALL ON scratch FROM pruned_test_daemon", "scratch"),
])
def test_a_tick_of_a_job_without_its_tables_or_rights_ends_blocked_and_changes_nothing(new_scene, what, words):
    scene = new_scene()
    fill(scene.database, 3)
    daemon = scene.start()
    # a job whose table is missing when it is loaded is refused (test_refused_at_load.py)
    daemon.wait_line("Partitions assigned")
    scene.database.execute(what)
    run_id = send_tick(scene)
    row = scene.wait_run(run_id, "finished")
    assert daemon.stop() == 0
    assert (row["state"], row["attempts"], result(row)["status"]) == ("finished", 0, "blocked")
    assert words in result(row)["reason"] and result(row)["updated_rows"] == 0
    assert scene.database.value("SELECT count(*) FROM pruned.quarantine") == 0
    assert daemon.lines("Step failed", job=JOB)
    [finished] = scene.topics.outcomes("RunFinished")
    assert finished.value["state"] == "finished"


def test_ticks_that_come_together_are_blocked_each(new_scene, tmp_path):
    shutil.copytree(JOBS, tmp_path / "jobs")
    (tmp_path / "jobs/scratch.endless/blocked.sql").write_text("SELECT 'the moon is wrong' AS reason\n")
    scene = new_scene({"run.jobs_dir": tmp_path / "jobs", "jobs.scratch.endless.capacity": 1})
    for n in range(3):
        scene.topics.tick("scratch.endless", now(minutes=-n - 1), {"last": 1})
    scene.run_until_idle()
    results = [result(row) for row in scene.database.rows("SELECT result FROM pruned.runs")]
    assert [(r["status"], r["reason"]) for r in results] == [("blocked", "the moon is wrong")] * 3


def test_a_run_of_an_event_waits_while_the_job_lacks_something(new_scene):
    scene = new_scene()
    fill(scene.database, 3)
    scene.database.execute("REVOKE ALL ON scratch FROM pruned_test_daemon")
    scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": 2})
    scene.run_until_idle()
    row = scene.database.row("SELECT * FROM pruned.runs WHERE job = 'scratch.one'")
    assert (row["state"], row["attempts"]) == ("waiting", 0)
    assert row["error"].startswith("blocked: ") and "scratch" in row["error"]
    scene.database.execute("GRANT SELECT, UPDATE, DELETE ON scratch TO pruned_test_daemon")
    again(scene, row["run_id"])
    assert scene.run_row(row["run_id"])["state"] == "finished"
    assert scene.database.column("SELECT id FROM scratch ORDER BY id") == [1, 3]


@pytest.mark.check_all
def test_a_lock_conflict_charges_no_attempt(scene):
    fill(scene.database, 3)
    daemon = scene.start()
    with scene.database.connect() as other:
        other.autocommit = False
        other.execute("LOCK TABLE scratch IN EXCLUSIVE MODE")  # of single rows: test_locked_rows.py
        run_id = send_tick(scene)
        row = scene.wait_run(run_id, "waiting")
        assert row["attempts"] == 0 and "55P03" in row["error"]
        assert 1 <= daemon.wait_line("Step failed", job=JOB, run_id=run_id)["retry_in_s"] <= 30 and row["due_at"] > row["created_at"]
        other_run = now(minutes=-2)
        scene.topics.tick("scratch.wide", other_run)
        scene.wait_run(tick_id("scratch.wide", other_run))
    row = scene.wait_run(run_id, deadline_s=60)
    assert (row["state"], row["attempts"], result(row)["removed"]) == ("finished", 0, 3)
    assert "busy" not in result(row)
    assert daemon.lines("Step failed", level="warning")


@pytest.mark.check_all
def test_the_end_of_a_run_that_was_dead_before_is_another_outcome(failing):
    """Who reads both takes an outcome with the same ce_id for a repeated message."""
    failing.settings["jobs.scratch.remove.max_attempts"] = 0
    run_id = send_tick(failing)
    failing.run_until_idle()
    assert failing.run_row(run_id)["state"] == "dead"
    let_rows_go(failing.database)
    failing.run("retry", run_id).ok()
    failing.run_until_idle()
    assert failing.run_row(run_id)["state"] == "finished"
    ends = failing.topics.outcomes("RunFinished")
    assert {m.value["state"] for m in ends} == {"dead", "finished"} and len({m.headers["ce_id"] for m in ends}) == 2
