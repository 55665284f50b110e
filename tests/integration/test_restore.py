"""`pruned restore`: the rows that a run removed come back as they were, and stay."""

import datetime
import subprocess

import pytest

from stack.process import spawn, wait_until
from support.instance import tenant  # noqa: F401
from support.pruned import clean_environment
from support.restored import AT_ONCE, EXPIRED, GROUPS, PRUNE, QUIET, REFRESH, UNASKED, actions, held, restore, world, doomed, expired  # noqa: F401
from support.scene import result


@pytest.mark.check_all
def test_expired_members_with_their_bots(expired):  # noqa: F811
    before = world(expired.database)
    run = expired.tick(EXPIRED, **QUIET)
    assert world(expired.database) != before and expired.ids("users", f"id = {expired.bot}") == []
    lines = restore(expired.pruned, run["run_id"], "--with-children")
    assert actions(lines) <= {"restored", "left out"}
    assert [line["table"] for line in lines if line["action"] == "left out"] == ["ghost_user_migrations"]
    assert world(expired.database) == before
    assert {f"{EXPIRED} members:{id}" for id in expired.ids_gone} <= held(expired.database)
    again = expired.tick(EXPIRED, at=expired.at.replace(microsecond=1000))
    assert result(again)["removed"] == 0 and result(again)["kept_restored"] == len(expired.ids_gone)
    assert world(expired.database, ("project_authorizations",)) == {k: v for k, v in before.items() if k != "project_authorizations"}


def test_without_children_the_bot_stays_away(expired):  # noqa: F811
    run = expired.tick(EXPIRED, **QUIET)
    done = expired.pruned.run("restore", run["run_id"]).ok()
    assert "--with-children" in done.stdout
    assert expired.ids("members", f"id = ANY ('{{{','.join(map(str, expired.ids_gone))}}}')") == sorted(expired.ids_gone)
    assert expired.ids("users", f"id = {expired.bot}") == []


@pytest.mark.check_all
def test_a_dry_run_says_the_same_and_changes_nothing(expired):  # noqa: F811
    run = expired.tick(EXPIRED, **QUIET)
    after = world(expired.database)
    said = restore(expired.pruned, run["run_id"], "--with-children", "--dry-run")
    assert world(expired.database) == after and held(expired.database) == set()
    assert restore(expired.pruned, run["run_id"], "--with-children") == said


@pytest.mark.check_all
def test_a_second_restore_changes_nothing(expired):  # noqa: F811
    run = expired.tick(EXPIRED, **QUIET)
    restore(expired.pruned, run["run_id"], "--with-children")
    there = world(expired.database)
    assert actions(restore(expired.pruned, run["run_id"], "--with-children")) <= {"exists again", "left out"}
    assert world(expired.database) == there


@pytest.mark.check_all
def test_it_continues_where_it_was_killed(doomed):  # noqa: F811
    """Killed in the middle of a step: rows of the steps before it are back and held, rows of this
    step are not."""
    before = world(doomed.database)
    doomed.tick(GROUPS, **AT_ONCE, **QUIET, **{"jobs.groups.destroy.batch": 2})
    (run,) = doomed.runs("groups.destroy")
    after = world(doomed.database)
    with doomed.database.connect() as other, other.transaction():
        other.execute("LOCK TABLE members")
        restoring = spawn(doomed.pruned.argv("restore", run["run_id"], "--with-children", "--json"), stdout=subprocess.DEVNULL,
                          env=clean_environment())
        waits = "SELECT count(*) FROM pg_locks WHERE relation = 'members'::regclass AND NOT granted"
        wait_until(lambda: doomed.database.value(waits) or restoring.poll() is not None, 60, "a session that waits, or the end of the restore")
        restoring.kill()
        restoring.wait()
    doomed.database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'pruned restore%%'",
                         until=0)
    half = world(doomed.database)
    assert {t for t in after if half[t] != after[t]} >= {"namespaces"} and half["members"] == after["members"]
    assert f"{GROUPS} group_deletion_schedules:{doomed.top}" in held(doomed.database)
    said = restore(doomed.pruned, run["run_id"], "--with-children")
    assert actions(said) == {"restored", "exists again", "left out"}
    assert world(doomed.database) == before


