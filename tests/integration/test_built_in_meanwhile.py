"""What the application does with rows of built-in jobs while a step waits for its transaction: what
is not meant any more stays, and nothing that it has written is overwritten."""

import pytest

from support.instance import tenant  # noqa: F401
from support.scene import result
from support.writer import Writer

ASKS = "INSERT INTO pruned.dirty_users (user_id, kind, due_at) SELECT %s, k, now() FROM unnest('{authorizations,todos}'::text[]) k"


def beside(tenant, change, job):  # noqa: F811
    """CHANGE is committed as soon as a step of JOB waits for it."""
    writer = Writer(tenant.database, change).write()
    writer.start()
    try:
        tenant.tick(job)
    finally:
        writer.end()
    assert writer.waited
    assert {r["state"] for r in tenant.runs()} == {"finished"}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("change", [
    "UPDATE todos SET project_id = NULL",
    "UPDATE todos SET user_id = {other}",
    "SELECT FROM todos FOR UPDATE; UPDATE projects SET visibility_level = 20 WHERE id = {project}",
    # its authorization comes later
    "SELECT FROM todos FOR UPDATE; INSERT INTO members (user_id, source_id, source_type, type, access_level) VALUES ({user}, {project}, 'Project', 'ProjectMember', 10)",
    "SELECT FROM todos FOR UPDATE; INSERT INTO members (user_id, source_id, source_type, type, access_level) VALUES ({user}, {group}, 'Namespace', 'GroupMember', 10)",
    "SELECT FROM todos FOR UPDATE; INSERT INTO project_group_links (project_id, group_id, group_access) VALUES ({project}, {theirs}, 10)",
])
def test_a_todo_that_its_user_may_see_by_then_stays(tenant, change):  # noqa: F811
    user, other, group, theirs = tenant.user(), tenant.user(), tenant.group(), tenant.group()
    project = tenant.project(group)
    tenant.member(other, project=project)
    tenant.member(user, theirs)
    hidden = tenant.project(tenant.group())
    todos = [tenant.put("todos", user_id=user, author_id=user, target_type="Issue", action=1, state="pending", project_id=id)
             for id in (project, hidden)]
    tenant.database.execute(ASKS, [user])
    where = f" WHERE id = {todos[0]}" if change.startswith("UPDATE") else ""
    beside(tenant, change.format(**locals()) + where, "users.refresh_authorizations")
    assert tenant.ids("todos") == todos[:1]
    assert tenant.database.rows("SELECT * FROM pruned.dirty_users") == []


def test_a_todo_of_a_group_stays_whose_project_its_user_has_joined_by_then(tenant):  # noqa: F811
    """Their authorization of the project comes later."""
    user, group, hidden = tenant.user(), tenant.group(visibility_level=0), tenant.group(visibility_level=0)
    project = tenant.project(tenant.group(parent=group, visibility_level=0))
    todos = [tenant.put("todos", user_id=user, author_id=user, target_type="Epic", action=1, state="pending", group_id=id) for id in (group, hidden)]
    tenant.database.execute(ASKS, [user])
    beside(tenant, "SELECT FROM todos FOR UPDATE; INSERT INTO members (user_id, source_id, source_type, type, access_level) "
           f"VALUES ({user}, {project}, 'Project', 'ProjectMember', 10)", "users.refresh_authorizations")
    assert tenant.ids("todos") == todos[:1]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("change", ["action = 1", "author_id = {other}", "group_id = {elsewhere}"])
def test_a_todo_that_asks_for_something_else_by_then_stays_pending(tenant, change):  # noqa: F811
    group, elsewhere, user, other = tenant.group(), tenant.group(), tenant.user(), tenant.user()
    tenant.owner(other, group)
    tenant.member(user, group, expires_at=tenant.day(-1))
    changed, asking = (tenant.put("todos", user_id=other, author_id=user, target_type="Namespace", action=10, state="pending", group_id=group)
                       for _ in range(2))
    beside(tenant, f"UPDATE todos SET {change.format(**locals())} WHERE id = {changed}", "members.remove_expired")
    assert [tenant.row("todos", id)["state"] for id in (changed, asking)] == ["pending", "done"]


