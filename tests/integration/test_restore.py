"""`pruned restore`: what a run removed is there again as it was, stays there, and what cannot be is said, row by row."""

import datetime

import pytest

from support.instance import tenant  # noqa: F401
from support.places import ROLE
from support.scene import result

EXPIRED, GROUPS, PRUNE = "members.remove_expired", "groups.adjourned_deletion", "members.schedule_prune_deletions"
REFRESH = "users.refresh_authorizations"
QUIET = {f"jobs.{REFRESH}.enabled": False}


def world(database, without=()):
    """The application's tables as texts."""
    tables = database.column("SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
    return {t: database.column(f"SELECT t::text FROM {t} t ORDER BY 1") for t in tables if t not in without}


def restore(pruned, run, *options, code=0, **more):
    done = pruned.run("restore", run, "--json", *options, **more)
    assert done.code == code, done
    lines = done.json()
    assert all(set(line) == {"table", "key", "action", "reason"} for line in lines)
    return lines


def actions(lines):
    return {line["action"] for line in lines}


def held(database):
    return set(database.column("SELECT job || ' ' || item FROM pruned.quarantine WHERE parked AND reason = 'restored'"))


def refused(pruned, run, *options, code, words):
    done = pruned.run("restore", run, *options)
    assert done.code == code, done
    for word in words:
        assert word in done.stderr, done
    assert done.stdout == "" or "restored" not in done.stdout


# --- round trips

@pytest.fixture
def expired(tenant):  # noqa: F811
    """People, a bot, an invitation, a request: all over."""
    tenant.top = tenant.group()
    tenant.project_id = tenant.project(tenant.top)
    tenant.people = [tenant.user() for _ in range(5)]
    tenant.ids_gone = [tenant.member(user, tenant.top, expires_at=tenant.day(-3)) for user in tenant.people]
    tenant.ids_gone.append(tenant.member(None, tenant.top, expires_at=tenant.day(-1), invite_email="a@b.example"))
    tenant.bot = tenant.user(user_type=6)
    tenant.ids_gone.append(tenant.member(tenant.bot, project=tenant.project_id, expires_at=tenant.day(-2)))
    tenant.member(tenant.bot, tenant.top, level=10)
    person = tenant.people[0]
    tenant.put("notification_settings", user_id=person, source_type="Namespace", source_id=tenant.top, level=3)
    tenant.put("todos", user_id=tenant.people[1], author_id=person, group_id=tenant.top, target_type="Namespace", action=10, state="pending")
    tenant.put("notification_settings", user_id=tenant.bot, source_type="Namespace", source_id=tenant.top)
    tenant.issue = tenant.put("issues", project_id=tenant.project_id, author_id=tenant.bot, title="by a bot")
    tenant.database.execute("INSERT INTO issue_assignees (user_id, issue_id) VALUES (%s, %s)", [tenant.bot, tenant.issue])
    tenant.put("merge_requests", author_id=tenant.bot, updated_by_id=tenant.bot, merge_user_id=tenant.bot, last_edited_by_id=tenant.bot)
    return tenant


def test_expired_members_with_their_bots(expired):
    before = world(expired.database)
    run = expired.tick(EXPIRED, **QUIET)
    assert world(expired.database) != before and expired.ids("users", f"id = {expired.bot}") == []
    lines = restore(expired.pruned, run["run_id"], "--with-children")
    assert actions(lines) <= {"restored", "left out"}
    assert [line["table"] for line in lines if line["action"] == "left out"] == ["ghost_user_migrations"]
    assert world(expired.database) == before
    assert {f"{EXPIRED} members:{id}" for id in expired.ids_gone} <= held(expired.database)
    again = expired.tick(EXPIRED, at=expired.at.replace(microsecond=1000))
    assert result(again)["removed"] == 0 and result(again)["passed_over"] == len(expired.ids_gone)
    assert world(expired.database, ("project_authorizations",)) == {k: v for k, v in before.items() if k != "project_authorizations"}


def test_without_children_the_bot_stays_away(expired):
    run = expired.tick(EXPIRED, **QUIET)
    done = expired.pruned.run("restore", run["run_id"]).ok()
    assert "--with-children" in done.stdout
    assert expired.ids("members", f"id = ANY ('{{{','.join(map(str, expired.ids_gone))}}}')") == sorted(expired.ids_gone)
    assert expired.ids("users", f"id = {expired.bot}") == []


def test_a_dry_run_says_the_same_and_changes_nothing(expired):
    run = expired.tick(EXPIRED, **QUIET)
    after = world(expired.database)
    said = restore(expired.pruned, run["run_id"], "--with-children", "--dry-run")
    assert world(expired.database) == after and held(expired.database) == set()
    assert restore(expired.pruned, run["run_id"], "--with-children") == said


def test_twice_is_once(expired):
    run = expired.tick(EXPIRED, **QUIET)
    restore(expired.pruned, run["run_id"], "--with-children")
    there = world(expired.database)
    assert actions(restore(expired.pruned, run["run_id"], "--with-children")) <= {"exists again", "left out"}
    assert world(expired.database) == there


def test_it_goes_on_where_it_was_interrupted(expired):
    before = world(expired.database)
    run = expired.tick(EXPIRED, **QUIET)
    expired.database.execute("CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'cut' USING ERRCODE = '57P01'; END $$")
    expired.database.execute("CREATE TRIGGER cut BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION no()")
    done = expired.pruned.run("restore", run["run_id"], "--with-children")
    assert done.code == 3 and "cut" in done.stderr and "tried again" in done.stderr, done
    assert expired.row("users", expired.bot)["state"] == "blocked"
    expired.database.execute("DROP TRIGGER cut ON users")
    restore(expired.pruned, run["run_id"], "--with-children")
    assert world(expired.database) == before


def test_what_is_held_goes_when_it_is_let_go(expired):
    run = expired.tick(EXPIRED, **QUIET)
    restore(expired.pruned, run["run_id"])
    expired.pruned.run("quarantine", "drop", EXPIRED, f"members:{expired.ids_gone[0]}").ok()
    again = expired.tick(EXPIRED, at=expired.at.replace(microsecond=1000), **QUIET)
    assert result(again)["removed"] == 1
    assert expired.ids("members", f"id = {expired.ids_gone[0]}") == []


@pytest.fixture
def doomed(tenant):  # noqa: F811
    tenant.period(7)
    tenant.actor = tenant.user(admin=True)
    tenant.top = tenant.group()
    tenant.sub = tenant.group(parent=tenant.top)
    tenant.leaf = tenant.group(parent=tenant.sub)
    tenant.project_id = tenant.project(tenant.leaf)
    tenant.neighbour = tenant.group()
    user, tenant.bot = tenant.user(), tenant.user(user_type=6)
    tenant.member(user, tenant.sub)
    tenant.member(user, project=tenant.project_id)
    tenant.member(tenant.bot, project=tenant.project_id)
    tenant.share(tenant.neighbour, tenant.leaf)
    tenant.share_project(tenant.project_id, tenant.neighbour)
    for kind, id in (("Namespace", tenant.sub), ("Project", tenant.project_id)):
        tenant.put("notification_settings", user_id=user, source_type=kind, source_id=id)
        tenant.put("redirect_routes", source_type=kind, source_id=id, path=f"old/{kind}/{id}")
    tenant.put("todos", user_id=user, author_id=1, project_id=tenant.project_id, target_type="Issue", action=1, state="pending")
    tenant.put("project_authorizations", user_id=user, project_id=tenant.project_id, access_level=30)
    issue = tenant.put("issues", project_id=tenant.project_id, author_id=tenant.bot)
    tenant.database.execute("INSERT INTO issue_assignees (user_id, issue_id) VALUES (%s, %s)", [user, issue])
    tenant.artifact = tenant.put("ci_job_artifacts", project_id=tenant.project_id, job_id=7, file="a.zip")
    tenant.leave(tenant.sub, user, by=tenant.actor)
    tenant.placeholder(namespace=tenant.top)
    tenant.mark(tenant.top, tenant.actor, 30)
    return tenant


AT_ONCE = {f"jobs.{GROUPS}.spacing_ms": 0}


def test_a_group_with_everything_in_it(doomed):
    before = world(doomed.database)
    doomed.tick(GROUPS, **AT_ONCE, **QUIET)
    (run,) = doomed.runs("groups.destroy")
    assert doomed.ids("namespaces", "type = 'Group'") == [doomed.neighbour]
    assert doomed.database.value("SELECT count(*) FROM ci_deleted_objects") == 1
    lines = restore(doomed.pruned, run["run_id"], "--with-children")
    assert actions(lines) <= {"restored", "left out"}, [line for line in lines if line["action"] == "cannot be"]
    assert world(doomed.database) == before
    assert f"{GROUPS} group_deletion_schedules:{doomed.top}" in held(doomed.database)
    again = doomed.tick(GROUPS, at=doomed.at.replace(microsecond=1000), **AT_ONCE, **QUIET)
    assert result(again)["passed_over"] == 1 and len(doomed.runs("groups.destroy")) == 1
    assert world(doomed.database) == before


def test_an_artifact_whose_file_is_gone_is_said(doomed):
    doomed.tick(GROUPS, **AT_ONCE, **QUIET)
    (run,) = doomed.runs("groups.destroy")
    doomed.database.execute("DELETE FROM ci_deleted_objects")
    (line,) = [o for o in restore(doomed.pruned, run["run_id"]) if o["table"] == "ci_job_artifacts"]
    assert line["action"] == "restored" and "file has been deleted" in line["reason"]


def test_a_scheduled_removal(tenant):  # noqa: F811
    top = tenant.group()
    boss, user = tenant.user(admin=True), tenant.user()
    projects = [tenant.project(top) for _ in range(3)]
    members = [tenant.member(user, project=p) for p in projects] + [tenant.member(user, top)]
    tenant.put("notification_settings", user_id=user, source_type="Namespace", source_id=top)
    schedule = tenant.leave(top, user, boss)
    before = world(tenant.database)
    tenant.tick(PRUNE, **QUIET)
    (run,) = tenant.runs("members.prune_deletions")
    assert tenant.ids("members") == [] and tenant.ids("members_deletion_schedules") == []
    assert actions(restore(tenant.pruned, run["run_id"])) == {"restored"}
    assert world(tenant.database) == before
    assert held(tenant.database) == {f"members.prune_deletions members:{m}" for m in members} | {
        f"members.prune_deletions members_deletion_schedules:{schedule}"}
    tenant.tick(PRUNE, at=tenant.at.replace(microsecond=1000), **QUIET)
    assert world(tenant.database) == before


def test_authorizations_and_todos(tenant):  # noqa: F811
    top = tenant.group()
    tenant.database.execute("UPDATE namespaces SET visibility_level = 0")
    project = tenant.project(top)
    user = tenant.user()
    tenant.put("project_authorizations", user_id=user, project_id=project, access_level=30)
    tenant.put("todos", user_id=user, author_id=1, project_id=project, target_type="Issue", action=1, state="pending")
    for kind in ("authorizations", "todos"):
        tenant.database.execute("INSERT INTO pruned.dirty_users (user_id, kind, due_at) VALUES (%s, %s, now())", [user, kind])
    before = world(tenant.database)
    run = tenant.tick(REFRESH)
    assert tenant.ids("todos") == []
    lines = restore(tenant.pruned, run["run_id"])
    assert actions(lines) == {"restored"} and {line["table"] for line in lines} == {"todos", "project_authorizations"}
    assert world(tenant.database) == before
    assert held(tenant.database) == {f"{REFRESH} users:{user}"}
    tenant.database.execute("INSERT INTO pruned.dirty_users (user_id, kind, due_at) VALUES (%s, 'todos', now())", [user])
    tenant.tick(REFRESH, at=tenant.at.replace(microsecond=1000))
    assert world(tenant.database) == before


def test_a_placeholder_user(tenant):  # noqa: F811
    detail, user = tenant.placeholder()
    tenant.placeholder(user=user)
    before = world(tenant.database, ("import_placeholder_user_details",))
    tenant.tick("imports.placeholder_cleanup", **QUIET)
    assert tenant.ids("users", "user_type = 15") == []
    (run,) = tenant.runs("users.destroy")
    assert actions(restore(tenant.pruned, run["run_id"])) == {"restored", "left out"}
    assert world(tenant.database, ("import_placeholder_user_details",)) == before
    tenant.database.execute("UPDATE import_placeholder_user_details SET last_deletion_attempt_at = %s", [tenant.at - datetime.timedelta(days=9)])
    again = tenant.tick("imports.placeholder_cleanup", at=tenant.at.replace(microsecond=1000), **QUIET)
    assert result(again)["passed_over"] == 2 and len(tenant.runs("users.destroy")) == 1
    assert world(tenant.database, ("import_placeholder_user_details",)) == before


# --- what cannot be

def test_rows_whose_files_are_gone(tenant, tmp_path):  # noqa: F811
    tenant.put("ci_deleted_objects", store_dir="a", file="b", pick_up_at=tenant.at)
    tenant.tick("ci.schedule_delete_objects", **{"store.local.root": tmp_path})
    (run,) = tenant.runs("ci.delete_objects")
    (line,) = restore(tenant.pruned, run["run_id"], code=6)
    assert line["action"] == "cannot be" and "file" in line["reason"]
    assert tenant.ids("ci_deleted_objects") == []



def test_each_row_for_itself(expired):
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


def test_secrets_are_not_what_they_were_and_that_is_said(expired):
    invited = expired.ids_gone[5]
    expired.database.execute("UPDATE members SET invite_token = 'hush' WHERE id = %s", [invited])
    run = expired.tick(EXPIRED, **QUIET)
    lines = {line["key"]: line for line in restore(expired.pruned, run["run_id"]) if line["table"] == "members"}
    assert "invite_token" in lines[str(invited)]["reason"]
    assert expired.row("members", invited)["invite_token"] is None


def test_a_secret_that_may_not_be_empty(expired):
    expired.database.execute("ALTER TABLE members ADD COLUMN feed_token text NOT NULL DEFAULT 'x'")
    run = expired.tick(EXPIRED, **QUIET)
    expired.database.execute("ALTER TABLE members ALTER COLUMN feed_token DROP DEFAULT")
    lines = [line for line in restore(expired.pruned, run["run_id"], code=6) if line["table"] == "members"]
    assert actions(lines) == {"cannot be"} and all("feed_token" in line["reason"] for line in lines)


def test_a_change_is_undone_only_where_nobody_touched_the_row(expired):
    run = expired.tick(EXPIRED, **QUIET)
    expired.database.execute("UPDATE todos SET target_id = 5")
    (line,) = [o for o in restore(expired.pruned, run["run_id"], code=6) if o["table"] == "todos"]
    assert line["action"] == "cannot be" and "changed since" in line["reason"] and "target_id" in line["reason"]
    assert expired.database.value("SELECT state FROM todos") == "done"


def test_a_change_of_a_row_that_another_run_removed(expired):
    todo = expired.put("todos", user_id=expired.bot, author_id=expired.people[0], group_id=expired.top, target_type="Namespace",
                       action=10, state="pending")
    before = world(expired.database)
    run = expired.tick(EXPIRED, **QUIET)
    (line,) = [o for o in restore(expired.pruned, run["run_id"], "--dry-run", code=6) if o["action"] == "cannot be"]
    assert (line["table"], line["key"], line["reason"]) == ("todos", str(todo), "the row is gone")
    restore(expired.pruned, run["run_id"], "--with-children")
    assert world(expired.database) == before


def test_rows_that_wait_for_others(expired):
    """The record says that the bot went before his membership did: as if two steps had overlapped."""
    expired.database.execute("ALTER TABLE members ADD FOREIGN KEY (user_id) REFERENCES users NOT VALID")
    before = world(expired.database)
    run = expired.tick(EXPIRED, **QUIET)
    expired.database.execute("UPDATE pruned.deletions SET at = at + interval '1 minute' WHERE run_id = %s", [run["run_id"]])
    lines = restore(expired.pruned, run["run_id"], "--with-children", code=6)
    bad = [line for line in lines if line["action"] == "cannot be"]
    assert {line["table"] for line in bad} == {"todos"}  # rewritten records say nothing about who wrote a row
    assert {line["key"] for line in lines if line["table"] == "members" and line["action"] == "restored"} >= set(map(str, expired.ids_gone))
    after = world(expired.database)
    assert {t for t in before if after[t] != before[t]} == {"todos"}


def test_columns_that_came_and_went_and_computed_ones(expired):
    database = expired.database
    database.execute("ALTER TABLE members ADD COLUMN leaves text DEFAULT 'x', ADD COLUMN twice bigint GENERATED ALWAYS AS (access_level * 2) STORED,"
                     " ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY")
    before = database.rows("SELECT id, twice, number FROM members ORDER BY id")
    run = expired.tick(EXPIRED, **QUIET)
    database.execute("ALTER TABLE members DROP COLUMN leaves, ADD COLUMN comes int NOT NULL DEFAULT 7")
    lines = [line for line in restore(expired.pruned, run["run_id"]) if line["table"] == "members"]
    assert all("made since: comes" in line["reason"] and "dropped since: leaves" in line["reason"] for line in lines)
    gone = expired.ids_gone
    assert database.rows("SELECT id, twice, number FROM members WHERE id = ANY (%s) ORDER BY id", [gone]) == [
        row for row in before if row["id"] in gone]


# --- foreign keys

KEYS = '''
CREATE TABLE notes_of_others (id bigserial PRIMARY KEY, project_id bigint REFERENCES projects ON DELETE CASCADE);
CREATE TABLE "Odd ""names""" ("Key:: %s" bigserial PRIMARY KEY, "The group" bigint REFERENCES namespaces ON DELETE SET NULL);
CREATE TABLE keyless (project_id bigint REFERENCES projects ON DELETE CASCADE, word text);
GRANT SELECT, INSERT, UPDATE, DELETE ON notes_of_others, keyless, "Odd ""names""" TO PUBLIC;
'''


def test_tables_that_nobody_told_us_about(doomed):
    doomed.database.connection.execute(KEYS)
    doomed.database.execute("INSERT INTO notes_of_others (project_id) VALUES (%s), (%s)", [doomed.project_id] * 2)
    doomed.database.execute("INSERT INTO keyless VALUES (%s, 'a'), (%s, 'b')", [doomed.project_id] * 2)
    doomed.database.execute('INSERT INTO "Odd ""names""" ("The group") VALUES (%s)', [doomed.sub])
    before = world(doomed.database)
    doomed.tick(GROUPS, **AT_ONCE, **QUIET)
    (run,) = doomed.runs("groups.destroy")
    lines = restore(doomed.pruned, run["run_id"], "--with-children")
    assert actions(lines) <= {"restored", "left out"}, [line for line in lines if line["action"] == "cannot be"]
    assert world(doomed.database) == before


PAIRS = """
CREATE TABLE pairs (a bigint, b bigint, {parent}_id bigint REFERENCES {parent}s ON DELETE CASCADE, PRIMARY KEY (a, b));
CREATE TABLE pair_notes (id bigserial PRIMARY KEY, a bigint, b bigint, FOREIGN KEY (a, b) REFERENCES pairs ON DELETE {rule});
GRANT SELECT, INSERT, UPDATE, DELETE ON pairs, pair_notes TO PUBLIC;
INSERT INTO pairs VALUES (1, 2, {id});
"""


@pytest.mark.parametrize("rule", ["CASCADE", "SET NULL", "SET DEFAULT"])
@pytest.mark.parametrize("noted", [True, False])
def test_keys_of_several_columns_are_no_reason_to_refuse(doomed, rule, noted):
    """What refers to a group's rows so is recorded; where there was nothing, nothing went."""
    doomed.database.connection.execute(PAIRS.format(parent="project", id=doomed.project_id, rule=rule))
    if noted:
        doomed.put("pair_notes", a=1, b=2)
    before = world(doomed.database)
    doomed.tick(GROUPS, **AT_ONCE, **QUIET)
    (run,) = doomed.runs("groups.destroy")
    assert actions(restore(doomed.pruned, run["run_id"], "--with-children")) <= {"restored", "left out"}
    assert world(doomed.database) == before


@pytest.mark.parametrize("rule", ["CASCADE", "SET NULL"])
def test_keys_of_several_columns_below_a_user_are_no_reason_to_refuse(tenant, rule):  # noqa: F811
    _, user = tenant.placeholder()
    tenant.database.connection.execute(PAIRS.format(parent="user", id=user, rule=rule))
    tenant.database.connection.execute("CREATE TABLE fans (id bigserial PRIMARY KEY, user_id bigint REFERENCES users ON DELETE SET NULL);"
                                       "GRANT SELECT, UPDATE ON fans TO PUBLIC")
    tenant.put("fans", user_id=user)
    before = world(tenant.database, ("import_placeholder_user_details",))
    tenant.tick("imports.placeholder_cleanup", **QUIET)
    (run,) = tenant.runs("users.destroy")
    assert actions(restore(tenant.pruned, run["run_id"])) == {"restored", "left out"}
    assert world(tenant.database, ("import_placeholder_user_details",)) == before


def test_rows_that_went_unrecorded(doomed):
    doomed.database.connection.execute("CREATE TABLE theirs (project_id bigint REFERENCES projects ON DELETE CASCADE)")
    doomed.database.execute("INSERT INTO theirs VALUES (%s)", [doomed.project_id])
    doomed.tick(GROUPS, **AT_ONCE, **QUIET)
    (run,) = doomed.runs("groups.destroy")
    after = world(doomed.database)
    for settings in ({}, {"postgres.url": doomed.database.url}):
        done = doomed.pruned.run("restore", run["run_id"], settings=settings)
        assert done.code == 1 and "theirs" in done.stderr and "--partial" in done.stderr, done
    assert world(doomed.database) == after
    assert "cannot be" not in actions(restore(doomed.pruned, run["run_id"], "--partial"))
    assert doomed.ids("projects") == [doomed.project_id]


def test_a_parent_that_is_gone_for_good(expired):
    database = expired.database
    database.execute("ALTER TABLE members ADD FOREIGN KEY (user_id) REFERENCES users")
    run = expired.tick(EXPIRED, **QUIET)
    database.execute("DELETE FROM users WHERE id = %s", [expired.people[1]])
    lines = {line["key"]: line for line in restore(expired.pruned, run["run_id"], "--with-children", code=6) if line["table"] == "members"}
    bad = lines.pop(str(expired.ids_gone[1]))
    assert bad["action"] == "cannot be" and "users" in bad["reason"]
    assert actions(lines.values()) == {"restored"}


# --- runs that cannot be restored

def test_runs_that_cannot_be_restored(expired):
    pruned = expired.pruned
    refused(pruned, "7fecac87-579a-560b-ad38-6378e9e225c0", code=6, words=["no run"])
    refused(pruned, "nonsense", code=6, words=["no run"])
    run = expired.tick(EXPIRED, **{"audit.rows": "keys"}, **QUIET)
    refused(pruned, run["run_id"], code=6, words=["keys"])
    expired.database.execute("UPDATE pruned.runs SET state = 'waiting', finished_at = NULL WHERE run_id = %s", [run["run_id"]])
    refused(pruned, run["run_id"], code=1, words=["waiting"])


def test_a_run_without_a_record(expired):
    run = expired.tick(EXPIRED, **{"audit.rows": "off"}, **QUIET)
    refused(expired.pruned, run["run_id"], code=6, words=["recorded"])
    nothing = expired.tick(EXPIRED, at=expired.at.replace(microsecond=1000), **QUIET)
    assert restore(expired.pruned, nothing["run_id"]) == []


def test_a_role_that_may_not_insert_is_told_before_anything_is_done(expired):
    run = expired.tick(EXPIRED, **QUIET)
    expired.database.execute(f"REVOKE INSERT ON notification_settings FROM {ROLE}")
    after = world(expired.database)
    refused(expired.pruned, run["run_id"], code=3, words=["notification_settings", "grants.sql"])
    assert world(expired.database) == after


def test_from_the_archive(expired):
    run = expired.tick(EXPIRED, **QUIET)
    expired.database.execute("SELECT pruned.ensure_day('runs_done', (%s at time zone 'UTC')::date)", [run["scheduled_at"]])
    expired.database.execute("INSERT INTO pruned.runs_done SELECT * FROM pruned.runs")
    expired.database.execute("DELETE FROM pruned.runs")
    assert "restored" in actions(restore(expired.pruned, run["run_id"], "--with-children"))
    assert expired.ids("users", f"id = {expired.bot}") == [expired.bot]


def test_more_rows_than_go_at_once(tenant):  # noqa: F811
    top = tenant.group()
    tenant.database.execute("""INSERT INTO members (user_id, source_type, source_id, type, access_level, expires_at)
        SELECT i, 'Namespace', %s, 'GroupMember', 10, %s FROM generate_series(1000, 3499) i""", [top, tenant.day(-1)])
    before = world(tenant.database)
    bad = tenant.ids("members")[::100]
    run = tenant.tick(EXPIRED, **{f"jobs.{EXPIRED}.delay_ms": 0}, **QUIET)
    tenant.database.execute("ALTER TABLE members ADD CONSTRAINT not_those CHECK (id %% 100 <> %s) NOT VALID" % (bad[0] % 100))
    lines = restore(tenant.pruned, run["run_id"], code=6)
    assert sorted(int(line["key"]) for line in lines if line["action"] == "cannot be") == bad
    assert len(tenant.ids("members")) == 2500 - len(bad)
    tenant.database.execute("ALTER TABLE members DROP CONSTRAINT not_those")
    restore(tenant.pruned, run["run_id"])
    assert world(tenant.database) == before
