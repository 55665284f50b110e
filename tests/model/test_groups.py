import re

import pytest

from . import run_job, run_to_end
from .build import T, World
from .db import DIRTY, NOW


@pytest.fixture
def world():
    made = World()
    made.period(7)
    return made


def marked(world, ago=7, **more):
    """A group that its owner has marked."""
    group, owner = world.group(**more), world.user()
    world.owner(owner, group)
    world.mark(group, owner, ago)
    return group, owner


def parent(world):
    return run_job(world.db, "groups.adjourned_deletion", T)


# --- the parent

@pytest.mark.parametrize("ago, due", [(8, 1), (7, 1), (6, 0)])
def test_due_on_the_last_day_of_the_period(world, ago, due):
    marked(world, ago)
    assert parent(world).result["scheduled"] == due


def test_a_period_of_no_days_is_allowed_and_the_newest_setting_counts(world):
    marked(world, 0)
    assert parent(world).result["scheduled"] == 0
    world.period(0)
    assert parent(world).result["scheduled"] == 1


def test_without_a_setting_the_job_is_blocked(world):
    marked(world)
    world.db.tables["application_settings"].clear()
    assert parent(world).result == {"status": "blocked"}


def test_only_groups(world):
    user = world.user(admin=True)
    world.mark(world.home(user), user, 30)
    assert parent(world).result["updated_rows"] == 0


def test_each_selected_group_uses_up_twenty_seconds(world):
    first, _ = marked(world)
    restored, _ = marked(world)
    world.db.get("group_deletion_schedules", restored)["user_id"] = world.user()
    third, owner = marked(world)
    expected = parent(world)
    assert [(c.args["group_id"], c.delay_s) for c in expected.children] == [(first, 0), (third, 40)]
    assert expected.children[1].args == {"group_id": third, "user_id": owner}
    assert expected.children[1].unique_key == f"groups.destroy:{third}"
    assert [(line["group_id"], line["delay_s"]) for line in expected.log if line["message"] == "Group deletion scheduled"] == [
        (first, 0), (third, 40)]
    assert expected.result == {"status": "completed", "updated_rows": 3, "scheduled": 2, "restored": 1}


@pytest.mark.parametrize("how, may", [
    ("owner", True), ("maintainer", False), ("above", True), ("share", True), ("share that is over", False),
    ("low share", False), ("admin", True), ("blocked admin", False), ("blocked owner", False), ("request", False),
    ("past its date", True)])
def test_rights_to_remove_a_group(world, how, may):
    root = world.group()
    group, guests = world.group(root), world.group()
    user = world.user(admin="admin" in how, state="blocked" if "blocked" in how else "active")
    if how in ("owner", "blocked owner"):
        world.owner(user, group)
    elif how in ("maintainer", "request", "past its date"):
        world.member(user, group, level=40 if how == "maintainer" else 50, expires=-1 if how == "past its date" else None,
                     requested_at=T if how == "request" else None)
    elif how == "above":
        world.owner(user, root)
    elif "share" in how:
        world.owner(user, guests)
        world.share(group, guests, access=40 if how == "low share" else 50, expires=0 if "over" in how else 1)
    world.mark(group, user, 9)
    result = parent(world).result
    assert (result["scheduled"], result["restored"]) == (may, not may)


# --- restore

def lost(world, **more):
    group = world.group(**more)
    world.mark(group, world.user(), 9)
    return group


def test_restored_with_its_old_path_everywhere(world):
    world.put("users", id=900, username="admin-bot", user_type=11, state="active", admin=False, organization_id=1)
    root = world.group(path="top")
    world.next_id = 50
    group = lost(world, parent=root, path="team-deletion_scheduled-50", name="Team-deletion_scheduled-50")
    leaf = world.group(group, path="leaf", name="Leaf")
    world.project(leaf, path="code", name="Code")
    expected = parent(world)
    assert (world.db.get("namespaces", group)["path"], world.db.get("namespaces", group)["name"]) == ("team", "Team")
    assert [(r["path"], r["name"]) for r in sorted(world.db.rows("routes"), key=lambda r: r["path"])] == [
        ("top", "top"), ("top/team", "top / Team"), ("top/team/leaf", "top / Team / Leaf"),
        ("top/team/leaf/code", "top / Team / Leaf / Code")]
    assert not world.db.rows("group_deletion_schedules")
    assert expected.outcomes == [{"type": "GroupRestored", "group_id": group, "full_path": "top/team"}]
    assert expected.log[0]["message"] == "User 900 restored group top/team"


@pytest.mark.parametrize("path, name, new_path, new_name", [
    ("a-deleted-50", "A-deleted-50", "a", "A"), ("a-deleted-50", "A", "a", "A"), ("a", "A-deletion_scheduled-50", "a", "A"),
    ("a-deleted-51", "A-deleted-51", "a-deleted-51", "A-deleted-51"), ("a", "A", "a", "A")])
