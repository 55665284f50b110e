"""What the audit has of a row is the row: a built-in job records texts where JSON is another value,
and before the first rows of a job go, their record is read back and compared."""

import pytest

from support.instance import tenant  # noqa: F401
from support.restored import AT_ONCE, EXPIRED, GROUPS, QUIET, doomed, expired, restore, world  # noqa: F401
from support.sentences import house  # noqa: F401

JOB = "a.purge"
# Of a type whose cast to JSON says the half of it.
MOOD = """CREATE TYPE mood AS ENUM ('glad', 'sad'); CREATE FUNCTION cut(mood) RETURNS json LANGUAGE sql IMMUTABLE AS 'SELECT ''"glad"''::json';
    CREATE CAST (mood AS json) WITH FUNCTION cut(mood)"""
TYPES = f"CREATE EXTENSION IF NOT EXISTS hstore; {MOOD}; CREATE TYPE pair AS (n int, l int[])"
ODD = {"odd_pairs hstore": "a=>1", "odd_mood mood": "sad", "odd_row pair": '(1,"[0:1]={1,2}")', "odd_list int[]": "[0:1]={1,2}", "odd_zero float8": "-0",
       "odd_zeros float4[]": "{-0,1}", "odd_nulls jsonb[]": '{"null",NULL}'}


def make_odd(database):
    """Each row of the application has such values."""
    database.connection.execute(TYPES)
    for table in database.column("SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'"):
        database.connection.execute(f"ALTER TABLE {table} " + ", ".join(f"ADD COLUMN {column} DEFAULT '{value}'" for column, value in ODD.items()))


@pytest.mark.built_in
def test_rows_of_built_in_jobs_come_back_as_they_were(expired):  # noqa: F811
    make_odd(expired.database)
    before = world(expired.database)
    run = expired.tick(EXPIRED, **QUIET)
    assert world(expired.database) != before
    restore(expired.pruned, run["run_id"], "--with-children")
    assert world(expired.database) == before


@pytest.mark.built_in
@pytest.mark.check_all
def test_rows_of_a_group_too(doomed):  # noqa: F811
    make_odd(doomed.database)
    before = world(doomed.database)
    doomed.tick(GROUPS, **AT_ONCE, **QUIET)
    (run,) = doomed.runs("groups.destroy")
    assert world(doomed.database) != before
    restore(doomed.pruned, run["run_id"], "--with-children")
    after = world(doomed.database)
    assert {table: rows for table, rows in after.items() if table != "group_deletion_schedules"} == {
        table: rows for table, rows in before.items() if table != "group_deletion_schedules"}


# --- a folder records what its files return

FILES = {
    "job.conf": "[job]\nstarts = tick\ntable = a\ncursor = id bigint\nmax_share = off\n[what removed]\n",
    "page.sql": "SELECT a.id AS key, a.id FROM a WHERE a.id > :cursor.id::bigint ORDER BY a.id LIMIT :limit::int",
    "decide.sql": "SELECT k AS key, 'removed' AS what, NULL::text AS reason FROM unnest(:key::bigint[]) k",
    "apply/removed/10-a.delete.sql": "DELETE FROM a USING unnest(:key::bigint[]) AS k (id) WHERE a.id = k.id RETURNING a.id AS key, {row} AS row",
}


def folder(house, row="to_jsonb(a.*)", **files):  # noqa: F811
    for name, text in (FILES | files).items():
        file = house.folder / JOB / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("{row}", row))


LOSSES = {"int[]": "[0:1]={1,2}", "mood": "sad", "hstore": "a=>1", "float8": "-0"}


