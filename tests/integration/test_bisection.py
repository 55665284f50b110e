"""Rows that cannot be deleted never stop the others: only refused rows are in quarantine, and the
cursor moves on."""

import pytest

from support.instance import Instance
from support.own_job import REMOVED, own, tick, without_notes  # noqa: F401
from support.scene import fill, let_rows_go, now, refuse_rows, result, tick_id

pytestmark = pytest.mark.built_in

JOB = "scratch.remove"
# A job whose keys are texts.
BY_NOTE = {"page": "SELECT s.note AS key, s.note FROM scratch s WHERE s.note > :cursor.note::text ORDER BY s.note LIMIT :limit::int",
           "decide": "SELECT k AS key, 'removed' AS what, NULL::text AS reason FROM unnest(:key::text[]) k",
           "apply/removed/10-scratch": "DELETE FROM scratch s USING unnest(:key::text[]) AS k (note) WHERE s.note = k.note"
                                       " RETURNING s.note AS key, to_jsonb(s) AS row"}


def run(scene, **settings):
    """Runs one tick to its end. Returns the run's row and the daemon."""
    at = now(minutes=-1)
    scene.topics.tick(JOB, at)
    daemon = scene.run_until_idle(settings=settings)
    return scene.run_row(tick_id(JOB, at)), daemon


def quarantine(scene):
    return scene.database.rows("SELECT job, item, reason, attempts, parked, first_at, next_try_at "
                               "FROM pruned.quarantine ORDER BY length(item), item")


def try_again(scene, when="now()"):
    scene.database.execute(f"UPDATE pruned.quarantine SET next_try_at = {when}")


def left(scene):
    return scene.database.column("SELECT id FROM scratch ORDER BY id")


@pytest.fixture
def page(new_scene):
    """A page of 100 rows."""
    scene = new_scene({"jobs.scratch.remove.batch": 100})
    fill(scene.database, 250)
    return scene


@pytest.mark.check_first(2)
@pytest.mark.parametrize("bad", [[250], [151], [200], [151, 250], [1], list(range(160, 193)), list(range(151, 200, 2))])
def test_refused_rows_stand_alone_and_all_others_go(page, bad):
    refuse_rows(page.database, f"OLD.id IN ({','.join(map(str, bad))})")
    row, daemon = run(page)
    assert (row["state"], row["attempts"], row["step"], row["error"]) == ("finished", 0, 3, None)
    assert result(row) == {"status": "completed", "updated_rows": 250 - len(bad), "removed": 250 - len(bad),
                           "failed": len(bad)}
    assert left(page) == bad
    kept = quarantine(page)
    assert [q["item"] for q in kept] == [f"scratch:{b}" for b in bad]
    for q, b in zip(kept, bad):
        assert (q["job"], q["attempts"], q["parked"]) == (JOB, 1, False)
        assert q["reason"].startswith(f"row {b} stays")
        assert 15 <= (q["next_try_at"] - q["first_at"]).total_seconds() <= 24
    lines = daemon.lines(level="error", job=JOB)
    assert sorted(line["message"] for line in lines) == sorted(
        f"scratch:{b} cannot be removed - {q['reason']}" for q, b in zip(kept, bad))
    assert {line["user"] for line in lines} == {f"row {b}" for b in bad}
    audited = page.database.rows("SELECT keys, rows FROM pruned.deletions WHERE run_id = %s", [row["run_id"]])
    assert sorted(k for a in audited for k in a["keys"]) == sorted(set(range(1, 251)) - set(bad))
    assert all([r["id"] for r in a["rows"]] == a["keys"] for a in audited)


def test_a_small_page_that_fails_as_a_whole_is_quarantined_as_a_whole(new_scene):
    scene = new_scene({"jobs.scratch.remove.batch": 19})
    fill(scene.database, 38)
    refuse_rows(scene.database, "OLD.id > 19")
    row, _ = run(scene)
    assert result(row)["failed"] == 19 and result(row)["removed"] == 19 and row["attempts"] == 0
    assert len(quarantine(scene)) == 19


def test_in_development_a_row_that_fails_is_logged_and_its_step_fails_too(page):
    refuse_rows(page.database, "OLD.id = 200")
    row, daemon = run(page, **{"run.environment": "development"})
    assert (row["state"], row["attempts"], row["step"]) == ("waiting", 1, 0)
    assert "environment is development" in row["error"] and "row 200 stays" in row["error"]
    assert len(left(page)) == 250 and quarantine(page) == []
    [line] = [line for line in daemon.lines(level="error") if line["message"].startswith("scratch:200 cannot be removed")]
    assert line["user"] == "row 200" and daemon.lines("Step failed")


