"""A user who is destroyed: no row of others goes along, nothing refers to the user afterwards, and
no user is forgotten."""

import pytest

from support.doomed import destroy as destroy_group, doom
from support.instance import Tenant, tenant  # noqa: F401
from support.restored import restore
from support.scene import result

EXPIRED, JOB = "members.remove_expired", "users.destroy"
AGAIN = f"UPDATE pruned.runs SET due_at = now() WHERE job = '{JOB}'"


class WithBot(Tenant):
    """A project's bot whose time is over."""

    home: int  # the project
    bot: int
    ghost: int  # the ghost user


@pytest.fixture
def bot(tenant):  # noqa: F811
    """A project's bot whose time is over."""
    tenant = WithBot.of(tenant)
    tenant.home = tenant.project(tenant.group())
    tenant.bot = tenant.user(user_type=6)
    tenant.member(tenant.bot, project=tenant.home, expires_at=tenant.day(-1))
    (tenant.ghost,) = tenant.ids("users", "user_type = 5")
    return tenant


def go(tenant, **settings):
    tenant.tick(EXPIRED, **settings)
    (run,) = tenant.runs(JOB)
    return run


# --- what others own goes to the ghost user

def inherited(tenant, user, other):
    """(table, id, column) of rows that name the user but belong to others."""
    achievement = tenant.put("user_achievements", achievement_id=1, user_id=user, awarded_by_user_id=user, revoked_by_user_id=user)
    todo = tenant.put("todos", user_id=other, author_id=user, target_type="Issue", action=1, state="pending")
    return [("todos", todo, "author_id"), ("reviews", tenant.put("reviews", author_id=user), "author_id"),
            ("abuse_reports", tenant.put("abuse_reports", reporter_id=user, user_id=other), "reporter_id"),
            *(("user_achievements", achievement, f"{who}user_id") for who in ("", "awarded_by_", "revoked_by_"))]


UNIQUE = """
    ALTER TABLE approvals DROP COLUMN id, ADD PRIMARY KEY (user_id, merge_request_id);
    ALTER TABLE award_emoji DROP COLUMN id, ADD PRIMARY KEY (name, user_id);
    CREATE UNIQUE INDEX ON issues (lower(title), author_id) WHERE project_id = 1;
    CREATE UNIQUE INDEX ON notes (author_id, project_id) NULLS NOT DISTINCT;
    ALTER TABLE merge_requests ADD UNIQUE (author_id, merge_user_id) DEFERRABLE INITIALLY DEFERRED"""


def written_by(tenant, user, count):
    """Rows of USER, of which COUNT differ in each unique key."""
    for i in range(1, count + 1):
        tenant.database.execute("INSERT INTO approvals (user_id, merge_request_id) VALUES (%s, %s)", [user, i])
        tenant.database.execute("INSERT INTO award_emoji (user_id, name) VALUES (%s, %s)", [user, f"name {i}"])
        for project in (1, 2):
            tenant.put("issues", title=f"x{i}", author_id=user, project_id=project)
    for project in (None, 5):
        tenant.put("notes", author_id=user, project_id=project)
    for author, merger in ((user, user), (user, 999), (998, user)):
        tenant.put("merge_requests", author_id=author, merge_user_id=merger)


