"""The deletion of a group checks again, at its beginning and in every step, whether the group may
still go."""

import datetime

import pytest

from support.instance import Tenant, tenant  # noqa: F401
from support.scene import result

JOB, CHILD = "groups.adjourned_deletion", "groups.destroy"
LATER = {f"jobs.{JOB}.spacing_ms": 3600000}
BLOCKED = "You can't delete this group because you're blocked."


class Waiting(Tenant):
    """A marked group whose child run waits."""

    actor: int  # its owner, who marked it for deletion
    top: int


@pytest.fixture
def waiting(tenant):  # noqa: F811
    """The group's child waits for its hour."""
    tenant = Waiting.of(tenant)
    tenant.period(7)
    tenant.actor = tenant.user()
    first = tenant.group()
    tenant.mark(first, tenant.user(admin=True), 30)
    tenant.top = tenant.group(path="top-deleted-{id}")
    for _ in range(3):
        tenant.project(tenant.group(parent=tenant.top))
    tenant.owner(tenant.actor, tenant.top)
    tenant.mark(tenant.top, tenant.actor, 7)
    tenant.tick(JOB, **LATER)
    return tenant


def child(tenant):
    return next(r for r in tenant.runs(CHILD) if r["args"]["group_id"] == tenant.top)


def let_go(tenant, **settings):
    tenant.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting'")
    tenant.work(settings)
    return child(tenant)


def groups(tenant):
    return tenant.database.value("SELECT count(*) FROM namespaces WHERE type = 'Group'")


def test_nothing_has_changed(waiting):
    assert let_go(waiting)["state"] == "finished" and groups(waiting) == 0


def test_the_group_is_gone(waiting):
    waiting.database.execute("DELETE FROM group_deletion_schedules WHERE group_id = %s", [waiting.top])
    waiting.database.connection.execute("ALTER TABLE namespaces DISABLE TRIGGER ALL")
    waiting.database.execute("DELETE FROM namespaces WHERE id = %s", [waiting.top])
    assert result(let_go(waiting))["gone"] == 1


def test_the_mark_is_gone(waiting):
    waiting.database.execute("DELETE FROM group_deletion_schedules WHERE group_id = %s", [waiting.top])
    assert result(let_go(waiting))["reason"] == "Group has not been marked for deletion" and groups(waiting) == 4


def test_the_period_is_longer_now(waiting):
    waiting.period(8)
    assert result(let_go(waiting))["reason"] == "The grace period is not over" and groups(waiting) == 4


def test_the_right_is_lost(waiting):
    waiting.database.execute("DELETE FROM members WHERE user_id = %s", [waiting.actor])
    run = let_go(waiting)
    assert result(run)["restored"] == 1 and str(waiting.actor) in result(run)["reason"]
    assert waiting.path("Namespace", waiting.top) == "top" and groups(waiting) == 4
    assert [o["full_path"] for o in waiting.outcomes("GroupRestored")] == ["top"]


def test_the_actor_is_blocked(waiting):
    waiting.database.execute("UPDATE users SET state = 'blocked' WHERE id = %s", [waiting.actor])
    assert result(let_go(waiting))["reason"] == BLOCKED and waiting.path("Namespace", waiting.top) == "top"


def test_the_settings_are_gone(waiting):
    waiting.database.execute("DELETE FROM application_settings")
    run = let_go(waiting)
    assert run["state"] == "waiting" and run["attempts"] == 0 and run["error"].startswith("blocked: application_settings")
    assert groups(waiting) == 4


def test_the_period_is_below_0(waiting):
    waiting.database.execute("INSERT INTO application_settings (deletion_adjourned_period) VALUES (-1)")
    run = let_go(waiting)
    assert run["state"] == "waiting" and run["attempts"] == 0 and "not from 0" in run["error"]
    assert groups(waiting) == 4


# --- in the middle: a lock holds the run after the first projects are gone

