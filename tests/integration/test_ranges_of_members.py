"""Ranges of members.remove_expired: whatever lane its owners are removed in, a group keeps one."""

import pytest

from support.instance import tenant  # noqa: F401

JOB = "members.remove_expired"
DAYS = (-9, -5, -1)  # so the owners of a group are in different ranges


@pytest.mark.check_first(1)
@pytest.mark.parametrize("ranges", [1, 4])
def test_each_group_keeps_one_of_its_expired_owners(tenant, ranges):  # noqa: F811
    groups = [tenant.group() for _ in range(20)]
    for day in DAYS:
        for group in groups:
            tenant.member(tenant.user(), group, access_level=50, expires_at=tenant.day(day))
    tenant.pruned.settings |= {f"jobs.{JOB}.batch": 3, f"jobs.{JOB}.delay_ms": 0, f"jobs.{JOB}.ranges": ranges}
    tenant.pruned.run("topics", "--apply").ok()
    run = tenant.tick(JOB)
    assert run["state"] == "finished"
    assert {k: run["result"][k] for k in ("status", "removed", "kept", "updated_rows")} == {
        "status": "completed", "removed": 40, "kept": 20, "updated_rows": 40}
    assert tenant.database.column("SELECT count(*) FROM members GROUP BY source_id") == [1] * 20
    divided = tenant.database.value("SELECT max(step) >= 100000000 FROM pruned.deletions")
    assert divided == (ranges > 1)
    assert sum(line.get("removed", 0) for line in tenant.lines("Finished", job=JOB)) == 40
    said = tenant.outcomes("MemberRemoved"), tenant.outcomes("MemberKept")
    assert [len({m["member_id"] for m in some}) for some in said] == [40, 20] == [len(some) for some in said]