def test_only_the_own_suffix_name_and_path_each_for_itself(world, path, name, new_path, new_name):
    world.next_id = 50
    group = lost(world, path=path, name=name)
    expected = parent(world)
    row = world.db.get("namespaces", group)
    assert (row["path"], row["name"]) == (new_path, new_name)
    assert expected.log[0]["message"] == f"User system restored group {new_path}"


def test_a_path_that_is_taken_gets_five_more(world):
    world.group(path="team")
    world.next_id = 50
    group = lost(world, path="team-deletion_scheduled-50", name="Team-deletion_scheduled-50")
    leaf = world.group(group, path="leaf")
    parent(world)
    row = world.db.get("namespaces", group)
    assert row["path"].fullmatch("team-aB3dE") and row["name"].fullmatch("Team-aB3dE") and not row["path"].fullmatch("team")
    [route] = world.db.rows("routes", source_id=leaf)
    assert route["path"].fullmatch("team-aB3dE/leaf")


def test_what_is_being_deleted_is_not_restored(world):
    group = lost(world)
    world.db.get("namespace_details", group)["deleted_at"] = T
    assert parent(world).result == {"status": "completed", "updated_rows": 0, "scheduled": 0, "restored": 0}
    assert world.db.get("group_deletion_schedules", group)


# --- destroy

def destroy(world, group, user):
    return run_job(world.db, "groups.destroy", T, {"group_id": group, "user_id": user})


def test_decides_again_before_it_destroys(world):
    group, owner = marked(world)
    for change in (lambda: world.db.get("group_deletion_schedules", group).update(marked_for_deletion_on=T.date()),
                   lambda: world.db.tables["group_deletion_schedules"].clear()):
        change()
        assert not destroy(world, group, owner).outcomes and world.has("namespaces", group)
    assert destroy(world, 4711, owner).result["gone"] == 1


def test_lost_rights_restore_the_group(world):
    group, owner = marked(world)
    world.db.get("users", owner)["state"] = "blocked"
    expected = destroy(world, group, owner)
    assert expected.result["reason"] == "You can't delete this group because you're blocked."
    assert [o["type"] for o in expected.outcomes] == ["GroupRestored"]


def test_nothing_points_into_the_deleted_tree_any_more(world):
    world.user(user_type=5)
    group, owner = marked(world)
    leaf = world.group(group)
    projects = [world.project(group), world.project(leaf)]
    outside, other = world.group(), world.user()
    outside_project = world.project(outside)
    keep = world.owner(other, outside)
    for g in (group, leaf):
        world.member(other, g), world.setting(other, "Namespace", g), world.todo(other, group=g)
        world.share(g, outside), world.share(outside, g), world.share_project(outside_project, g)
        world.leave(g, other, by=owner)
        world.put("redirect_routes", source_type="Namespace", source_id=g, path=f"was{g}", namespace_id=g)
    for p in projects:
        world.member(other, project=p), world.setting(other, "Project", p), world.todo(other, project=p)
        world.share_project(p, outside), world.artifact(p)
        issue = world.put("issues", project_id=p, author_id=other)
        world.put("issue_assignees", issue_id=issue, user_id=other), world.put("notes", project_id=p, author_id=other)
        request = world.put("merge_requests", target_project_id=p, author_id=other)
        world.put("approvals", merge_request_id=request, user_id=other)
        world.put("project_authorizations", user_id=other, project_id=p, access_level=30)
        world.put("redirect_routes", source_type="Project", source_id=p, path=f"gone{p}",
                  namespace_id=world.db.get("projects", p)["project_namespace_id"])
    detail = world.detail(world.user(user_type=15), namespace_id=leaf)
    expected = destroy(world, group, owner)

    own = world.db.get("projects", outside_project)["project_namespace_id"]
    assert world.ids("namespaces") == [outside, own] and world.ids("projects") == [outside_project]
    assert world.ids("members") == [keep]
    for table in ("notification_settings", "todos", "group_group_links", "project_group_links", "ci_job_artifacts",
                  "project_authorizations", "redirect_routes", "members_deletion_schedules", "group_deletion_schedules",
                  "issues", "issue_assignees", "notes", "merge_requests", "approvals"):
        assert not world.db.rows(table), table
    assert {r["source_id"] for r in world.db.rows("routes")} == {outside, outside_project}
    assert world.db.get("import_placeholder_user_details", detail)["namespace_id"] is None
    assert [(o["type"], o.get("project_id") or o.get("group_id")) for o in expected.outcomes if o["type"] != "MemberRemoved"] == [
        ("ProjectDeleted", projects[1]), ("ProjectDeleted", projects[0]), ("GroupDeleted", leaf), ("GroupDeleted", group)]
    assert [o["parent_namespace_id"] for o in expected.outcomes if o["type"] == "GroupDeleted"] == [group, None]