@pytest.mark.check_first(1)
@pytest.mark.parametrize("users, batch", [(1, 2), (3, 1000)])
def test_rows_that_would_meet_the_ghost_users_at_a_unique_key_of_any_kind_go(bot, users, batch):
    """Several of one kind cannot meet each other either. All other rows move."""
    bot.database.connection.execute(UNIQUE)
    all_bots = [bot.bot, *(bot.user(user_type=6) for _ in range(users - 1))]
    for user in all_bots[1:]:
        bot.member(user, project=bot.home, expires_at=bot.day(-1))
    bot.put("issues", title="X1", author_id=bot.ghost, project_id=1)
    for table, more in (("notes", {}), ("merge_requests", {"merge_user_id": bot.ghost})):
        bot.put(table, author_id=bot.ghost, **more)
    bot.database.execute("INSERT INTO approvals (user_id, merge_request_id) VALUES (%s, 1)", [bot.ghost])
    for user in all_bots:
        written_by(bot, user, 7)
    bot.tick(EXPIRED, **{f"jobs.{JOB}.batch": batch})
    assert {run["state"] for run in bot.runs(JOB)} == {"finished"} and not set(all_bots) & set(bot.ids("users"))
    for table, column in (("approvals", "merge_request_id"), ("award_emoji", "name")):
        assert len(bot.ids(table, f"user_id = {bot.ghost}", key=column)) == len(bot.ids(table, key=column)) == 7
    assert [len(bot.ids("issues", f"project_id = {n} AND author_id = {bot.ghost}")) for n in (1, 2)] == [7, 7 * users]
    assert bot.ids("notes", key="concat(author_id, ' ', project_id)") == [f"{bot.ghost} ", f"{bot.ghost} 5"]
    assert set(bot.ids("merge_requests", key="concat(author_id, ' ', merge_user_id)")) == {
        f"{bot.ghost} {bot.ghost}", f"{bot.ghost} 999", f"998 {bot.ghost}"}


CASCADES = "ALTER TABLE todos ADD FOREIGN KEY (author_id) REFERENCES users ON DELETE CASCADE"


@pytest.mark.check_all
def test_rows_of_others_that_name_several_users_go_to_the_ghost_user(bot):
    bot.database.execute(CASCADES)
    users = [bot.bot, *(bot.user(user_type=6) for _ in range(4))]
    for user in users[1:]:
        bot.member(user, project=bot.home, expires_at=bot.day(-1))
    rows = [row for user in users for row in inherited(bot, user, bot.user())]
    bot.pruned.run("pause", JOB).ok()  # so that their runs are there together
    bot.tick(EXPIRED)
    bot.pruned.run("resume", JOB).ok()
    bot.work()
    assert set(users) & set(bot.ids("users")) == set()
    assert [bot.row(table, id)[column] for table, id, column in rows] == [bot.ghost] * len(rows)


@pytest.mark.check_first(1)
@pytest.mark.parametrize("references", ["", "issues.author_id"])
def test_rows_of_others_that_name_the_user_go_to_the_ghost_user(bot, references):
    bot.database.execute(CASCADES)
    other = bot.user()
    rows = inherited(bot, bot.bot, other)
    own = bot.put("todos", user_id=bot.bot, author_id=bot.bot, target_type="Issue", action=1, state="pending")
    run = go(bot, **{f"jobs.{JOB}.references": references})
    assert result(run)["removed"] == 1 and bot.bot not in bot.ids("users") and own not in bot.ids("todos")
    assert [bot.row(table, id)[column] for table, id, column in rows] == [bot.ghost] * len(rows)


def test_none_of_it_keeps_a_placeholder(tenant):  # noqa: F811
    _, user = tenant.placeholder()
    rows = inherited(tenant, user, tenant.user())
    tenant.tick("imports.placeholder_cleanup", **{"jobs.imports.placeholder_cleanup.spacing_ms": 0})
    (ghost,) = tenant.ids("users", "user_type = 5")
    assert user not in tenant.ids("users")
    assert [tenant.row(table, id)[column] for table, id, column in rows] == [ghost] * len(rows)


@pytest.mark.check_all
@pytest.mark.parametrize("batch", [1, 1000])
def test_the_moved_rows_come_back_with_the_user(bot, batch):
    rows = inherited(bot, bot.bot, bot.user())
    own = bot.put("todos", user_id=bot.bot, author_id=bot.bot, target_type="Issue", action=1, state="pending")
    before = {table: bot.database.rows(f"SELECT * FROM {table} ORDER BY id") for table, *_ in rows}
    run = go(bot, **{f"jobs.{JOB}.batch": batch})
    restore(bot.pruned, run["run_id"])
    assert {table: bot.database.rows(f"SELECT * FROM {table} ORDER BY id") for table, *_ in rows} == before and own in bot.ids("todos")


# --- the last look

def on_change(tenant, of, then):  # noqa: F811
    tenant.database.connection.execute(f"""
        CREATE FUNCTION more() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN {then}; RETURN NULL; END $$;
        CREATE TRIGGER more AFTER {of} FOR EACH ROW EXECUTE FUNCTION more()""")


