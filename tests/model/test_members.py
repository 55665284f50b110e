"""The model of members.remove_expired: who goes on which day, who stays as the last owner, and what
goes with a membership."""

import pytest

from . import run_job, run_to_end
from .build import T, World, day
from .db import DIRTY, NOW, QUARANTINE


@pytest.fixture
def world():
    return World()


def expire(world, **args):
    return run_job(world.db, "members.remove_expired", T, args)


# --- what is selected

@pytest.mark.parametrize("expires, goes", [(-1, True), (0, True), (1, False), (None, False)])
def test_the_day_itself_is_over(world, expires, goes):
    member = world.member(world.user(), world.group(), expires=expires)
    assert expire(world).result == {"status": "completed", "updated_rows": goes, "removed": goes, "kept": 0, "failed": 0}
    assert world.has("members", member) is not goes


def test_every_kind_of_row_counts(world):
    group, project = world.group(), world.project(world.group())
    world.member(world.user(), group, expires=0)
    world.member(world.user(), project=project, expires=0)
    world.member(world.user(), group, expires=0, requested_at=T)
    world.member(None, group, expires=0)
    world.member(world.user(), group, expires=0, state=1)
    world.owner(world.user(), group, expires=0, state=1)
    assert expire(world).result["removed"] == 6


def test_starts_strictly_after_the_cursor(world):
    group = world.group()
    ids = [world.member(world.user(), group, expires=-d) for d in (0, 1, 1, 1, 2)]
    expire(world, cursor={"expires_at": day(-1).isoformat(), "id": ids[2]})
    assert world.ids("members") == [ids[0], ids[2], ids[3]]


@pytest.mark.parametrize("parked, next_try, reason, waits", [
    (True, 2000, "no", False), (True, 3000, "no", True), (True, 2000, "restored", True), (False, 2000, "restored", False),
    (False, 2000, "no", False), (False, 3000, "no", True)])
def test_skips_items_that_wait_in_quarantine(world, parked, next_try, reason, waits):
    member = world.member(world.user(), world.group(), expires=0)
    world.db.put(QUARANTINE, {"job": "members.remove_expired", "item": f"members:{member}", "parked": parked, "reason": reason,
                              "next_try_at": T.replace(year=next_try)})
    assert expire(world).result.get("passed_over", 0) == waits
    assert world.has("members", member) is waits


# --- the last owner

def test_an_only_owner_stays(world):
    owner = world.owner(world.user(), world.group(), expires=0)
    expected = expire(world)
    assert expected.result["kept"] == 1 and world.has("members", owner)
    assert [(o["type"], o["reason"]) for o in expected.outcomes] == [("MemberKept", "last_owner")]


@pytest.mark.parametrize("other, goes", [
    ({}, True), ({"state": "blocked"}, False), ({"state": "deactivated"}, False), ({"user_type": 6}, False),
    ({"user_type": 13}, False)])
def test_only_an_active_human_is_another_owner(world, other, goes):
    group = world.group()
    owner = world.owner(world.user(), group, expires=0)
    world.owner(world.user(**other), group)
    expire(world)
    assert world.has("members", owner) is not goes


@pytest.mark.parametrize("job", ["members.remove_expired", "members.prune_deletions"])
def test_an_owner_who_is_held_after_a_restore_does_not_count(world, job):
    group = world.group()
    kept, held = world.owner(world.user(), group, expires=-1), world.owner(world.user(), group, expires=0)
    world.db.put(QUARANTINE, {"job": job, "item": f"members:{held}", "parked": True, "reason": "restored", "next_try_at": T})
    assert not expire(world).result["removed"] or job != "members.remove_expired"
    assert world.has("members", kept)


@pytest.mark.parametrize("more, goes", [({"state": 1}, False), ({"requested_at": T}, False), ({"level": 40}, False), ({}, True)])
def test_only_a_true_owner_membership_counts(world, more, goes):
    group = world.group()
    owner = world.owner(world.user(), group, expires=0)
    world.member(world.user(), group, **{"level": 50} | more)
    expire(world)
    assert world.has("members", owner) is not goes


def test_another_owner_is_another_user(world):
    group, user = world.group(), world.user()
    twice = [world.owner(user, group, expires=0), world.owner(user, group)]
    assert expire(world).result["kept"] == 1
    assert world.ids("members") == twice


@pytest.mark.parametrize("who", [{"state": "blocked"}, {"user_type": 6}, {"user_type": 13}])
def test_only_active_humans_are_protected(world, who):
    world.put("users", id=900, username="ghost", user_type=5, state="active", admin=False, organization_id=1)
    owner = world.owner(world.user(**who), world.group(), expires=0)
    expire(world)
    assert not world.has("members", owner)


def test_an_expired_owner_counts_until_removed_and_the_oldest_stays(world):
    group = world.group()
    old = world.owner(world.user(), group, expires=-5)
    new = world.owner(world.user(), group, expires=-1)
    expire(world)
    assert world.ids("members") == [old] and old != new


def test_of_equal_dates_the_lowest_id_stays(world):
    group = world.group()
    first, *_ = [world.owner(world.user(), group, expires=0) for _ in range(3)]
    assert expire(world).result == {"status": "completed", "updated_rows": 2, "removed": 2, "kept": 1, "failed": 0}
    assert world.ids("members") == [first]


