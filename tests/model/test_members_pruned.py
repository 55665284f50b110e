"""The model of members.prune_deletions: which memberships of a hierarchy go when somebody orders
it, and by whose rights."""

import pytest

from . import run_job
from .build import T, World


@pytest.fixture
def world():
    return World()


def prune(world):
    return run_job(world.db, "members.prune_deletions", T)


def hierarchy(world):
    root = world.group()
    group = world.group(root)
    return root, group, world.project(group)


def test_leaves_the_whole_hierarchy_of_the_root_and_nothing_else(world):
    root, group, project = hierarchy(world)
    user, actor, elsewhere = world.user(), world.user(), world.group()
    owner = world.owner(actor, root)
    world.member(user, root), world.member(user, group), world.member(user, project=project)
    stays = world.member(user, elsewhere)
    world.leave(group, user, by=actor)
    expected = prune(world)
    assert expected.result == {"status": "completed", "updated_rows": 1, "removed": 3, "denied": 0, "failed": 0}
    assert world.ids("members") == [owner, stays] and not world.ids("members_deletion_schedules")
    assert expected.outcomes[-1]["denied_member_ids"] == [] and expected.outcomes[0]["reason"] == "scheduled"


def test_a_schedule_without_memberships_goes_at_once(world):
    world.leave(world.group(), world.user(), by=world.user())
    assert prune(world).result["updated_rows"] == 1 and not world.ids("members_deletion_schedules")


@pytest.mark.parametrize("where, level, removed", [
    ("direct", 50, 1), ("direct", 40, 0), ("above", 50, 1), ("below", 50, 0)])
def test_a_group_membership_wants_an_owner(world, where, level, removed):
    root, group, _ = hierarchy(world)
    leaf = world.group(group)
    user, actor = world.user(), world.user()
    world.member(actor, {"direct": group, "above": root, "below": leaf}[where], level=level)
    world.member(user, group)
    world.leave(root, user, by=actor)
    assert prune(world).result["removed"] == removed


@pytest.mark.parametrize("theirs, access, expires, removed", [
    (50, 50, None, 1), (50, 40, None, 0), (40, 50, None, 0), (50, 50, 1, 1), (50, 50, 0, 0)])
def test_an_owner_through_a_share(world, theirs, access, expires, removed):
    root, group, _ = hierarchy(world)
    user, actor, guests = world.user(), world.user(), world.group()
    world.member(actor, guests, level=theirs)
    world.share(group, guests, access, expires)
    world.member(user, group)
    world.leave(root, user, by=actor)
    assert prune(world).result["removed"] == removed


def test_through_a_share_count_only_direct_members(world):
    root, group, _ = hierarchy(world)
    user, actor, above = world.user(), world.user(), world.group()
    world.owner(actor, above)
    world.share(group, world.group(above))
    world.member(user, group)
    world.leave(root, user, by=actor)
    assert prune(world).result["denied"] == 1


@pytest.mark.parametrize("level, theirs, removed", [(30, 40, 1), (30, 30, 0), (50, 40, 0), (50, 50, 1), (40, 40, 1)])
def test_a_project_membership_wants_a_maintainer_and_an_owners_an_owner(world, level, theirs, removed):
    root, _, project = hierarchy(world)
    user, actor = world.user(), world.user()
    world.member(actor, project=project, level=theirs)
    world.member(user, project=project, level=level)
    world.leave(root, user, by=actor)
    assert prune(world).result["removed"] == removed


@pytest.mark.parametrize("state, admin, removed", [("active", True, 1), ("blocked", True, 0), ("active", False, 0)])
def test_an_admin_may_if_active(world, state, admin, removed):
    root = world.group()
    user = world.user()
    world.member(user, root)
    world.leave(root, user, by=world.user(state=state, admin=admin))
    assert prune(world).result["removed"] == removed


