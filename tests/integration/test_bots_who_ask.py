"""A project bot that has asked for the deletion of groups is needed while that goes on: a deletion
that has begun is finished, whatever removes the bot. Marks whose deletion has not begun go with
it."""

import datetime

import pytest

from support.doomed import CHILD, JOB, audited
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
    """A bot that owns two groups, each with something below it."""
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


def begin(tenant, group):  # noqa: F811
    """The first step of the group's deletion is done, and the second one fails until end()."""
    tenant.put("todos", user_id=tenant.user(), author_id=1, group_id=group, target_type="Epic", action=1, state="pending")
    tenant.database.connection.execute(f"""
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$ BEGIN
          RAISE EXCEPTION 'not now'; END $$;
        CREATE TRIGGER refuse BEFORE DELETE ON todos FOR EACH ROW WHEN (OLD.group_id = {group}) EXECUTE FUNCTION refuse()""")


def end(tenant):  # noqa: F811
    tenant.database.connection.execute("DROP TRIGGER refuse ON todos")
    wake(tenant, CHILD)


def deleted_marks(tenant):  # noqa: F811
    return audited(tenant, "group_deletion_schedules")


def expire(tenant, group):  # noqa: F811
    tenant.database.execute("UPDATE members SET expires_at = %s WHERE source_id = %s", [tenant.day(-1), group])
    tenant.tick(EXPIRED)


@pytest.mark.check_all
@pytest.mark.parametrize("batch", [1, 1000])
def test_the_second_group_goes_too_and_then_the_bot(asked, batch):
    """Both deletions have begun; the second one fails until the first group is gone."""
    asked.mark(asked.first, asked.bot, 30)
    asked.mark(asked.second, asked.bot, 30)
    asked.put("issues", author_id=asked.bot)
    begin(asked, asked.second)
    asked.tick(JOB, **AT_ONCE, **{f"jobs.{CHILD}.batch": batch})
    run = the_bots_run(asked)
    assert asked.first not in groups(asked) and asked.second in groups(asked) and asked.row("users", asked.bot)["state"] == "active"
    assert (run["state"], run["attempts"]) == ("waiting", 0)
    assert run["error"] == f"user {asked.bot} has asked for the deletion of group {asked.second}, which has begun, and goes after it"
    end(asked)
    assert groups(asked) == [] and asked.ids("users", f"id = {asked.bot}") == []
    assert result(the_bots_run(asked))["removed"] == 1 and the_bots_run(asked)["run_id"] == run["run_id"]
    assert len(asked.outcomes("GroupDeleted")) == 4 and asked.outcomes("GroupRestored") == []


@pytest.mark.check_all
def test_what_the_application_has_begun_is_waited_for_too(asked):
    asked.mark(asked.second, asked.bot, 6)
    asked.database.execute("INSERT INTO namespace_details (namespace_id, deleted_at) VALUES (%s, now()) "
                           "ON CONFLICT (namespace_id) DO UPDATE SET deleted_at = now()", [asked.second])
    expire(asked, asked.first)
    assert the_bots_run(asked)["state"] == "waiting" and asked.row("users", asked.bot)["state"] == "active"
    asked.database.execute("UPDATE group_deletion_schedules SET marked_for_deletion_on = %s", [asked.day(-7)])
    asked.tick(JOB, at=asked.at + datetime.timedelta(seconds=30), **AT_ONCE)
    assert asked.second not in groups(asked) and asked.ids("users", f"id = {asked.bot}") == []


@pytest.mark.check_first(1)
@pytest.mark.parametrize("how, others", [
    ("its other group is deleted", 0), ("its other membership expires", 0), ("its other membership expires", 2),
    ("its own membership expires", 0)])
def test_a_mark_whose_deletion_has_not_begun_goes_with_the_bot(asked, how, others):
    """Bots go together where nothing is unusual."""
    for bot in [asked.user(user_type=6) for _ in range(others)]:
        asked.member(bot, asked.first, expires_at=asked.day(-1))
    asked.mark(asked.second, asked.bot, 6)
    below = asked.ids("namespaces", f"{asked.second} = ANY (traversal_ids)")
    names = asked.database.rows("SELECT id, name, path FROM namespaces WHERE id = ANY (%s) ORDER BY id", [below])
    path = asked.path("Namespace", asked.second)
    if how == "its other group is deleted":
        asked.mark(asked.first, asked.bot, 30)
        asked.tick(JOB, **AT_ONCE)
    else:
        expire(asked, asked.first if how == "its other membership expires" else asked.second)
    assert asked.ids("users", f"id = {asked.bot}") == [] and {run["state"] for run in asked.runs(DESTROY)} == {"finished"}
    assert (asked.first in groups(asked)) is (how != "its other group is deleted")
    assert asked.ids("group_deletion_schedules", key="group_id") == [] and asked.second in deleted_marks(asked)
    assert asked.database.rows("SELECT id, name, path FROM namespaces WHERE id = ANY (%s) ORDER BY id", [below]) == names
    assert asked.path("Namespace", asked.second) == path and path.endswith(f"-deletion_scheduled-{asked.second}")
    assert asked.ids("namespace_details", f"namespace_id = {asked.second} AND deleted_at IS NOT NULL", key="namespace_id") == []
    assert asked.outcomes("GroupRestored") == []


@pytest.mark.check_all
def test_a_deletion_that_is_due_and_has_not_begun_is_not_waited_for(asked):
    asked.mark(asked.first, asked.bot, 30)
    asked.mark(asked.second, asked.bot, 30)
    asked.tick(JOB, **LATER)
    assert asked.second in groups(asked) and asked.ids("users", f"id = {asked.bot}") == []
    wake(asked, CHILD)
    assert len(groups(asked)) == 2 and asked.second in deleted_marks(asked)
    assert {run["state"] for run in asked.runs(CHILD)} == {"finished"} and len(asked.ids("projects")) == 1


def test_a_bot_that_has_lost_the_right_is_not_waited_for(asked):
    asked.mark(asked.second, asked.bot, 30)
    begin(asked, asked.second)
    asked.tick(JOB, **AT_ONCE)
    asked.database.execute("UPDATE members SET access_level = 40 WHERE source_id = %s", [asked.second])
    expire(asked, asked.first)
    assert asked.ids("users", f"id = {asked.bot}") == [] and deleted_marks(asked) == [asked.second]


@pytest.mark.check_all
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
