"""`pruned who`: what happened to a row and to rows that name it, found by an index;
`pruned restore --only` puts back just that row."""

import json
import shlex
import time

import pytest

from support.command_line import says
from support.instance import tenant  # noqa: F401
from support.restored import EXPIRED, GROUPS, QUIET, AT_ONCE, doomed, expired, held, world  # noqa: F401
from support.statements import files, numbered

pytestmark = pytest.mark.built_in

RUN = "7fecac87-579a-560b-ad38-6378e9e225c0"
KEYS = {"at", "run_id", "job", "scheduled_at", "table", "key", "action", "reason", "row", "restore", "restored_at", "erasure", "erasure_run"}


def who(pruned, item, *options):
    lines = pruned.run("who", item, "--json", *options).ok().json()
    assert all(set(line) == KEYS for line in lines)
    return lines


def again(pruned, line):
    """Runs the command that the line names."""
    program, *arguments = shlex.split(line["restore"])
    assert program == "pruned"
    return pruned.run(*arguments, "--json").ok().json()


def test_a_membership_that_expired(expired):  # noqa: F811
    member = expired.ids_gone[0]
    was = expired.database.row("SELECT to_jsonb(m) - 'invite_token' AS row FROM members m WHERE id = %s", [member])["row"]
    run = expired.tick(EXPIRED, **QUIET)
    [line] = [x for x in who(expired.pruned, f"members:{member}") if x["table"] == "members"]
    assert (line["key"], line["action"], line["reason"], line["job"]) == (str(member), "deleted", "expired", EXPIRED)
    assert line["run_id"] == str(run["run_id"]) and line["row"] == was
    assert line["scheduled_at"].startswith(run["scheduled_at"].strftime("%Y-%m-%dT%H:%M:%S"))
    assert line["restore"] == f"pruned restore {run['run_id']} --only members:{member}"


@pytest.mark.check_all
def test_the_command_puts_back_just_this_row(expired):  # noqa: F811
    before = world(expired.database)
    expired.tick(EXPIRED, **QUIET)
    one, other = expired.ids_gone[1:3]
    [line] = [x for x in who(expired.pruned, f"members:{one}") if x["table"] == "members"]
    assert [(x["table"], x["key"], x["action"]) for x in again(expired.pruned, line)] == [("members", str(one), "restored")]
    assert expired.ids("members", f"id IN ({one}, {other})") == [one]
    assert f"{EXPIRED} members:{one}" in held(expired.database) and f"{EXPIRED} members:{other}" not in held(expired.database)
    assert set(expired.database.column("SELECT m::text FROM members m")) <= set(before["members"])
    assert expired.database.value("SELECT object FROM pruned.journal WHERE command = 'restore'") == f"{line['run_id']} members:{one}"
    assert [(x["key"], x["action"]) for x in again(expired.pruned, line)] == [(str(one), "exists again")]
    told = {key: [x["restored_at"] is not None for x in who(expired.pruned, f"members:{key}") if x["table"] == "members"] for key in (one, other)}
    assert (line["restored_at"], told) == (None, {one: [True], other: [False]})


def test_a_user_and_what_named_it(expired):  # noqa: F811
    """The bot, its membership, its settings, and the issue that it had written."""
    expired.tick(EXPIRED, **QUIET)
    lines = who(expired.pruned, f"users:{expired.bot}")
    seen = {(line["table"], line["action"], line["reason"]) for line in lines}
    assert any(table == "users" and action == "deleted" for table, action, _ in seen)
    assert {"members", "notification_settings", "issues", "issue_assignees", "users"} <= {table for table, _, _ in seen}
    assert all(expired.bot in line["row"].values() for line in lines)
    assert [line["at"] for line in lines] == sorted(line["at"] for line in lines)
    person = who(expired.pruned, f"users:{expired.people[0]}")
    assert {line["table"] for line in person} == {"members", "notification_settings"} and len(person) == 2


@pytest.mark.check_all
def test_a_key_of_two_columns(doomed):  # noqa: F811
    doomed.tick(GROUPS, **AT_ONCE, **QUIET)
    keys = doomed.database.column("SELECT jsonb_array_elements(keys)::text FROM pruned.deletions WHERE table_name = 'issue_assignees' "
                                  "OR table_name = 'project_authorizations'")
    objects = [json.loads(key) for key in keys if key.startswith("{")]
    if not objects:
        pytest.skip("no such record")
    table = "project_authorizations" if "project_id" in objects[0] else "issue_assignees"
    [line] = who(doomed.pruned, f"{table}:{json.dumps(objects[0])}")
    assert json.loads(line["key"]) == objects[0]
    says(doomed.pruned.run("who", f"{table}:7"), 1, "has the columns")
    [back] = again(doomed.pruned, line)
    assert back["table"] == table