@pytest.mark.check_first(2)
@pytest.mark.parametrize("kind", LOSSES)
def test_a_value_that_would_not_come_back_blocks_the_run(house, kind):  # noqa: F811
    house.sql(f"{TYPES}; CREATE TABLE a (id bigint PRIMARY KEY, v {kind}); INSERT INTO a SELECT n, '{LOSSES[kind]}' FROM generate_series(1, 3) n")
    folder(house)
    run = house.run(JOB)
    named = house.database.value("SELECT format_type(atttypid, -1) FROM pg_attribute WHERE attrelid = 'a'::regclass AND attname = 'v'")
    assert (run["state"], run["result"]["status"], run["attempts"]) == ("finished", "blocked", 0), run
    assert f"guard: v of a, {named}, has a value that the audit would not give back" in run["error"] and "pg_catalog.format('%s', t.column)" in run["error"]
    assert house.rows("a", "count(*)") == [(3,)] and house.database.value("SELECT count(*) FROM pruned.deletions") == 0


def test_rows_that_need_not_come_back_go(house):  # noqa: F811
    house.sql(f"{TYPES}; CREATE TABLE a (id bigint PRIMARY KEY, v mood); INSERT INTO a VALUES (1, 'sad')")
    folder(house, **{"job.conf": FILES["job.conf"].replace("table = a", "table = a\naudit = keys")})
    done, _ = house.done(JOB)
    assert done["removed"] == 1


@pytest.mark.check_all
def test_what_restore_says_is_no_reason(house):  # noqa: F811
    """A `json` comes back without its blanks, and the null of JSON as NULL; a key by its own
    operator; a row that the file records otherwise is its own."""
    house.sql("""CREATE EXTENSION citext; CREATE TABLE a (id bigint, name citext, j json, b jsonb, secret text, g int GENERATED ALWAYS AS (1) STORED, i int GENERATED ALWAYS AS IDENTITY,
        PRIMARY KEY (id, name)); INSERT INTO a (id, name, j, b, secret) VALUES (1, 'A', '{"a":  1}', 'null', 'x')""")
    folder(house, "to_jsonb(a.*) || '{\"secret\": \"hidden\"}'")
    done, run_id = house.done(JOB)
    assert done["removed"] == 1
    assert [line["action"] for line in house.restore(run_id)] == ["restored"]
    assert house.rows("a", "id, name::text, j::text, b, secret, g, i") == [(1, "A", '{"a": 1}', None, "hidden", 1, 1)]


@pytest.mark.check_all
def test_a_table_without_a_primary_key(house):  # noqa: F811
    house.sql(f"{TYPES}; CREATE TABLE a (id bigint NOT NULL UNIQUE, v hstore); INSERT INTO a VALUES (1, 'a=>1')")
    folder(house)
    run = house.run(JOB)
    assert "guard: v of a, hstore, has a value" in run["error"], run
    assert house.rows("a", "id") == [(1,)]


# --- once

def begin(house):  # noqa: F811
    """A run that has done its first page, in a daemon that goes on; and that daemon."""
    house.sql("CREATE TABLE a (id bigint PRIMARY KEY, v float8); INSERT INTO a SELECT n, n FROM generate_series(1, 8) n")
    folder(house, **{"job.conf": FILES["job.conf"].replace("table = a", "table = a\nbatch = 2\ndelay_ms = 3600000\napprove = never")})
    house.start()
    daemon = house.pruned.start()
    run = house.pruned.run("tick", JOB).ok().stdout.strip()
    house.database.wait("SELECT count(*) FROM pruned.runs WHERE run_id = %s AND state = 'waiting' AND step = 1", [run], until=1)
    return run, daemon


def go_on(house, run):  # noqa: F811
    house.pruned.configuration.write_text(f"[jobs.{JOB}]\ndelay_ms = 0\n")
    house.pruned.run("reload").ok()
    house.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s", [run])
    return house.pruned.wait_run(run, deadline_s=60)


def test_the_records_of_a_job_and_a_table_are_read_back_once(house):  # noqa: F811
    """Later pages run the statement that does not read anything back."""
    house.database.connection.execute(f"ALTER DATABASE {house.database.name} SET track_functions = 'pl'")
    run, daemon = begin(house)
    row = go_on(house, run)
    assert (row["result"]["status"], row["result"]["removed"]) == ("completed", 8), row
    assert daemon.stop() == 0
    calls = "SELECT coalesce(sum(calls), 0) FROM pg_stat_user_functions WHERE funcname = %s"
    # each page; a session tells it at its end
    house.database.wait(calls.replace("0)", "0) >= 4"), ["recorded_table"], until=True)
    assert house.database.value(calls, ["read_back"]) == 1


