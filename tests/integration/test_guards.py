"""The engine does not trust a job: what its files return and change is checked, and a step that is
wrong is rolled back and blocks its run."""

import pytest

from stack.process import wait_until
from support.own_job import ALL, DECIDE, HIDDEN, JOB, NOTES, OWN, REMOVED
from support.own_job import assert_blocked, blocks, counts, hide, nothing_happened, own, tick, without_notes, write  # noqa: F401
from support.scene import result


# --- the mistakes of those who tried

@pytest.mark.check_all
def test_a_delete_without_its_join_removes_nothing(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch": ALL}, rows=20_000))
    blocks(scene, "apply/removed/10-scratch.sql", "20000 rows of scratch", "100 keys", rows=20_000)
    [found] = [f for f in scene.run("doctor", "--json").json() if f["check"] == "blocked jobs"]
    assert not found["ok"] and "10-scratch.sql" in found["detail"]
    assert scene.run("status", "--json").ok().json()[0]["blocked"] == [JOB]
    assert [r["run_id"] for r in scene.run("runs", "--state", "blocked", "--json").ok().json()]


@pytest.mark.check_all
def test_a_delete_that_hides_what_it_removes_removes_nothing(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch": HIDDEN}, rows=20_000))
    hide(scene, "DELETE FROM scratch")
    blocks(scene, "apply/removed/10-scratch.sql", "deletes 20000 rows of scratch", "returns 100", rows=20_000)


def test_a_second_statement_that_removes_more_removes_nothing(own):  # noqa: F811
    more = OWN + "\n-- then:\nmore AS (DELETE FROM scratch s WHERE s.id > 900 AND EXISTS (SELECT FROM applied))"
    scene = without_notes(own({"apply/removed/10-scratch": more}))
    blocks(scene, "apply/removed/10-scratch.sql", "deletes 200 rows of scratch", "returns 100")


def test_an_update_that_hides_what_it_changes_changes_nothing(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch.update": HIDDEN}))
    hide(scene, "UPDATE scratch SET note = 'x'")
    blocks(scene, "10-scratch.update.sql", "returns 100", "updates 1000")
    assert scene.database.value("SELECT count(*) FROM scratch WHERE note = 'x'") == 0


def test_a_word_without_a_group_removes_and_reports_nothing(own):  # noqa: F811
    scene = own({"decide": DECIDE, "apply/removed/10-scratch": OWN}, conf="")
    run_id = tick(scene)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert (row["state"], result(row)["status"], row["attempts"]) == ("finished", "blocked", 0), row
    assert result(row)["reason"].startswith("refused: ") and "removed" in result(row)["reason"], row
    nothing_happened(scene)
    assert counts(scene) == 1000


def test_a_word_beside_the_groups_is_not_counted(own):  # noqa: F811
    scene = own({"decide": DECIDE.replace("'removed'", "'remved'"), "apply/removed/10-scratch": OWN})
    blocks(scene, "decide.sql", "'remved'")


# --- what apply returns and changes

WRONG = {
    "another key": ({"apply/removed/10-scratch": OWN.replace("s.id = k.id", "s.id = k.id + 1")},
                    ["apply/removed/10-scratch.sql", "the key 101", "not decided"]),
    "a key twice": ({"apply/removed/10-scratch": OWN.replace("s.id = k.id", "s.id = k.id AND s.id % 2 = 0").replace(
        "s.id AS key", "s.id / 100 * 100 + 2 AS key")}, ["10-scratch.sql", "the key 2 twice"]),
    "another table": ({"apply/removed/10-scratch": OWN, "apply/removed/20-scratch_log": NOTES.replace("n.scratch_id = k.id", "n.id = k.id")},
                      ["20-scratch_log.sql", "scratch_log", "another table"]),
    "the own table's name on another": ({"apply/removed/10-scratch": NOTES.replace("n.scratch_id = k.id", "n.id = k.id")},
                                        ["10-scratch.sql", "another table"]),
    "an update that is named as a delete": (
        {"apply/removed/10-scratch": "UPDATE scratch s SET note = 'gone' WHERE s.id = ANY (:key::bigint[]) RETURNING s.id AS key, to_jsonb(s) AS row"},
        ["10-scratch.sql", "deletes 0"]),
    "own rows by another file": (
        {"apply/removed/10-scratch": OWN,
         "apply/removed/20-scratch_notes": NOTES + "\n-- then:\nmore AS (DELETE FROM scratch WHERE id > 990)"},
        ["20-scratch_notes.sql", "deletes 110 rows of scratch", "100 were returned"]),
    "own rows by an insert": (
        {"apply/removed/10-scratch": OWN,
         "apply/removed/20-scratch_log.insert": "WITH more AS (DELETE FROM scratch WHERE id > 990)"
         " INSERT INTO scratch_log (id) SELECT k FROM unnest(:key::bigint[]) k"},
        ["20-scratch_log.insert.sql", "deletes 110 rows of scratch"]),
}


@pytest.mark.check_all
@pytest.mark.parametrize("mistake", WRONG)
def test_an_apply_file_that_does_something_else_changes_nothing(own, mistake):  # noqa: F811
    files, words = WRONG[mistake]
    scene = own(files)
    scene.database.connection.execute("ALTER TABLE scratch_notes DROP CONSTRAINT scratch_notes_scratch_id_fkey")
    blocks(scene, *words)
    assert counts(scene, "scratch_notes") == 2000


# --- the run

def test_a_file_named_after_a_table_that_is_gone_changes_nothing(own):  # noqa: F811
    """It was there when the job was loaded."""
    scene = own({"apply/removed/10-scratch": OWN, "apply/removed/20-nothing": NOTES.replace("n.scratch_id = k.id", "n.id = k.id")})
    scene.database.connection.execute("CREATE TABLE nothing (id bigint); ALTER TABLE scratch_notes DROP CONSTRAINT scratch_notes_scratch_id_fkey")
    scene.start().wait_line("Partitions assigned")
    scene.database.connection.execute("DROP TABLE nothing")
    run_id = tick(scene)
    scene.wait_run(run_id)
    assert_blocked(scene, run_id, "20-nothing.sql", "no table nothing")
    assert counts(scene) == 1000


def test_a_later_page_keeps_what_the_pages_before_it_removed(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch": OWN.replace("RETURNING", "OR s.id > 900 AND k.id = 201 RETURNING")}))
    run_id = tick(scene)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert (row["state"], result(row)["status"], result(row)["removed"], counts(scene)) == ("finished", "blocked", 200, 800)
    assert scene.database.value("SELECT sum(jsonb_array_length(keys)) FROM pruned.deletions") == 200


@pytest.mark.check_all
def test_two_processes_block_a_run_once(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch": ALL}, rows=20_000))
    daemons = [scene.start() for _ in range(2)]
    for daemon in daemons:
        daemon.wait_line("Partitions assigned")
    run_id = tick(scene)
    scene.wait_run(run_id)
    wait_until(lambda: scene.database.value("SELECT count(*) FROM pruned.blocked") == 1, 30, "noted")
    assert_blocked(scene, run_id, "20000 rows of scratch")
    assert counts(scene) == 20_000
    assert sum(len(d.lines("Step failed")) for d in daemons) == 1
    # Each try locks the rows again, so the next one is not soon.
    assert scene.database.value("SELECT next_try_at > now() + interval '50 minutes' FROM pruned.blocked")


BY_EVENT = REMOVED + "[event PlaceholderUserOrphaned]\nkey = placeholder_user_id\nunique_key = own:{placeholder_user_id}\n"


@pytest.fixture
def blocked_event(own):  # noqa: F811
    """A scene with the run of an event that a guard has stopped, and its row."""
    scene = without_notes(own({"apply/removed/10-scratch": ALL}, conf=BY_EVENT, settings={"jobs.scratch.one.enabled": False}))
    scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": 7})
    scene.run_until_idle()
    [row] = scene.database.rows("SELECT * FROM pruned.runs WHERE job = %s", [JOB])
    return scene, row


def blocked_runs(scene):
    return [r["run_id"] for r in scene.run("runs", "--state", "blocked", "--json").ok().json()]


def test_a_run_of_an_event_waits_for_the_job_to_be_mended(blocked_event):
    scene, row = blocked_event
    why = "guard: apply/removed/10-scratch.sql returns 1000 rows of scratch for 1 key"
    assert (row["state"], row["attempts"]) == ("waiting", 0)
    assert row["error"].startswith(f"blocked: {why}")
    assert result(row) == {"status": "blocked", "reason": row["error"].removeprefix("blocked: "), "removed": 0, "updated_rows": 0}
    assert counts(scene) == 1000
    nothing_happened(scene)
    assert blocked_runs(scene) == [str(row["run_id"])]
    shown = scene.run("runs", str(row["run_id"]), "--json").ok().json()[0]
    assert (shown["result"]["status"], shown["result"]["reason"][:len(why)]) == ("blocked", why)


@pytest.mark.check_all
def test_a_run_of_an_event_that_is_mended_says_nothing_of_the_guard(blocked_event, tmp_path):
    scene, row = blocked_event
    write(tmp_path / "jobs", {"apply/removed/10-scratch": OWN}, conf=BY_EVENT)
    scene.run("retry", str(row["run_id"])).ok()
    scene.run_until_idle()
    row = scene.run_row(row["run_id"])
    assert (row["state"], row["error"], result(row)) == ("finished", None, {"status": "completed", "removed": 1, "updated_rows": 1})
    assert blocked_runs(scene) == []


@pytest.mark.check_all
def test_a_run_of_an_event_that_fails_otherwise_is_not_blocked(blocked_event, tmp_path):
    scene, row = blocked_event
    write(tmp_path / "jobs", {"apply/removed/10-scratch": OWN, "decide": DECIDE.replace("'removed'", "NULL::text")}, conf=BY_EVENT)
    scene.run("retry", str(row["run_id"])).ok()
    scene.run_until_idle()
    row = scene.run_row(row["run_id"])
    assert (row["state"], row["attempts"], row["error_class"]) == ("waiting", 1, "retry"), row
    assert "status" not in result(row) and "reason" not in result(row), row
    assert blocked_runs(scene) == []


def test_a_blocked_timer_that_is_cancelled_is_not_blocked(own):  # noqa: F811
    timer = REMOVED + "[event MemberExpirySet]\nkey = member_id\nunique_key = own:{member_id}\ndue = expires_at\ncancel_on_null = true\n"
    scene = without_notes(own({"apply/removed/10-scratch": ALL}, conf=timer, settings={"jobs.members.remove_expired.enabled": False}))
    for day in ("2020-01-01", None):
        scene.topics.event("MemberExpirySet", {"member_id": 7, "expires_at": day})
        scene.run_until_idle()
    row = scene.database.rows("SELECT * FROM pruned.runs WHERE job = %s ORDER BY created_at", [JOB])[0]
    assert row["state"] == "skipped" and "cancelled" in row["error"] and row["started_at"] is not None, row
    assert (result(row).get("status"), result(row).get("reason")) == (None, None) and counts(scene) == 1000


@pytest.mark.check_first(1)
@pytest.mark.parametrize("end", ["discard", "supersede"])
def test_a_run_of_an_event_that_ends_otherwise_is_not_blocked(blocked_event, end):
    scene, row = blocked_event
    if end == "discard":
        scene.run("discard", str(row["run_id"])).ok()
    else:
        scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": 7})
        scene.run_until_idle()
    row = scene.run_row(row["run_id"])
    assert row["state"] == "skipped" and (result(row).get("status"), result(row).get("reason")) == (None, None), row
    assert str(row["run_id"]) not in blocked_runs(scene)


def test_a_run_of_an_event_removes_its_row(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch": OWN}, conf=BY_EVENT, settings={"jobs.scratch.one.enabled": False}))
    scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": 7})
    scene.run_until_idle()
    assert counts(scene) == 999 and scene.database.value("SELECT count(*) FROM scratch WHERE id = 7") == 0


def test_a_run_that_is_mended_goes_on(own, tmp_path):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch": ALL}))
    blocks(scene, "1000 rows of scratch")
    write(tmp_path / "jobs", {"apply/removed/10-scratch": OWN})
    run_id = scene.database.value("SELECT run_id FROM pruned.blocked")
    scene.run("retry", str(run_id)).ok()
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert result(row)["status"] == "completed" and result(row)["removed"] == 1000 and "reason" not in result(row)


def test_a_plan_of_a_job_that_is_right_says_all_its_rows(own):  # noqa: F811
    scene = own({"decide": DECIDE, "apply/removed/10-scratch_notes": NOTES, "apply/removed/20-scratch": OWN})
    plan = scene.run("plan", JOB, "--json").ok()
    assert plan.stdout.count('"removed"') >= 1000
    assert counts(scene) == 1000


@pytest.mark.check_first(1)
@pytest.mark.parametrize("word", ["removed", "changed"])
def test_a_job_without_groups_and_effects_counts_no_row_as_changed(own, word):  # noqa: F811
    scene = without_notes(own({"decide": DECIDE.replace("'removed'", f"'{word}'")}, conf=""))
    run_id = tick(scene)
    scene.run_until_idle()
    said = result(scene.run_row(run_id))
    assert said["status"] == "blocked" and said["reason"].startswith(f"guard: decide.sql says '{word}' of the key 1, and job.conf has no group"), said
    assert said.get(word, 0) == 0
    nothing_happened(scene)
