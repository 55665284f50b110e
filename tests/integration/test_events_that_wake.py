"""Events that only wake a job: sent twice, in disorder, while the job runs, about things that do
not exist."""

import pytest

from support.instance import tenant  # noqa: F401
from support.scene import event_id, result
from support.slow import slow_rows, wait_in_flight

PRUNE, CLEANUP, CHILD = "members.prune_deletions", "imports.placeholder_cleanup", "users.delete_placeholder"


def wake(tenant, namespace, user, by, **options):  # noqa: F811
    ce_id = tenant.pruned.topics.event("MemberDeletionScheduled", {
        "namespace_id": namespace, "user_id": user, "scheduled_by_id": by}, ce_time=tenant.at, **options)
    return event_id("/test", ce_id, PRUNE)


def orphan(tenant, user, **options):  # noqa: F811
    ce_id = tenant.pruned.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": user}, ce_time=tenant.at, **options)
    return event_id("/test", ce_id, CLEANUP)


@pytest.mark.check_first(1)
@pytest.mark.parametrize("avro", [False, True])
def test_a_removal_that_nobody_scheduled_removes_nothing(tenant, avro):  # noqa: F811
    user, group = tenant.user(), tenant.group()
    member = tenant.member(user, group)
    run = wake(tenant, group, user, tenant.user(admin=True), avro=avro)
    tenant.work()
    wake(tenant, 999999, 999999, 999999, avro=avro)
    tenant.work()
    assert [r["state"] for r in tenant.runs(PRUNE)] == ["finished", "finished"]
    assert result(tenant.pruned.run_row(run))["removed"] == 0 and tenant.ids("members") == [member]


@pytest.mark.check_all
def test_an_event_that_comes_while_removals_are_under_way_is_an_overlap_and_its_row_is_worked_off(tenant):  # noqa: F811
    admin, group = tenant.user(admin=True), tenant.group()
    users = [tenant.user() for _ in range(2)]
    members = [tenant.member(user, group) for user in users]
    slow_rows(tenant.database, 1, f"OLD.id = {members[0]}", table="members")
    tenant.leave(group, users[0], by=admin)
    first = wake(tenant, group, users[0], admin)
    tenant.pruned.start()
    wait_in_flight(tenant.database)
    tenant.leave(group, users[1], by=admin)
    second = wake(tenant, group, users[1], admin, avro=True, ce_id="twice")
    wake(tenant, group, users[1], admin, ce_id="twice")
    ended = {run: tenant.pruned.wait_run(run) for run in (first, second)}
    assert ended[first]["state"] == "finished" and ended[second]["state"] in ("skipped", "finished")
    tenant.database.wait("SELECT count(*) FROM members_deletion_schedules", until=0)
    assert tenant.ids("members") == [] and len(tenant.runs(PRUNE)) == 2
    assert sum(result(r).get("removed", 0) for r in tenant.runs(PRUNE) if r["state"] == "finished") == 2


@pytest.mark.check_first(1)
@pytest.mark.parametrize("avro", [False, True])
def test_an_event_about_a_user_who_is_no_orphan_changes_nothing(tenant, avro):  # noqa: F811
    human, claimed = tenant.user(), tenant.user(user_type=15)
    detail, _ = tenant.placeholder(user=claimed, namespace=tenant.group())
    runs = [orphan(tenant, user, avro=avro) for user in (human, claimed, 999999, 0)]
    tenant.work()
    assert {(r["state"], result(r)["updated_rows"]) for r in map(tenant.pruned.run_row, runs)} == {("finished", 0)}
    assert tenant.row("import_placeholder_user_details", detail)["deletion_attempts"] == 0
    assert tenant.runs(CHILD) == [] and {human, claimed} <= set(tenant.ids("users"))


@pytest.mark.check_all
def test_an_orphan_is_counted_once_while_its_child_waits(tenant):  # noqa: F811
    detail, user = tenant.placeholder()
    tenant.pruned.run("pause", CHILD).ok()
    for n in range(3):
        orphan(tenant, user, avro=n == 1)
        tenant.work()
    assert tenant.row("import_placeholder_user_details", detail)["deletion_attempts"] == 1
    assert [result(r)["updated_rows"] for r in tenant.runs(CLEANUP)] == [1, 0, 0]
    assert [r["state"] for r in tenant.runs(CHILD)] == ["waiting"]
    tenant.pruned.run("resume", CHILD).ok()
    tenant.work()
    assert tenant.ids("users", f"id = {user}") == []
    orphan(tenant, user)
    tenant.work()
    assert result(tenant.runs(CLEANUP)[-1])["updated_rows"] == 0