def test_a_table_that_is_altered_meanwhile_is_read_back_again(house):  # noqa: F811
    run, daemon = begin(house)
    house.sql(f"{TYPES}; ALTER TABLE a ADD COLUMN h hstore DEFAULT 'a=>1'")
    row = go_on(house, run)
    assert row["result"]["status"] == "blocked" and "guard: h of a, hstore, has a value" in row["error"], row
    assert house.rows("a", "count(*)") == [(6,)] and row["attempts"] == 0
    assert daemon.stop() == 0


# --- what goes is in the audit

def test_rows_without_a_record_do_not_go(house):  # noqa: F811
    house.sql("""CREATE TABLE a (id bigint PRIMARY KEY); INSERT INTO a VALUES (1), (2);
        CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
        CREATE TRIGGER nothing BEFORE INSERT ON pruned.deletions FOR EACH ROW EXECUTE FUNCTION nothing()""")
    folder(house)
    run = house.run(JOB)
    assert run["state"] != "finished" and "rows that went are not in the audit" in run["error"], run
    assert house.rows("a", "count(*)") == [(2,)]


@pytest.mark.check_all
def test_a_row_that_a_file_returns_as_null_has_its_key_in_the_audit(house):  # noqa: F811
    house.sql("CREATE TABLE a (id bigint PRIMARY KEY); INSERT INTO a VALUES (1), (2)")
    folder(house, "NULL::jsonb")
    run = house.run(JOB)
    gone = 2 - house.rows("a", "count(*)")[0][0]
    assert house.database.value("SELECT coalesce(sum(jsonb_array_length(keys)), 0) FROM pruned.deletions") == gone, run


# --- what comes back is compared

def test_a_change_that_comes_back_otherwise_is_said(house):  # noqa: F811
    house.sql("""CREATE TABLE a (id bigint PRIMARY KEY, note text, kind text, v float8); INSERT INTO a VALUES (1, 'x', 'k', '-0');
        CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.kind = ''z''; RETURN NEW; END'""")
    house.say(JOB, "table = a\nwhere = note = 'x'\nset = note = 'y', v = 1\nmax_share = off")
    _, run_id = house.done(JOB)
    house.sql("CREATE TRIGGER touch BEFORE UPDATE ON a FOR EACH ROW EXECUTE FUNCTION touch()")
    (line,) = house.restore(run_id)
    assert (line["action"], line["reason"]) == ("restored", "put back: note, v; changed by a trigger or a rule: kind")
    assert house.rows("a", "note, kind, v::text") == [("x", "z", "-0")]


@pytest.mark.check_all
def test_the_two_rules_of_what_json_loses_are_one(house):  # noqa: F811
    """That of the schema, and that of the statements that are made."""
    house.sql(f"""{TYPES}; CREATE DOMAIN few AS hstore; CREATE DOMAIN list AS int[]; CREATE TYPE plain AS (n int, f float8); CREATE TYPE more AS (p plain, j jsonb);
        CREATE TABLE a (id bigint PRIMARY KEY, c1 hstore, c2 hstore[], c3 few, c4 mood, c5 pair, c6 plain, c7 more[], c8 list, c9 jsonb, c10 json, c11 json[], c12 jsonb[], c13 int[],
            c14 float4, c15 float8[], c16 text, c17 int2vector, c18 point, c19 int4range)""")
    lost = house.database.value("SELECT pruned.texts_of('a'::regclass)")
    assert lost == ["=c1", "=c2", "=c3", "=c4", "=c5", "~c6", "=c7", "~c8", "=c11", "=c12", "~c13", "~c14", "~c15"]
    folder(house)
    told = house.pruned.run("check", JOB, "--json").json()
    named = {line["detail"].split(" ", 1)[0] for line in told if line["check"] == "record" and line["level"] == "error"}
    assert named == {name[1:] for name in lost if name.startswith("=")}
