"""`pruned restore`: rows come back in the order that foreign keys need, and rows that a key took
along without a record are named."""

import pytest

from support.instance import tenant  # noqa: F401
from support.restored import AT_ONCE, EXPIRED, GROUPS, QUIET, actions, refused, restore, world, doomed, expired  # noqa: F401


KEYS = '''
CREATE TABLE notes_of_others (id bigserial PRIMARY KEY, project_id bigint REFERENCES projects ON DELETE CASCADE);
CREATE TABLE "Odd ""names""" ("Key:: %s" bigserial PRIMARY KEY, "The group" bigint REFERENCES namespaces ON DELETE SET NULL);
CREATE TABLE keyless (project_id bigint REFERENCES projects ON DELETE CASCADE, word text);
GRANT SELECT, INSERT, UPDATE, DELETE ON notes_of_others, keyless, "Odd ""names""" TO PUBLIC;
'''


@pytest.mark.check_all
def test_tables_that_the_program_does_not_know(doomed):  # noqa: F811
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


REPLIES = """
CREATE TABLE comments (id bigint PRIMARY KEY, project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
                       reply_to bigint REFERENCES comments ON DELETE {rule});
GRANT SELECT, INSERT, UPDATE, DELETE ON comments TO PUBLIC;
INSERT INTO comments SELECT i, {project}, CASE WHEN i > 1200 THEN NULL ELSE i + 600 END FROM generate_series(1800, 1, -1) AS i;
"""


@pytest.mark.check_all
@pytest.mark.parametrize("rule", ["CASCADE", "SET NULL"])
def test_rows_that_refer_to_others_of_their_table(doomed, rule):  # noqa: F811
    """Three levels deep, each row refers to a row with a higher key; more rows than one batch
    has."""
    doomed.database.connection.execute(REPLIES.format(rule=rule, project=doomed.project_id))
    before = world(doomed.database)
    doomed.tick(GROUPS, **AT_ONCE, **QUIET)
    (run,) = doomed.runs("groups.destroy")
    assert doomed.ids("comments") == []
    lines = restore(doomed.pruned, run["run_id"], "--with-children")
    assert actions(lines) <= {"restored", "left out"}, [line for line in lines if line["action"] == "cannot be"]
    assert world(doomed.database) == before
    if rule == "CASCADE":
        order = {int(line["key"]): n for n, line in enumerate(lines) if line["table"] == "comments"}
        assert all(order[id] > order[id + 600] for id in range(1, 1201)), "who is referred to comes first"


PAIRS = """
CREATE TABLE pairs (a bigint, b bigint, {parent}_id bigint REFERENCES {parent}s ON DELETE CASCADE, PRIMARY KEY (a, b));
CREATE TABLE pair_notes (id bigserial PRIMARY KEY, a bigint, b bigint, FOREIGN KEY (a, b) REFERENCES pairs ON DELETE {rule});
GRANT SELECT, INSERT, UPDATE, DELETE ON pairs, pair_notes TO PUBLIC;
INSERT INTO pairs VALUES (1, 2, {id});
"""


@pytest.mark.check_all
@pytest.mark.parametrize("rule", ["CASCADE", "SET NULL", "SET DEFAULT"])
@pytest.mark.parametrize("noted", [True, False])
def test_keys_of_several_columns_are_no_reason_to_refuse(doomed, rule, noted):  # noqa: F811
    """Rows that refer to a group's rows in this way are recorded. Without a record, none went."""
    doomed.database.connection.execute(PAIRS.format(parent="project", id=doomed.project_id, rule=rule))
    if noted:
        doomed.put("pair_notes", a=1, b=2)
    before = world(doomed.database)
    doomed.tick(GROUPS, **AT_ONCE, **QUIET)
    (run,) = doomed.runs("groups.destroy")
    assert actions(restore(doomed.pruned, run["run_id"], "--with-children")) <= {"restored", "left out"}
    assert world(doomed.database) == before


@pytest.mark.check_all
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


@pytest.mark.check_all
def test_no_group_goes_with_rows_that_could_not_be_recorded(doomed):  # noqa: F811
    doomed.database.connection.execute("CREATE TABLE theirs (project_id bigint REFERENCES projects ON DELETE CASCADE)")
    doomed.database.execute("INSERT INTO theirs VALUES (%s)", [doomed.project_id])
    before = world(doomed.database)
    doomed.tick(GROUPS, **AT_ONCE, **QUIET)
    (run,) = doomed.runs("groups.destroy")
    assert "theirs has rows" in run["error"] and "grant SELECT, UPDATE and DELETE" in run["error"]
    assert world(doomed.database) == before


@pytest.mark.check_all
@pytest.mark.parametrize("parent", ["members", "notification_settings"])
def test_rows_that_went_unrecorded_with_those_of_a_page(expired, parent):  # noqa: F811
    """The role has no rights on what lies below memberships. The job does not look for what lies
    below notification settings."""
    expired.database.connection.execute(f"CREATE TABLE badges (row_id bigint REFERENCES {parent} ON DELETE CASCADE)")
    if parent == "notification_settings":
        expired.database.connection.execute("GRANT SELECT, UPDATE, DELETE ON badges TO PUBLIC")
    row = expired.ids_gone[0] if parent == "members" else expired.database.value(
        "SELECT s.id FROM notification_settings s JOIN members m ON m.user_id = s.user_id AND m.source_id = s.source_id "
        "AND m.source_type = s.source_type WHERE m.id = ANY (%s) LIMIT 1", [expired.ids_gone])
    expired.database.execute("INSERT INTO badges VALUES (%s)", [row])
    run = expired.tick(EXPIRED, **QUIET)
    assert expired.database.value("SELECT count(*) FROM badges") == 0
    after = world(expired.database)
    refused(expired.pruned, run["run_id"], code=1, words=["badges", "--partial"])
    refused(expired.pruned, run["run_id"], "--dry-run", code=1, words=["badges", "--partial"])
    assert world(expired.database) == after
    assert "restored" in actions(restore(expired.pruned, run["run_id"], "--partial"))


def test_a_table_below_memberships_without_rows_keeps_no_restore_back(expired):  # noqa: F811
    """The job has looked for its rows, and there were none."""
    expired.database.connection.execute("CREATE TABLE badges (member_id bigint REFERENCES members ON DELETE CASCADE);"
                                        "GRANT SELECT, UPDATE, DELETE ON badges TO PUBLIC")
    run = expired.tick(EXPIRED, **QUIET)
    assert "restored" in actions(restore(expired.pruned, run["run_id"]))


def test_a_parent_that_is_gone_for_good(expired):  # noqa: F811
    database = expired.database
    database.execute("ALTER TABLE members ADD FOREIGN KEY (user_id) REFERENCES users")
    run = expired.tick(EXPIRED, **QUIET)
    database.execute("DELETE FROM users WHERE id = %s", [expired.people[1]])
    lines = {line["key"]: line for line in restore(expired.pruned, run["run_id"], "--with-children", code=6) if line["table"] == "members"}
    bad = lines.pop(str(expired.ids_gone[1]))
    assert bad["action"] == "cannot be" and "users" in bad["reason"]
    assert actions(lines.values()) == {"restored"}