def test_a_group_and_what_went_with_it(doomed):  # noqa: F811
    doomed.tick(GROUPS, **AT_ONCE, **QUIET)
    tables = {line["table"] for line in who(doomed.pruned, f"namespaces:{doomed.sub}")}
    assert {"namespaces", "members", "notification_settings"} <= tables


@pytest.mark.check_first(2)
@pytest.mark.parametrize("item, code, words", [
    ("members", 1, ["TABLE:KEY"]), ("members:", 1, ["TABLE:KEY"]), (":1", 1, ["TABLE:KEY"]),
    ("members:{\"id\"", 1, ["neither"]), ("members:abc", 1, ["is a number"]), ("members:1'; DROP TABLE members; --", 1, ["is a number"]),
    ("nonsense:1", 6, ["nonsense"]), ("mem\"b'ers:1", 6, ["no table"]), ("members:4711", 6, ["nothing is recorded"]),
    ("routes:a'b\"c", 1, ["is a number"])])
def test_bad_input_is_said(stored, item, code, words):
    done = says(stored.run("who", item, "--json"), code, *words)
    assert done.stdout == ""


def test_a_key_of_one_column_can_be_written_as_an_object(expired):  # noqa: F811
    run = expired.tick(EXPIRED, **QUIET)["run_id"]
    member = expired.ids_gone[0]
    assert who(expired.pruned, f'members:{{"id": {member}}}') == who(expired.pruned, f"members:{member}") != []
    [line] = expired.pruned.run("restore", run, "--only", f'members:{{"id": {member}}}', "--json").ok().json()
    assert (line["key"], line["action"]) == (str(member), "restored")


@pytest.mark.check_first(2)
@pytest.mark.parametrize("item, words", [
    ('members:{"user_id": 1}', ["the key of members is the column id", "members:KEY"]), ('members:{"id": 1, "user_id": 1}', ["the column id"]),
    ("members:{}", ["the column id"]), ('members:{"id": null}', ["the column id"]), ('members:{"id": "x"}', ["is a number"]),
    ('project_authorizations:{"project": 1}', ["has the columns user_id, project_id"]), ("project_authorizations:{}", ["has the columns user_id"])])
def test_an_object_that_is_no_key_is_said(stored, item, words):
    """Else it would read as if nothing had happened to the row."""
    says(stored.run("who", item), 1, *words)


def test_quotes_in_a_key_are_only_text(scene):
    scene.database.connection.execute("CREATE TABLE tokens (name text PRIMARY KEY); GRANT ALL ON tokens TO PUBLIC")
    odd = "it's \"odd\"; --"
    scene.database.execute("INSERT INTO pruned.deletions (run_id, step, table_name, action, keys, rows) "
                           "VALUES (gen_random_uuid(), 0, 'tokens', 'deleted', jsonb_build_array(%(k)s::text), jsonb_build_array(jsonb_build_object('name', %(k)s::text)))",
                           {"k": odd})
    [line] = who(scene, f"tokens:{odd}")
    assert line["key"] == odd and shlex.split(line["restore"])[-1] == f"tokens:{odd}" and line["job"] is None


def test_a_key_of_digits_can_be_a_text(scene):
    scene.database.connection.execute("CREATE TABLE tokens (name text PRIMARY KEY); GRANT ALL ON tokens TO PUBLIC")
    scene.database.execute("INSERT INTO pruned.deletions (run_id, step, table_name, action, keys, rows) "
                           "VALUES (%s, 0, 'tokens', 'deleted', '[\"42\"]', '[{\"name\": \"42\"}]')", [RUN])
    scene.database.execute("INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job, finished_at) "
                           "VALUES (%s, now(), now(), 'finished', 'users.destroy', now())", [RUN])
    [line] = who(scene, "tokens:42")
    assert (line["key"], line["row"]) == ("42", {"name": "42"}) and line["restore"].endswith(" --only tokens:42")
    scene.run("restore", line["run_id"], "--only", "tokens:42").ok()
    assert scene.database.column("SELECT name FROM tokens") == ["42"]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("name", ['"Odd Table"', "Odd Table", 'public."Odd Table"'])
