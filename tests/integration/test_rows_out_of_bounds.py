"""Rows of the ledger that are older than its constraints, or on which a statement fails: only that
run gets an error, and no other waits."""

import json

import pytest

from stack.found import PROJECT
from support.bad_rows import AS_BEFORE, GOOD, INSERT, JOB, LOOSE, assert_each_is_dead, insert_bad
from support.instance import tenant  # noqa: F401
from support.scene import now, tick_id
from support.topics import rfc3339

pytestmark = pytest.mark.built_in


def assert_goes_on(scene, daemon, ids):
    scene.topics.tick(JOB, at := now(minutes=-1))
    assert scene.wait_run(tick_id(JOB, at))["state"] == "finished"
    assert_each_is_dead(scene.database, ids)
    told = {line["run_id"] for line in daemon.lines("Run is dead", level="error")}
    assert {str(i) for i in ids.values()} <= told
    assert scene.database.column("SELECT DISTINCT error_class FROM pruned.runs WHERE state = 'dead'") == ["23514"]
    last = str(ids["slot", -1])
    assert scene.topics.wait("outcomes", lambda m: m.text_key == last)[0].headers["ce_type"].endswith("RunFinished")


@pytest.mark.check_first(1)
@pytest.mark.parametrize("state", ["waiting", "ready"])
def test_a_daemon_that_finds_them_reports_each_and_continues(scene, state):
    ids = insert_bad(scene.database, state)
    assert_goes_on(scene, scene.start(), ids)


@pytest.mark.check_all
def test_a_bad_row_that_comes_while_it_runs_does_not_stop_the_dispatcher(scene):
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    assert_goes_on(scene, daemon, insert_bad(scene.database, "waiting"))


def test_a_held_run_with_a_bad_row_is_no_longer_held(scene):
    ids = insert_bad(scene.database, "held")
    scene.database.execute(LOOSE)
    scene.database.execute("UPDATE pruned.runs SET held = '{}'")
    scene.database.execute(AS_BEFORE)
    scene.start()
    assert_each_is_dead(scene.database, ids)
    assert scene.database.value("SELECT count(*) FROM pruned.runs WHERE held IS NOT NULL") == 0


def test_a_lane_that_meets_a_bad_row_reports_it_and_takes_the_next(scene):
    """The bad run has a message, and a run after it in the same lane has one."""
    scene.database.execute(LOOSE)
    bad = scene.database.value(INSERT, GOOD | {"state": "ready", "scheduled_at": "infinity"})
    good = scene.database.value(INSERT, GOOD | {"state": "ready"})
    for run_id in (bad, good):
        scene.topics.produce(f"work.{JOB}", json.dumps({"run_id": str(run_id), "job": JOB, "step": 0, "attempt": 0,
                                                        "scheduled_at": rfc3339(now()), "due_at": rfc3339(now()), "args": {}}).encode(),
                             key=str(run_id), headers={"ce_type": "pruned.Work"}, partition=0)
    scene.database.execute(AS_BEFORE)
    scene.start()
    assert scene.wait_run(good)["state"] == "finished"
    assert_each_is_dead(scene.database, {("scheduled_at", "infinity"): bad})


def test_the_step_of_the_schema_repairs_them_and_validates_all_rows(scene):
    database = scene.database
    ids = insert_bad(database, "waiting")
    database.execute(LOOSE)
    ended = database.value(INSERT, GOOD | {"state": "finished", "due_at": "infinity"})
    database.execute("UPDATE pruned.runs SET finished_at = now() WHERE run_id = %s", [ended])
    database.execute(AS_BEFORE)
    database.execute((PROJECT / "schemas/postgres/013-inside.sql").read_text())
    assert_each_is_dead(database, ids)
    assert database.value("SELECT state FROM pruned.runs WHERE run_id = %s", [ended]) == "finished"
    assert database.value("SELECT convalidated FROM pg_constraint WHERE conname = 'runs_bounds'")
    # A retry of a repaired run removes nothing: its cut-off is at the beginning of time.
    assert database.value("SELECT count(*) FROM pruned.runs WHERE state = 'dead' AND scheduled_at > '2026-01-01'") == 0


@pytest.mark.check_all
def test_a_run_whose_failure_cannot_be_counted_is_dead(scene):
    """Counting the failure would exceed the bounds: attempts + 1."""
    scene.run("pause", "scratch.remove").ok()
    scene.topics.tick("scratch.remove", at := now(minutes=-1))
    scene.start()
    run_id = tick_id("scratch.remove", at)
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE run_id = %s", [run_id], until=1)
    scene.database.execute("""UPDATE pruned.runs SET attempts = 2000000000, args = '{"cursor": 1}' WHERE run_id = %s""", [run_id])
    scene.run("resume", "scratch.remove").ok()
    assert scene.wait_run(run_id, "dead")["error"]
    scene.topics.tick("scratch.remove", at := now(minutes=-2))
    assert scene.wait_run(tick_id("scratch.remove", at))["state"] == "finished"


def test_a_job_whose_clean_up_fails_too_is_charged_and_its_lane_continues(tenant):  # noqa: F811
    """groups.destroy sets `deleted_at` and, when it fails, clears it: a trigger refuses the
    deletion and that as well."""
    tenant.period(7)
    one, other = tenant.group(), tenant.group()
    for group in (one, other):
        tenant.mark(group, tenant.user(admin=True), 30)
    tenant.database.connection.execute(f"""
        CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE numeric_value_out_of_range; END $$;
        CREATE TRIGGER spoil BEFORE UPDATE ON namespace_details FOR EACH ROW WHEN (NEW.deleted_at IS NULL) EXECUTE FUNCTION spoil();
        CREATE TRIGGER spoil BEFORE DELETE ON namespaces FOR EACH ROW WHEN (OLD.id = {one}) EXECUTE FUNCTION spoil()""")
    tenant.tick("groups.adjourned_deletion", **{"jobs.groups.destroy.capacity": 1, "jobs.groups.adjourned_deletion.spacing_ms": 0})
    runs = {run["args"]["group_id"]: run for run in tenant.runs("groups.destroy")}
    assert (runs[one]["state"], runs[one]["attempts"], runs[other]["state"]) == ("waiting", 1, "finished")
    assert "then its clean-up failed: " in runs[one]["error"]