@pytest.mark.check_first(1)
@pytest.mark.parametrize("change, reason", [
    ("DELETE FROM group_deletion_schedules", "Group has not been marked for deletion"),
    ("DELETE FROM users WHERE id = {actor}", "Group has not been marked for deletion"),
    ("UPDATE users SET state = 'blocked' WHERE id = {actor}", "Group deletion is in progress"),
])
def test_a_change_of_mind_in_the_middle_stops_it(waiting, change, reason):
    waiting.database.connection.execute("""
        CREATE FUNCTION change_of_mind() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
          $$ BEGIN """ + change.format(actor=waiting.actor) + """; RETURN NULL; END $$;
        CREATE TRIGGER change_of_mind AFTER DELETE ON projects FOR EACH STATEMENT EXECUTE FUNCTION change_of_mind()""")
    run = let_go(waiting)
    assert run["state"] == "finished" and result(run)["cancelled"] == 1 and result(run)["reason"] == reason
    assert groups(waiting) == 4 and waiting.ids("projects") == []
    assert waiting.row("namespace_details", waiting.top, "namespace_id")["deleted_at"] is None


@pytest.mark.check_all
@pytest.mark.parametrize("how", ["direct", "share", "share with a subgroup"])
def test_rights_that_go_with_the_group_itself_do_not_stop_it(waiting, how):
    """The membership or the share that gives the actor the right is one of the group's last rows,
    but does not go in the last step."""
    if how != "direct":
        invited = waiting.group(parent=waiting.top if how == "share with a subgroup" else None)
        waiting.database.execute("UPDATE members SET source_id = %s, member_namespace_id = %s WHERE user_id = %s",
                                 [invited, invited, waiting.actor])
        waiting.share(waiting.top, invited)
    for _ in range(5):
        user = waiting.user()
        waiting.member(user, waiting.top)
        for _ in range(2):
            waiting.put("todos", user_id=user, author_id=1, group_id=waiting.top, target_type="Epic", action=1, state="pending")
    run = let_go(waiting, **{f"jobs.{CHILD}.batch": 1})
    assert run["state"] == "finished" and result(run).get("cancelled", 0) == 0
    assert waiting.ids("namespaces", f"id = {waiting.top}") == [] and waiting.ids("todos") == []


def test_an_actor_who_is_blocked_after_their_rights_went_with_the_group_stops_it(waiting):
    for _ in range(3):
        waiting.put("todos", user_id=waiting.user(), author_id=1, group_id=waiting.top, target_type="Epic", action=1, state="pending")
    waiting.database.connection.execute(f"""
        CREATE FUNCTION block() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$ BEGIN
          UPDATE users SET state = 'blocked' WHERE id = {waiting.actor} AND NOT EXISTS (SELECT FROM members); RETURN NULL; END $$;
        CREATE TRIGGER block AFTER DELETE ON todos FOR EACH STATEMENT EXECUTE FUNCTION block()""")
    run = let_go(waiting, **{f"jobs.{CHILD}.batch": 1})
    assert run["state"] == "finished" and result(run)["cancelled"] == 1
    assert waiting.top in waiting.ids("namespaces") and waiting.ids("todos") != []


@pytest.fixture
def stuck(waiting):
    """The deletion fails after the actor's right has gone with the group's own rows: in the step
    after the one that took the last membership."""
    for _ in range(3):
        waiting.put("todos", user_id=waiting.user(), author_id=1, group_id=waiting.top, target_type="Epic", action=1, state="pending")
    waiting.database.connection.execute("""
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$ BEGIN
          IF (SELECT count(*) FROM todos) < 2 THEN RAISE EXCEPTION 'not now'; END IF; RETURN NULL; END $$;
        CREATE TRIGGER refuse AFTER DELETE ON todos FOR EACH STATEMENT EXECUTE FUNCTION refuse()""")
    return waiting


def next_night(tenant):
    return tenant.tick(JOB, at=tenant.at + datetime.timedelta(seconds=30), **{f"jobs.{JOB}.spacing_ms": 0})


