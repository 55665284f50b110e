"""A placeholder goes when nothing refers to them any more, and stays, with a log line, while
something does."""

import datetime

import pytest

from support.instance import tenant  # noqa: F401
from support.scene import result
from support.writer import Writer

JOB, CHILD = "imports.placeholder_cleanup", "users.delete_placeholder"
AT_ONCE = {f"jobs.{JOB}.spacing_ms": 0}
KEPT = "Unable to delete placeholder user because it is still referenced in other tables"


def results(tenant):
    return {r["args"]["placeholder_user_id"]: result(r) for r in tenant.runs(CHILD)}


def test_only_references_keep_a_placeholder(tenant):
    users = {name: tenant.placeholder()[1] for name in ("free", "issue", "note", "approval", "no reference")}
    tenant.put("issues", closed_by_id=users["issue"])
    tenant.put("notes", author_id=users["note"])
    tenant.put("approvals", user_id=users["approval"])
    tenant.put("notes", updated_by_id=users["no reference"], resolved_by_id=users["no reference"])
    tenant.put("merge_requests", last_edited_by_id=users["no reference"])
    tenant.tick(JOB, **AT_ONCE)
    there = set(tenant.ids("users", "user_type = 15"))
    assert there == {users["issue"], users["note"], users["approval"]}
    told = results(tenant)
    assert {told[u]["kept"] for u in there} == {1} and told[users["free"]]["scheduled"] == 1
    assert sorted(tenant.outcomes("PlaceholderKept"), key=lambda o: o["placeholder_user_id"]) == [
        {"placeholder_user_id": users["issue"], "table": "issues", "column": "closed_by_id"},
        {"placeholder_user_id": users["note"], "table": "notes", "column": "author_id"},
        {"placeholder_user_id": users["approval"], "table": "approvals", "column": "user_id"}]
    lines = tenant.lines(KEPT)
    assert {line["placeholder_user_id"] for line in lines} == there
    assert {line["level"] for line in lines} == {"warning"} and all(line["user"] for line in lines)


def test_a_configured_list_replaces_the_built_in_one(tenant):
    issue, note = tenant.placeholder()[1], tenant.placeholder()[1]
    tenant.put("issues", author_id=issue)
    tenant.put("notes", author_id=note)
    tenant.tick(JOB, **AT_ONCE, **{f"jobs.{CHILD}.references": "notes.author_id; notes.no_such; no_such.user_id"})
    assert results(tenant)[note]["kept"] == 1 and results(tenant)[issue]["scheduled"] == 1
    assert tenant.ids("users", "user_type = 15") == [note]
    (ghost,) = tenant.ids("users", "user_type = 5")
    assert tenant.database.column("SELECT author_id FROM issues") == [ghost]


@pytest.mark.check_all
@pytest.mark.parametrize("changed", [CHILD, "users.destroy"])
def test_another_list_is_another_version_of_the_job(tenant, changed):
    """Other rows go by it: with `approve = first` somebody looks at them first. The jobs have their
    lists in common."""
    first = AT_ONCE | {f"jobs.{CHILD}.approve": "first"}

    def clean_up(n, **more):
        user = tenant.placeholder()[1]
        tenant.tick(JOB, at=tenant.at + datetime.timedelta(seconds=n), **first, **more)
        [run] = [r for r in tenant.runs(CHILD) if r["args"]["placeholder_user_id"] == user]
        return run

    run = clean_up(0)
    assert (run["state"], run["error"]) == ("held", "held: the first run of this job needs an approval (1 row)")
    tenant.pruned.run("approve", str(run["run_id"])).ok()
    assert clean_up(1)["state"] == "finished", "its list is known"
    changes = {f"jobs.{changed}.references": "notes.author_id"}
    run = clean_up(2, **changes)
    assert (run["state"], run["error"]) == ("held", "held: the first run of this job needs an approval (1 row)")
    tenant.pruned.run("approve", str(run["run_id"])).ok()
    assert (clean_up(3, **changes)["state"], clean_up(4)["state"]) == ("finished", "finished"), "both are known"


@pytest.fixture
def mentions(tenant):
    """Only a setting of users.delete_placeholder names these columns; they have no foreign key."""
    tenant.database.connection.execute("CREATE TABLE mentions (id bigserial PRIMARY KEY, user_id bigint); "
                                       "GRANT SELECT, UPDATE, DELETE ON mentions TO PUBLIC")
    tenant.pruned.settings[f"jobs.{CHILD}.references"] = "mentions.user_id"
    return tenant


