"""Many users who are destroyed share transactions, and each has both of its steps in one. Each run
has the same result as alone."""

import datetime

import pytest

from integration.test_users_destroyed import on_change
from support.instance import tenant  # noqa: F401
from support.scene import result

JOB, N = "users.destroy", 12
ONE_LANE = {f"jobs.{JOB}.capacity": 1}
FORBIDS = "CREATE TABLE diaries (id bigserial PRIMARY KEY, writer_id bigint REFERENCES users)"
OPEN = "GRANT SELECT, INSERT, UPDATE, DELETE ON diaries TO PUBLIC"


def fill(instance, number=N):
    """Bots whose time is over in one project, each with a membership of another, a note and a
    todo."""
    home, other = instance.project(instance.group()), instance.project(instance.group())
    bots = [instance.user(user_type=6) for _ in range(number)]
    for bot in bots:
        instance.member(bot, project=home, expires_at=instance.day(-1))
        instance.member(bot, project=other)
        instance.put("notes", author_id=bot, note="of a bot")
        instance.put("todos", user_id=bot, author_id=bot, target_type="Issue", action=1, state="pending")
    return bots


def find_runs(database):
    return {int(row["args"]["user_id"]): row for row in database.rows("SELECT * FROM pruned.runs WHERE job = %s", [JOB])}


def check_audit(database, run, bot):
    """What each of the two steps has removed and changed."""
    told = database.rows("SELECT step, action, table_name, keys FROM pruned.deletions WHERE run_id = %s ORDER BY step, cmin::text::int", [run["run_id"]])
    assert [(row["step"], row["action"], row["table_name"]) for row in told] == [
        (0, "updated", "users"), (0, "deleted", "members"), (1, "updated", "notes"), (1, "updated", "todos"), (1, "deleted", "todos"),
        (1, "deleted", "ghost_user_migrations"), (1, "deleted", "users")]
    assert told[-1]["keys"] == [bot]


def check_each(database, topics, bots):
    """Each user is gone, in two steps of their own run, and each was announced once."""
    runs = find_runs(database)
    assert sorted(runs) == sorted(bots)
    for bot, run in runs.items():
        assert (run["state"], run["step"], run["attempts"], run["rows_done"], run["error"]) == ("finished", 2, 0, 1, None)
        counts = result(run)
        assert (counts["status"], counts["removed"], counts["updated_rows"], counts["kept"]) == ("completed", 1, 1, 0)
        check_audit(database, run, bot)
    for record, step in (("MemberRemoved", 0), ("UserDeleted", 1)):
        told = {(m.headers["ce_id"], m.raw): m.value for m in topics.outcomes(record)}
        wanted = {(str(run["run_id"]), step, bot) for bot, run in runs.items()}
        ids = {run_id for run_id, *_ in wanted}
        assert sorted((str(v["run_id"]), v["step"], v["user_id"]) for v in told.values() if str(v["run_id"]) in ids) == sorted(wanted)


def transactions(database):
    """The number of transactions that have deleted users."""
    return database.value("SELECT count(DISTINCT xmin::text) FROM pruned.deletions WHERE table_name = 'users' AND action = 'deleted'")


def as_one(database):
    """The most users that one statement has deleted."""
    return database.value("""SELECT max(n) FROM (SELECT count(*) AS n FROM pruned.deletions WHERE table_name = 'users' AND action = 'deleted'
                             GROUP BY xmin::text, cmin::text) AS statement""")


def go(tenant):  # noqa: F811
    """The bots' runs wait until all of them are there."""
    tenant.pruned.run("pause", JOB).ok()
    tenant.tick("members.remove_expired")
    tenant.pruned.run("resume", JOB).ok()
    tenant.work()


def until_as_one(tenant, bots, part):  # noqa: F811
    """Calls PART, with further bots each time, until users have gone as one. On a busy machine a
    shared transaction can take too long, and then each goes alone."""
    for _ in range(5):
        part(bots)
        if as_one(tenant.database) >= 2:
            return
        bots = fill(tenant)
        tenant.at += datetime.timedelta(seconds=1)
    raise AssertionError("no two users have gone in one statement")


@pytest.fixture
def bots(tenant):  # noqa: F811
    tenant.pruned.settings |= ONE_LANE
    return fill(tenant)


