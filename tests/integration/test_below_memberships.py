"""Rows of other tables that a foreign key would delete or change with a membership go before it,
and are recorded: where a user goes, where a removal was scheduled, and where a membership has
expired. Those that row-level security hides keep it."""

import datetime

import pytest

from integration.test_row_security import hide
from integration.test_users_destroyed import on_change
from support.instance import tenant  # noqa: F401
from support.restored import actions, restore, world
from support.scene import refuse_rows, result

JOB = "users.destroy"
TABLES = """
CREATE TABLE badges (id bigint PRIMARY KEY, member_id bigint REFERENCES members ON DELETE CASCADE);
CREATE TABLE ribbons (id bigint PRIMARY KEY, badge_id bigint REFERENCES badges ON DELETE CASCADE);
CREATE TABLE desks (id bigint PRIMARY KEY, member_id bigint REFERENCES members ON DELETE SET NULL);
GRANT SELECT, INSERT, UPDATE, DELETE ON badges, ribbons, desks TO PUBLIC;
"""


class Bots:
    """Bots whose time is over in one project, each with a membership of another: {bot: membership}.
    """

    def __init__(self, tenant, number):  # noqa: F811
        home, other = tenant.project(tenant.group()), tenant.project(tenant.group())
        self.tenant, self.database, self.of = tenant, tenant.database, {}
        for _ in range(number):
            bot = tenant.user(user_type=6)
            tenant.member(bot, project=home, expires_at=tenant.day(-1))
            self.of[bot] = tenant.member(bot, project=other)

    def hand_over(self):
        """Their runs are there, and have not begun."""
        self.tenant.pruned.run("pause", JOB).ok()
        self.tenant.tick("members.remove_expired")
        self.tenant.pruned.run("resume", JOB).ok()

    def runs(self):
        return {int(run["args"]["user_id"]): run for run in self.tenant.runs(JOB)}

    def told(self, run):
        """What the run has removed and changed, in this order."""
        return self.database.rows("SELECT step, action, table_name, keys FROM pruned.deletions WHERE run_id = %s "
                                  "ORDER BY step, cmin::text::int", [run["run_id"]])


@pytest.fixture(params=[1, 8])
def bots(request, tenant):  # noqa: F811
    tenant.pruned.settings[f"jobs.{JOB}.capacity"] = 1
    tenant.database.connection.execute(TABLES)
    return Bots(tenant, request.param)


@pytest.fixture
def bot(tenant):  # noqa: F811
    tenant.database.connection.execute(TABLES)
    return Bots(tenant, 1)


@pytest.mark.check_all
def test_rows_below_a_membership_go_before_it_and_come_back(bots):
    first, membership = next(iter(bots.of.items()))
    for table, row in (("badges", {"id": 1, "member_id": membership}), ("ribbons", {"id": 2, "badge_id": 1}),
                       ("desks", {"id": 3, "member_id": membership})):
        bots.tenant.put(table, **row)
    bots.hand_over()
    before = world(bots.database)
    bots.tenant.work()
    runs = bots.runs()
    assert {(run["state"], run["attempts"]) for run in runs.values()} == {("finished", 0)}
    assert bots.tenant.ids("users", "user_type = 6") == [] and bots.tenant.ids("badges") == bots.tenant.ids("ribbons") == []
    assert bots.tenant.row("desks", 3)["member_id"] is None
    told = [(row["action"], row["table_name"], row["keys"]) for row in bots.told(runs[first])]
    assert told[:5] == [("updated", "users", [first]), ("deleted", "ribbons", [2]), ("deleted", "badges", [1]),
                        ("updated", "desks", [3]), ("deleted", "members", [membership])]
    for bot_, run in runs.items():  # the others go together, and nothing of it is theirs
        if bot_ != first:
            assert [row["table_name"] for row in bots.told(run)] == ["users", "members", "ghost_user_migrations", "users"]
    for run in runs.values():
        assert actions(restore(bots.tenant.pruned, run["run_id"])) <= {"restored", "left out"}
    assert world(bots.database) == before


@pytest.mark.check_all
def test_a_row_that_comes_below_a_membership_meanwhile_is_recorded_too(bots):
    """A trigger makes it as soon as the user is blocked."""
    on_change(bots.tenant, "UPDATE ON users",
              "INSERT INTO public.badges SELECT m.id, m.id FROM public.members m WHERE m.user_id = NEW.id ON CONFLICT DO NOTHING")
    bots.hand_over()
    bots.tenant.work()
    for bot_, run in bots.runs().items():
        assert (run["state"], run["attempts"]) == ("finished", 0)
        told = [(row["table_name"], row["keys"]) for row in bots.told(run)]
        assert told[:3] == [("users", [bot_]), ("badges", [bots.of[bot_]]), ("members", [bots.of[bot_]])]
    assert bots.tenant.ids("badges") == []