def test_an_owner_above_protects_but_one_below_does_not(world):
    root = world.group()
    middle = world.group(root)
    leaf = world.group(middle)
    above = world.owner(world.user(), root, expires=-9)
    below = world.owner(world.user(), leaf, expires=0)
    expire(world)
    assert world.ids("members") == [above] and below


def test_an_owner_who_is_kept_earlier_protects_the_groups_below(world):
    root = world.group()
    leaf = world.group(root)
    kept = world.owner(world.user(), root, expires=0)
    world.owner(world.user(), leaf, expires=-1)
    assert expire(world).result["kept"] == 1
    assert world.ids("members") == [kept]


def test_the_same_person_above_is_not_another_owner(world):
    root, user = world.group(), world.user()
    world.owner(user, root, expires=0)
    world.owner(user, world.group(root), expires=0)
    assert expire(world).result["kept"] == 2


def test_a_sibling_group_does_not_count(world):
    root = world.group()
    world.owner(world.user(), world.group(root))
    world.owner(world.user(), world.group(root), expires=0)
    assert expire(world).result["kept"] == 1


def test_projects_may_lose_their_last_owner(world):
    world.member(world.user(), project=world.project(world.group()), level=50, expires=0)
    assert expire(world).result["removed"] == 1


# --- effects

def test_what_goes_with_a_membership(world):
    user, group, other = world.user(), world.group(), world.group()
    project = world.project(group)
    world.member(user, group, expires=0)
    stays = [world.member(user, project=project), world.member(user, world.group(group))]
    world.setting(user, "Namespace", group)
    settings = [world.setting(user, "Namespace", other), world.setting(user, "Project", group),
                world.setting(world.user(), "Namespace", group), world.setting(user, None, None)]
    done = world.todo(world.user(), user, group=group)
    pending = [world.todo(world.user(), user, group=other), world.todo(user, world.user(), group=group),
               world.todo(world.user(), user, group=group, action=3), world.todo(world.user(), user, project=group)]
    expire(world)
    assert world.ids("members") == stays
    assert world.ids("notification_settings") == settings
    assert (world.db.get("todos", done)["state"], world.db.get("todos", done)["updated_at"]) == ("done", NOW)
    assert [world.db.get("todos", t)["state"] for t in pending] == ["pending"] * 4
    assert [r["kind"] for r in world.db.rows(DIRTY, user_id=user)] == ["authorizations", "todos"]


def test_the_outcome_names_the_root(world):
    group = world.group(world.group())
    project = world.project(group)
    member = world.member(world.user(), project=project, expires=-3)
    [outcome] = expire(world).outcomes
    root = world.db.get("namespaces", group)["traversal_ids"][0]
    assert outcome == {"type": "MemberRemoved", "member_id": member, "user_id": world.db.rows("users")[0]["id"],
                       "source_type": "Project", "source_id": project, "root_namespace_id": root, "access_level": 30,
                       "expires_at": day(-3), "reason": "expired"}


def test_a_bot_that_expired_twice_gets_one_child_and_an_ordinary_user_none(world):
    world.user(user_type=5)
    bot, group = world.user(user_type=6), world.group()
    world.member(bot, group, expires=0)
    world.member(bot, project=world.project(group), expires=-1)
    still = world.member(bot, project=world.project(group))
    world.member(world.user(), group, expires=0)
    _, (job, args, destroyed) = run_to_end(world.db, "members.remove_expired", T)
    assert (job, args) == ("users.destroy", {"user_id": bot, "reason": "Membership expired"})
    assert not world.has("users", bot) and not world.has("members", still)
    assert [o["reason"] for o in destroyed.outcomes] == ["user_destroyed", "Membership expired"]


def test_a_refused_row_undoes_only_itself(world):
    group = world.group()
    refused, other = [world.member(world.user(), group, expires=0) for _ in range(2)]
    world.setting(world.db.get("members", refused)["user_id"], "Namespace", group)
    world.db.refused["members", refused] = "on hold"
    expected = expire(world)
    assert expected.result == {"status": "completed", "updated_rows": 1, "removed": 1, "kept": 0, "failed": 1}
    assert expected.quarantine == [f"members:{refused}"]
    assert expected.log[0]["message"] == f"Expired Member ID={refused} cannot be removed - on hold"
    assert sorted(o["type"] for o in expected.outcomes) == ["MemberKept", "MemberRemoved"]
    assert world.has("members", refused) and not world.has("members", other)
    assert len(world.ids("notification_settings")) == 1 and len(world.db.rows(DIRTY)) == 2


# --- the timer

@pytest.mark.parametrize("event, row, removed, kept", [(0, 0, 1, 0), (5, 5, 1, 0), (5, 6, 0, 1), (-2, 0, 1, 0), (3, None, 0, 1)])
def test_a_timer_decides_by_the_row_of_that_moment(world, event, row, removed, kept):
    member = world.member(world.user(), world.group(), expires=row)
    expected = run_job(world.db, "MemberExpirySet", T, {"member_id": member, "expires_at": day(event)})
    assert (expected.result["removed"], expected.result["kept"]) == (removed, kept)
    assert expected.result.get("reason") == ("not expired" if kept else None)


def test_a_timer_for_a_member_who_is_gone(world):
    assert run_job(world.db, "MemberExpirySet", T, {"member_id": 1, "expires_at": day(0)}).result["gone"] == 1