def test_rows_that_a_trigger_silently_keeps_are_refused(page):
    refuse_rows(page.database, "OLD.id % 50 = 0", how="RETURN NULL")
    row, _ = run(page)
    assert result(row)["failed"] == 5 and left(page) == [50, 100, 150, 200, 250]
    assert {q["reason"].partition(":")[0] for q in quarantine(page)} == {"refused"}


def test_rows_that_a_deferred_constraint_keeps_are_refused(page):
    page.database.connection.execute("""
        CREATE TABLE pointing (id bigint REFERENCES scratch (id) DEFERRABLE INITIALLY DEFERRED);
        INSERT INTO pointing VALUES (7), (120), (121)""")
    row, _ = run(page)
    assert (row["state"], row["attempts"]) == ("finished", 0)
    assert result(row)["failed"] == 3 and left(page) == [7, 120, 121]
    assert all("pointing" in q["reason"] and "23503" in q["reason"] for q in quarantine(page))


@pytest.mark.check_all
def test_a_page_that_mostly_fails_alike_is_retried_and_quarantined_at_the_third_failure(page):
    refuse_rows(page.database, "OLD.id > 190 AND OLD.id < 250")
    at = now(minutes=-1)
    run_id = tick_id(JOB, at)
    page.topics.tick(JOB, at)
    for failures in (1, 2):
        daemon = page.run_until_idle()
        row = page.run_row(run_id)
        assert (row["state"], row["attempts"], row["step"]) == ("waiting", failures, 0)
        assert row["error"].startswith("at least 51 of 100 rows of this batch fail for the same reason: ") and "stays" in row["error"]
        assert quarantine(page) == [] and len(left(page)) == 250
        [line] = daemon.lines("Step failed")
        assert line["level"] == "error" and line["error"] == row["error"]
        page.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s", [run_id])
    page.run_until_idle()
    row = page.run_row(run_id)
    assert (row["state"], row["attempts"], row["step"]) == ("finished", 2, 3)
    assert left(page) == list(range(191, 250)) and len(quarantine(page)) == 59
    assert result(row)["failed"] == 59 and result(row)["removed"] == 191


def test_different_reasons_are_not_systemic(page):
    refuse_rows(page.database, "OLD.id > 150",
                how="RAISE EXCEPTION 'no' USING ERRCODE = CASE OLD.id % 2 WHEN 0 THEN 'P0001' ELSE 'P0002' END")
    row, _ = run(page)
    assert row["attempts"] == 0 and result(row)["failed"] == 100 and len(left(page)) == 100


def test_a_quarantined_row_is_passed_over_until_its_next_try_and_forgotten_when_it_goes(page):
    refuse_rows(page.database, "OLD.id = 5")
    run(page)
    try_again(page, "next_try_at + interval '1 hour'")
    row, daemon = run(page)
    assert result(row) == {"status": "completed", "updated_rows": 0, "removed": 0, "passed_over": 1}
    assert not daemon.lines(level="error")
    try_again(page)
    row, _ = run(page)
    assert result(row)["failed"] == 1
    [q] = quarantine(page)
    # one transaction: the row of the quarantine has the time of the run's beginning
    assert row["step"] == 1 and q["attempts"] == 2
    assert 16 <= (q["next_try_at"] - row["started_at"]).total_seconds() <= 16 + 18
    let_rows_go(page.database)
    try_again(page)
    row, _ = run(page)
    assert result(row)["removed"] == 1 and quarantine(page) == [] and left(page) == []


@pytest.mark.check_all
def test_an_item_is_parked_after_its_last_try_and_released_by_hand(page):
    refuse_rows(page.database, "OLD.id = 5")
    for tries in (1, 2):
        run(page, **{"jobs.scratch.remove.item_attempts": 2})
        [q] = quarantine(page)
        assert (q["attempts"], q["parked"]) == (tries, tries == 2)
        try_again(page)
    let_rows_go(page.database)
    row, _ = run(page)
    assert result(row)["passed_over"] == 1 and left(page) == [5]
    page.run("quarantine", "retry", "--yes").ok()
    run(page)
    assert left(page) == [] and quarantine(page) == []