@pytest.mark.check_all
def test_steps_come_back_the_last_first(doomed):  # noqa: F811
    doomed.tick(GROUPS, **AT_ONCE, **QUIET, **{"jobs.groups.destroy.batch": 2})
    (run,) = doomed.runs("groups.destroy")
    step_of = {(row["table_name"], str(row["key"])): row["step"] for row in doomed.database.rows(
        "SELECT table_name, step, k #>> '{}' AS key FROM pruned.deletions d, jsonb_array_elements(d.keys) AS k"
        " WHERE run_id = %s AND action = 'deleted'", [run["run_id"]])}
    back = [step_of[line["table"], line["key"]] for line in restore(doomed.pruned, run["run_id"])
            if line["action"] == "restored" and not (line["reason"] or "").startswith("put back")]
    assert len(back) == len(step_of) and len(set(back)) > 3
    assert back == sorted(back, reverse=True)


@pytest.mark.check_all
def test_it_continues_where_it_was_interrupted(expired):  # noqa: F811
    before = world(expired.database)
    run = expired.tick(EXPIRED, **QUIET)
    expired.database.execute("CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'cut' USING ERRCODE = '57P01'; END $$")
    expired.database.execute("CREATE TRIGGER cut BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION no()")
    done = expired.pruned.run("restore", run["run_id"], "--with-children")
    assert done.code == 3 and "cut" in done.stderr and "run again for the rest" in done.stderr, done
    assert expired.row("users", expired.bot)["state"] == "blocked"
    expired.database.execute("DROP TRIGGER cut ON users")
    restore(expired.pruned, run["run_id"], "--with-children")
    assert world(expired.database) == before


@pytest.mark.check_all
def test_held_rows_go_after_they_are_released(expired):  # noqa: F811
    run = expired.tick(EXPIRED, **QUIET)
    restore(expired.pruned, run["run_id"])
    expired.pruned.run("release", f"members:{expired.ids_gone[0]}", "--yes").ok()
    again = expired.tick(EXPIRED, at=expired.at.replace(microsecond=1000), **UNASKED)
    assert result(again)["removed"] == 1
    assert expired.ids("members", f"id = {expired.ids_gone[0]}") == []


@pytest.mark.check_all
def test_a_retry_of_all_items_leaves_restored_rows_alone(expired):  # noqa: F811
    run = expired.tick(EXPIRED, **QUIET)
    restore(expired.pruned, run["run_id"])
    expired.database.execute("INSERT INTO pruned.quarantine (job, item, reason, attempts, parked) VALUES (%s, 'members:4711', 'failed', 25, true)",
                             [EXPIRED])
    assert expired.pruned.run("quarantine", "retry").code == 1, "without a job it asks"
    held = len(expired.ids_gone)
    for command in (["retry", EXPIRED], ["retry", "--yes"]):
        done = expired.pruned.run("quarantine", *command).ok()
        assert f"{held} restored rows stay held: pruned holds lists them, only pruned release" in done.stdout
    rows = expired.database.rows("SELECT item, parked FROM pruned.quarantine")
    assert sorted(row["item"] for row in rows if not row["parked"]) == ["members:4711"]
    again = expired.tick(EXPIRED, at=expired.at.replace(microsecond=1000), **QUIET)
    assert result(again)["removed"] == 0 and set(expired.ids_gone) <= set(expired.ids("members"))


@pytest.mark.check_all
def test_a_group_with_everything_in_it(doomed):  # noqa: F811
    before = world(doomed.database)
    doomed.tick(GROUPS, **AT_ONCE, **QUIET)
    (run,) = doomed.runs("groups.destroy")
    assert doomed.ids("namespaces", "type = 'Group'") == [doomed.neighbour]
    assert doomed.database.value("SELECT count(*) FROM ci_deleted_objects") == 1
    lines = restore(doomed.pruned, run["run_id"], "--with-children")
    assert actions(lines) <= {"restored", "left out"}, [line for line in lines if line["action"] == "cannot be"]
    assert world(doomed.database) == before
    assert f"{GROUPS} group_deletion_schedules:{doomed.top}" in held(doomed.database)
    again = doomed.tick(GROUPS, at=doomed.at.replace(microsecond=1000), **AT_ONCE, **QUIET)
    assert result(again)["kept_restored"] == 1 and len(doomed.runs("groups.destroy")) == 1
    assert world(doomed.database) == before


