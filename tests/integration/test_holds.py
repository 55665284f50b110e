"""`pruned hold`, `pruned holds` and `pruned release`: what they take, what they refuse, what they
say, and what the journal keeps."""

import datetime
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.held import OPEN, hold, ids, release
from support.scene import now
from support.sentences import house  # noqa: F401

DOCS = """CREATE TABLE docs (id bigint PRIMARY KEY, dead boolean, owner text);
    INSERT INTO docs SELECT n, true, CASE WHEN n < 4 THEN 'ann' ELSE 'bob' END FROM generate_series(1, 9) n"""
HELD = "SELECT tab || ':' || key FROM pruned.holds ORDER BY 1"


@pytest.fixture
def docs(house):  # noqa: F811
    house.sql(DOCS)
    house.say("docs.dead", f"table = docs\nwhere = dead\n{OPEN}")
    return house


def held(house):  # noqa: F811
    return house.database.column(HELD)


def journal(house):  # noqa: F811
    lines = house.pruned.run("journal", "--json").ok().json()
    return [(line["command"], line["object"], line["reason"]) for line in lines if line["command"].split()[0] in ("hold", "release")]


def test_a_condition_holds_the_rows_that_it_is_true_of_now(docs):
    said = docs.pruned.run("hold", "docs", "--where", "owner = 'ann'", "--reason", "case 1", "--json").ok().json()
    assert [(line["table"], line["rows"], line["until"]) for line in said] == [("docs", 3, None)]
    docs.sql("INSERT INTO docs VALUES (10, true, 'ann')")
    assert docs.done("docs.dead")[0] == {"removed": 7, "updated_rows": 7, "kept_hold": 3}
    assert ids(docs, "docs") == [1, 2, 3]
    (line,) = docs.pruned.run("holds", "--json").ok().json()
    assert (line["kind"], line["tables"], line["rows"], line["state"], line["reason"]) == ("hold", "public.docs", 3, "holds", "case 1")
    assert [one["row"] for one in docs.pruned.run("holds", "--rows", "--json").ok().json()] == ["docs:1", "docs:2", "docs:3"]
    assert journal(docs) == [("hold", f"{line['hold_id']} docs (3 rows): owner = 'ann'", "case 1")]
    release(docs, line["hold_id"][:8])
    assert held(docs) == [] and docs.done("docs.dead")[0]["removed"] == 3
    assert journal(docs)[0] == ("release", f"{line['hold_id'][:8]} (3 rows)", "case 1 is closed")


@pytest.mark.check_all
@pytest.mark.parametrize("arguments, code, words", [
    (["docs:99"], 6, "docs:99 does not exist: nothing was held"),
    (["docs:1", "docs:99"], 6, "docs:99 does not exist: nothing was held"),
    (["nothing:1"], 6, "there is no table 'nothing'"),
    (["docs:x"], 1, "is a number"),
    (["docs"], 1, "expected TABLE:KEY"),
    (["docs", "--where", "ownr = 'ann'"], 1, 'column \\"ownr\\" does not exist'),
    (["docs", "--where", "random() < 0.5"], 1, "volatile"),
    (["docs", "--where", "touch(id)"], 1, "volatile"),
    (["docs", "--where", "lies(id)"], 1, "read-only transaction"),
    (["docs", "--where", "true; DELETE FROM docs"], 1, "--where"),
    (["docs", "--where", "true) OR (true"], 1, "--where"),
    (["docs", "--where", ":T > now()"], 1, "--where"),
    (["docs", "--where", "owner = 'nobody'"], 6, "no row of docs matches: nothing was held"),
    (["nothing", "--where", "true"], 6, "there is no table 'nothing'"),
    (["keyless", "--where", "true"], 1, "keyless has no primary key"),
    (["docs:1", "docs", "--where", "true"], 1, "one table"),
    (["heir_of:2"], 6, "heir_of:2 does not exist"),
    (["heir_of", "--where", "true"], 1, "other tables inherit from heir_of"),
    (["docs:1", "--until", "2020-01-01"], 1, "has passed"),
    (["docs:1", "--until", "soon"], 1, "--until"),
])
def test_what_cannot_be_held_is_refused_as_a_whole(docs, arguments, code, words):
    docs.sql("""CREATE TABLE keyless (n int); INSERT INTO keyless VALUES (1);
        CREATE FUNCTION touch(n bigint) RETURNS boolean LANGUAGE sql VOLATILE AS 'SELECT true';
        CREATE FUNCTION lies(n bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM set_config('a.b', 'c', false); PERFORM nextval('s'); RETURN true; END $$;
        CREATE TABLE heir_of (id int PRIMARY KEY); CREATE TABLE heir (PRIMARY KEY (id)) INHERITS (heir_of); INSERT INTO heir_of VALUES (1); INSERT INTO heir VALUES (2);
        CREATE SEQUENCE s; GRANT USAGE ON SEQUENCE s TO PUBLIC""")
    done = hold(docs, *arguments)
    assert done.code == code and words in done.stderr, done
    assert held(docs) == []