def test_a_table_is_found_by_each_of_its_names(scene, name):
    scene.database.connection.execute('CREATE TABLE "Odd Table" (id int PRIMARY KEY); GRANT ALL ON "Odd Table" TO PUBLIC')
    scene.database.execute("INSERT INTO pruned.deletions (run_id, step, table_name, action, keys, rows) "
                           "VALUES (%s, 0, '\"Odd Table\"', 'deleted', '[7]', '[{\"id\": 7}]')", [RUN])
    scene.database.execute("INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job, finished_at) "
                           "VALUES (%s, now(), now(), 'finished', 'users.destroy', now())", [RUN])
    [line] = who(scene, f"{name}:7")
    assert (line["table"], line["key"]) == ('"Odd Table"', "7")
    says(scene.run("restore", RUN, "--only", f"{name}:8"), 6, ":8")
    assert scene.run("restore", RUN, "--only", f"{name}:7", "--json").ok().json()[0]["action"] == "restored"
    assert scene.database.column('SELECT id FROM "Odd Table"') == [7]


@pytest.mark.parametrize("name", ["no table", "a.b.c.d", "members; --"])
def test_a_name_that_no_table_has_is_said(stored, name):
    says(stored.run("who", f"{name}:7"), 6, f"there is no table '{name}'")


@pytest.mark.check_first(1)
@pytest.mark.parametrize("object", ["{}", '{"source_type": "Namespace"}'])
def test_only_one_row_is_restored(expired, object):  # noqa: F811
    run = expired.tick(EXPIRED, **QUIET)["run_id"]
    before = expired.database.value("SELECT count(*) FROM members")
    says(expired.pruned.run("restore", run, "--only", f"members:{object}"), 1, "is not one row", "id")
    assert expired.database.value("SELECT count(*) FROM members") == before


def test_a_text_of_others_neither_breaks_a_line_nor_controls_the_terminal(scene):
    odd = "\x1b[2J\nforged"
    scene.database.execute("INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job, args, finished_at) VALUES (%s, now(), now(), 'finished',"
                           " 'users.destroy', jsonb_build_object('user_id', 7, 'reason', %s::text), now())", [RUN, odd])
    scene.database.execute("INSERT INTO pruned.deletions (run_id, step, table_name, action, keys, rows) "
                           "VALUES (%s, 0, 'users', 'deleted', '[7]', '[{\"id\": 7}]')", [RUN])
    done = scene.run("who", "users:7").ok()
    assert "\x1b" not in done.stdout and " [2J forged)" in done.stdout


def test_only_a_row_of_that_run(expired):  # noqa: F811
    run = expired.tick(EXPIRED, **QUIET)["run_id"]
    says(expired.pruned.run("restore", run, "--only", "members:4711"), 6, "members:4711")
    says(expired.pruned.run("restore", run, "--only", "members"), 1, "TABLE:KEY")
    says(expired.pruned.run("restore", run, "--only", "nonsense:1"), 6, "nonsense")


# --- many

PAGES, DAYS = 600, 30


@pytest.fixture
def days(scene):
    """30 days of the audit, without a row."""
    scene.database.execute(f"SELECT pruned.ensure_day('deletions', current_date - i) FROM generate_series(0, {DAYS - 1}) i")
    return scene


@pytest.fixture
def many(days):
    """600,000 rows that went in these days, in pages of a thousand."""
    days.database.execute(f"""
        INSERT INTO pruned.deletions (run_id, step, table_name, action, keys, rows, at)
        SELECT gen_random_uuid(), 0, 'members', 'deleted', jsonb_agg(q.id),
               jsonb_agg(jsonb_build_object('id', q.id, 'user_id', q.id %% 200000, 'source_type', 'Namespace', 'source_id', q.id %% 5000,
                                            'access_level', 30, 'created_at', '2026-01-01', 'note', md5(q.id::text))),
               now() - p %% {DAYS} * interval '1 day'
        FROM generate_series(0, {PAGES - 1}) p CROSS JOIN LATERAL (SELECT p * 1000 + i AS id FROM generate_series(0, 999) i) q
        GROUP BY p""".replace("%%", "%"))
    return days


SCANNED = "SELECT coalesce(sum(seq_scan), 0) FROM pg_stat_all_tables WHERE schemaname = 'pruned' AND relname LIKE 'deletions%%'"


@pytest.mark.check_all
def test_a_row_among_many_is_found_without_reading_them(many):
    before = many.database.value(SCANNED)
    began = time.monotonic()
    [line] = who(many, "members:123456")
    took = time.monotonic() - began
    assert line["row"]["note"] and line["key"] == "123456" and took < 20
    assert {x["key"] for x in who(many, "users:23456")} == {"23456", "223456", "423456"}
    many.database.execute("SELECT pg_stat_clear_snapshot()")
    assert many.database.value(SCANNED) == before
    print(f"{PAGES * 1000} rows: {took:.2f} s")
    forgets_without_reading_them(many)