def test_one_list_holds_when_a_placeholder_is_handed_over_and_removed(mentions):
    _, user = mentions.placeholder()
    mentions.pruned.run("pause", "users.destroy").ok()
    mentions.tick(JOB, **AT_ONCE)
    mention = mentions.put("mentions", user_id=user)
    mentions.pruned.run("resume", "users.destroy").ok()
    mentions.work()
    (run,) = mentions.runs("users.destroy")
    assert (result(run)["kept"], result(run)["reason"]) == (1, "still referenced in mentions.user_id")
    assert user in mentions.ids("users") and mentions.row("mentions", mention)["user_id"] == user


def test_what_would_keep_a_placeholder_goes_to_the_ghost_user_with_any_other(mentions):
    bot, group = mentions.user(user_type=6), mentions.group()
    mentions.member(bot, project=mentions.project(group), expires_at=mentions.day(-1))
    mention, issue = mentions.put("mentions", user_id=bot), mentions.put("issues", author_id=bot)
    mentions.tick("members.remove_expired")
    (ghost,) = mentions.ids("users", "user_type = 5")
    assert bot not in mentions.ids("users")
    assert (mentions.row("mentions", mention)["user_id"], mentions.row("issues", issue)["author_id"]) == (ghost, ghost)


def test_without_any_of_these_tables_a_placeholder_goes(tenant):
    tenant.database.execute("DROP TABLE issue_assignees, issues, notes, approvals, award_emoji, merge_requests")
    _, user = tenant.placeholder()
    tenant.tick(JOB)
    assert user not in tenant.ids("users")


def test_users_who_are_no_placeholders_or_were_claimed_again_stay(tenant):
    _, human = tenant.placeholder(user=tenant.user())
    _, claimed = tenant.placeholder()
    tenant.placeholder(user=claimed, namespace=tenant.group())
    tenant.database.execute("ALTER TABLE import_placeholder_user_details DROP CONSTRAINT "
                            "import_placeholder_user_details_placeholder_user_id_fkey")
    tenant.placeholder(user=999999)
    run = tenant.tick(JOB, **AT_ONCE)
    assert result(run)["scheduled"] == 3 and {human, claimed} <= set(tenant.ids("users"))
    told = results(tenant)
    assert [(told[u].get("kept", 0), told[u].get("scheduled", 0), told[u]["reason"]) for u in (human, claimed, 999999)] == [
        (0, 0, "the user is no placeholder"), (0, 0, "the placeholder belongs to a namespace again"), (0, 0, "the user is gone")]


def test_a_child_that_is_dead_after_the_last_attempt_leaves_an_abandoned_detail(tenant):
    detail, user = tenant.placeholder(attempts=14)
    tenant.put("issues", author_id=1)
    tenant.database.execute("ALTER TABLE issues ALTER author_id TYPE text USING author_id::text")
    tenant.database.execute("CREATE FUNCTION bad(text, bigint) RETURNS boolean LANGUAGE plpgsql AS "
                            "$$ BEGIN RAISE EXCEPTION 'broken'; END $$")
    tenant.database.execute("CREATE OPERATOR = (LEFTARG = text, RIGHTARG = bigint, FUNCTION = bad)")
    tenant.tick(JOB, **{f"jobs.{CHILD}.max_attempts": 0})
    (child,) = tenant.runs(CHILD)
    assert child["state"] == "dead" and "broken" in child["error"]
    (row,) = tenant.database.rows("SELECT * FROM pruned.quarantine")
    assert row["item"] == f"import_placeholder_user_details:{detail}" and row["reason"].startswith("abandoned: broken")


def test_a_table_without_rights_goes_by_its_key_and_is_named(tenant):
    tenant.database.execute("CREATE TABLE theirs (user_id bigint REFERENCES users ON DELETE CASCADE)")
    _, user = tenant.placeholder()
    tenant.database.execute("INSERT INTO theirs VALUES (%s)", [user])
    tenant.tick(JOB, **AT_ONCE)
    assert user not in tenant.ids("users") and tenant.database.value("SELECT count(*) FROM theirs") == 0
    (line,) = tenant.lines("No right to delete rows of this table: grant SELECT, UPDATE and DELETE")
    assert (line["level"], line["table"], line["user_id"]) == ("warning", "theirs", user)