@pytest.mark.check_all
@pytest.mark.parametrize("of", ["UPDATE ON notes", "DELETE ON members", "DELETE ON namespaces"])
@pytest.mark.parametrize("key", ["", "ALTER TABLE issues ADD FOREIGN KEY (author_id) REFERENCES users ON DELETE CASCADE"])
def test_a_row_that_comes_into_a_column_that_was_done_goes_to_the_ghost_user(bot, of, key):
    if key:
        bot.database.execute(key)
    bot.put("notes", author_id=bot.bot, note="of a bot")
    bot.put("namespaces", name="home", path="home", type="User", owner_id=bot.bot)
    on_change(bot, of, f"INSERT INTO public.issues (author_id, title) VALUES ({bot.bot}, 'made by a trigger')")
    run = go(bot)
    assert (run["state"], result(run)["removed"]) == ("finished", 1) and bot.bot not in bot.ids("users")
    issues = bot.database.column("SELECT author_id FROM issues")
    assert issues and set(issues) == {bot.ghost}


def test_rows_that_keep_coming_end_the_run_with_their_name(bot):
    bot.put("issues", author_id=bot.bot)
    on_change(bot, "UPDATE ON issues", f"INSERT INTO public.issues (author_id) VALUES ({bot.bot})")
    run = go(bot, **{f"jobs.{JOB}.max_attempts": 0})
    assert run["state"] == "dead" and "issues.author_id" in run["error"] and "keep being inserted" in run["error"]
    assert bot.bot in bot.ids("users")


MEMBER = ("INSERT INTO public.members (user_id, source_type, source_id, type, access_level) "
          "SELECT {0}, 'Project', {1}, 'ProjectMember', n FROM generate_series(10, 20, 10) AS n "
          "WHERE NOT EXISTS (SELECT FROM public.members WHERE user_id = {0})")


@pytest.mark.check_all
@pytest.mark.parametrize("of", ["UPDATE ON notes", "DELETE ON namespaces"])
@pytest.mark.parametrize("bots, key", [(1, ""), (1, "CASCADE"), (3, "")])
def test_memberships_that_come_meanwhile_are_announced_as_others_are(bot, of, bots, key):
    if key:
        bot.database.execute("ALTER TABLE members ADD FOREIGN KEY (user_id) REFERENCES users ON DELETE CASCADE")
    for other in [bot.user(user_type=6) for _ in range(bots - 1)]:
        bot.member(other, project=bot.home, expires_at=bot.day(-1))
    bot.put("notes", author_id=bot.bot, note="of a bot")
    bot.put("namespaces", name="home", path="home", type="User", owner_id=bot.bot)
    bot.put("notification_settings", user_id=bot.bot, source_type="Project", source_id=bot.home)
    on_change(bot, of, MEMBER.format(bot.bot, bot.home))
    bot.tick(EXPIRED)
    assert {run["state"] for run in bot.runs(JOB)} == {"finished"} and bot.ids("users", "user_type = 6") == []
    gone = [o["member_id"] for o in bot.outcomes("MemberRemoved")]
    told = bot.database.column("SELECT jsonb_array_elements(keys) FROM pruned.deletions WHERE table_name = 'members' ORDER BY 1")
    assert bot.ids("members") == [] and sorted(gone) == told and len(told) == bots + 2


def test_a_membership_that_the_users_own_removal_makes_keeps_the_user(bot):
    on_change(bot, "DELETE ON users", MEMBER.format(bot.bot, bot.home))
    run = go(bot, **{f"jobs.{JOB}.max_attempts": 0})
    assert run["state"] == "dead" and "members.user_id" in run["error"] and bot.bot in bot.ids("users")
    assert bot.ids("members", f"user_id = {bot.bot}") == []


def test_a_row_that_the_users_own_removal_makes_keeps_the_user(bot):
    on_change(bot, "DELETE ON users", f"INSERT INTO public.issues (author_id) VALUES ({bot.bot})")
    run = go(bot, **{f"jobs.{JOB}.max_attempts": 0})
    assert run["state"] == "dead" and "issues.author_id" in run["error"] and bot.bot in bot.ids("users")
    assert bot.ids("issues") == []