@pytest.mark.check_all
def test_it_needs_a_reason_and_asks_about_many_rows(docs):
    assert "--reason" in docs.pruned.run("hold", "docs:1").stderr
    docs.sql("INSERT INTO docs SELECT n, false, 'eve' FROM generate_series(100, 1200) n")
    done = hold(docs, "docs", "--where", "owner = 'eve'")
    assert done.code == 1 and "hold 1101 rows of docs" in done.stderr and held(docs) == []
    hold(docs, "docs", "--where", "owner = 'eve'", "--yes").ok()
    assert len(held(docs)) == 1101
    done = docs.pruned.run("release", "docs:100", "--reason", "x")
    assert done.code == 1 and "release 1 row" in done.stderr
    assert "--reason" in docs.pruned.run("release", "docs:100", "--yes").stderr
    done = docs.pruned.run("release", "docs:1", "--yes", "--reason", "x")
    assert done.code == 6 and "'docs:1' is not held" in done.stderr and len(held(docs)) == 1101


@pytest.mark.check_all
def test_names_are_read_as_postgresql_reads_them_and_keys_as_who_does(docs):
    docs.sql("""CREATE SCHEMA app; CREATE TABLE app."Two: keys" (a int, "B" text, PRIMARY KEY (a, "B")); INSERT INTO app."Two: keys" VALUES (1, 'x'), (2, 'y');
        GRANT USAGE ON SCHEMA app TO PUBLIC; GRANT ALL ON app."Two: keys" TO PUBLIC;
        CREATE TABLE texts (id text PRIMARY KEY); INSERT INTO texts VALUES ('a:b'), ('2')""")
    docs.say("two", f'table = app."Two: keys"\nwhere = true\n{OPEN}')
    docs.say("texts", f"table = texts\nwhere = true\n{OPEN}")
    hold(docs, 'app."Two: keys":{"B": "x", "a": 1}', "texts:a:b", "PUBLIC.docs:1").ok()
    assert held(docs) == ['app."Two: keys":{"B": "x", "a": 1}', "public.docs:1", "public.texts:a:b"]
    assert docs.done("two")[0] == {"removed": 1, "updated_rows": 1, "kept_hold": 1}
    assert docs.done("texts")[0] == {"removed": 1, "updated_rows": 1, "kept_hold": 1}
    release(docs, 'app."Two: keys":{"a": 1, "B": "x"}', "texts:a:b")
    assert held(docs) == ["public.docs:1"] and docs.done("two")[0]["removed"] == 1


# type, as the row has it, as somebody may write it
SPELLINGS = [("numeric", "1.00", "1.0"), ("timestamptz", "2020-01-01 00:00:00+00", "2020-01-01T01:00:00+01:00"), ("bigint", "7", "007"),
             ("uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"), ("date", "2020-01-01", "20200101")]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("of, stored, written", SPELLINGS)
@pytest.mark.parametrize("deed, column", [("set = x = 2", "changed"), ("", "removed")])
def test_a_key_in_other_words_is_the_same_row(docs, of, stored, written, deed, column):
    """Nothing but the key says which row it is: a job that changes it looks for no missing row."""
    docs.sql(f"CREATE TABLE odd (id {of} PRIMARY KEY, x int); INSERT INTO odd VALUES ('{stored}', 1); GRANT ALL ON odd TO PUBLIC")
    docs.say("odd", f"table = odd\nwhere = x = 1\n{deed}\n{OPEN}")
    hold(docs, f"odd:{written}").ok()
    assert docs.done("odd")[0] == {"kept_hold": 1} and docs.rows("odd", "x") == [(1,)]
    release(docs, f"odd:{written}")
    counters, run = docs.done("odd")
    assert counters == {column: 1, "updated_rows": 1}
    docs.restore(run)
    assert docs.done("odd")[0] == {"kept_restored": 1} and docs.rows("odd", "x") == [(1,)]


def test_the_records_of_a_held_row_are_not_forgotten(docs):
    _, run = docs.done("docs.dead")
    docs.restore(run)
    release(docs, str(run))
    hold(docs, "docs:2").ok()
    forget = lambda: docs.pruned.run("forget", "docs", "2", settings={"postgres.url": docs.database.url})  # noqa: E731
    kept = docs.database.rows("SELECT keys, rows FROM pruned.deletions ORDER BY step")
    refused = forget()
    assert refused.code == 7 and "on hold" in refused.stderr and "case 1" in refused.stderr and "pruned release" in refused.stderr, refused
    assert docs.database.rows("SELECT keys, rows FROM pruned.deletions ORDER BY step") == kept
    release(docs, "docs:2")
    assert forget().ok() and docs.database.rows("SELECT keys, rows FROM pruned.deletions ORDER BY step") != kept


@pytest.mark.check_all
def test_a_row_in_two_holds_stays_until_both_have_ended(docs):
    hold(docs, "docs:1", "docs:2").ok()
    hold(docs, "docs:1").ok()
    first = docs.database.value("SELECT hold_id FROM pruned.holds WHERE key = '2'")
    release(docs, str(first))
    assert docs.done("docs.dead")[0]["kept_hold"] == 1 and ids(docs, "docs") == [1]
    release(docs, "docs:1")
    assert docs.done("docs.dead")[0]["removed"] == 1


