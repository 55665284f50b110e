"""Scheduled removals are judged one after the other, by id: the result does not depend on which of
them share a step."""

import pytest

from support.instance import Tenant, tenant  # noqa: F401
from support.scene import refuse_rows, result

JOB, CHILD = "members.schedule_prune_deletions", "members.prune_deletions"
CUTS = [(10, 100), (1, 100), (10, 1), (2, 2)]  # schedules in a step, memberships of each


def prune(tenant, schedules=10, batch=100):
    tenant.tick(JOB, **{f"jobs.{CHILD}.schedules": schedules, f"jobs.{CHILD}.batch": batch})
    return result(tenant.runs(CHILD)[-1])


class Tree(Tenant):
    """A group with a subgroup and a project."""

    top: int
    sub: int  # below `top`
    code: int  # a project in `sub`
    anchor: int  # the membership of an owner who is not involved


@pytest.fixture
def tree(tenant):  # noqa: F811
    """A group with a subgroup and a project, and an owner who is not involved."""
    tenant = Tree.of(tenant)
    tenant.top = tenant.group()
    tenant.sub = tenant.group(parent=tenant.top)
    tenant.code = tenant.project(tenant.sub)
    tenant.anchor = tenant.owner(tenant.user(), tenant.top)
    return tenant


@pytest.mark.check_all
@pytest.mark.parametrize("schedules, batch", [(10, 100), (10, 1)])
@pytest.mark.parametrize("level", [5, 10, 30, 40, 50])
def test_a_user_who_schedules_their_own_removal_goes_everywhere(tree, level, schedules, batch):
    user = tree.user()
    mine = [tree.member(user, tree.top, level=level), tree.member(user, project=tree.code, level=50),
            tree.member(user, tree.sub, level=level), tree.member(user, project=tree.project(tree.top), requested_at="2026-01-01")]
    elsewhere = tree.member(user, tree.group())
    tree.leave(tree.sub, user, user)
    counts = prune(tree, schedules, batch)
    assert (counts["removed"], counts["denied"], counts["updated_rows"]) == (len(mine), 0, 1)
    assert tree.ids("members") == [tree.anchor, elsewhere] and tree.ids("members_deletion_schedules") == []


def test_a_last_owner_a_bot_and_an_inactive_user_may_not_remove_themselves(tree):
    group = tree.group()
    owner, bot, inactive = tree.user(), tree.user(user_type=6), tree.user(state="blocked")
    stay = [tree.owner(owner, group), tree.member(bot, group), tree.member(inactive, group)]
    for user in (owner, bot, inactive):
        tree.leave(group, user, user)
    assert prune(tree)["denied"] == 3 and tree.ids("members") == [tree.anchor, *stay]
    assert [line["reason"] for line in tree.lines("Denied scheduled member deletion")] == [
        "last owner", "project bot", "actor not active"]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("schedules, batch", CUTS)
def test_of_two_owners_who_remove_each_other_the_first_order_counts(tree, schedules, batch):
    first, second = tree.user(), tree.user()
    gone, stay = ([tree.member(user, project=tree.code, level=10), tree.owner(user, tree.sub), tree.owner(user, tree.top)]
                  for user in (first, second))
    tree.leave(tree.top, first, second)
    tree.leave(tree.top, second, first)
    counts = prune(tree, schedules, batch)
    assert (counts["removed"], counts["denied"], counts["updated_rows"]) == (3, 3, 2)
    assert tree.ids("members") == [tree.anchor, *stay] and set(gone) & set(tree.ids("members")) == set()
    assert {line["reason"] for line in tree.lines("Denied scheduled member deletion")} == {"no rights"}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("schedules, batch", CUTS)
def test_a_chain_of_orders(tree, schedules, batch):
    """Each user removes the next one. An order of a user who was removed by an earlier order does
    not count."""
    users = [tree.user() for _ in range(5)]
    owners = [tree.owner(user, tree.top) for user in users]
    for actor, user in zip(users, users[1:]):
        tree.leave(tree.top, user, actor)
    counts = prune(tree, schedules, batch)
    assert (counts["removed"], counts["denied"], counts["updated_rows"]) == (2, 2, 4)
    assert tree.ids("members") == [tree.anchor, owners[0], owners[2], owners[4]]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("schedules, batch", CUTS)