@pytest.mark.timeout(120)
def test_a_row_that_is_just_being_given_to_another_user_stays(tenant):
    """The statement that deletes rows of the user waits for the application, and then checks the
    row again."""
    tenant.database.connection.execute("CREATE TABLE badges (id bigserial PRIMARY KEY, user_id bigint REFERENCES users ON DELETE CASCADE);"
                                       "GRANT SELECT, UPDATE, DELETE ON badges TO PUBLIC")
    _, user = tenant.placeholder()
    other = tenant.user()
    moved, mine = (tenant.put("badges", user_id=user) for _ in range(2))
    writer = Writer(tenant.database, f"UPDATE badges SET user_id = {other} WHERE id = {moved}").write()
    writer.start()
    try:
        tenant.tick(JOB, **AT_ONCE)
    finally:
        writer.end()
    assert writer.waited and user not in tenant.ids("users")
    assert tenant.database.rows("SELECT id, user_id FROM badges") == [{"id": moved, "user_id": other}]
    assert tenant.database.column("SELECT keys FROM pruned.deletions WHERE table_name = 'badges'") == [[mine]]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("statement, table", [
    ("INSERT INTO badges (user_id) VALUES ({user})", "badges"),
    ("INSERT INTO badge_notes (badge_id) SELECT id FROM badges", "badge_notes"),
    ("INSERT INTO badge_hints (badge_id) SELECT id FROM badges", "badge_hints"),
    ("INSERT INTO hints (user_id) VALUES ({user})", "hints"),
])
@pytest.mark.timeout(120)
def test_rows_that_the_application_is_just_writing_below_a_user_are_recorded(tenant, statement, table):
    tenant.database.connection.execute("""
        CREATE TABLE badges (id bigserial PRIMARY KEY, user_id bigint REFERENCES users ON DELETE CASCADE);
        CREATE TABLE badge_notes (id bigserial PRIMARY KEY, badge_id bigint REFERENCES badges ON DELETE CASCADE);
        CREATE TABLE badge_hints (id bigserial PRIMARY KEY, badge_id bigint REFERENCES badges ON DELETE SET NULL);
        CREATE TABLE hints (id bigserial PRIMARY KEY, user_id bigint REFERENCES users ON DELETE SET NULL);
        GRANT SELECT, UPDATE, DELETE ON badges, badge_notes, badge_hints, hints TO PUBLIC""")
    _, user = tenant.placeholder()
    tenant.put("badges", user_id=user)
    writer = Writer(tenant.database, statement.format(user=user)).write()
    writer.start()
    try:
        tenant.tick(JOB, **AT_ONCE)
    finally:
        writer.end()
    (run,) = tenant.runs("users.destroy")
    assert writer.waited and (run["state"], run["attempts"]) == ("finished", 0) and user not in tenant.ids("users")
    (last,) = tenant.database.column(f"SELECT last_value FROM {table}_id_seq")
    assert last in tenant.database.column("SELECT jsonb_array_elements(keys) FROM pruned.deletions WHERE table_name = %s", [table])


def test_rows_that_a_key_would_change_are_recorded(tenant):
    """In steps of two rows. Also a key of two columns, and a key of a row that goes with the
    user."""
    home = tenant.user()
    tenant.database.connection.execute(f"""
        CREATE TABLE hints (id bigserial PRIMARY KEY, user_id bigint REFERENCES users ON DELETE SET NULL);
        CREATE TABLE defaults (id bigserial PRIMARY KEY, user_id bigint DEFAULT {home} REFERENCES users ON DELETE SET DEFAULT);
        CREATE TABLE badges (id bigint, user_id bigint REFERENCES users ON DELETE CASCADE, PRIMARY KEY (id, user_id));
        CREATE TABLE badge_hints (id bigserial PRIMARY KEY, badge_id bigint, user_id bigint,
                                  FOREIGN KEY (badge_id, user_id) REFERENCES badges ON DELETE SET NULL);
        GRANT SELECT, UPDATE, DELETE ON hints, defaults, badges, badge_hints TO PUBLIC""")
    _, user = tenant.placeholder()
    tenant.database.execute("INSERT INTO badges VALUES (7, %s)", [user])
    tables = {"hints": {}, "defaults": {}, "badge_hints": {"badge_id": 7}}
    rows = {table: [tenant.put(table, user_id=user, **more) for _ in range(3)] for table, more in tables.items()}
    tenant.tick(JOB, **AT_ONCE, **{"jobs.users.destroy.batch": 2})
    assert user not in tenant.ids("users")
    for table in tables:
        assert tenant.database.column("SELECT user_id FROM " + table) == [home if table == "defaults" else None] * 3
        assert sorted(tenant.database.column("SELECT jsonb_array_elements(keys) FROM pruned.deletions WHERE table_name = %s "
                                             "AND action = 'updated'", [table])) == rows[table], table