def forgets_without_reading_them(many):
    """Of a table to which nothing refers. The plan is that of the statement within the function."""
    with many.database.connect() as session:
        said = []
        session.add_notice_handler(lambda notice: said.append(notice.message_primary))
        session.execute("LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;"
                        " SET auto_explain.log_analyze = on; SET client_min_messages = log; SET enable_seqscan = off; SET jit = off")
        assert session.execute("SELECT n FROM pruned.forget_named('members', '123456', '{}', '{}')").fetchone() == {"n": 1}
    plan = next(text for text in said if "CTE found" in text)
    read = [line for line in plan.splitlines() if "Seq Scan on deletions_" in line and "never executed" not in line]
    assert plan.count("Bitmap Index Scan on deletions_") >= DAYS and read == [], plan


def test_the_plan_reads_no_table_of_deletions_from_end_to_end(days):
    sql, names = numbered(files()["engine/view/row/sql/who.sql"])
    values = {"whose": "users", "key": "23456", "references": "", "also": "", "limit": "1000", "all": "f", "columns": "f", "in_json": None, "known": "{users}", "spellings": "{}"}
    with days.database.connect() as session:
        session.execute("SELECT set_config('search_path', 'pg_catalog, public, pg_temp', false), set_config('enable_seqscan', 'off', false)")
        session.prepare_threshold = None
        session.execute(f"PREPARE who AS {sql}".encode())
        given = ", ".join("NULL" if values[name] is None else f"'{values[name]}'" for name in names)
        plan = "\n".join(row["QUERY PLAN"] for row in session.execute(f"EXPLAIN EXECUTE who({given})".encode()))
    assert "Seq Scan on deletions" not in plan, plan
    assert plan.count("Bitmap Index Scan on deletions_") >= 2 * DAYS, plan


@pytest.mark.check_all
def test_rows_that_another_run_removed_are_found_where_all_is_read(many):
    many.database.connection.execute("CREATE TABLE orders (id bigint PRIMARY KEY); CREATE TABLE parcels (id bigint PRIMARY KEY, order_id bigint);"
                                     " CREATE TABLE order_items (id bigint PRIMARY KEY, order_id bigint REFERENCES orders (id))")
    many.database.execute("""
        INSERT INTO pruned.deletions (run_id, step, table_name, action, keys, rows)
        VALUES (gen_random_uuid(), 0, 'order_items', 'deleted', '[1, 2]', '[{"id": 1, "order_id": 7}, {"id": 2, "order_id": 8}]'),
               (gen_random_uuid(), 3, 'order_items', 'deleted', '[3]', '[{"id": 3, "order_id": 7}]'),
               (gen_random_uuid(), 9, 'orders', 'deleted', '[7]', '[{"id": 7}]'),
               (gen_random_uuid(), 0, 'parcels', 'deleted', '[4]', '[{"id": 4, "order_id": 7}]')""")
    def found(*options):
        return sorted((line["table"], line["key"]) for line in who(many, "orders:7", *options))
    assert found() == [("orders", "7")]
    began = time.monotonic()
    assert found("--all") == [("order_items", "1"), ("order_items", "3"), ("orders", "7")]
    print(f"{PAGES * 1000} rows: {time.monotonic() - began:.2f} s")


def test_days_that_are_older_than_the_index_get_it(scene):
    scene.database.execute("SELECT pruned.ensure_day('deletions', current_date)")
    definition = scene.database.value("SELECT pg_get_indexdef('pruned.deletions_named'::regclass)")
    assert " ON ONLY " in definition
    scene.database.execute("DROP INDEX pruned.deletions_named")
    scene.database.execute(definition)
    valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'pruned.deletions_named'::regclass"
    assert not scene.database.value(valid)
    made = [line["name"] for line in scene.migrate("--indexes", "--json").json() if line["name"].startswith("deletions_")]
    assert len(made) >= 2 and scene.database.value(valid)
    assert not [line for line in scene.migrate("--indexes", "--json").json() if line["name"].startswith("deletions_")]


def test_a_key_that_includes_other_columns(expired):  # noqa: F811
    expired.database.connection.execute("ALTER TABLE members DROP CONSTRAINT members_pkey, ADD PRIMARY KEY (id) INCLUDE (user_id)")
    expired.tick(EXPIRED, **QUIET)
    member = expired.ids_gone[0]
    (line,) = [x for x in who(expired.pruned, f"members:{member}") if x["table"] == "members"]
    assert [(x["key"], x["action"]) for x in again(expired.pruned, line)] == [(str(member), "restored")]