def both_steps_at_once(database, bots):
    """How many of BOTS had both of their steps in one transaction."""
    return database.value("""SELECT count(*) FROM pruned.deletions a JOIN pruned.deletions b USING (run_id) JOIN pruned.runs r USING (run_id)
        WHERE a.step = 0 AND a.table_name = 'users' AND b.step = 1 AND b.table_name = 'users' AND a.xmin::text = b.xmin::text
          AND (r.args ->> 'user_id')::bigint = ANY (%s)""", [bots])


@pytest.mark.check_all
def test_each_has_its_two_steps_in_a_transaction_that_many_share(tenant, bots):  # noqa: F811
    """A run whose message came alone has a transaction for each step. So has one whose shared
    transaction took too long, as on a busy machine: then further users go."""
    gone, new = [], bots
    for _ in range(5):
        go(tenant)
        gone = gone + new
        check_each(tenant.database, tenant.pruned.topics, gone)
        lines = [(line["run_id"], line["step"]) for line in tenant.lines("Finished", job=JOB)]
        assert len(lines) == len(set(lines)) == 2 * N
        if both_steps_at_once(tenant.database, new) >= N / 2:
            break
        new = fill(tenant)
        tenant.at += datetime.timedelta(seconds=1)
    assert both_steps_at_once(tenant.database, new) >= N / 2
    assert transactions(tenant.database) < len(gone) and as_one(tenant.database) >= 2


@pytest.mark.check_all
def test_one_who_cannot_go_stays_blocked_and_only_their_run_is_charged(tenant, bots):  # noqa: F811
    tenant.database.execute(FORBIDS)
    tenant.database.execute(OPEN)
    tenant.put("diaries", writer_id=bots[3])
    go(tenant)
    runs = find_runs(tenant.database)
    stays = runs.pop(bots[3])
    assert (stays["state"], stays["step"], stays["attempts"]) == ("waiting", 1, 1) and "diaries" in stays["error"]
    assert tenant.row("users", bots[3])["state"] == "blocked"
    assert {(run["state"], run["step"], run["attempts"]) for run in runs.values()} == {("finished", 2, 0)}
    assert tenant.ids("users", "user_type = 6") == [bots[3]]


@pytest.mark.check_all
def test_a_trigger_that_waits_for_the_end_of_a_transaction_comes_between_the_steps(tenant, bots):  # noqa: F811
    """It makes a row that refers to the user, which the second step must see."""
    tenant.database.connection.execute("""
        CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
        BEGIN INSERT INTO public.issues (author_id, title) VALUES (OLD.user_id, 'late'); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER late AFTER DELETE ON members DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION late()""")
    go(tenant)
    assert tenant.ids("users", "user_type = 6") == []
    (ghost,) = tenant.ids("users", "user_type = 5")
    assert tenant.database.column("SELECT author_id FROM issues") == [ghost] * 2 * N


@pytest.mark.check_all
def test_rows_that_come_between_the_steps_of_others_are_found(tenant, bots):  # noqa: F811
    """A bot's removal makes rows of the next bot's."""
    pairs = dict(zip(bots, bots[1:]))
    tenant.database.execute("CREATE TABLE next_bot AS SELECT * FROM unnest(%s::bigint[], %s::bigint[]) AS n (bot, next)",
                            [list(pairs), list(pairs.values())])
    on_change(tenant, "DELETE ON members", """INSERT INTO public.issues (author_id, title)
        SELECT n.next, 'made by a trigger' FROM public.next_bot n JOIN public.users u ON u.id = n.next WHERE n.bot = OLD.user_id""")
    go(tenant)
    (ghost,) = tenant.ids("users", "user_type = 5")
    assert tenant.ids("users", "user_type = 6") == []
    assert set(tenant.database.column("SELECT author_id FROM issues")) <= {ghost}


