"""Small sets of rows with results worked out by hand: combinations of rules that meet in one
page."""

import pytest

from support.instance import tenant  # noqa: F401
from support.scene import result

JOB = "members.remove_expired"


def counts(row, *words):
    return tuple(result(row).get(word, 0) for word in words)


def test_one_user_expires_in_group_project_and_invited_group(tenant):  # noqa: F811
    place, invited = tenant.group(), tenant.group()
    tenant.share(place, invited)
    project, user, other = tenant.project(place), tenant.user(), tenant.user()
    stay = [tenant.owner(other, g) for g in (place, invited)]
    for where in ({"group": place}, {"group": invited}, {"project": project}):
        tenant.member(user, level=50, expires_at=tenant.day(-1), **where)
    tenant.put("project_authorizations", user_id=user, project_id=project, access_level=50)
    run = tenant.tick(JOB)
    assert counts(run, "removed", "kept", "failed") == (3, 0, 0)
    assert tenant.ids("members") == stay
    tenant.database.execute("UPDATE pruned.dirty_users SET due_at = now() - interval '1 second'")
    tenant.tick("users.refresh_authorizations")
    assert tenant.ids("project_authorizations", f"user_id = {user}", key="project_id") == []


def test_both_owners_expire_in_one_page_with_a_subgroup_between(tenant):  # noqa: F811
    """Newest first, higher id first: the subgroup's, then the younger owner; the last one stays."""
    place = tenant.group()
    below = tenant.group(place)
    first, second = tenant.user(), tenant.user()
    last = tenant.owner(second, place, expires_at=tenant.day(-2))
    tenant.owner(first, place, expires_at=tenant.day(-1))
    tenant.owner(second, below, expires_at=tenant.day(-1))
    run = tenant.tick(JOB)
    assert counts(run, "removed", "kept") == (2, 1)
    assert tenant.ids("members") == [last]


@pytest.mark.check_first(2)
@pytest.mark.parametrize("user, row", [
    ({}, {"requested_at": "2026-01-01"}),
    (None, {"invite_email": "a@example.com", "invite_token": "t"}),
    ({}, {"state": 1}),
    ({"user_type": 6}, {}),
    ({"user_type": 4}, {}),
    ({"state": "blocked"}, {}),
    ({"state": "deactivated"}, {}),
], ids=["request", "invitation", "awaiting", "bot", "service", "blocked", "deactivated"])
def test_who_is_no_owner_keeps_no_owner_from_staying(tenant, user, row):  # noqa: F811
    """The other row has expired too: it goes, and the last active human owner stays."""
    place = tenant.group()
    last = tenant.owner(tenant.user(), place, expires_at=tenant.day(-1))
    tenant.owner(None if user is None else tenant.user(**user), place, expires_at=tenant.day(-2), **row)
    run = tenant.tick(JOB)
    assert counts(run, "removed", "kept", "failed") == (1, 1, 0)
    assert tenant.ids("members") == [last]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("direct, left", [(True, 0), (False, 1)])
def test_a_removal_by_an_owner_of_an_invited_group(tenant, direct, left):  # noqa: F811
    """Only direct members of the invited group have its share's rights."""
    place, above, user, by = tenant.group(), tenant.group(), tenant.user(), tenant.user()
    invited = tenant.group(above)
    tenant.share(place, invited)
    tenant.owner(tenant.user(), place)
    tenant.owner(by, invited if direct else above)
    tenant.member(user, place)
    tenant.leave(place, user, by)
    tenant.tick("members.schedule_prune_deletions")
    assert len(tenant.ids("members", f"user_id = {user}")) == left
    assert tenant.ids("members_deletion_schedules") == []


def test_a_removal_whose_group_has_moved_goes_through_the_new_tree(tenant):  # noqa: F811
    old, new, user, by = tenant.group(), tenant.group(), tenant.user(), tenant.user(admin=True)
    moved = tenant.group(old)
    stays = tenant.member(user, old)
    for group in (new, moved):
        tenant.member(user, group)
    tenant.leave(moved, user, by)
    tenant.database.execute("UPDATE namespaces SET parent_id = %s, traversal_ids = ARRAY[%s, id]::bigint[] WHERE id = %s", [new, new, moved])
    tenant.tick("members.schedule_prune_deletions")
    assert tenant.ids("members", f"user_id = {user}") == [stays]
    assert tenant.ids("members_deletion_schedules") == []


@pytest.mark.check_first(1)
@pytest.mark.parametrize("turned", [False, True])
def test_marked_groups_within_each_other(tenant, turned):  # noqa: F811
    """Both are due; whichever comes first, both go, and no run is dead."""
    tenant.period(7)
    actor, one, two = tenant.user(admin=True), tenant.group(), tenant.group()
    inner, outer = (one, two) if turned else (two, one)
    tenant.database.execute("UPDATE namespaces SET parent_id = %s, traversal_ids = ARRAY[%s, id]::bigint[] WHERE id = %s", [outer, outer, inner])
    tenant.project(inner)
    for group in (one, two):
        tenant.mark(group, actor, ago=9)
    tenant.tick("groups.adjourned_deletion", **{"jobs.groups.adjourned_deletion.spacing_ms": 0})
    assert tenant.ids("namespaces", "type <> 'User'") == [] and tenant.ids("projects") == []
    assert {r["state"] for r in tenant.runs()} == {"finished"}
