"""Rows of the ledger that are older than its bounds, or that a statement of ours fails about: an error for that run alone, nothing waits for it."""

import json

import pytest

from support.instance import tenant  # noqa: F401
from support.scene import now, tick_id
from support.topics import rfc3339

JOB = "scratch.wide"
# As step 11 left them: what is there already is not looked through.
LOOSE = "ALTER TABLE pruned.runs DROP CONSTRAINT runs_bounds"
AS_BEFORE = """
ALTER TABLE pruned.runs ADD CONSTRAINT runs_bounds CHECK (
    isfinite(scheduled_at) AND isfinite(due_at) AND step BETWEEN 0 AND 2000000000 AND attempts BETWEEN 0 AND 2000000000 AND slot >= 0
) NOT VALID"""
INSERT = """
INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job, step, attempts, slot, published_at, changed_at, unique_key, args)
VALUES (gen_random_uuid(), %(scheduled_at)s, %(due_at)s, %(state)s, %(job)s, %(step)s, %(attempts)s, %(slot)s, now(),
        now() - interval '1 minute', %(key)s, %(args)s)
RETURNING run_id"""
GOOD = {"scheduled_at": "2026-01-01", "due_at": "2026-01-01", "job": JOB, "step": 0, "attempts": 0, "slot": 0, "key": None, "args": "{}"}
BAD = [("scheduled_at", "infinity"), ("scheduled_at", "-infinity"), ("scheduled_at", "294276-12-31"), ("due_at", "infinity"),
       ("due_at", "-infinity"), ("step", 2**31 - 1), ("step", -1), ("attempts", 2**31 - 1), ("attempts", -1),
       ("slot", -1)]
LATEST = "SELECT max(version) FROM pruned.schema_version"


def insert_bad(database, state, constraint=AS_BEFORE):
    """{(column, value): run id} of rows that are there."""
    database.execute(LOOSE)
    ids = {bad: database.value(INSERT, GOOD | {"state": state, bad[0]: bad[1]}) for bad in BAD}
    database.execute(constraint)
    return ids


def assert_each_is_dead(database, ids):
    for (column, value), run_id in ids.items():
        error = database.wait("SELECT error FROM pruned.runs WHERE run_id = %(id)s AND state = 'dead'", {"id": run_id})
        assert error.startswith(f"the run's row: {column} was "), (column, value, error)


def assert_goes_on(scene, daemon, ids):
    scene.topics.tick(JOB, at := now(minutes=-1))
    assert scene.wait_run(tick_id(JOB, at))["state"] == "finished"
    assert_each_is_dead(scene.database, ids)
    told = {line["run_id"] for line in daemon.lines("Run is dead", level="error")}
    assert {str(i) for i in ids.values()} <= told
    last = str(ids["slot", -1])
    assert scene.topics.wait("outcomes", lambda m: m.text_key == last)[0].headers["ce_type"].endswith("RunFinished")


@pytest.mark.parametrize("state", ["waiting", "ready"])
def test_a_daemon_that_finds_them_says_so_of_each_and_goes_on(scene, state):
    ids = insert_bad(scene.database, state)
    assert_goes_on(scene, scene.start(), ids)


def test_one_that_comes_while_it_runs_does_not_stop_the_dispatcher(scene):
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    assert_goes_on(scene, daemon, insert_bad(scene.database, "waiting"))


def test_a_lane_that_meets_one_says_so_and_takes_the_next(scene):
    """Its message is there, with one for a neighbour in the same lane."""
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


def test_migrate_brings_them_inside_and_looks_through_all(scene):
    database = scene.database
    database.execute("DELETE FROM pruned.schema_version WHERE version = (SELECT max(version) FROM pruned.schema_version)")
    ids = insert_bad(database, "waiting")
    database.execute(LOOSE)
    ended = database.value(INSERT, GOOD | {"state": "finished", "due_at": "infinity"})
    database.execute("UPDATE pruned.runs SET finished_at = now() WHERE run_id = %s", [ended])
    database.execute(AS_BEFORE)
    scene.migrate()
    assert_each_is_dead(database, ids)
    assert database.value("SELECT state FROM pruned.runs WHERE run_id = %s", [ended]) == "finished"
    assert database.value("SELECT convalidated FROM pg_constraint WHERE conname = 'runs_bounds'")
    # What is taken up again by hand removes nothing: its cut-off is at the beginning of time.
    assert database.value("SELECT count(*) FROM pruned.runs WHERE state = 'dead' AND scheduled_at > '2026-01-01'") == 0


def test_a_run_that_cannot_be_failed_is_dead(scene):
    """The verdict itself goes beyond the bounds: attempts + 1."""
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


def test_a_job_whose_last_word_fails_too_is_charged_and_its_lane_goes_on(tenant):  # noqa: F811
    """groups.destroy marks a group and, when it fails, unmarks it: a trigger takes neither the deletion nor that."""
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
    assert "and then: " in runs[one]["error"]