def test_the_line_and_the_outcome_about_a_member_name_the_user_and_the_group(new_scene):
    scene = new_scene()
    there = Instance(scene.database)
    root = there.group(path="root{id}")
    below = there.group(root)
    project = there.project(below)
    user = there.user(username="stubborn")
    member = there.put("members", access_level=30, source_id=below, source_type="Namespace", user_id=user,
                       type="GroupMember", expires_at=there.day(-1), member_namespace_id=below)
    other = there.put("members", access_level=30, source_id=project, source_type="Project", user_id=user,
                      type="ProjectMember", expires_at=there.day(-1))
    refuse_rows(scene.database, "true", table="members")
    scene.topics.tick("members.remove_expired", now(minutes=-1))
    daemon = scene.run_until_idle()
    lines = {line["message"].split("ID=")[1].split()[0]: line for line in daemon.lines(level="error")}
    assert set(lines) == {str(member), str(other)}
    reason = f"row {member} stays"
    assert lines[str(member)]["message"].startswith(f"Expired Member ID={member} cannot be removed - {reason}")
    assert (lines[str(member)]["user"], lines[str(member)]["namespace"]) == ("stubborn", there.path("Namespace", below))
    assert lines[str(member)]["root_namespace"] == there.path("Namespace", root)
    assert (lines[str(other)]["user"], lines[str(other)]["project"]) == ("stubborn", there.path("Project", project))
    said = {m.value["member_id"]: m.value for m in scene.topics.outcomes("MemberKept")}
    assert {(id, m["user_id"], m["source_type"], m["source_id"], m["reason"]) for id, m in said.items()} == {
        (member, user, "Namespace", below, "failed"), (other, user, "Project", project, "failed")}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("table, condition, how", [
    ("notification_settings", "OLD.user_id IN (%s)", "RAISE EXCEPTION 'it stays'"),
    ("members", "OLD.user_id IN (%s)", "RAISE EXCEPTION 'it stays'"),
    ("members", "OLD.user_id IN (%s)", "RETURN NULL"),
], ids=["behind the row", "the row", "the row, silently"])
def test_each_row_is_announced_once_and_as_what_has_become_of_it(new_scene, table, condition, how):
    """Outcomes are made while later statements still run; what is rolled back is not announced."""
    scene = new_scene()
    there = Instance(scene.database)
    group = there.group()
    members = {}
    for _ in range(30):
        user = there.user()
        members[user] = there.put("members", access_level=30, source_id=group, source_type="Namespace", user_id=user,
                                  type="GroupMember", expires_at=there.day(-1), member_namespace_id=group)
        there.put("notification_settings", user_id=user, source_id=group, source_type="Namespace", level=1)
    bad = list(members)[3:30:11]
    refuse_rows(scene.database, condition % ", ".join(map(str, bad)), how, table)
    scene.topics.tick("members.remove_expired", now(minutes=-1))
    scene.run_until_idle()
    assert there.ids("members", "expires_at IS NOT NULL") == sorted(members[user] for user in bad)
    assert sorted(m.value["user_id"] for m in scene.topics.outcomes("MemberRemoved")) == sorted(set(members) - set(bad))
    assert sorted(m.value["user_id"] for m in scene.topics.outcomes("MemberKept")) == sorted(bad)


def test_a_key_that_looks_like_a_part_of_the_log_line_is_shown_as_it_is(own):  # noqa: F811
    scene = without_notes(own(BY_NOTE, rows=2, conf=REMOVED + "[failed]\nlog = {key} stays {here} - {error}\n", more="cursor = note text"))
    scene.database.connection.execute("""
        UPDATE scratch SET note = '{error}' WHERE id = 1;
        ALTER TABLE scratch DROP CONSTRAINT scratch_pkey, ADD PRIMARY KEY (note)""")
    refuse_rows(scene.database, "true")
    tick(scene)
    daemon = scene.run_until_idle()
    reasons = {q["item"]: q["reason"] for q in quarantine(scene)}
    assert set(reasons) == {"scratch:{error}", "scratch:row 2"}
    assert sorted(line["message"] for line in daemon.lines(level="error", job="own")) == [
        f"row 2 stays {{here}} - {reasons['scratch:row 2']}", f"{{error}} stays {{here}} - {reasons['scratch:{error}']}"]