def test_rows_without_their_optional_references_go_as_well(world):
    group, owner = marked(world)
    project = world.project(group)
    world.member(4711, project=project)
    for row in world.db.rows("routes"):
        row["namespace_id"] = None
    for kind, id in (("Namespace", group), ("Project", project)):
        world.put("redirect_routes", source_type=kind, source_id=id, path=f"was {id}", namespace_id=None)
    own = world.db.get("projects", project)["project_namespace_id"]
    world.db.get("projects", project)["project_namespace_id"] = None
    world.db.get("namespaces", own)["parent_id"] = None
    expected = destroy(world, group, owner)
    assert world.ids("routes") == world.ids("redirect_routes") == world.ids("projects") == world.ids("members") == []
    assert sorted(o["type"] for o in expected.outcomes) == ["GroupDeleted", "MemberRemoved", "MemberRemoved", "ProjectDeleted"]


def test_everybody_who_had_access_is_refreshed(world):
    group, owner = marked(world)
    project, guests, others = world.project(world.group(group)), world.group(), world.group()
    people = [world.user() for _ in range(3)]
    world.member(people[0], project=project), world.member(people[1], guests), world.member(people[2], others)
    world.share(group, guests), world.share_project(project, others)
    world.member(world.user(), world.group())
    destroy(world, group, owner)
    assert [r["user_id"] for r in world.db.rows(DIRTY)] == [owner, *people]
    assert {r["kind"] for r in world.db.rows(DIRTY)} == {"authorizations"}


def test_all_who_reached_what_was_invited_are_refreshed(world):
    group, owner = marked(world, parent=world.group())
    above, leaf = world.db.get("namespaces", group)["parent_id"], world.group(group)
    third, elsewhere, project = world.group(), world.group(), world.project(world.group(group))
    people = [world.user() for _ in range(3)]
    world.member(people[0], above), world.member(people[1], third), world.member(people[2], elsewhere)
    world.share(above, third), world.share_project(world.project(world.group()), leaf)
    world.share_project(project, world.group(elsewhere))
    destroy(world, group, owner)
    assert [r["user_id"] for r in world.db.rows(DIRTY)] == [owner, *people]


def test_no_file_is_forgotten(world):
    group, owner = marked(world)
    project = world.project(group)
    world.artifact(project, final="@final/aa/bb/cc"), world.artifact(project, file=None)
    made = world.artifact(project, file="log.txt")
    destroy(world, group, owner)
    files = [(o["store_dir"], o["file"], o["project_id"], o["pick_up_at"]) for o in world.db.tables["ci_deleted_objects"].values()]
    assert files[0] == ("@final/aa/bb", "cc", project, NOW)
    assert re.fullmatch(rf"([0-9a-f]{{2}})/([0-9a-f]{{2}})/\1\2[0-9a-f]{{60}}/2025_03_10/7/{made}", files[1][0])
    assert files[1][1:] == ("log.txt", project, NOW) and len(files) == 2


def test_bots_of_its_projects_go_with_it(world):
    world.user(user_type=5)
    group, owner = marked(world)
    bot, of_group = world.user(user_type=6), world.user(user_type=6)
    for _ in range(2):
        world.member(bot, project=world.project(group))
    world.member(of_group, group)
    runs = run_to_end(world.db, "groups.adjourned_deletion", T)
    assert [(job, args) for job, args, _ in runs[2:]] == [
        ("users.destroy", {"user_id": bot, "reason": "Project deleted", "initiator_id": owner}),
        ("users.destroy", {"user_id": of_group, "reason": "Group deleted", "initiator_id": owner})]
    assert not world.has("users", bot) and not world.has("users", of_group)


def test_nested_groups_that_are_both_marked(world):
    group, owner = marked(world)
    leaf, _ = marked(world, parent=group)
    runs = run_to_end(world.db, "groups.adjourned_deletion", T)
    assert [e.result.get("gone", 0) for _, _, e in runs[1:]] == [0, 1]
    assert not world.has("namespaces", group) and not world.has("namespaces", leaf) and owner


def test_a_foreign_key_of_an_unknown_table(world):
    from .db import ForeignKey
    group, owner = marked(world)
    world.db.tables["invoices"] = {1: {"id": 1, "group_id": group}}
    world.db.primary_keys["invoices"] = ("id",)
    world.db.foreign_keys.append(ForeignKey("invoices", "group_id", "namespaces", "restrict"))
    expected = destroy(world, group, owner)
    assert expected.state == "waiting" and world.has("namespaces", group)
    assert expected.log[0]["message"] == "Rescheduling group deletion" and "invoices.group_id" in expected.log[0]["error"]
