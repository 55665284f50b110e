"""Many users who are destroyed share transactions, and each has both of its steps in one. Each run is what it would be alone."""

import pytest

from integration.test_users_destroyed import on_change
from support.instance import tenant  # noqa: F401
from support.scene import result

JOB, N = "users.destroy", 12
ONE_LANE = {f"jobs.{JOB}.capacity": 1}
FORBIDS = "CREATE TABLE diaries (id bigserial PRIMARY KEY, writer_id bigint REFERENCES users)"
OPEN = "GRANT SELECT, INSERT, UPDATE, DELETE ON diaries TO PUBLIC"


def fill(instance):
    """Bots whose time is over in one project, each with a membership of another, a note and a todo."""
    home, other = instance.project(instance.group()), instance.project(instance.group())
    bots = [instance.user(user_type=6) for _ in range(N)]
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
    """Each user is gone, in two steps of their own run, and this was told once for each."""
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


def go(tenant):  # noqa: F811
    """The bots' runs wait until all of them are there."""
    tenant.pruned.run("pause", JOB).ok()
    tenant.tick("members.remove_expired")
    tenant.pruned.run("resume", JOB).ok()
    tenant.work()


@pytest.fixture
def bots(tenant):  # noqa: F811
    tenant.pruned.settings |= ONE_LANE
    return fill(tenant)


def test_each_has_its_two_steps_in_a_transaction_that_many_share(tenant, bots):  # noqa: F811
    go(tenant)
    check_each(tenant.database, tenant.pruned.topics, bots)
    assert transactions(tenant.database) < N
    both = tenant.database.value("""SELECT count(*) FROM pruned.deletions a JOIN pruned.deletions b USING (run_id)
        WHERE a.step = 0 AND a.table_name = 'users' AND b.step = 1 AND b.table_name = 'users' AND a.xmin::text = b.xmin::text""")
    assert both >= N / 2  # a run whose message came alone has a transaction for each
    lines = [(line["run_id"], line["step"]) for line in tenant.lines("Finished", job=JOB)]
    assert len(lines) == len(set(lines)) == 2 * N


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
