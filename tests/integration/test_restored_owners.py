"""Owners whom `pruned restore` brought back are held until an operator decides: meanwhile no other
owner goes because of them."""

import pytest

from support.instance import tenant  # noqa: F401
from support.restored import EXPIRED, PRUNE, QUIET, UNASKED, held, restore
from support.scene import result

MOMENT = {"microsecond": 1000}


def owners(tenant, group):  # noqa: F811
    return tenant.ids("members", f"source_id = {group} AND source_type = 'Namespace' AND access_level = 50")


def test_an_owner_kept_as_the_last_stays_beside_restored_ones(tenant):  # noqa: F811
    """Three expired owners, two of whom went; and an owner below, who could go because of one of
    them."""
    top = tenant.group()
    below = tenant.group(parent=top)
    kept, *gone = [tenant.owner(tenant.user(), top, expires_at=tenant.day(-days)) for days in (9, 2, 1)]
    run = tenant.tick(EXPIRED, **QUIET)
    assert (result(run)["removed"], result(run)["kept"]) == (2, 1) and owners(tenant, top) == [kept]
    restore(tenant.pruned, run["run_id"])
    assert held(tenant.database) == {f"{EXPIRED} members:{id}" for id in gone}
    tenant.database.execute("DELETE FROM members WHERE id = %s", [kept])
    kept = tenant.owner(tenant.user(), top, expires_at=tenant.day(-9))
    other = tenant.owner(tenant.user(), below, expires_at=tenant.day(-10))
    again = tenant.tick(EXPIRED, at=tenant.at.replace(**MOMENT), **UNASKED)
    assert (result(again)["kept"], result(again)["removed"], result(again)["kept_restored"]) == (1, 1, 2)
    assert owners(tenant, top) == sorted([kept, *gone]) and owners(tenant, below) == [] and other


@pytest.mark.check_first(1)
@pytest.mark.parametrize("let_go, left", [(True, 1), (False, 2)])
def test_an_owner_who_is_released_counts_again(tenant, let_go, left):  # noqa: F811
    top = tenant.group()
    kept, gone = [tenant.owner(tenant.user(), top, expires_at=tenant.day(-days)) for days in (2, 1)]
    run = tenant.tick(EXPIRED, **QUIET)
    restore(tenant.pruned, run["run_id"])
    if let_go:
        tenant.pruned.run("release", f"members:{gone}", "--yes").ok()
    tenant.tick(EXPIRED, at=tenant.at.replace(**MOMENT), **UNASKED)
    assert len(owners(tenant, top)) == left and kept in owners(tenant, top)


@pytest.mark.check_first(1)
@pytest.mark.parametrize("expired", [True, False])
def test_an_owner_held_from_another_job_does_not_count_either(tenant, expired):  # noqa: F811
    """Removed by a schedule and restored; the other one has expired, or is scheduled, too."""
    top, admin = tenant.group(), tenant.user(admin=True)
    user, other = tenant.user(), tenant.user()
    back, stays = tenant.owner(user, top), tenant.owner(other, top, expires_at=tenant.day(-1 if expired else 30))
    tenant.leave(top, user, admin)
    tenant.tick(PRUNE, **QUIET)
    (run,) = tenant.runs("members.prune_deletions")
    assert owners(tenant, top) == [stays]
    restore(tenant.pruned, run["run_id"])
    tenant.database.execute("DELETE FROM members_deletion_schedules")
    if not expired:
        tenant.leave(top, other, admin)
    tenant.tick(EXPIRED if expired else PRUNE, at=tenant.at.replace(**MOMENT), **UNASKED)
    assert owners(tenant, top) == [back, stays]