@pytest.mark.check_all
def test_no_step_removes_more_rows_than_its_limit(bot):
    (membership,) = bot.of.values()
    for n in range(1, 6):
        bot.tenant.put("badges", id=n, member_id=membership)
    bot.tenant.pruned.settings[f"jobs.{JOB}.batch"] = 2
    bot.hand_over()
    bot.tenant.work()
    (run,) = bot.runs().values()
    assert run["state"] == "finished" and run["attempts"] == 0
    told = [(row["table_name"], len(row["keys"])) for row in bot.told(run) if row["table_name"] in ("badges", "members")]
    assert told == [("badges", 2), ("badges", 2), ("badges", 1), ("members", 1)]


@pytest.mark.check_all
def test_a_row_that_a_trigger_keeps_keeps_the_membership(bot):
    (membership,) = bot.of.values()
    bot.tenant.put("badges", id=1, member_id=membership)
    refuse_rows(bot.database, "true", how="RETURN NULL", table="badges")
    bot.hand_over()
    bot.tenant.work()
    (run,) = bot.runs().values()
    assert (run["state"], run["attempts"]) == ("waiting", 1) and "rows of badges stay" in run["error"]
    assert bot.tenant.ids("badges") == [1] and bot.tenant.ids("members") == [membership]


@pytest.mark.check_all
def test_rows_without_rights_go_by_their_key_and_their_table_is_named(bot):
    (membership,) = bot.of.values()
    bot.database.connection.execute("CREATE TABLE theirs (id bigint PRIMARY KEY, member_id bigint REFERENCES members ON DELETE CASCADE)")
    bot.tenant.put("theirs", id=1, member_id=membership)
    bot.hand_over()
    bot.tenant.work()
    assert bot.tenant.ids("theirs") == [] and bot.tenant.ids("users", "user_type = 6") == []
    (line,) = bot.tenant.lines("No right to delete rows of this table: grant SELECT, UPDATE and DELETE")
    assert (line["level"], line["table"], line["user_id"]) == ("warning", "theirs", next(iter(bot.of)))


@pytest.mark.check_all
@pytest.mark.parametrize("table", ["badges", "ribbons", "desks"])
def test_hidden_rows_below_a_membership_keep_the_user(bots, table):
    bots.hand_over()
    hide(bots.database, table)
    bots.tenant.work()
    for run in bots.runs().values():
        assert (run["state"], run["attempts"]) == ("waiting", 0) and f"row-level security hides rows of {table} " in run["error"]
    assert bots.tenant.ids("members") == sorted(bots.of.values())
    assert bots.tenant.ids("users", "user_type = 6 AND state = 'blocked'") == []


# --- members.prune_deletions

SCHEDULED, PRUNE = "members.schedule_prune_deletions", "members.prune_deletions"


@pytest.fixture
def leaving(tenant):  # noqa: F811
    """Memberships of a user who is to leave, and one that nobody may remove; each has a badge of
    the same id."""
    tenant.database.connection.execute(TABLES)
    top, user, other = tenant.group(), tenant.user(), tenant.user()
    members = [tenant.member(user, project=tenant.project(top)) for _ in range(4)] + [tenant.member(other, top)]
    for member in members:
        tenant.put("badges", id=member, member_id=member)
    tenant.leave(top, user, tenant.user(admin=True))
    tenant.leave(top, other, tenant.user())
    return tenant, members


@pytest.mark.check_all
@pytest.mark.parametrize("how", ["RAISE EXCEPTION 'stays'", "RETURN NULL"])
def test_rows_below_scheduled_removals_go_and_those_of_others_stay(leaving, how):
    """One membership is denied, and a trigger keeps another."""
    tenant, members = leaving  # noqa: F811
    goes, stays = [members[0], members[2], members[3]], [members[1], members[4]]
    refuse_rows(tenant.database, f"OLD.id = {members[1]}", how=how, table="members")
    tenant.tick(SCHEDULED)
    (run,) = tenant.runs(PRUNE)
    assert tenant.ids("members") == tenant.ids("badges") == stays
    told = tenant.database.rows("SELECT table_name, keys FROM pruned.deletions WHERE run_id = %s AND table_name IN ('badges', 'members') "
                                "ORDER BY cmin::text::int", [run["run_id"]])
    assert [(row["table_name"], sorted(row["keys"])) for row in told] == [("badges", goes), ("members", goes)]
    tenant.database.execute("DROP TRIGGER members_refuse ON members")
    assert "cannot be" not in actions(restore(tenant.pruned, run["run_id"]))
    assert tenant.ids("members") == tenant.ids("badges") == members