def test_who_is_a_last_owner_is_judged_in_the_order_of_the_schedules(tree, schedules, batch):
    """The second order waits for the first, which removes the second's author; the third waits for
    the second."""
    group = tree.group()
    author, second, third = tree.user(), tree.user(), tree.user()
    tree.database.execute("UPDATE users SET admin = true WHERE id = %s", [author])
    chief = tree.user(admin=True)
    tree.member(author, group, level=10)
    tree.owner(second, group)
    stays = tree.owner(third, group)
    for user, actor in ((author, chief), (second, author), (third, chief)):
        tree.leave(group, user, actor)
    counts = prune(tree, schedules, batch)
    assert (counts["removed"], counts["denied"], counts["updated_rows"]) == (2, 1, 3)
    assert tree.ids("members") == [tree.anchor, stays]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("schedules, batch", [(10, 2), (1, 2), (10, 100)])
def test_an_order_with_more_memberships_than_a_step_takes_ends_before_the_next(tree, schedules, batch):
    chief = tree.user(admin=True)
    first, second = tree.user(), tree.user()
    root = tree.group()
    below = [tree.group(parent=root) for _ in range(4)]
    for group in below[:3]:
        tree.member(first, group, level=10)
    tree.owner(first, below[3])
    stays = tree.owner(second, below[3])
    tree.leave(root, first, chief)
    tree.leave(root, second, chief)
    counts = prune(tree, schedules, batch)
    assert (counts["removed"], counts["denied"]) == (4, 1)
    assert tree.ids("members") == [tree.anchor, stays]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("schedules, batch", CUTS)
def test_a_right_from_elsewhere_ends_with_an_earlier_order_there(tree, schedules, batch):
    """A project of the tree has invited a group of another hierarchy, from which the author is
    removed in between."""
    other = tree.group()
    below = tree.group(parent=other)
    tree.share_project(tree.code, below)
    author, chief = tree.user(), tree.user(admin=True)
    tree.member(author, below, level=10)
    tree.member(author, other, level=40)
    members = [tree.member(tree.user(), project=tree.code) for _ in range(2)]
    first, second = (tree.row("members", id)["user_id"] for id in members)
    for group, user, actor in ((tree.top, first, author), (below, author, chief), (tree.top, second, author)):
        tree.leave(group, user, actor)
    counts = prune(tree, schedules, batch)
    assert (counts["removed"], counts["denied"]) == (3, 1) and tree.ids("members") == [tree.anchor, members[1]]


@pytest.mark.check_first(2)
@pytest.mark.parametrize("schedules, batch", CUTS)
@pytest.mark.parametrize("why", ["denied", "refused by a trigger"])
def test_an_author_whom_an_earlier_order_did_not_remove_keeps_their_rights(tree, why, schedules, batch):
    author, user = tree.user(), tree.user()
    stays = tree.owner(author, tree.top)
    tree.owner(user, tree.top)
    tree.leave(tree.top, author, tree.user(admin=why != "denied"))
    tree.leave(tree.top, user, author)
    if why != "denied":
        refuse_rows(tree.database, f"OLD.id = {stays}", table="members")
    prune(tree, schedules, batch)
    assert tree.ids("members") == [tree.anchor, stays]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("schedules, batch", CUTS)
def test_who_removes_themselves_after_the_other_owner_stays_as_the_last(tree, schedules, batch):
    """Only as an owner of this group: they leave all other places."""
    root = tree.group()
    below = tree.group(parent=root)
    first, second = tree.user(), tree.user()
    tree.owner(first, root)
    stays = tree.owner(second, root)
    tree.member(second, below, level=10)
    tree.member(second, project=tree.project(below), level=50)
    for user in (first, second):
        tree.leave(below, user, second)
    counts = prune(tree, schedules, batch)
    assert (counts["removed"], counts["denied"]) == (3, 1) and tree.ids("members") == [tree.anchor, stays]


def test_a_plan_says_the_same(tree):
    first, second = tree.user(), tree.user()
    gone, stays = tree.owner(first, tree.top), tree.owner(second, tree.top)
    tree.leave(tree.top, first, second)
    tree.leave(tree.top, second, first)
    lines = tree.pruned.run("plan", CHILD, "--at", tree.at.isoformat(), "--json").ok().json()
    assert {(line["key"], line["action"]) for line in lines[:-1] if line["table"] == "members"} == {
        (str(gone), "removed"), (str(stays), "denied")}
