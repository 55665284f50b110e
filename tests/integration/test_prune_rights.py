"""Who may remove whom: the rights of the one who scheduled a removal, when it is carried out."""

import pytest

from support.instance import Tenant, tenant  # noqa: F401
from support.scene import result

JOB, CHILD = "members.schedule_prune_deletions", "members.prune_deletions"


class Tree(Tenant):
    """A hierarchy, and the memberships of the user who leaves."""

    top: int
    sub: int  # below `top`
    leaf: int  # below `sub`
    code: int  # a project in `leaf`
    outside: int  # another group
    leaver: int
    boss: int
    anchor: int  # an owner of `top`, so that no group loses its last one
    m: dict  # the memberships by name


@pytest.fixture
def tree(tenant):  # noqa: F811
    """A user with memberships all over a hierarchy, and one outside."""
    tenant = Tree.of(tenant)
    tenant.top = tenant.group()
    tenant.sub = tenant.group(parent=tenant.top)
    tenant.leaf = tenant.group(parent=tenant.sub)
    tenant.code = tenant.project(tenant.leaf)
    tenant.outside = tenant.group()
    tenant.leaver, tenant.boss = tenant.user(), tenant.user()
    tenant.anchor = tenant.user()
    tenant.owner(tenant.anchor, tenant.top)  # so that no group loses its last owner
    tenant.m = {
        "top": tenant.member(tenant.leaver, tenant.top), "sub": tenant.member(tenant.leaver, tenant.sub, level=50),
        "leaf": tenant.member(tenant.leaver, tenant.leaf), "code": tenant.member(tenant.leaver, project=tenant.code, level=40),
        "request": tenant.member(tenant.leaver, project=tenant.project(tenant.top), requested_at="2026-01-01"),
        "outside": tenant.member(tenant.leaver, tenant.outside)}
    return tenant


def prune(tenant, **settings):
    tenant.tick(JOB, **settings)
    return result(tenant.runs(CHILD)[-1])


def left(tenant):
    there = set(tenant.ids("members"))
    return {name for name, id in tenant.m.items() if id in there}


@pytest.mark.check_all
def test_an_owner_of_the_root_removes_everything_in_the_hierarchy(tree):
    tree.owner(tree.boss, tree.top)
    tree.leave(tree.leaf, tree.leaver, tree.boss)
    assert {"removed": 5, "denied": 0, "updated_rows": 1, "status": "completed"}.items() <= prune(tree).items()
    assert left(tree) == {"outside"} and tree.ids("members_deletion_schedules") == []
    (outcome,) = tree.outcomes("MemberDeletionProcessed")
    assert outcome == {"schedule_id": 1, "user_id": tree.leaver, "namespace_id": tree.leaf, "removed": 5, "denied_member_ids": []}
    assert {o["reason"] for o in tree.outcomes("MemberRemoved")} == {"scheduled"}
    (line,) = tree.lines("Processed scheduled member deletion")
    assert {"level": "info", "user_id": tree.leaver, "namespace_id": tree.leaf, "destroyed_count": 5}.items() <= line.items()
    assert isinstance(line["destroy_duration_s"], float)
    assert tree.database.column("SELECT kind FROM pruned.dirty_users WHERE user_id = %s ORDER BY 1", [tree.leaver]) == [
        "authorizations", "todos"]


def test_an_owner_below_removes_what_is_below_and_each_denial_is_said(tree):
    tree.owner(tree.boss, tree.sub)
    tree.leave(tree.top, tree.leaver, tree.boss)
    assert {"removed": 3, "denied": 2, "updated_rows": 1}.items() <= prune(tree).items()
    assert left(tree) == {"top", "request", "outside"} and tree.ids("members_deletion_schedules") == []
    lines = tree.lines("Denied scheduled member deletion")
    assert [(line["level"], line["member_id"], line["reason"]) for line in lines] == [
        ("warning", tree.m[n], "no rights") for n in ("top", "request")]
    assert {"user_id": tree.leaver, "namespace_id": tree.top, "scheduled_by_id": tree.boss}.items() <= lines[0].items()
    (outcome,) = tree.outcomes("MemberDeletionProcessed")
    assert outcome["denied_member_ids"] == [tree.m["top"], tree.m["request"]]
    assert {o["member_id"]: o["reason"] for o in tree.outcomes("MemberKept")} == {tree.m["top"]: "denied", tree.m["request"]: "denied"}