@pytest.mark.check_all
def test_a_hold_ends_at_its_time(docs):
    until = (now() + datetime.timedelta(hours=1)).isoformat()
    hold(docs, "docs:1", "--until", until).ok()
    assert docs.done("docs.dead")[0]["kept_hold"] == 1
    docs.sql("UPDATE pruned.holds SET until = now() - interval '1 minute'")
    (line,) = docs.pruned.run("holds", "--json").ok().json()
    assert line["state"] == "ended"
    assert docs.done("docs.dead")[0]["removed"] == 1
    docs.sql("UPDATE pruned.holds SET until = now() - interval '31 days'")
    docs.work()
    assert held(docs) == []
    assert [line[:2] for line in journal(docs)][0] == ("hold ended", f"{line['hold_id']} (1 row)")


@pytest.mark.check_all
def test_beside_a_process_that_does_not_know_holds_nothing_is_held(docs):
    docs.start()
    docs.sql("""INSERT INTO pruned.processes (id, host, pid, version, settings, jobs, partitions, started_at)
        VALUES ('00000000-0000-7000-8000-000000000000', 'db7', 4711, '0.0.9', '', '{}', 1, now())""")
    done = hold(docs, "docs:1")
    assert done.code == 2 and "process 4711 on db7" in done.stderr and held(docs) == []


def test_what_is_held_while_a_release_is_under_way_stays_held(docs):
    """Nobody has said that this is to be released."""
    hold(docs, "docs:1", "docs:2", "--until", "2099-01-01").ok()
    with docs.database.connect() as other, ThreadPoolExecutor(1) as pool:
        other.execute("BEGIN; LOCK TABLE pruned.holds IN SHARE MODE")
        done = pool.submit(docs.pruned.run, "release", "docs:1", "--yes", "--reason", "it is over")
        docs.database.wait("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'pruned release' AND wait_event_type = 'Lock' AND datname = current_database())")
        other.execute("INSERT INTO pruned.holds (tab, key, hold_id, kind, reason, who) SELECT tab, key, gen_random_uuid(), kind, 'case 2', who FROM pruned.holds WHERE key = '1'; COMMIT")
        said = done.result()
    assert said.code == 1 and "meanwhile; nothing was released" in said.stderr and held(docs) == ["public.docs:1", "public.docs:1", "public.docs:2"], said
    assert [what for what, *_ in journal(docs)] == ["hold"]
    (_, rows, _), = journal(docs)
    assert rows.endswith(" docs:1 docs:2 until 2099-01-01T00:00:00.000000Z"), rows
    docs.pruned.run("release", "docs:1", docs.database.value("SELECT hold_id::text FROM pruned.holds WHERE reason = 'case 2'"), "--yes", "--reason", "it is over").ok()
    assert held(docs) == ["public.docs:2"]


@pytest.mark.check_all
def test_a_million_rows(docs):
    docs.sql("CREATE TABLE many (id bigint PRIMARY KEY, dead boolean); INSERT INTO many SELECT n, n % 2 = 0 FROM generate_series(1, 1000000) n; ANALYZE many")
    began = time.monotonic()
    hold(docs, "many", "--where", "true", "--yes", deadline_s=300).ok()
    assert docs.database.value("SELECT count(*) FROM pruned.holds") == 1000000
    assert time.monotonic() - began < 240
    assert docs.done("docs.dead")[0]["removed"] == 9


def test_a_backup_keeps_no_hold_waiting(docs):
    """It has locks of all tables, for hours, and takes no row."""
    with docs.database.connect() as backup:
        backup.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        backup.execute("LOCK TABLE pruned.holds, pruned.runs IN ACCESS SHARE MODE")
        said = hold(docs, "docs:2", deadline_s=20).ok()
    assert "waiting" not in said.stderr and held(docs) == ["public.docs:2"]


def test_a_row_of_a_table_that_hides_rows_is_refused_with_what_to_do(docs):
    docs.sql("ALTER TABLE docs ENABLE ROW LEVEL SECURITY")
    said = hold(docs, "docs:2")
    assert said.code == 1 and "Run this as the owner of the table" in said.stderr and "try again" not in said.stderr


def test_a_connection_that_is_lost_while_it_waits_does_not_hide_that_the_rows_are_held(docs):
    base = docs.database
    with base.connect() as step, ThreadPoolExecutor(1) as pool, step.transaction():
        step.execute("SELECT FROM pruned.holds")
        step.execute("SELECT FROM pruned.runs FOR UPDATE")
        done = pool.submit(hold, docs, "docs:2")
        base.wait("SELECT count(*) = 1 FROM pruned.holds")
        base.wait("SELECT bool_or(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'pruned hold' AND datname = current_database()")
        said = done.result()
    assert said.code == 3 and "stands, but it is not known" in said.stderr and base.value("SELECT hold_id::text FROM pruned.holds") in said.stderr, said