def test_a_route_that_is_renamed_while_its_group_is_restored_keeps_its_name(tenant):  # noqa: F811
    """Who marked the group may not delete it."""
    tenant.period(7)
    group = tenant.group(path="team-deletion_scheduled-{id}", name="team-deletion_scheduled-{id}")
    renamed, project = tenant.project(group, path="old"), tenant.project(group, path="shop")
    tenant.mark(group, tenant.user(), 30)
    beside(tenant, f"UPDATE routes SET path = 'moved/new', name = 'moved / new' WHERE source_type = 'Project' AND source_id = {renamed}",
           "groups.adjourned_deletion")
    assert [tenant.path("Project", id) for id in (renamed, project)] == ["moved/new", "team/shop"]
    assert tenant.path("Namespace", group) == "team" and tenant.ids("group_deletion_schedules", key="group_id") == []


@pytest.mark.check_first(1)
@pytest.mark.parametrize("change", ["namespace_id = {group}", "last_deletion_attempt_at = now()", "deletion_attempts = 15"])
def test_a_placeholder_that_is_not_due_by_then_loses_no_attempt(tenant, change):  # noqa: F811
    group = tenant.group()
    detail, user = tenant.placeholder()
    beside(tenant, f"UPDATE import_placeholder_user_details SET {change.format(**locals())}", "imports.placeholder_cleanup")
    assert tenant.row("import_placeholder_user_details", detail)["deletion_attempts"] in (0, 15)
    assert user in tenant.ids("users") and len(tenant.runs()) == 1


@pytest.mark.check_first(1)
@pytest.mark.parametrize("change", ["UPDATE import_placeholder_user_details SET namespace_id = {group}",
                                    "INSERT INTO import_placeholder_user_details (placeholder_user_id, namespace_id) VALUES ({user}, {group})",
                                    "INSERT INTO notes (author_id, note) VALUES ({user}, 'one')"])
def test_a_placeholder_that_is_needed_again_while_its_removal_waits_stays(tenant, change):  # noqa: F811
    """The columns that refer to the user have foreign keys, as in the application."""
    tenant.database.connection.execute("ALTER TABLE notes ADD FOREIGN KEY (author_id) REFERENCES users")
    group = tenant.group()
    detail, user = tenant.placeholder()
    tenant.pruned.run("pause", "users.destroy").ok()
    tenant.tick("imports.placeholder_cleanup", **{"jobs.imports.placeholder_cleanup.spacing_ms": 0})
    tenant.pruned.run("resume", "users.destroy").ok()
    writer = Writer(tenant.database, change.format(**locals())).write()
    writer.start()
    try:
        tenant.work()
    finally:
        writer.end()
    (run,) = tenant.runs("users.destroy")
    assert writer.waited and (run["state"], run["attempts"], result(run)["kept"]) == ("finished", 0, 1)
    assert user in tenant.ids("users") and detail in tenant.ids("import_placeholder_user_details")
    assert tenant.database.column("SELECT author_id FROM notes") == [user] * change.count("notes")


def test_a_right_that_is_lost_while_a_row_below_a_membership_is_waited_for_counts(tenant):  # noqa: F811
    """The application holds the badges while it makes an administrator a user like others."""
    tenant.database.connection.execute("CREATE TABLE badges (id bigint PRIMARY KEY, member_id bigint REFERENCES members ON DELETE CASCADE);"
                                       "GRANT SELECT, UPDATE, DELETE ON badges TO PUBLIC")
    group, user = tenant.group(), tenant.user()
    members = [tenant.member(user, project=tenant.project(group)) for _ in range(2)]
    for member in members:
        tenant.put("badges", id=member, member_id=member)
    tenant.leave(group, user, tenant.user(admin=True))
    beside(tenant, "SELECT FROM badges FOR UPDATE; UPDATE users SET admin = false", "members.schedule_prune_deletions")
    (run,) = tenant.runs("members.prune_deletions")
    assert (run["attempts"], result(run)["denied"], tenant.ids("members"), tenant.ids("badges")) == (0, 2, members, members)


def test_a_schedule_is_carried_out_though_its_membership_comes_while_the_schedule_is_deleted(tenant):  # noqa: F811
    """Its user had none, so only the schedule is left to be deleted."""
    group, user = tenant.group(), tenant.user()
    tenant.leave(group, user, tenant.user(admin=True))
    writer = Writer(tenant.database, "SELECT FROM members_deletion_schedules FOR UPDATE; INSERT INTO members (user_id, source_id, source_type, type, access_level) "
                    f"VALUES ({user}, {group}, 'Namespace', 'GroupMember', 30)").write()
    writer.start()
    try:
        tenant.tick("members.schedule_prune_deletions")
    finally:
        writer.end()
    tenant.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting'")
    tenant.work()
    assert writer.waited and tenant.ids("members") == tenant.ids("members_deletion_schedules") == []