def test_a_maintainer_removes_from_projects_but_no_owner(tree):
    tree.m["owner of code"] = tree.member(tree.user(), project=tree.code, level=50)
    other = tree.row("members", tree.m["owner of code"])["user_id"]
    tree.member(tree.boss, project=tree.code, level=40)
    tree.leave(tree.top, tree.leaver, tree.boss)
    tree.leave(tree.top, other, tree.boss)
    prune(tree)
    assert left(tree) == set(tree.m) - {"code"}


def test_shares_give_the_lower_level_while_they_last(tree):
    invited = {name: tree.group() for name in ("full", "less", "over", "project", "project over")}
    bosses = {name: tree.user() for name in invited}
    for name, group in invited.items():
        tree.owner(bosses[name], group)
    tree.share(tree.sub, invited["full"], expires=1)
    tree.share(tree.top, invited["less"], access=40)
    tree.share(tree.top, invited["over"], expires=0)
    tree.share_project(tree.code, invited["project"], access=40)
    tree.share_project(tree.code, invited["project over"], access=50, expires=-1)
    leavers = {}
    for name in invited:
        leavers[name] = tree.user()
        for place in ("top", "leaf"):
            tree.m[f"{name} {place}"] = tree.member(leavers[name], getattr(tree, place))
        tree.m[f"{name} code"] = tree.member(leavers[name], project=tree.code)
        tree.leave(tree.top, leavers[name], bosses[name])
    prune(tree)
    there = left(tree)
    gone = {name: {p for p in ("top", "leaf", "code") if f"{name} {p}" not in there} for name in invited}
    assert gone == {"full": {"leaf", "code"}, "less": {"code"}, "over": set(), "project": {"code"}, "project over": set()}


def test_the_last_owner_and_bots_stay_and_an_inactive_actor_removes_nobody(tree):
    group = tree.group()
    last, bot, admin, inactive = tree.user(), tree.user(user_type=6), tree.user(admin=True), tree.user(admin=True, state="blocked")
    tree.m |= {"last": tree.owner(last, group), "bot": tree.member(bot, project=tree.project(group)),
               "by inactive": tree.member(tree.leaver, group)}
    tree.leave(group, last, admin)
    tree.leave(group, bot, admin)
    tree.leave(group, tree.leaver, inactive)
    assert {"removed": 0, "denied": 3, "updated_rows": 3}.items() <= prune(tree).items()
    assert {"last", "bot", "by inactive"} <= left(tree)
    assert {line["member_id"]: line["reason"] for line in tree.lines("Denied scheduled member deletion")} == {
        tree.m["last"]: "last owner", tree.m["bot"]: "project bot", tree.m["by inactive"]: "actor not active"}
    assert {o["member_id"]: o["reason"] for o in tree.outcomes("MemberKept")}[tree.m["last"]] == "last_owner"


def test_a_plan_shows_what_would_go_and_what_is_denied_and_changes_nothing(tree):
    tree.owner(tree.boss, tree.sub)
    tree.leave(tree.top, tree.leaver, tree.boss)
    lines = tree.pruned.run("plan", CHILD, "--at", tree.at.isoformat(), "--json").ok().json()
    assert {(line["table"], line["key"]): line["action"] for line in lines[:-1]} == {
        **{("members", str(tree.m[n])): "removed" for n in ("sub", "leaf", "code")},
        **{("members", str(tree.m[n])): "denied" for n in ("top", "request")}, ("members_deletion_schedules", "1"): "removed"}
    assert left(tree) == set(tree.m)
    parent = tree.pruned.run("plan", JOB, "--at", tree.at.isoformat(), "--json").ok().json()
    assert parent[0]["action"] == "scheduled" and parent[0]["reason"] == "1 schedule"


def test_a_plan_counts_each_membership_once(tree):
    """Two schedules for one user in one hierarchy; the second may remove what the first may not."""
    weak, admin = tree.user(), tree.user(admin=True)
    tree.owner(weak, tree.sub)
    tree.leave(tree.sub, tree.leaver, weak)
    tree.leave(tree.top, tree.leaver, admin)
    *lines, last = tree.pruned.run("plan", CHILD, "--at", tree.at.isoformat(), "--json").ok().json()
    removed = [line["key"] for line in lines if (line["table"], line["action"]) == ("members", "removed")]
    assert sorted(map(int, removed)) == sorted(id for name, id in tree.m.items() if name != "outside")
    assert last["summary"] == {"removed": 7, "denied": 2}
    assert {"removed": 5, "denied": 2, "updated_rows": 2}.items() <= prune(tree).items()
