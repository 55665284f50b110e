"""SQL files of one's own leave nothing in the session, which other jobs use next, and leave alone
what names mean and what the engine relies on. Each does what its name says."""

import json
import shutil

import pytest

from support.scene import JOBS

JOB = "scratch.remove"
SESSION = "would last until the session ends, and other jobs use it next"
NO_STATEMENT = "is no statement of a step"
RELIED_UPON = ": this setting says what names mean, or the engine relies on it"
NO_LITERAL = "set_config of a setting that is not named by a plain literal"
OWN = "DELETE FROM scratch s WHERE s.id = ANY (:key::bigint[]) RETURNING s.id AS key, to_jsonb(s.*) AS row"
UPDATE = "UPDATE scratch s SET note = 'u' WHERE s.id = ANY (:key::bigint[]) RETURNING s.id AS key, to_jsonb(s.*) AS row"
SETTINGS = ["search_path", "transaction_read_only", "default_transaction_read_only", "role", "session_authorization",
            "session_replication_role", "row_security", "transaction_isolation", "statement_timeout", "lock_timeout",
            "idle_in_transaction_session_timeout", "transaction_timeout", "timezone", "datestyle", "intervalstyle", "bytea_output",
            "extra_float_digits", "standard_conforming_strings", "array_nulls", "quote_all_identifiers", "jit", "application_name",
            "client_encoding", "synchronous_commit", "track_counts", "pruned.secret_1a"]