@pytest.mark.check_first(1)
@pytest.mark.parametrize("how, reason", [("RAISE EXCEPTION 'stays'", "stays"), ("RETURN NULL", "rows of badges stay")])
def test_a_row_that_a_trigger_keeps_keeps_its_membership_only(leaving, how, reason):
    tenant, members = leaving  # noqa: F811
    tenant.pruned.settings[f"jobs.{PRUNE}.max_rows"] = 8
    said = tenant.pruned.run("plan", PRUNE, "--at", tenant.at.isoformat()).ok().stdout.splitlines()
    assert said[-2:] == ["with them: 4 rows of badges", "would be held: 11 rows are above max_rows 8"]
    tenant.pruned.settings[f"jobs.{PRUNE}.max_rows"] = 11
    refuse_rows(tenant.database, f"OLD.id = {members[1]}", how=how, table="badges")
    tenant.tick(SCHEDULED)
    (run,) = tenant.runs(PRUNE)
    assert (run["rows_done"], run["result"]["tables"]) == (1 + 3 + 3, {"badges": {"deleted": 3}})
    (entry,) = tenant.database.rows("SELECT * FROM pruned.quarantine WHERE item LIKE 'members:%'")
    assert entry["item"] == f"members:{members[1]}" and reason in entry["reason"]
    assert tenant.ids("members") == tenant.ids("badges") == [members[1], members[4]]


def test_rows_below_scheduled_removals_count_before_the_first_goes(leaving):
    """Five memberships, two schedules, and the badges of the four that may go; a step takes one
    schedule, and one membership of it."""
    tenant, members = leaving  # noqa: F811
    tenant.pruned.settings |= {f"jobs.{PRUNE}.max_rows": 10, f"jobs.{PRUNE}.batch": 1, f"jobs.{PRUNE}.schedules": 1}
    tenant.tick(SCHEDULED)
    (run,) = tenant.runs(PRUNE)
    assert (run["state"], run["error"]) == ("held", "held: 11 rows are above max_rows 10")
    assert tenant.ids("members") == tenant.ids("badges") == members
    tenant.pruned.run("approve", run["run_id"]).ok()
    tenant.work()
    assert tenant.ids("members") == tenant.ids("badges") == members[4:]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("table", ["badges", "desks"])
def test_hidden_rows_below_memberships_keep_them(leaving, table):
    tenant, members = leaving  # noqa: F811
    hide(tenant.database, table)
    tenant.tick(SCHEDULED)
    (run,) = tenant.runs(PRUNE)
    assert (run["state"], run["attempts"]) == ("waiting", 0) and f"row-level security hides rows of {table} " in run["error"]
    assert tenant.ids("members") == members and len(tenant.ids("members_deletion_schedules")) == 2


# --- members.remove_expired

EXPIRED = "members.remove_expired"


@pytest.fixture
def expired(tenant):  # noqa: F811
    """Five expired memberships of one group, the last of its only owner, who is kept; each has a
    badge, which has a ribbon, and a desk of the same id."""
    tenant.database.connection.execute(TABLES)
    group = tenant.group()
    members = [tenant.member(tenant.user(), group, level=level, expires_at=tenant.day(-1)) for level in (10, 20, 30, 40, 50)]
    for member in members:
        tenant.put("badges", id=member, member_id=member)
        tenant.put("ribbons", id=member, badge_id=member)
        tenant.put("desks", id=member, member_id=member)
    return tenant, members


def order(database, run):
    """Each action on the tables of these tests and on memberships, in its order."""
    rows = database.rows("SELECT action, table_name, keys FROM pruned.deletions WHERE run_id = %s AND table_name IN "
                         "('badges', 'ribbons', 'desks', 'members') ORDER BY step, cmin::text::int", [run["run_id"]])
    return [(row["action"], row["table_name"], sorted(row["keys"])) for row in rows]


