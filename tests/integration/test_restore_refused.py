"""`pruned restore`: what cannot come back is named, row by row or for the whole run, and everything
else comes back."""

import pytest

from support.command_line import add_run
from support.instance import tenant  # noqa: F401
from support.places import ROLE
from support.restored import EXPIRED, QUIET, actions, refused, restore, world, expired  # noqa: F401


# --- rows

def test_rows_whose_files_are_gone(tenant, tmp_path):  # noqa: F811
    tenant.put("ci_deleted_objects", store_dir="a", file="b", pick_up_at=tenant.at)
    tenant.tick("ci.schedule_delete_objects", **{"store.local.root": tmp_path})
    (run,) = tenant.runs("ci.delete_objects")
    (line,) = restore(tenant.pruned, run["run_id"], code=6)
    assert line["action"] == "cannot be" and "file" in line["reason"]
    assert tenant.ids("ci_deleted_objects") == []


def test_each_row_for_itself(expired):  # noqa: F811
    database, gone = expired.database, expired.ids_gone
    run = expired.tick(EXPIRED, **QUIET)
    database.execute("INSERT INTO members (id, access_level, source_id, source_type, type, user_id) VALUES (%s, 10, 1, 'Project', 'x', 1)",
                     [gone[0]])
    database.execute("ALTER TABLE members ADD CONSTRAINT no_third CHECK (id <> %s) NOT VALID" % gone[2])
    lines = {line["key"]: line for line in restore(expired.pruned, run["run_id"], code=6) if line["table"] == "members"}
    assert lines[str(gone[0])]["action"] == "exists again" and "access_level" in lines[str(gone[0])]["reason"]
    assert lines[str(gone[2])]["action"] == "cannot be" and "no_third" in lines[str(gone[2])]["reason"]
    assert {lines[str(id)]["action"] for id in gone[1:2] + gone[3:]} == {"restored"}
    assert database.value("SELECT access_level FROM members WHERE id = %s", [gone[0]]) == 10
    restore(expired.pruned, run["run_id"], "--partial")


def test_masked_secrets_do_not_come_back_and_that_is_reported(expired):  # noqa: F811
    invited = expired.ids_gone[5]
    expired.database.execute("UPDATE members SET invite_token = 'hush' WHERE id = %s", [invited])
    run = expired.tick(EXPIRED, **QUIET)
    lines = {line["key"]: line for line in restore(expired.pruned, run["run_id"]) if line["table"] == "members"}
    assert lines[str(invited)]["reason"] == "restored without invite_token, which the record leaves out"
    assert expired.row("members", invited)["invite_token"] is None


def test_a_secret_that_may_not_be_empty(expired):  # noqa: F811
    expired.database.execute("ALTER TABLE members ADD COLUMN feed_token text NOT NULL DEFAULT 'x'")
    run = expired.tick(EXPIRED, **QUIET)
    expired.database.execute("ALTER TABLE members ALTER COLUMN feed_token DROP DEFAULT")
    lines = [line for line in restore(expired.pruned, run["run_id"], code=6) if line["table"] == "members"]
    assert actions(lines) == {"cannot be"} and all("feed_token" in line["reason"] for line in lines)


def test_a_change_is_undone_only_if_the_row_is_unchanged_since(expired):  # noqa: F811
    run = expired.tick(EXPIRED, **QUIET)
    expired.database.execute("UPDATE todos SET target_id = 5")
    (line,) = [o for o in restore(expired.pruned, run["run_id"], code=6) if o["table"] == "todos"]
    assert line["action"] == "cannot be" and "changed since" in line["reason"] and "target_id" in line["reason"]
    assert expired.database.value("SELECT state FROM todos") == "done"


@pytest.mark.check_all
def test_a_change_of_a_row_that_another_run_removed(expired):  # noqa: F811
    todo = expired.put("todos", user_id=expired.bot, author_id=expired.people[0], group_id=expired.top, target_type="Namespace",
                       action=10, state="pending")
    before = world(expired.database)
    run = expired.tick(EXPIRED, **QUIET)
    (line,) = [o for o in restore(expired.pruned, run["run_id"], "--dry-run", code=6) if o["action"] == "cannot be"]
    (child,) = expired.children(run)
    assert (line["table"], line["key"], line["reason"]) == (
        "todos", str(todo), f"the row is gone: run {child['run_id']} has removed it since; restore that run first")
    restore(expired.pruned, run["run_id"], "--with-children")
    assert world(expired.database) == before


def test_rows_that_wait_for_others(expired):  # noqa: F811
    """In the audit the bot went before its membership, as if two steps had overlapped."""
    expired.database.execute("ALTER TABLE members ADD FOREIGN KEY (user_id) REFERENCES users NOT VALID")
    before = world(expired.database)
    run = expired.tick(EXPIRED, **QUIET)
    expired.database.execute("UPDATE pruned.deletions SET at = at + interval '1 minute' WHERE run_id = %s", [run["run_id"]])
    lines = restore(expired.pruned, run["run_id"], "--with-children", code=6)
    bad = [line for line in lines if line["action"] == "cannot be"]
    # rewritten records say nothing about who wrote a row
    assert {line["table"] for line in bad} == {"todos"}
    assert {line["key"] for line in lines if line["table"] == "members" and line["action"] == "restored"} >= set(map(str, expired.ids_gone))
    after = world(expired.database)
    assert {t for t in before if after[t] != before[t]} == {"todos"}