@pytest.mark.check_first(1)
@pytest.mark.parametrize("what, reason", [
    ("UPDATE import_placeholder_user_details SET namespace_id = {group} WHERE placeholder_user_id = {user}",
     "the placeholder belongs to a namespace again"),
    ("INSERT INTO issues (author_id) VALUES ({user})", "still referenced in issues.author_id"),
    ("UPDATE users SET user_type = 0 WHERE id = {user}", "the user is no placeholder"),
])
def test_a_user_who_is_claimed_after_the_hand_over_stays(tenant, what, reason):
    _, user = tenant.placeholder()
    tenant.pruned.run("pause", "users.destroy").ok()
    tenant.tick(JOB, **AT_ONCE)
    assert [run["state"] for run in tenant.runs("users.destroy")] == ["waiting"]
    tenant.database.execute(what.format(user=user, group=tenant.group()))
    before = tenant.row("users", user)
    tenant.pruned.run("resume", "users.destroy").ok()
    tenant.work()
    (run,) = tenant.runs("users.destroy")
    assert (run["state"], result(run)["kept"], result(run)["reason"]) == ("finished", 1, reason)
    assert tenant.row("users", user) == before
    assert tenant.database.value("SELECT count(*) FROM ghost_user_migrations") == 0


@pytest.mark.check_all
@pytest.mark.parametrize("what, reason", [
    ("UPDATE import_placeholder_user_details SET namespace_id = {group} WHERE placeholder_user_id = {user}",
     "the placeholder belongs to a namespace again"),
    ("UPDATE users SET user_type = 0 WHERE id = {user}", "the user's type has changed"),
    ("UPDATE users SET state = 'active' WHERE id = {user}", "the user is no longer blocked"),
])
@pytest.mark.parametrize("ours", [True, False])
def test_a_user_who_is_claimed_after_the_destruction_began_stays(tenant, what, reason, ours):
    """A trigger pauses the job when the user is blocked, so that no later step comes before they
    are claimed."""
    _, user = tenant.placeholder()
    if not ours:
        tenant.put("ghost_user_migrations", user_id=user)
    tenant.database.execute("""CREATE FUNCTION wait_a_bit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
        INSERT INTO pruned.controls (job, paused) VALUES ('users.destroy', true); RETURN NULL; END $$""")
    tenant.database.execute("CREATE TRIGGER wait_a_bit AFTER UPDATE OF state ON users FOR EACH ROW WHEN (NEW.state = 'blocked')"
                            " EXECUTE FUNCTION wait_a_bit()")
    tenant.tick(JOB, **AT_ONCE)
    (run,) = tenant.runs("users.destroy")
    assert (run["state"], run["step"], tenant.row("users", user)["state"]) == ("waiting", 1, "blocked")
    tenant.database.execute(what.format(user=user, group=tenant.group()))
    before = tenant.row("users", user)
    tenant.pruned.run("resume", "users.destroy").ok()
    tenant.work()
    (run,) = tenant.runs("users.destroy")
    assert (run["state"], result(run).get("kept"), result(run).get("reason")) == ("finished", 1, reason)
    assert tenant.row("users", user) == before
    assert tenant.database.value("SELECT count(*) FROM ghost_user_migrations") == (0 if ours else 1)
    assert not tenant.outcomes("UserDeleted")