@pytest.mark.check_all
def test_a_deletion_that_died_after_its_right_had_gone_with_the_group_is_ended_by_the_next_tick(stuck):
    run = let_go(stuck, **{f"jobs.{CHILD}.batch": 1, f"jobs.{CHILD}.max_attempts": 0})
    assert run["state"] == "dead" and stuck.ids("members") == [] and stuck.ids("projects") == []
    stuck.database.connection.execute("DROP TRIGGER refuse ON todos")
    assert result(next_night(stuck))["scheduled"] == 1
    assert groups(stuck) == 0 and stuck.outcomes("GroupRestored") == []


@pytest.mark.check_all
def test_a_deletion_that_waits_for_its_retry_after_its_right_had_gone_with_the_group_is_not_restored(stuck):
    run = let_go(stuck, **{f"jobs.{CHILD}.batch": 1})
    assert run["state"] == "waiting" and run["attempts"] == 1 and stuck.ids("members") == []
    assert result(next_night(stuck))["already_running"] == 1
    assert stuck.path("Namespace", stuck.top) == f"top-deleted-{stuck.top}" and stuck.outcomes("GroupRestored") == []


@pytest.mark.check_all
@pytest.mark.parametrize("change", ["UPDATE users SET state = 'blocked' WHERE id = {actor}",
                                    "UPDATE group_deletion_schedules SET user_id = {other}",
                                    "UPDATE pruned.runs SET scheduled_at = scheduled_at - interval '8 days' WHERE state = 'dead'"])
def test_a_deletion_that_died_gives_no_right_to_others_or_to_a_later_mark(stuck, change):
    let_go(stuck, **{f"jobs.{CHILD}.batch": 1, f"jobs.{CHILD}.max_attempts": 0})
    stuck.database.connection.execute(change.format(actor=stuck.actor, other=stuck.user()))
    assert result(next_night(stuck))["restored"] == 1 and stuck.top in stuck.ids("namespaces")


def test_a_hierarchy_that_contradicts_itself_is_not_touched(waiting):
    stray = waiting.group(parent=waiting.top)
    waiting.database.execute("UPDATE namespaces SET traversal_ids = ARRAY[id] WHERE id = %s", [stray])
    run = let_go(waiting)
    assert result(run)["failed"] == 1 and str(stray) in result(run)["reason"] and groups(waiting) == 5
    assert len(waiting.ids("projects")) == 3
    (line,) = waiting.lines("Group cannot be deleted")
    assert line["group_id"] == waiting.top


def test_projects_and_groups_that_come_meanwhile_go_too(waiting):
    waiting.database.connection.execute(f"""
        CREATE SEQUENCE times;
        CREATE FUNCTION come() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
          IF nextval('times') = 2 THEN
            INSERT INTO namespaces (id, name, path, type, parent_id, traversal_ids)
            SELECT 4444, 'late', 'late', 'Group', id, traversal_ids || 4444::bigint FROM namespaces
            WHERE parent_id = {waiting.top} AND type = 'Group' ORDER BY id LIMIT 1;
            INSERT INTO projects (name, path, namespace_id) VALUES ('late', 'late', 4444);
          END IF; RETURN NULL; END $$;
        CREATE TRIGGER come AFTER DELETE ON routes FOR EACH STATEMENT EXECUTE FUNCTION come()""")
    assert let_go(waiting)["state"] == "finished" and groups(waiting) == 0 and waiting.ids("projects") == []


@pytest.mark.check_all
def test_the_mark_in_the_details_stands_while_it_goes_on(waiting):
    waiting.database.connection.execute("CREATE TABLE seen (deleted_at timestamptz)")
    waiting.database.connection.execute(f"""
        CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
          INSERT INTO seen SELECT deleted_at FROM namespace_details WHERE namespace_id = {waiting.top}; RETURN NULL; END $$;
        CREATE TRIGGER look AFTER DELETE ON projects FOR EACH STATEMENT EXECUTE FUNCTION look()""")
    before = datetime.datetime.now(datetime.timezone.utc)
    let_go(waiting)
    assert waiting.database.value("SELECT min(deleted_at) FROM seen") > before - datetime.timedelta(minutes=1)
