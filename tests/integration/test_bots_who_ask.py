"""A project bot that has asked for the deletion of groups is needed until they are gone: the
deletions that were asked for happen, whatever removes the bot first."""

import datetime

import pytest

from support.doomed import CHILD, JOB
from support.instance import Tenant, tenant  # noqa: F401
from support.scene import result

DESTROY, EXPIRED = "users.destroy", "members.remove_expired"
LATER, AT_ONCE = {f"jobs.{JOB}.spacing_ms": 3600000}, {f"jobs.{JOB}.spacing_ms": 0}


class WithBot(Tenant):
    bot: int
    first: int  # a group of the bot
    second: int


@pytest.fixture
def asked(tenant):  # noqa: F811
    """A bot that owns two groups, each with something below it, and has marked the second one."""
    tenant = WithBot.of(tenant)
    tenant.period(7)
    tenant.bot = tenant.user(user_type=6)
    tenant.first, tenant.second = (tenant.group(path=f"{name}-deletion_scheduled-{{id}}") for name in ("first", "second"))
    for group in (tenant.first, tenant.second):
        tenant.owner(tenant.bot, group)
        tenant.project(tenant.group(parent=group))
    return tenant


def wake(tenant, job):  # noqa: F811
    tenant.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting' AND job = %s", [job])
    tenant.work()


def groups(tenant):  # noqa: F811
    return tenant.ids("namespaces", "type = 'Group'")


def the_bots_run(tenant):  # noqa: F811
    (run,) = tenant.runs(DESTROY)
    return run


@pytest.mark.parametrize("batch", [1, 1000])
def test_the_second_group_goes_too_and_then_the_bot(asked, batch):
    asked.mark(asked.first, asked.bot, 30)
    asked.mark(asked.second, asked.bot, 30)
    asked.put("issues", author_id=asked.bot)
    asked.tick(JOB, **LATER, **{f"jobs.{CHILD}.batch": batch})
    run = the_bots_run(asked)
    assert len(groups(asked)) == 2 and asked.second in groups(asked) and asked.row("users", asked.bot)["state"] == "active"
    assert (run["state"], run["attempts"]) == ("waiting", 0) and f"deletion of group {asked.second}" in run["error"]
    wake(asked, CHILD)
    assert groups(asked) == [] and asked.ids("users", f"id = {asked.bot}") == []
    assert result(the_bots_run(asked))["removed"] == 1 and the_bots_run(asked)["run_id"] == run["run_id"]
    assert len(asked.outcomes("GroupDeleted")) == 4 and asked.outcomes("GroupRestored") == []


@pytest.mark.parametrize("how", ["its other group is deleted", "its other membership expires"])
def test_a_bot_that_is_to_go_waits_for_the_day_of_its_mark(asked, how):
    asked.mark(asked.second, asked.bot, 6)
    if how == "its other group is deleted":
        asked.mark(asked.first, asked.user(admin=True), 30)
        asked.tick(JOB, **AT_ONCE)
    else:
        asked.database.execute("UPDATE members SET expires_at = %s WHERE source_id = %s", [asked.day(-1), asked.first])
        asked.tick(EXPIRED)
    assert the_bots_run(asked)["state"] == "waiting" and asked.second in groups(asked)
    asked.database.execute("UPDATE group_deletion_schedules SET marked_for_deletion_on = %s", [asked.day(-7)])
    asked.tick(JOB, at=asked.at + datetime.timedelta(seconds=30), **AT_ONCE)
    assert asked.second not in groups(asked) and asked.ids("users", f"id = {asked.bot}") == []
    assert asked.outcomes("GroupRestored") == []


@pytest.mark.parametrize("others", [0, 2])
def test_a_mark_whose_right_went_with_a_membership_is_the_ghosts_and_the_group_is_restored(asked, others):
    """Bots go together where nothing is unusual."""
    for bot in [asked.user(user_type=6) for _ in range(others)]:
        asked.member(bot, asked.first, expires_at=asked.day(-1))
    asked.mark(asked.second, asked.bot, 5)
    asked.database.execute("UPDATE members SET expires_at = %s WHERE source_id = %s", [asked.day(-1), asked.second])
    asked.tick(EXPIRED)
    (ghost,) = asked.ids("users", "user_type = 5")
    assert asked.ids("users", "user_type = 6") == [] and {run["state"] for run in asked.runs(DESTROY)} == {"finished"}
    assert asked.row("group_deletion_schedules", asked.second, "group_id")["user_id"] == ghost
    asked.database.execute("UPDATE users SET admin = true WHERE id = %s", [ghost])  # gives nothing
    asked.database.execute("UPDATE group_deletion_schedules SET marked_for_deletion_on = %s", [asked.day(-7)])
    assert result(asked.tick(JOB, **AT_ONCE))["restored"] == 1
    assert asked.path("Namespace", asked.second) == "second" and asked.ids("group_deletion_schedules", key="group_id") == []


def test_a_bot_that_is_blocked_or_marks_later_is_not_waited_for(asked):
    asked.mark(asked.second, asked.bot, -1)
    asked.database.execute("UPDATE members SET expires_at = %s WHERE source_id = %s", [asked.day(-1), asked.first])
    blocked = asked.user(user_type=6, state="blocked")
    third = asked.group()
    asked.owner(blocked, third)
    asked.mark(third, blocked, 1)
    asked.member(blocked, asked.first, expires_at=asked.day(-1))
    asked.tick(EXPIRED)
    assert asked.ids("users", "user_type = 6") == [] and len(asked.ids("group_deletion_schedules", key="group_id")) == 2


def test_a_group_that_is_taken_down_half_way_keeps_its_bot_until_it_is_gone(asked):
    """The bot's right went with the group's own rows, and the deletion failed then."""
    asked.mark(asked.second, asked.bot, 30)
    for _ in range(3):
        asked.put("todos", user_id=asked.user(), author_id=1, group_id=asked.second, target_type="Epic", action=1, state="pending")
    asked.database.connection.execute("""
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$ BEGIN
          IF (SELECT count(*) FROM todos) < 2 THEN RAISE EXCEPTION 'not now'; END IF; RETURN NULL; END $$;
        CREATE TRIGGER refuse AFTER DELETE ON todos FOR EACH STATEMENT EXECUTE FUNCTION refuse()""")
    asked.tick(JOB, **AT_ONCE, **{f"jobs.{CHILD}.batch": 1})
    (run,) = asked.runs(CHILD)
    assert (run["state"], run["attempts"]) == ("waiting", 1) and asked.ids("members", f"source_id = {asked.second}") == []
    asked.database.execute("UPDATE members SET expires_at = %s WHERE source_id = %s", [asked.day(-1), asked.first])
    asked.tick(EXPIRED)
    assert the_bots_run(asked)["state"] == "waiting" and asked.row("users", asked.bot)["state"] == "active"
    asked.database.connection.execute("DROP TRIGGER refuse ON todos")
    wake(asked, CHILD)
    assert asked.second not in groups(asked) and asked.ids("users", f"id = {asked.bot}") == []