@pytest.mark.check_first(1)
@pytest.mark.parametrize("table", ["projects", "members", "routes", "redirect_routes"])
def test_rows_elsewhere_that_name_the_personal_namespace_stay(tenant, table):
    """A key of the namespace would take the other row along: the user stays until it is
    corrected."""
    _, user = tenant.placeholder()
    own = tenant.namespace("User", None, "home", None)
    tenant.database.execute("UPDATE namespaces SET owner_id = %s WHERE id = %s", [user, own])
    group = tenant.group()
    project, column = tenant.project(group), {"projects": "project_namespace_id", "members": "member_namespace_id"}.get(table, "namespace_id")
    tenant.member(tenant.user(), project=project)
    tenant.put("redirect_routes", source_type="Project", source_id=project, path="old")
    (row,) = tenant.ids(table, f"source_type = 'Project' AND source_id = {project}" if table != "projects" else "true")
    tenant.database.execute(f"UPDATE {table} SET {column} = %s WHERE id = %s", [own, row])
    tenant.tick(JOB, **AT_ONCE)
    (run,) = tenant.runs("users.destroy")
    assert tenant.row(table, row) is not None
    assert (run["state"], run["attempts"]) == ("waiting", 1) and f"rows of {table} refer" in run["error"]
    tenant.database.execute(f"UPDATE {table} SET {column} = NULL WHERE id = %s", [row])
    tenant.pruned.run("retry", str(run["run_id"])).ok()
    tenant.work()
    assert user not in tenant.ids("users") and own not in tenant.ids("namespaces") and tenant.row(table, row) is not None


@pytest.mark.check_first(1)
@pytest.mark.parametrize("table", ["routes", "redirect_routes"])
def test_paths_of_removed_rows_go_with_the_personal_namespace_and_are_audited(tenant, table):
    _, user = tenant.placeholder()
    own = tenant.namespace("User", None, "home", None)
    tenant.database.execute("UPDATE namespaces SET owner_id = %s WHERE id = %s", [user, own])
    rows = [tenant.put(table, source_type=kind, source_id=id, namespace_id=own, path=f"{kind}{id}")
            for kind, id in (("Namespace", own), ("Project", 999999), ("Namespace", 999999))]
    tenant.tick(JOB, **AT_ONCE)
    assert user not in tenant.ids("users") and tenant.ids(table) == []
    assert sorted(tenant.database.column(
        "SELECT jsonb_array_elements(keys)::bigint FROM pruned.deletions WHERE table_name = %s", [table])) == rows


def test_a_bot_that_became_a_human_meanwhile_stays(tenant):
    bot = tenant.user(user_type=6)
    tenant.member(bot, project=tenant.project(tenant.group()), expires_at=tenant.day(-1))
    tenant.pruned.run("pause", "users.destroy").ok()
    tenant.tick("members.remove_expired")
    tenant.database.execute("UPDATE users SET user_type = 0 WHERE id = %s", [bot])
    before = tenant.row("users", bot)
    tenant.pruned.run("resume", "users.destroy").ok()
    tenant.work()
    (run,) = tenant.runs("users.destroy")
    assert (run["state"], result(run)["kept"], result(run)["reason"]) == ("finished", 1, "the user is no project bot")
    assert tenant.row("users", bot) == before


def test_of_a_partitioned_table_only_the_users_rows_go_with_those_below(tenant):
    """The rows have the same ctid, each in its own partition."""
    tenant.database.connection.execute("""
        CREATE TABLE visits (id bigint, day date, user_id bigint REFERENCES users ON DELETE CASCADE, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
        CREATE TABLE visits_before PARTITION OF visits FOR VALUES FROM (MINVALUE) TO ('2026-01-01');
        CREATE TABLE visits_after PARTITION OF visits FOR VALUES FROM ('2026-01-01') TO (MAXVALUE);
        CREATE TABLE steps (id bigserial PRIMARY KEY, visit_id bigint, day date, FOREIGN KEY (visit_id, day) REFERENCES visits ON DELETE CASCADE);
        GRANT SELECT, UPDATE, DELETE ON visits, steps TO PUBLIC""")
    _, user = tenant.placeholder()
    other = tenant.user()
    for who, day in ((user, "2025-12-31"), (other, "2026-01-01")):
        tenant.database.execute("INSERT INTO visits VALUES (1, %s, %s)", [day, who])
        tenant.put("steps", visit_id=1, day=day)
    assert len(set(tenant.database.column("SELECT ctid FROM visits"))) == 1
    tenant.tick(JOB, **AT_ONCE)
    assert user not in tenant.ids("users") and tenant.database.column("SELECT user_id FROM visits") == [other] and tenant.ids("steps") == [2]
    assert tenant.database.column("SELECT keys FROM pruned.deletions WHERE table_name = 'steps'") == [[1]]
    assert tenant.database.column("SELECT keys FROM pruned.deletions WHERE table_name = 'visits'") == [[{"id": 1, "day": "2025-12-31"}]]