SET = [
    ("SET LOCAL SEARCH_PATH = evil, public", 1, "search_path"), ("-- x\nSET /* LOCAL */ LOCAL \"Search_Path\" TO evil", 2, "search_path"),
    ("SET LOCAL SCHEMA 'evil'", 1, "search_path"), ("SET LOCAL ROLE none", 1, "role"), ("SET LOCAL TIME ZONE 'CET'", 1, "timezone"),
    ("SET LOCAL SESSION AUTHORIZATION DEFAULT", 1, "session_authorization"), ("SET LOCAL NAMES 'latin1'", 1, "client_encoding"),
    ("SET LOCAL TRANSACTION READ ONLY", 1, "transaction_isolation"), ("SET LOCAL \"pruned\" . secret_x = ''", 1, "pruned.secret_x"),
]
CONFIG = [
    ("SELECT 1,\n pg_catalog.set_config('SEARCH_path', 'evil', true)", 2, "set_config of search_path" + RELIED_UPON),
    ("SELECT set_config('a.b', '1', true),\n\n \"set_config\" /* ( */ ( 'role' , 'x', true)", 3, "set_config of role" + RELIED_UPON),
    ("SELECT set_config(E'search\\x5fpath', 'evil', true)", 1, NO_LITERAL), ("SELECT set_config($$role$$, 'x', true)", 1, NO_LITERAL),
    ("SELECT set_config('search' || '_path', 'x', true)", 1, NO_LITERAL), ("SELECT set_config('search'\n'_path', 'x', true)", 1, NO_LITERAL),
    ("SELECT set_config(setting_name => 'role', new_value => 'x', is_local => true)", 1, "set_config"),
    ("SELECT set_config /* */ ('work_mem', '1', false)", 1, f"set_config {SESSION}"),
    ("UPDATE pg_settings SET setting = 'evil' WHERE name = 'search_path'", 1, f"UPDATE of pg_settings {SESSION}"),
    ("SELECT 1\n; UPDATE ONLY \"pg_catalog\" . \"pg_settings\" SET setting = 'evil'", 2, f"UPDATE of pg_settings {SESSION}"),
    ("SELECT\n pg_terminate_backend(pg_backend_pid())", 2, "pg_terminate_backend ends the work of a session"),
    ("SELECT \"pg_cancel_backend\"(pg_backend_pid())", 1, "pg_cancel_backend ends the work of a session"),
]
NAMED = [
    ("10-scratch.update", OWN, 1, "DELETE in a file that is named .update"),
    ("10-scratch.update", "WITH delete AS (SELECT 'DELETE' FROM scratch)\n" + OWN, 2, "DELETE in a file that is named .update"),
    ("10-scratch.insert", "/* delete\n*/ " + OWN, 2, "DELETE in a file that is named .insert"),
    ("20-other.insert", "-- x\n" + OWN, 2, "DELETE in a file that is named .insert"),
    ("20-other.insert", UPDATE, 1, "UPDATE in a file that is named .insert"),
]
AS_NAMED = [
    ("10-scratch.update", UPDATE), ("20-scratch.delete", "WITH u AS (" + UPDATE + ") " + OWN),
    ("10-scratch.update", "WITH d AS MATERIALIZED (" + OWN + ") " + UPDATE),
    ("20-other.insert", "INSERT INTO other AS o SELECT unnest(:key::bigint[]) ON CONFLICT (id) DO UPDATE SET n = 1 RETURNING id AS key"),
    ("20-other.insert", "(SELECT k AS key FROM unnest(:key::bigint[]) AS k FOR UPDATE)"),
]
WRONG = [
    ("lock/10-scratch.sql", "-- Not local.\nSET search_path = pg_catalog", 2, f"SET {SESSION}: write SET LOCAL"),
    ("lock/10-scratch.sql", "set session work_mem = '1GB'", 1, f"SET {SESSION}"),
    ("lock/10-scratch.sql", "SET TRANSACTION READ ONLY", 1, f"SET {NO_STATEMENT}"),
    ("lock/10-scratch.sql", "/* LOCK */ RESET ALL", 1, f"RESET {NO_STATEMENT}"),
    ("lock/10-scratch.sql", "LISTEN scratch", 1, f"LISTEN {NO_STATEMENT}"),
    ("lock/10-scratch.sql", "CREATE TEMP TABLE mine (id int)", 1, f"CREATE {NO_STATEMENT}"),
    ("lock/10-scratch.sql", "\n\nTRUNCATE scratch", 3, f"TRUNCATE {NO_STATEMENT}"),
    ("lock/10-scratch.sql", "SELECT pg_catalog.pg_advisory_lock(1)", 1, f"pg_advisory_lock {SESSION}: write pg_advisory_xact_lock"),
    ("lock/10-scratch.sql", "SELECT set_config('a.b', '1', true),\n set_config('work_mem', f(1, 2), false)", 2, f"set_config {SESSION}"),
    ("lock/10-scratch.sql", "SELECT set_config('work_mem', '1', :local::boolean)", 1, f"set_config {SESSION}"),
    ("lock/10-scratch.sql", 'SELECT 1,\n "pg_advisory_lock" (1)', 2, f"pg_advisory_lock {SESSION}"),
    ("lock/10-scratch.sql", "SELECT \"pg_catalog\".\"set_config\"('work_mem', '1', false)", 1, f"set_config {SESSION}"),
    ("lock/10-scratch.sql", "SELECT 1,\n u&\"pg_advisory\\005flock\" (1)", 2, 'U&".." calls a function by a name with escapes'),
    ("decide.sql", "COMMIT", 1, f"COMMIT {NO_STATEMENT}"),
    ("context.sql", "BEGIN", 1, f"BEGIN {NO_STATEMENT}"),
    ("apply/removed/20-other.insert.sql", "PREPARE a AS SELECT 1", 1, f"PREPARE {NO_STATEMENT}"),
    ("apply/removed/30-other.sql", "DISCARD ALL", 1, f"DISCARD {NO_STATEMENT}"),
    ("restored/other.sql", "-- include: ../set.txt", None, f"SET {SESSION}"),
]
RIGHT = ["SELEC 1", "SET LOCAL work_mem = '64MB'", "SET CONSTRAINTS ALL DEFERRED", "LOCK TABLE scratch IN SHARE ROW EXCLUSIVE MODE",
         "-- SET a\n(SELECT 'RESET', \"set\", $$pg_advisory_lock$$ FROM x)", "SELECT pg_advisory_xact_lock(1)",
         "WITH a AS (SELECT set_config('a.b', g('x', ARRAY[1, 2]), TRUE)) SELECT FROM a", "SET LOCAL my.role = 'x'", "SET LOCAL \"time\".zone = 1",
         "SELECT set_config('work_mem', '1MB', true), set_config ( 'pruned.owners' , 'role', true)", "SELECT 'set_config(''role'', 1, true)', role FROM x",
         "SELECT name FROM pg_settings FOR UPDATE", "SET LOCAL plan_cache_mode = auto"]