@pytest.mark.check_all
def test_a_tick_with_all_that_it_has_started(doomed):  # noqa: F811
    """The due groups that it found are its children."""
    before = world(doomed.database)
    run = doomed.tick(GROUPS, **AT_ONCE, **QUIET)
    alone = doomed.pruned.run("restore", run["run_id"]).ok()
    assert "0 restored" in alone.stdout and "It started 1 run: use --with-children to restore what it removed" in alone.stdout and "--with-children" in alone.stdout
    assert "restored" in actions(restore(doomed.pruned, run["run_id"], "--with-children"))
    assert world(doomed.database) == before
    assert f"{GROUPS} group_deletion_schedules:{doomed.top}" in held(doomed.database)


@pytest.mark.check_all
def test_an_artifact_whose_file_is_gone_is_named(doomed):  # noqa: F811
    doomed.tick(GROUPS, **AT_ONCE, **QUIET)
    (run,) = doomed.runs("groups.destroy")
    doomed.database.execute("DELETE FROM ci_deleted_objects")
    (line,) = [o for o in restore(doomed.pruned, run["run_id"]) if o["table"] == "ci_job_artifacts"]
    assert line["action"] == "restored" and "file has been deleted" in line["reason"]


def test_a_scheduled_removal(tenant):  # noqa: F811
    top = tenant.group()
    boss, user = tenant.user(admin=True), tenant.user()
    projects = [tenant.project(top) for _ in range(3)]
    members = [tenant.member(user, project=p) for p in projects] + [tenant.member(user, top)]
    tenant.put("notification_settings", user_id=user, source_type="Namespace", source_id=top)
    schedule = tenant.leave(top, user, boss)
    before = world(tenant.database)
    tenant.tick(PRUNE, **QUIET)
    (run,) = tenant.runs("members.prune_deletions")
    assert tenant.ids("members") == [] and tenant.ids("members_deletion_schedules") == []
    assert actions(restore(tenant.pruned, run["run_id"])) == {"restored"}
    assert world(tenant.database) == before
    assert held(tenant.database) == {f"members.prune_deletions members:{m}" for m in members} | {
        f"members.prune_deletions members_deletion_schedules:{schedule}"}
    tenant.tick(PRUNE, at=tenant.at.replace(microsecond=1000), **QUIET)
    assert world(tenant.database) == before


def test_authorizations_and_todos(tenant):  # noqa: F811
    top = tenant.group()
    tenant.database.execute("UPDATE namespaces SET visibility_level = 0")
    project = tenant.project(top)
    user = tenant.user()
    tenant.put("project_authorizations", user_id=user, project_id=project, access_level=30)
    tenant.put("todos", user_id=user, author_id=1, project_id=project, target_type="Issue", action=1, state="pending")
    for kind in ("authorizations", "todos"):
        tenant.database.execute("INSERT INTO pruned.dirty_users (user_id, kind, due_at) VALUES (%s, %s, now())", [user, kind])
    before = world(tenant.database)
    run = tenant.tick(REFRESH)
    assert tenant.ids("todos") == []
    lines = restore(tenant.pruned, run["run_id"])
    assert actions(lines) == {"restored"} and {line["table"] for line in lines} == {"todos", "project_authorizations"}
    assert world(tenant.database) == before
    assert held(tenant.database) == {f"{REFRESH} users:{user}"}
    tenant.database.execute("INSERT INTO pruned.dirty_users (user_id, kind, due_at) VALUES (%s, 'todos', now())", [user])
    tenant.tick(REFRESH, at=tenant.at.replace(microsecond=1000))
    assert world(tenant.database) == before


