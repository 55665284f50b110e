"""A process dies while it removes memberships with the rows that a foreign key would take or change
with them: each row goes once, has one record, and comes back."""

import pytest

from integration.test_below_memberships import EXPIRED, JOB, PRUNE, SCHEDULED, Bots, TABLES, expired, leaving  # noqa: F401
from support.instance import tenant  # noqa: F401
from support.restored import actions, restore, world


def keys(database, table, action="deleted"):
    return sorted(database.column("SELECT jsonb_array_elements(keys) FROM pruned.deletions WHERE table_name = %s AND action = %s", [table, action]))


def killed(tenant, point, nth):  # noqa: F811
    tenant.pruned.with_faults()
    assert tenant.pruned.start("--until-idle", environment={"PRUNED_FAULT": f"{point}:kill:{nth}"}).wait(60) == -9


# With two rows a step: five badges are three steps, the membership is the fourth.
@pytest.mark.check_all
@pytest.mark.parametrize("point", ["step.before_commit", "step.after_commit"])
@pytest.mark.parametrize("nth", [1, 2, 3, 4])
def test_killed_where_a_user_goes(tenant, point, nth):  # noqa: F811
    tenant.database.connection.execute(TABLES)
    bots = Bots(tenant, 1)
    (membership,) = bots.of.values()
    for n in range(1, 6):
        tenant.put("badges", id=n, member_id=membership)
    tenant.put("desks", id=9, member_id=membership)
    tenant.pruned.settings[f"jobs.{JOB}.batch"] = 2
    bots.hand_over()
    before = world(tenant.database)
    killed(tenant, point, nth)
    # Nothing has gone by its key, unrecorded.
    assert keys(tenant.database, "badges") + tenant.ids("badges") == [1, 2, 3, 4, 5]
    tenant.work()
    (run,) = bots.runs().values()
    assert (run["state"], run["attempts"]) == ("finished", 0)
    assert keys(tenant.database, "badges") == [1, 2, 3, 4, 5] and keys(tenant.database, "desks", "updated") == [9]
    assert membership in keys(tenant.database, "members") and tenant.ids("users", "user_type = 6") == []
    assert actions(restore(tenant.pruned, run["run_id"])) <= {"restored", "left out"}
    assert world(tenant.database) == before


@pytest.mark.check_first(1)
@pytest.mark.parametrize("point, nth", [("step.after_effects", 1), ("step.before_commit", 1), ("step.after_commit", 1)])
def test_killed_where_scheduled_removals_go(leaving, point, nth):  # noqa: F811
    tenant, members = leaving  # noqa: F811
    tenant.pruned.run("pause", PRUNE).ok()
    tenant.tick(SCHEDULED)
    tenant.pruned.run("resume", PRUNE).ok()
    killed(tenant, point, nth)
    assert sorted(keys(tenant.database, "badges") + tenant.ids("badges")) == members
    tenant.work()
    (run,) = tenant.runs(PRUNE)
    assert (run["state"], run["attempts"]) == ("finished", 0)
    assert tenant.ids("members") == tenant.ids("badges") == [members[4]]
    assert keys(tenant.database, "badges") == keys(tenant.database, "members") == members[:4]


@pytest.mark.check_all
@pytest.mark.parametrize("point, nth", [("step.after_effects", 1), ("step.before_commit", 1), ("step.before_commit", 2),
                                        ("step.after_commit", 1), ("step.after_commit", 2)])
def test_killed_where_expired_memberships_go(expired, point, nth):  # noqa: F811
    """Two pages of two memberships, and one of the owner, who stays."""
    tenant, members = expired  # noqa: F811
    tenant.pruned.settings |= {f"jobs.{EXPIRED}.batch": 2, f"jobs.{EXPIRED}.delay_ms": 0}
    before = world(tenant.database)
    tenant.pruned.run("pause", EXPIRED).ok()
    tenant.tick(EXPIRED)
    tenant.pruned.run("resume", EXPIRED).ok()
    killed(tenant, point, nth)
    assert sorted(keys(tenant.database, "badges") + tenant.ids("badges")) == members
    tenant.work()
    (run,) = tenant.runs(EXPIRED)
    assert (run["state"], run["attempts"]) == ("finished", 0)
    assert tenant.ids("members") == tenant.ids("badges") == tenant.ids("ribbons") == members[4:]
    assert keys(tenant.database, "badges") == keys(tenant.database, "ribbons") == keys(tenant.database, "members") == members[:4]
    assert actions(restore(tenant.pruned, run["run_id"])) <= {"restored", "left out"}
    assert world(tenant.database) == before