def test_last_owners_and_bots_are_denied(world):
    root, admin = world.group(), world.user(admin=True)
    user, bot = world.user(), world.user(user_type=6)
    world.owner(user, root), world.member(bot, root)
    world.leave(root, user, by=admin), world.leave(root, bot, by=admin)
    expected = prune(world)
    assert (expected.result["denied"], expected.result["updated_rows"]) == (2, 2)
    assert [line["reason"] for line in expected.log] == ["last owner", "project bot"]
    assert not world.ids("members_deletion_schedules") and len(world.ids("members")) == 2


def test_many_denied_never_hide_the_one_that_may_go(world):
    root, user, actor = world.group(), world.user(), world.user()
    for _ in range(250):
        world.member(user, world.group(root))
    allowed = world.group(root)
    world.owner(actor, allowed)
    last = world.member(user, allowed)
    world.leave(root, user, by=actor)
    expected = prune(world)
    assert (expected.result["removed"], expected.result["denied"]) == (1, 250) and not world.has("members", last)
    assert not world.ids("members_deletion_schedules")


def test_requests_and_awaiting_give_the_actor_nothing(world):
    root, user, actor = world.group(), world.user(), world.user()
    world.owner(actor, root, state=1), world.owner(actor, root, requested_at=T)
    world.member(user, root)
    world.leave(root, user, by=actor)
    assert prune(world).result["denied"] == 1


def test_an_actors_past_date_still_gives_rights(world):
    root, user, actor = world.group(), world.user(), world.user()
    world.owner(actor, root, expires=-3)
    world.member(user, root)
    world.leave(root, user, by=actor)
    assert prune(world).result["removed"] == 1


def test_a_membership_that_is_refused_keeps_its_schedule(world):
    root, user = world.group(), world.user()
    refused, other = world.member(user, root), world.member(user, world.group(root))
    world.db.refused["members", refused] = "on hold"
    schedule = world.leave(root, user, by=world.user(admin=True))
    expected = prune(world)
    assert expected.result == {"status": "completed", "updated_rows": 0, "removed": 1, "denied": 0, "failed": 1}
    assert expected.quarantine == [f"members:{refused}"]
    assert world.has("members_deletion_schedules", schedule) and not world.has("members", other)


def test_the_parent_starts_one_child_if_there_is_work(world):
    assert not run_job(world.db, "members.schedule_prune_deletions", T).children
    world.leave(world.group(), world.user(), by=world.user())
    expected = run_job(world.db, "members.schedule_prune_deletions", T)
    assert [c.job for c in expected.children] == ["members.prune_deletions"] and expected.result["updated_rows"] == 0


# --- whose rights count when: one schedule after the other

@pytest.mark.parametrize("level", [5, 10, 30, 40, 50])
def test_own_removal_needs_no_level(world, level):
    root, group, project = hierarchy(world)
    user = world.user()
    stays = world.owner(world.user(), root)
    world.member(user, root, level=level), world.member(user, group, level=10), world.member(user, project=project, level=50)
    world.leave(root, user, by=user)
    assert prune(world).result["removed"] == 3 and world.ids("members") == [stays]


def test_own_removal_is_denied_to_last_owners_and_inactive_users(world):
    root, user, inactive = world.group(), world.user(), world.user(state="blocked")
    owner, member = world.owner(user, root), world.member(inactive, root)
    world.leave(root, user, by=user), world.leave(root, inactive, by=inactive)
    assert [prune(world).result["denied"], world.ids("members")] == [2, [owner, member]]


def test_of_two_owners_who_remove_each_other_the_first_order_counts(world):
    root, user, other = world.group(), world.user(), world.user()
    world.owner(world.user(), root)
    gone, stays = world.owner(user, root), world.owner(other, root)
    world.leave(root, user, by=other), world.leave(root, other, by=user)
    expected = prune(world)
    assert (expected.result["removed"], expected.result["denied"]) == (1, 1)
    assert world.has("members", stays) and not world.has("members", gone)
    assert expected.log[0]["reason"] == "no rights"