def test_a_placeholder_user(tenant):  # noqa: F811
    detail, user = tenant.placeholder()
    tenant.placeholder(user=user)
    before = world(tenant.database, ("import_placeholder_user_details",))
    tenant.tick("imports.placeholder_cleanup", **QUIET)
    assert tenant.ids("users", "user_type = 15") == []
    (run,) = tenant.runs("users.destroy")
    assert actions(restore(tenant.pruned, run["run_id"])) == {"restored", "left out"}
    assert world(tenant.database, ("import_placeholder_user_details",)) == before
    tenant.database.execute("UPDATE import_placeholder_user_details SET last_deletion_attempt_at = %s", [tenant.at - datetime.timedelta(days=9)])
    again = tenant.tick("imports.placeholder_cleanup", at=tenant.at.replace(microsecond=1000), **QUIET)
    assert result(again)["kept_restored"] == 2 and len(tenant.runs("users.destroy")) == 1
    assert world(tenant.database, ("import_placeholder_user_details",)) == before


@pytest.mark.check_all
def test_a_group_of_a_run_that_died_half_way_is_held(doomed):  # noqa: F811
    """Its mark is still there, and the next tick would find it."""
    before = world(doomed.database, ("namespace_details", "ci_job_artifacts"))
    doomed.database.connection.execute("""CREATE FUNCTION stays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'stays'; END $$;
        CREATE TRIGGER stays BEFORE DELETE ON namespaces FOR EACH ROW WHEN (OLD.type = 'Group') EXECUTE FUNCTION stays()""")
    doomed.tick(GROUPS, **AT_ONCE, **QUIET, **{"jobs.groups.destroy.max_attempts": 0})
    doomed.database.connection.execute("DROP TRIGGER stays ON namespaces")
    (run,) = doomed.runs("groups.destroy")
    assert run["state"] == "dead" and doomed.ids("projects") == []
    restore(doomed.pruned, run["run_id"], "--with-children", "--partial")
    assert f"{GROUPS} group_deletion_schedules:{doomed.top}" in held(doomed.database)
    again = doomed.tick(GROUPS, at=doomed.at.replace(microsecond=1000), **AT_ONCE, **QUIET)
    assert result(again)["kept_restored"] == 1 and len(doomed.runs("groups.destroy")) == 1
    assert world(doomed.database, ("namespace_details", "ci_job_artifacts")) == before


def test_the_order_to_delete_a_restored_user_is_taken_back(expired):  # noqa: F811
    """`finish = off` leaves the user and the order to the application."""
    before = world(expired.database, ("users",))
    run = expired.tick(EXPIRED, **QUIET, **{"jobs.users.destroy.finish": "off"})
    (order,) = expired.database.column("SELECT id FROM ghost_user_migrations")
    lines = restore(expired.pruned, run["run_id"], "--with-children")
    assert [(line["key"], line["action"]) for line in lines if line["table"] == "ghost_user_migrations"] == [(str(order), "left out")]
    assert expired.database.value("SELECT state FROM users WHERE id = %s", [expired.bot]) == "active"
    assert world(expired.database, ("users",)) == before


@pytest.mark.check_first(1)
@pytest.mark.parametrize("change, only", [("created_at = created_at - interval '1 day'", False), ("created_at = now() + interval '1 minute'", False),
                                          ("updated_at = updated_at", True)])
def test_an_order_of_others_stays_and_so_does_that_of_a_user_of_whom_one_row_comes_back(expired, change, only):  # noqa: F811
    """An order of the application itself, of a later run, and one that is still wanted."""
    expired.tick(EXPIRED, **QUIET, **{"jobs.users.destroy.finish": "off"})
    expired.database.execute(f"UPDATE ghost_user_migrations SET {change}")
    (run,) = expired.runs("users.destroy")
    member = expired.database.value("SELECT 'members:' || (keys ->> 0) FROM pruned.deletions WHERE run_id = %s AND table_name = 'members'", [run["run_id"]])
    restore(expired.pruned, run["run_id"], *(["--only", member] if only else []))
    assert expired.ids("ghost_user_migrations", f"user_id = {expired.bot}") != []
