"""users.destroy keeps what the catalogue says on its connection. A run sees every change that was
committed before it began."""

import datetime

import pytest
from stack.process import wait_until

from support.instance import Tenant, tenant  # noqa: F401

EXPIRED, JOB = "members.remove_expired", "users.destroy"
OPEN = "GRANT SELECT, INSERT, UPDATE, DELETE ON {} TO PUBLIC"
DIARIES = "CREATE TABLE diaries (id bigserial PRIMARY KEY, writer_id bigint)"
KEY = "ALTER TABLE diaries ADD CONSTRAINT of_user FOREIGN KEY (writer_id) REFERENCES users ON DELETE {}"


class Running(Tenant):
    """One daemon with a single connection for steps, which destroys one bot after the other."""

    def destroy(self):
        """The run that destroys a new bot, for which `rows` have been put; (bot, run)."""
        bot = self.user(user_type=6)
        self.member(bot, project=self.home, expires_at=self.day(-1))
        for table, column in self.rows:
            self.put(table, **{column: bot})
        self.at += datetime.timedelta(seconds=1)
        self.pruned.run("tick", EXPIRED, "--at", self.at.isoformat()).ok()
        return bot, wait_until(lambda: self.ended(bot), 60, f"end of the removal of {bot}")

    def ended(self, bot):
        run = self.database.row("SELECT * FROM pruned.runs WHERE job = %s AND args ->> 'user_id' = %s", [JOB, str(bot)])
        return run if run and (run["state"] in ("finished", "dead") or run["attempts"] > 0) else None

    def audited(self, run, table):
        return self.database.rows("SELECT action, keys FROM pruned.deletions WHERE run_id = %s AND table_name = %s", [run["run_id"], table])


@pytest.fixture
def running(tenant):  # noqa: F811
    tenant = Running.of(tenant)
    tenant.home, tenant.rows = tenant.project(tenant.group()), []
    (tenant.ghost,) = tenant.ids("users", "user_type = 5")
    tenant.at -= datetime.timedelta(minutes=30)
    tenant.pruned.settings |= {"run.workers": 2, f"jobs.{EXPIRED}.delay_ms": 0, f"jobs.{JOB}.approve": "never"}
    return tenant


@pytest.mark.check_first(1)
@pytest.mark.parametrize("before, change, table, column", [
    ("CREATE TABLE lists (id bigserial PRIMARY KEY)", "ALTER TABLE lists ADD user_id bigint", "lists", "user_id"),
    ("ALTER TABLE reviews RENAME author_id TO writer_id", "ALTER TABLE reviews RENAME writer_id TO author_id", "reviews", "author_id"),
    ("SELECT", "CREATE TABLE epics (id bigserial PRIMARY KEY, author_id bigint)", "epics", "author_id"),
    ("CREATE TABLE drafts (id bigserial PRIMARY KEY, author_id bigint)", "ALTER TABLE drafts RENAME TO snippets", "snippets", "author_id"),
])
def test_a_column_that_appears_is_moved_by_the_very_next_run(running, before, change, table, column):
    running.database.execute(before)
    running.pruned.start().wait_line("Partitions assigned")
    running.destroy()
    running.database.execute(change)
    running.database.execute(OPEN.format(table))
    running.rows = [(table, column)]
    bot, run = running.destroy()
    assert run["state"] == "finished" and bot not in running.ids("users")
    assert running.ids(table, f"{column} = {running.ghost}") and not running.ids(table, f"{column} = {bot}")


@pytest.mark.check_first(1)
@pytest.mark.parametrize("rule, action, left", [("CASCADE", "deleted", 0), ("SET NULL", "updated", 1)])
def test_a_row_that_a_new_key_takes_along_is_audited_by_the_very_next_run(running, rule, action, left):
    running.database.execute(DIARIES)
    running.database.execute(OPEN.format("diaries"))
    running.pruned.start().wait_line("Partitions assigned")
    running.destroy()
    running.database.execute(KEY.format(rule))
    running.rows = [("diaries", "writer_id")]
    _, run = running.destroy()
    assert [entry["action"] for entry in running.audited(run, "diaries")] == [action]
    assert len(running.ids("diaries")) == left
    running.database.execute("ALTER TABLE diaries DROP CONSTRAINT of_user")
    _, run = running.destroy()
    assert running.audited(run, "diaries") == [] and len(running.ids("diaries")) == left + 1


def test_a_right_that_is_granted_is_used_by_the_very_next_run(running):
    running.database.execute(DIARIES)
    running.database.execute(KEY.format("CASCADE"))
    running.rows = [("diaries", "writer_id")]
    running.pruned.start().wait_line("Partitions assigned")
    _, run = running.destroy()
    assert running.audited(run, "diaries") == [] and running.ids("diaries") == []
    running.database.execute(OPEN.format("diaries"))
    _, run = running.destroy()
    assert [entry["action"] for entry in running.audited(run, "diaries")] == ["deleted"]


def test_a_unique_index_that_appears_is_respected_by_the_very_next_run(running):
    running.pruned.start().wait_line("Partitions assigned")
    running.rows = [("award_emoji", "user_id")]
    running.destroy()
    running.database.execute("CREATE UNIQUE INDEX ON award_emoji (user_id)")
    bot, run = running.destroy()
    assert run["state"] == "finished" and run["attempts"] == 0 and bot not in running.ids("users")
    assert [entry["action"] for entry in running.audited(run, "award_emoji")] == ["deleted"]


def test_a_table_that_is_dropped_is_no_longer_asked(running):
    running.database.execute("CREATE TABLE epics (id bigserial PRIMARY KEY, author_id bigint)")
    running.database.execute(OPEN.format("epics"))
    running.pruned.start().wait_line("Partitions assigned")
    running.destroy()
    running.database.execute("DROP TABLE epics")
    bot, run = running.destroy()
    assert run["state"] == "finished" and run["attempts"] == 0 and bot not in running.ids("users")


def test_a_row_of_a_table_that_keeps_its_placeholder_is_found_by_the_very_next_run(running):
    """users.delete_placeholder asks the same catalogue."""
    running.pruned.settings |= {"jobs.imports.placeholder_cleanup.spacing_ms": 0}
    running.pruned.start().wait_line("Partitions assigned")
    users = []
    for change in ("SELECT", "CREATE TABLE epics (id bigserial PRIMARY KEY, author_id bigint); " + OPEN.format("epics")):
        running.database.execute(change)
        _, user = running.placeholder()
        users.append(user)
        if change != "SELECT":
            running.put("epics", author_id=user)
        running.at += datetime.timedelta(seconds=1)
        running.pruned.run("tick", "imports.placeholder_cleanup", "--at", running.at.isoformat()).ok()
        wait_until(lambda: running.database.value(
            "SELECT count(*) FROM pruned.runs WHERE job = 'users.delete_placeholder' AND state = 'finished'") == len(users),
            60, "the placeholder's run")
    wait_until(lambda: users[0] not in running.ids("users"), 60, "the first placeholder is gone")
    last = running.database.row("SELECT result FROM pruned.runs WHERE job = 'users.delete_placeholder' AND args ->> 'placeholder_user_id' = %s",
                                [str(users[1])])
    assert last["result"]["kept"] == 1 and users[1] in running.ids("users")