@pytest.mark.check_all
def test_one_of_whom_more_goes_is_done_alone(tenant, bots):  # noqa: F811
    """A personal namespace, a row that a key takes along, and a row that a key changes: each is
    audited as its user's."""
    tenant.database.execute("CREATE TABLE keys_of (id bigserial PRIMARY KEY, holder_id bigint REFERENCES users ON DELETE CASCADE)")
    tenant.database.execute("CREATE TABLE cards (id bigserial PRIMARY KEY, holder_id bigint REFERENCES users ON DELETE SET NULL)")
    tenant.database.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON keys_of, cards TO PUBLIC")

    def part(bots):
        tenant.put("namespaces", name=f"home {bots[0]}", path=f"home-{bots[0]}", type="User", owner_id=bots[0])
        tenant.put("keys_of", holder_id=bots[1])
        tenant.put("cards", holder_id=bots[2])
        go(tenant)
        runs = find_runs(tenant.database)
        assert {(run["state"], run["step"], run["attempts"]) for run in runs.values()} == {("finished", 2, 0)}
        told = tenant.database.rows("SELECT run_id, table_name, action FROM pruned.deletions WHERE table_name IN ('namespaces', 'keys_of', 'cards')"
                                    " AND run_id = ANY (%s)", [[runs[bot]["run_id"] for bot in bots]])
        assert sorted((row["run_id"], row["table_name"], row["action"]) for row in told) == sorted([
            (runs[bots[0]]["run_id"], "namespaces", "deleted"), (runs[bots[1]]["run_id"], "keys_of", "deleted"),
            (runs[bots[2]]["run_id"], "cards", "updated")])
        for bot in bots[3:]:
            check_audit(tenant.database, runs[bot], bot)

    until_as_one(tenant, bots, part)


@pytest.mark.check_all
def test_rows_that_would_meet_at_the_ghost_user_are_judged_one_after_the_other(tenant, bots):  # noqa: F811
    tenant.database.execute("CREATE UNIQUE INDEX ON award_emoji (user_id, name)")
    for bot in bots[:4]:
        tenant.put("award_emoji", user_id=bot, name="thumbsup")
    go(tenant)
    (ghost,) = tenant.ids("users", "user_type = 5")
    assert {(run["state"], run["attempts"]) for run in find_runs(tenant.database).values()} == {("finished", 0)}
    assert tenant.ids("users", "user_type = 6") == [] and tenant.database.column("SELECT user_id FROM award_emoji") == [ghost]
    told = tenant.database.column("SELECT action FROM pruned.deletions WHERE table_name = 'award_emoji'")
    assert sorted(told) == ["deleted"] * 3 + ["updated"]


@pytest.mark.check_all
def test_one_who_is_no_bot_any_more_stays_and_the_others_go(tenant, bots):  # noqa: F811
    def part(bots):
        tenant.pruned.run("pause", JOB).ok()
        tenant.tick("members.remove_expired")
        tenant.database.execute("UPDATE users SET user_type = 0 WHERE id = %s", [bots[5]])
        tenant.pruned.run("resume", JOB).ok()
        tenant.work()
        runs = find_runs(tenant.database)
        assert result(runs[bots[5]])["kept"] == 1 and tenant.row("users", bots[5])["state"] != "blocked"
        assert tenant.ids("users", "user_type = 6") == []
        assert sum(result(runs[bot])["removed"] for bot in bots) == N - 1

    until_as_one(tenant, bots, part)


def test_a_secret_of_many_users_is_masked_in_the_record_of_each(tenant, bots):  # noqa: F811
    tenant.database.execute("ALTER TABLE notes ADD api_token text DEFAULT 's3cr3t'")
    until_as_one(tenant, bots, lambda bots: go(tenant))
    rows = tenant.database.column("SELECT rows FROM pruned.deletions WHERE table_name = 'notes'")
    assert len(rows) % N == 0 < len(rows)
    assert not [row for each in rows for row in each if "api_token" in row]


def test_a_limit_holds_each_run_of_many(tenant, bots):  # noqa: F811
    tenant.pruned.settings[f"jobs.{JOB}.approve"] = "always"
    go(tenant)
    assert {run["state"] for run in find_runs(tenant.database).values()} == {"held"}
    assert tenant.ids("users", "user_type = 6") == bots and tenant.ids("users", "state = 'blocked'") == []


@pytest.mark.check_all
def test_users_whose_column_takes_long_to_ask_go_one_by_one(tenant, bots):  # noqa: F811
    """A large table without an index is read once for each user, within the time of their own
    step."""
    tenant.database.execute("ALTER TABLE issues ADD filling text")
    tenant.database.execute("ALTER TABLE issues ALTER filling SET STORAGE PLAIN")
    tenant.database.execute("INSERT INTO issues (title, filling) SELECT 'x', repeat('x', 7000) FROM generate_series(1, 1100)")
    tenant.database.execute("ANALYZE issues")
    go(tenant)
    assert tenant.ids("users", "user_type = 6") == [] and as_one(tenant.database) == 1
    assert {(run["state"], run["attempts"]) for run in find_runs(tenant.database).values()} == {("finished", 0)}