@pytest.fixture
def said(new_pruned, new_database, new_topics, tmp_path):
    """What `pruned config` refuses when FILE has TEXT."""
    made = tmp_path / "jobs.d"
    pruned = new_pruned(new_database("migrated"), new_topics(), settings={"run.jobs_dir": made})

    def say(file, text):
        shutil.rmtree(made, ignore_errors=True)
        shutil.copytree(JOBS / JOB, made / JOB)
        path = made / JOB / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        (made / JOB / "set.txt").write_text("SET a.b = 1")
        done = pruned.run("config", "--json")
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        return done.code, path, [(line["place"], line["reason"]) for line in lines if line.get("job") == JOB]
    say.pruned = pruned
    return say


def test_what_would_outlast_the_step_is_refused_with_its_line(said):
    for file, text, line, reason in WRONG:
        code, path, refused = said(file, text)
        assert code == 2 and len(refused) == 1, (file, text)
        assert refused[0][0] == (f"{path}:{line}" if line else str(path)) and refused[0][1].startswith(reason), (text, refused)


def test_what_ends_with_the_step_is_taken(said):
    """What is no statement at all is PostgreSQL's to refuse."""
    for text in RIGHT:
        assert said("lock/10-scratch.sql", text)[::2] == (0, []), text


def assert_refused(said, file, text, line, reason):
    code, path, refused = said(file, text)
    assert code == 2 and len(refused) == 1, (file, text)
    assert refused[0][0] == f"{path}:{line}" and refused[0][1].startswith(reason), (text, refused)


def test_settings_of_which_the_engine_is_sure_are_refused_in_every_way_to_set_them(said):
    for name in SETTINGS:
        assert_refused(said, "lock/10-scratch.sql", f"SET LOCAL {name} = 'x'", 1, f"SET LOCAL {name}{RELIED_UPON}")
        assert_refused(said, "decide.sql", f"SELECT set_config('{name}', 'x', true)", 1, f"set_config of {name}{RELIED_UPON}")
    for text, line, name in SET:
        assert_refused(said, "lock/10-scratch.sql", text, line, f"SET LOCAL {name}{RELIED_UPON}")
    assert_refused(said, "lock/10-scratch.sql", "SET LOCAL U&\"search\\005fpath\" = evil", 1, "SET LOCAL of a name with escapes")


def test_calls_that_set_or_end_what_is_not_a_jobs_are_refused(said):
    for text, line, reason in CONFIG:
        assert_refused(said, "page.sql", text, line, reason)


def test_check_says_the_same(said):
    for file, text in [("lock/10-scratch.sql", "\nSET LOCAL search_path = evil"), ("apply/removed/10-scratch.update.sql", "\n" + OWN)]:
        _, path, refused = said(file, text)
        done = said.pruned.run("check", JOB)
        assert done.code == 2 and f"{path}:2" in done.stdout + done.stderr and refused[0][1] in done.stdout + done.stderr, done


def test_a_statement_does_not_what_the_name_of_its_file_denies(said):
    for name, text, line, reason in NAMED:
        assert_refused(said, f"apply/removed/{name}.sql", text, line, reason)
    for name, text in AS_NAMED:
        assert said(f"apply/removed/{name}.sql", text)[::2] == (0, []), text