def test_columns_that_came_and_went_and_computed_ones(expired):  # noqa: F811
    database = expired.database
    database.execute("ALTER TABLE members ADD COLUMN leaves text DEFAULT 'x', ADD COLUMN twice bigint GENERATED ALWAYS AS (access_level * 2) STORED,"
                     " ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY")
    before = database.rows("SELECT id, twice, number FROM members ORDER BY id")
    run = expired.tick(EXPIRED, **QUIET)
    database.execute("ALTER TABLE members DROP COLUMN leaves, ADD COLUMN comes int NOT NULL DEFAULT 7")
    lines = [line for line in restore(expired.pruned, run["run_id"]) if line["table"] == "members"]
    assert all("added since: comes" in line["reason"] and "dropped since: leaves" in line["reason"] for line in lines)
    gone = expired.ids_gone
    assert database.rows("SELECT id, twice, number FROM members WHERE id = ANY (%s) ORDER BY id", [gone]) == [
        row for row in before if row["id"] in gone]


# --- runs that cannot be restored

def test_runs_that_cannot_be_restored(expired):  # noqa: F811
    pruned = expired.pruned
    refused(pruned, "7fecac87-579a-560b-ad38-6378e9e225c0", code=6, words=["no run"])
    refused(pruned, "nonsense", code=6, words=["no run"])
    run = expired.tick(EXPIRED, **{"audit.rows": "keys"}, **QUIET)
    refused(pruned, run["run_id"], code=6, words=["keys"])
    expired.database.execute("UPDATE pruned.runs SET state = 'waiting', finished_at = NULL WHERE run_id = %s", [run["run_id"]])
    refused(pruned, run["run_id"], code=1, words=["waiting"])


@pytest.mark.check_all
def test_a_run_is_named_by_a_beginning_of_its_id(expired):  # noqa: F811
    """As `pruned runs` shows it."""
    before = world(expired.database)
    run_id = str(expired.tick(EXPIRED, **QUIET)["run_id"])
    other = add_run(expired.database, "finished", run_id=run_id[:-1] + ("0" if run_id[-1] != "0" else "1"))
    refused(expired.pruned, run_id[:8], code=1, words=["ambiguous", run_id, other])
    expired.database.execute("DELETE FROM pruned.runs WHERE run_id = %s", [other])
    refused(expired.pruned, "00000000", code=6, words=["no run '00000000'"])
    restore(expired.pruned, run_id[:8], "--with-children")
    assert world(expired.database) == before
    assert expired.database.value("SELECT object FROM pruned.journal WHERE command = 'restore'") == run_id


def test_a_run_without_a_record(expired):  # noqa: F811
    run = expired.tick(EXPIRED, **{"audit.rows": "off"}, **QUIET)
    refused(expired.pruned, run["run_id"], code=6, words=["recorded"])
    nothing = expired.tick(EXPIRED, at=expired.at.replace(microsecond=1000), **QUIET)
    assert restore(expired.pruned, nothing["run_id"]) == []


def test_a_role_that_may_not_insert_is_told_before_anything_is_done(expired):  # noqa: F811
    run = expired.tick(EXPIRED, **QUIET)
    expired.database.execute(f"REVOKE INSERT ON notification_settings FROM {ROLE}")
    after = world(expired.database)
    refused(expired.pruned, run["run_id"], code=3, words=["notification_settings", "pruned grants"])
    assert world(expired.database) == after


def test_from_the_archive(expired):  # noqa: F811
    run = expired.tick(EXPIRED, **QUIET)
    expired.database.execute("SELECT pruned.ensure_day('runs_done', (%s at time zone 'UTC')::date)", [run["scheduled_at"]])
    expired.database.execute("INSERT INTO pruned.runs_done SELECT * FROM pruned.runs")
    expired.database.execute("DELETE FROM pruned.runs")
    assert "--with-children" in expired.pruned.run("restore", run["run_id"], "--dry-run").ok().stdout
    assert "restored" in actions(restore(expired.pruned, run["run_id"], "--with-children"))
    assert expired.ids("users", f"id = {expired.bot}") == [expired.bot]


@pytest.mark.check_all
def test_more_rows_than_go_at_once(tenant):  # noqa: F811
    top = tenant.group()
    tenant.database.execute("""INSERT INTO members (user_id, source_type, source_id, type, access_level, expires_at)
        SELECT i, 'Namespace', %s, 'GroupMember', 10, %s FROM generate_series(1000, 3499) i""", [top, tenant.day(-1)])
    before = world(tenant.database)
    bad = tenant.ids("members")[::100]
    run = tenant.tick(EXPIRED, **{f"jobs.{EXPIRED}.delay_ms": 0, f"jobs.{EXPIRED}.max_share": "off"}, **QUIET)
    tenant.database.execute("ALTER TABLE members ADD CONSTRAINT not_those CHECK (id %% 100 <> %s) NOT VALID" % (bad[0] % 100))
    lines = restore(tenant.pruned, run["run_id"], code=6)
    assert sorted(int(line["key"]) for line in lines if line["action"] == "cannot be") == bad
    assert len(tenant.ids("members")) == 2500 - len(bad)
    tenant.database.execute("ALTER TABLE members DROP CONSTRAINT not_those")
    restore(tenant.pruned, run["run_id"])
    assert world(tenant.database) == before