# --- without a ghost user nothing is decided

def test_without_a_ghost_user_the_run_fails_and_is_retried(bot):
    bot.database.execute("DELETE FROM users WHERE user_type = 5")
    run = go(bot)
    assert (run["state"], run["attempts"]) == ("waiting", 1) and "no ghost user in the instance" in run["error"]
    assert str(bot.bot) in run["error"] and bot.row("users", bot.bot)["state"] == "active"
    ghost = bot.user(user_type=5, username="ghost")
    bot.put("issues", author_id=bot.bot)
    bot.database.execute(AGAIN)
    bot.work()
    (run,) = bot.runs(JOB)
    assert (run["state"], result(run)["removed"]) == ("finished", 1) and bot.bot not in bot.ids("users")
    assert bot.database.column("SELECT author_id FROM issues") == [ghost]


@pytest.mark.check_all
def test_without_a_ghost_user_each_run_of_many_fails(bot):
    users = [bot.bot, *(bot.user(user_type=6) for _ in range(3)), bot.placeholder()[1]]
    for user in users[1:-1]:
        bot.member(user, project=bot.home, expires_at=bot.day(-1))
    bot.database.execute("DELETE FROM users WHERE user_type = 5")
    bot.tick("imports.placeholder_cleanup")
    bot.tick(EXPIRED)
    runs = bot.runs(JOB)
    assert sorted(run["args"]["user_id"] for run in runs) == users and {(run["state"], run["attempts"]) for run in runs} == {("waiting", 1)}
    assert all(f"what user {run['args']['user_id']} wrote" in run["error"] for run in runs)
    bot.user(user_type=5, username="ghost")
    bot.database.execute(AGAIN)
    bot.work()
    assert set(users) & set(bot.ids("users")) == set()


def test_if_the_ghost_user_stays_missing_the_run_is_dead_with_the_reason(bot):
    bot.database.execute("DELETE FROM users WHERE user_type = 5")
    run = go(bot, **{f"jobs.{JOB}.max_attempts": 0})
    assert run["state"] == "dead"
    (line,) = bot.pruned.run("runs", "--state", "dead", "--json").ok().json()
    assert line["job"] == JOB and "no ghost user" in line["error"]


# --- bots that are members of a destroyed group

@pytest.mark.check_all
@pytest.mark.parametrize("how", ["group", "subgroup", "request", "of a project elsewhere"])
@pytest.mark.parametrize("batch", [1, 1000])
def test_bots_that_are_members_of_a_destroyed_group_go(tenant, how, batch):  # noqa: F811
    doom(tenant)
    bot, person, service = tenant.user(user_type=6), tenant.user(), tenant.user(user_type=13)
    group = tenant.sub if how == "subgroup" else tenant.top
    tenant.member(bot, group, **({"requested_at": "2026-01-01"} if how == "request" else {}))
    if how == "of a project elsewhere":
        tenant.member(bot, project=tenant.other_project)
    for user in (person, service):
        tenant.member(user, tenant.top)
    stays = tenant.user(user_type=6)
    tenant.member(stays, tenant.neighbour)
    destroy_group(tenant, **{"jobs.groups.destroy.batch": batch})
    (run,) = tenant.runs(JOB)
    assert run["args"] == {"user_id": bot, "reason": "Group deleted", "initiator_id": tenant.actor}
    assert set(tenant.ids("users")) >= {person, service, stays} and bot not in tenant.ids("users")


def test_a_bot_that_asked_for_the_end_of_its_group_goes_after_it(tenant):  # noqa: F811
    doom(tenant)
    tenant.actor = tenant.user(user_type=6)
    tenant.owner(tenant.actor, tenant.top)
    run = destroy_group(tenant, **{"jobs.groups.destroy.batch": 1})
    (bot,) = tenant.runs(JOB)
    assert (run["state"], result(run)["groups"]) == ("finished", 2) and tenant.ids("users", f"id = {tenant.actor}") == []
    assert bot["args"] == {"user_id": tenant.actor, "reason": "Group deleted", "initiator_id": tenant.actor}
