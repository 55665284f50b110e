"""`pruned plan` of scheduled removals goes in the same order as the steps: the same memberships go,
and the same owners stay."""

import random

import pytest

from model import compare, load
from support.instance import Instance, tenant  # noqa: F401
from support.judge import SEEDS, new_judge  # noqa: F401

JOB, CHILD = "members.schedule_prune_deletions", "members.prune_deletions"


def planned(pruned, at):
    *lines, last = pruned.run("plan", CHILD, "--at", at.isoformat(), "--json").ok().json()
    assert sum(last["summary"].values()) == len(lines)
    return {(line["table"], int(line["key"]), line["action"]) for line in lines if line["action"] != "gone"}


def done(pruned):
    """The same, for what the run did."""
    said = {"MemberRemoved": "removed", "MemberKept": "denied"}
    here = {str(id) for id in pruned.database.column("SELECT run_id FROM pruned.runs WHERE job = %s", [CHILD])}
    lines = {("members", m.value["member_id"], said[kind]) for m in pruned.topics.outcomes() if str(m.value["run_id"]) in here
             for kind in [m.schema.rpartition(".")[2]] if kind in said}
    return lines | {("members_deletion_schedules", int(key), "removed") for key in pruned.database.column(
        "SELECT jsonb_array_elements(keys) FROM pruned.deletions WHERE table_name = 'members_deletion_schedules'")}


def test_owners_of_several_schedules_are_judged_schedule_by_schedule(tenant):  # noqa: F811
    """The user scheduled first goes everywhere; the other one is then the last owner of both
    groups. With steps of one row the result is the same."""
    admin, first, second = tenant.user(admin=True), tenant.user(), tenant.user()
    root = tenant.group()
    one, two = tenant.group(parent=root), tenant.group(parent=root)
    goes = [tenant.owner(first, one)]
    stays = [tenant.owner(second, two)]
    goes.append(tenant.owner(first, two))
    stays.append(tenant.owner(second, one))
    schedules = [tenant.leave(root, user, admin) for user in (first, second)]
    tenant.pruned.settings[f"jobs.{CHILD}.batch"] = 1
    plan = planned(tenant.pruned, tenant.at)
    tenant.tick(JOB)
    assert tenant.ids("members") == stays
    assert plan == done(tenant.pruned) == {("members", id, "removed") for id in goes} | {("members", id, "denied") for id in stays} | {
        ("members_deletion_schedules", id, "removed") for id in schedules}


def test_an_actor_who_goes_by_an_earlier_schedule_has_no_rights_in_the_next(tenant):  # noqa: F811
    admin, boss, leaver = tenant.user(admin=True), tenant.user(), tenant.user()
    root = tenant.group()
    tenant.owner(tenant.user(), root)
    rights = tenant.owner(boss, root)
    first, second = (tenant.member(leaver, group) for group in (root, tenant.group(parent=root)))
    tenant.leave(root, boss, admin)
    tenant.leave(root, leaver, boss)
    tenant.pruned.settings[f"jobs.{CHILD}.batch"] = 1
    plan = planned(tenant.pruned, tenant.at)
    tenant.tick(JOB)
    assert plan == done(tenant.pruned)
    assert {("members", rights, "removed"), ("members", first, "denied"), ("members", second, "denied")} <= plan


def test_items_in_quarantine_are_shown_as_such(tenant):  # noqa: F811
    admin, leaver = tenant.user(admin=True), tenant.user()
    root = tenant.group()
    held, goes = (tenant.member(leaver, tenant.group(parent=root)) for _ in range(2))
    schedule = tenant.leave(root, leaver, admin)
    tenant.database.execute("INSERT INTO pruned.quarantine (job, item, reason, attempts, parked, next_try_at) "
                            "VALUES (%s, 'members:' || %s, 'a test', 1, true, now())", [CHILD, held])
    plan = planned(tenant.pruned, tenant.at)
    assert plan == {("members", held, "parked"), ("members", goes, "removed"), ("members_deletion_schedules", schedule, "kept")}
    tenant.tick(JOB)
    assert tenant.ids("members") == [held] and tenant.ids("members_deletion_schedules") == [schedule]


def test_an_owner_beside_whom_another_was_denied_may_go(tenant):  # noqa: F811
    """A user on the same page who stays is still an owner."""
    admin, blocked, first, second = tenant.user(admin=True), tenant.user(state="blocked"), tenant.user(), tenant.user()
    root = tenant.group()
    goes, stays = tenant.owner(first, root), tenant.owner(second, root)
    tenant.leave(root, first, admin)
    tenant.leave(root, second, blocked)
    plan = planned(tenant.pruned, tenant.at)
    tenant.tick(JOB)
    assert tenant.ids("members") == [stays]
    assert plan == done(tenant.pruned) and ("members", goes, "removed") in plan


@pytest.fixture(scope="module")
def judge(new_judge):  # noqa: F811
    """Few rows at once, so that decisions depend on earlier steps."""
    return new_judge(JOB, {f"jobs.{CHILD}.batch": 2, f"jobs.{CHILD}.schedules": 3})


def owners_leave(seed):
    """A few hierarchies in which few users own many groups and most of these users are to leave.
    Several schedules are about the same user."""
    def prepare(database):
        dice, there = random.Random(seed), Instance(database)
        people = [there.user(username=f"late{i}", admin=dice.random() < 0.1, state=dice.choice(["active"] * 5 + ["blocked"])) for i in range(6)]
        for _ in range(2):
            groups = [there.group()]
            for _ in range(dice.randrange(6)):
                groups.append(there.group(parent=dice.choice(groups)))
            for group in groups:
                for user in dice.sample(people, dice.randrange(1, 4)):
                    there.member(user, group, level=dice.choice([30, 50, 50, 50]))
            for user in people:
                for group in dice.sample(groups, dice.randrange(min(3, len(groups) + 1))):
                    there.leave(group, user, dice.choice([actor for actor in people if actor != user]))
    return prepare


@pytest.mark.check_all
@pytest.mark.parametrize("seed", range(100, 100 + SEEDS))
def test_a_run_does_what_its_plan_showed(judge, seed):
    t = judge.fill(seed, size=20 + seed % 5 * 10)
    owners_leave(seed)(judge.database)
    before = load(judge.database.connection)
    plan = planned(judge.pruned, t)
    assert compare(before, load(judge.database.connection), before, ignore_tables=()) == []
    judge.pruned.topics.tick(JOB, t)
    judge.wait(seed)
    assert plan == done(judge.pruned)
