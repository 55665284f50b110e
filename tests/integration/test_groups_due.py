"""Which marked groups are due, when their deletion begins, and whose mark counts."""

import datetime

import pytest

from support.instance import tenant  # noqa: F401
from support.scene import child_id, result

JOB, CHILD = "groups.adjourned_deletion", "groups.destroy"
HOUR = datetime.timedelta(hours=1)


def started(tenant, run):
    return [c["args"]["group_id"] for c in tenant.children(run)]


@pytest.fixture
def calm(tenant):  # noqa: F811
    """Children begin after hours, so that the tests see decisions only."""
    tenant.settings = {f"jobs.{JOB}.spacing_ms": 3600000}
    first = tenant.group()  # takes the first place, which is due at once
    tenant.mark(first, tenant.user(admin=True), ago=999)
    tenant.first = first
    return tenant


def decided(tenant):
    run = tenant.tick(JOB, **tenant.settings)
    marked = set(tenant.ids("group_deletion_schedules", key="group_id"))
    return run, [g for g in started(tenant, run) if g != tenant.first], marked


def test_one_day_before_and_one_day_after_the_due_date(calm):
    calm.period(99)
    calm.period(7)  # the row with the highest id counts
    actor, groups = calm.user(admin=True), [calm.group() for _ in range(3)]
    for group, ago in zip(groups, (6, 7, 8)):
        calm.mark(group, actor, ago)
    run, due, _ = decided(calm)
    assert due == groups[1:] and {"updated_rows": 3, "scheduled": 3, "restored": 0}.items() <= result(run).items()


def test_without_a_grace_period_today_is_due(calm):
    calm.period(0)
    today, tomorrow = calm.group(), calm.group()
    actor = calm.user(admin=True)
    calm.mark(today, actor, 0)
    calm.mark(tomorrow, actor, -1)
    assert decided(calm)[1] == [today]


def test_the_place_in_the_whole_run_gives_the_time(calm):
    calm.period(7)
    actor, nobody = calm.user(admin=True, username="boss"), calm.user()
    groups = [calm.group() for _ in range(6)]
    for group in groups:
        calm.mark(group, nobody if group == groups[2] else actor, 30)
    run = calm.tick(JOB, **calm.settings, **{f"jobs.{JOB}.batch": 2})
    children = calm.children(run)
    begin = children[0]["due_at"]
    assert [(c["args"]["group_id"], (c["due_at"] - begin) / HOUR) for c in children[1:]] == [
        (g, i + 1) for i, g in enumerate(groups) if g != groups[2]]
    assert str(children[1]["run_id"]) == child_id(run["run_id"], CHILD, groups[0])
    assert children[1]["unique_key"] == f"groups.destroy:{groups[0]}" and children[1]["scheduled_at"] == calm.at
    line = next(entry for entry in calm.lines("Group deletion scheduled") if entry["group_id"] == groups[5])
    assert {"level": "info", "namespace": calm.path("Namespace", groups[5]), "user": "boss", "delay_s": 6 * 3600}.items() <= line.items()


@pytest.mark.check_all
def test_whose_mark_counts(calm):
    calm.period(7)
    top = calm.group()
    marked = {}

    def ask(name, actor, group=None, parent=top):
        marked[name] = group or calm.group(parent=parent)
        calm.mark(marked[name], actor, 30)
        return marked[name]

    def shared(expires, access=50, level=50, parent=None):
        actor, invited, group = calm.user(), calm.group(), calm.group(parent=top)
        calm.member(actor, invited, level=level)
        calm.share(parent or group, invited, access=access, expires=expires)
        return actor, group

    direct, inherited = calm.user(), calm.user()
    calm.owner(direct, ask("direct", direct))
    calm.owner(inherited, top)
    ask("inherited", inherited)
    ask("admin", calm.user(admin=True))
    ask("share", *shared(None))
    ask("share until tomorrow", *shared(1))
    over = calm.user()
    calm.owner(over, ask("owner whose date is past", over), expires_at=calm.day(-1))
    for name, refused in {"share until today": shared(0), "share of less": shared(None, access=40),
                          "maintainer by share": shared(None, level=40)}.items():
        ask("no: " + name, *refused)
    for name, more in {"maintainer": {"level": 40}, "request": {"requested_at": "2026-01-01"}, "awaiting": {"state": 1}}.items():
        actor = calm.user()
        calm.member(actor, ask("no: " + name, actor), **({"level": 50} | more))
    blocked = calm.user(state="blocked", admin=True)
    ask("no: blocked", blocked)
    below = calm.user()
    calm.owner(below, calm.group(parent=ask("no: owner of a group below", below)))
    run, due, still_marked = decided(calm)
    names = {name for name, group in marked.items() if group in due}
    assert names == {name for name in marked if not name.startswith("no: ")}
    assert still_marked - {calm.first} == set(due), "the others are restored"
    assert result(run)["restored"] == len(marked) - len(due)


@pytest.mark.check_all
def test_while_a_child_waits_no_second_one(calm):
    calm.period(7)
    group = calm.group()
    calm.mark(group, calm.user(admin=True), 30)
    decided(calm)
    calm.at += datetime.timedelta(seconds=1)
    run, due, _ = decided(calm)
    assert due == [] and {"already_running": 1, "updated_rows": 0}.items() <= result(run).items()


def test_without_a_row_of_settings_it_is_blocked(tenant):
    group = tenant.group()
    tenant.mark(group, tenant.user(), 30)
    run = tenant.tick(JOB)
    assert run["state"] == "finished" and result(run)["status"] == "blocked"
    assert "application_settings" in result(run)["reason"] and tenant.ids("group_deletion_schedules", key="group_id") == [group]


@pytest.mark.check_first(2)
@pytest.mark.parametrize("days", [-2147483648, -400, -1, 1000001, 2147483647])
def test_with_a_period_that_is_none_it_is_blocked(tenant, days):
    """-400 days would take a group on the day on which it is marked; before 2147483647 days there
    is no date."""
    group = tenant.group()
    tenant.period(days)
    tenant.mark(group, tenant.user(), 0)
    run = tenant.tick(JOB)
    assert run["state"] == "finished" and result(run)["status"] == "blocked"
    assert "not from 0" in result(run)["reason"] and tenant.ids("group_deletion_schedules", key="group_id") == [group]


def test_a_plan_says_what_each_child_would_touch(calm):
    calm.period(7)
    group, actor = calm.group(), calm.user(admin=True)
    calm.member(actor, calm.group(parent=group))
    for _ in range(2):
        calm.project(group)
    calm.mark(group, actor, 30)
    refused = calm.group()
    calm.mark(refused, calm.user(), 30)
    lines = calm.pruned.run("plan", JOB, "--at", calm.at.isoformat(), "--json").ok().json()
    by_key = {line["key"]: line for line in lines if "key" in line}
    assert by_key[str(group)]["action"] == "scheduled"
    assert by_key[str(group)]["reason"] == "2 groups, 2 projects, 1 member, 0 artifacts"
    assert by_key[str(refused)]["action"] == "restored" and lines[-1]["summary"] == {"scheduled": 2, "restored": 1}
    assert len(calm.ids("group_deletion_schedules", key="group_id")) == 3