def test_rows_below_expired_memberships_go_before_them_and_come_back(expired):
    tenant, members = expired  # noqa: F811
    goes, stays = members[:4], members[4:]
    before = world(tenant.database)
    tenant.pruned.settings[f"jobs.{EXPIRED}.max_rows"] = 15
    said = tenant.pruned.run("plan", EXPIRED, "--at", tenant.at.isoformat()).ok().stdout.splitlines()
    assert said[-4:] == ["with them: 4 rows of ribbons", "with them: 4 rows of badges", "changed with them: 4 rows of desks",
                         "would be held: 16 rows are above max_rows 15"]
    held = tenant.tick(EXPIRED)
    assert (held["state"], held["error"]) == ("held", "held: 16 rows are above max_rows 15") and world(tenant.database) == before
    tenant.pruned.run("approve", held["run_id"]).ok()
    tenant.work()
    run = tenant.pruned.run_row(held["run_id"])
    assert {k: result(run)[k] for k in ("removed", "kept", "failed")} == {"removed": 4, "kept": 1, "failed": 0}
    assert (run["rows_done"], run["result"]["others"]) == (16, 12)
    assert run["result"]["tables"] == {"ribbons": {"deleted": 4}, "badges": {"deleted": 4}, "desks": {"changed": 4}}
    assert tenant.ids("members") == tenant.ids("badges") == tenant.ids("ribbons") == stays
    assert {id_: tenant.row("desks", id_)["member_id"] for id_ in members} == {id_: id_ if id_ in stays else None for id_ in members}
    told = order(tenant.database, run)
    assert told == [("deleted", "ribbons", goes), ("deleted", "badges", goes), ("updated", "desks", goes), ("deleted", "members", goes)]
    assert actions(restore(tenant.pruned, run["run_id"])) <= {"restored", "left out"}
    assert world(tenant.database) == before


@pytest.mark.check_all
@pytest.mark.parametrize("table", ["members", "badges", "ribbons"])
@pytest.mark.parametrize("how", ["RAISE EXCEPTION 'stays'", "RETURN NULL"])
def test_a_row_that_stays_keeps_its_expired_membership_only(expired, table, how):
    """What went below it in a try that failed is back."""
    tenant, members = expired  # noqa: F811
    refuse_rows(tenant.database, f"OLD.id = {members[1]}", how=how, table=table)
    run = tenant.tick(EXPIRED)
    assert {k: result(run)[k] for k in ("removed", "kept", "failed")} == {"removed": 3, "kept": 1, "failed": 1}
    stays = [members[1], members[4]]
    assert tenant.ids("members") == tenant.ids("badges") == tenant.ids("ribbons") == stays
    assert tenant.row("desks", members[1])["member_id"] == members[1]
    (entry,) = tenant.database.rows("SELECT * FROM pruned.quarantine")
    assert entry["item"] == f"members:{members[1]}"
    gone = [id_ for _action, name, ids in order(tenant.database, run) if name == "badges" for id_ in ids]
    assert sorted(gone) == [members[0], members[2], members[3]]


def test_rows_below_the_membership_of_a_timer_go_too(expired):
    tenant, members = expired  # noqa: F811
    tenant.pruned.run("emit", "MemberExpirySet", f"member_id={members[0]}", f"expires_at={tenant.day(-1)}").ok()
    tenant.work()
    (run,) = tenant.runs(EXPIRED)
    assert order(tenant.database, run)[1] == ("deleted", "badges", members[:1])
    assert tenant.ids("members") == tenant.ids("badges") == members[1:]


def test_a_membership_below_which_a_project_would_go_stays(tenant):  # noqa: F811
    tenant.database.connection.execute("ALTER TABLE projects ADD member_id bigint REFERENCES members ON DELETE CASCADE")
    group = tenant.group()
    first, second = (tenant.member(tenant.user(), group, level=30, expires_at=tenant.day(-1)) for _ in range(2))
    project = tenant.project(group)
    tenant.database.execute("UPDATE projects SET member_id = %s WHERE id = %s", [first, project])
    run = tenant.tick(EXPIRED)
    assert (result(run)["removed"], result(run)["failed"]) == (1, 1)
    assert tenant.ids("members") == [first] and tenant.ids("projects") == [project]
    (entry,) = tenant.database.rows("SELECT * FROM pruned.quarantine")
    assert entry["item"] == f"members:{first}" and "rows of projects refer" in entry["reason"]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("table", ["badges", "ribbons", "desks"])
def test_hidden_rows_below_memberships_keep_expired_ones(tenant, table):  # noqa: F811
    tenant.database.connection.execute(TABLES)
    member = tenant.member(tenant.user(), tenant.group(), expires_at=tenant.day(-1))
    hide(tenant.database, table)
    run = tenant.tick("members.remove_expired")
    assert result(run)["status"] == "blocked" and f"row-level security hides rows of {table} " in run["error"]
    assert tenant.ids("members") == [member]
    tenant.database.connection.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY")
    again = tenant.tick("members.remove_expired", at=tenant.at + datetime.timedelta(seconds=1))
    assert result(again)["removed"] == 1 and tenant.ids("members") == []


def test_what_lies_below_other_tables_keeps_no_expired_membership(tenant):  # noqa: F811
    tenant.database.connection.execute(TABLES + "CREATE TABLE beside (id bigint PRIMARY KEY, desk_id bigint REFERENCES desks ON DELETE CASCADE)")
    tenant.member(tenant.user(), tenant.group(), expires_at=tenant.day(-1))
    hide(tenant.database, "beside")
    assert result(tenant.tick("members.remove_expired"))["removed"] == 1
