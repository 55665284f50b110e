"""The audit belongs to the schema's owner: the daemon's role adds to it and reads it. Its days go
when they are old enough, whoever asks for it."""

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege

from support.places import ROLE
from test_retention import add_days, days

TODAY = "(now() AT TIME ZONE 'UTC')::date"


@pytest.fixture
def as_daemon(database):
    """A session of the daemon's role."""
    with psycopg.connect(database.role_url, autocommit=True) as session:
        yield session


class Asked:
    """The part of a scene that helpers of other files need."""

    def __init__(self, database):
        self.database = database


@pytest.fixture
def asked(database):
    database.wait("SELECT (now() + interval '1 minute')::date = now()::date", deadline_s=90)
    return Asked(database)


def record(database, age, table="members"):
    """Adds a row to the audit that is DAYS days old."""
    database.execute("INSERT INTO pruned.deletions (run_id, step, table_name, action, keys, at) VALUES "
                     "(gen_random_uuid(), 0, %s, 'deleted', '[1]', now() - %s * interval '1 day')", [table, age])


def drop(session, parent="deletions", before="2999-01-01"):
    return session.execute("SELECT pruned.drop_days(%s, %s::date)", [parent, before]).fetchone()[0]


def ages(database):
    return database.column(f"SELECT {TODAY} - at::date FROM pruned.deletions ORDER BY 1")


def test_who_adds_to_the_audit_may_neither_change_it_nor_take_from_it(database, as_daemon):
    database.execute(f"SELECT pruned.ensure_day('deletions', {TODAY}), pruned.ensure_day('deletions', {TODAY} - 1)")
    record(database, 0), record(database, 1), record(database, 9)
    database.grant()  # once more, with existing days
    tables = database.column("SELECT relid::text FROM pg_partition_tree('pruned.deletions')")
    assert len(tables) == 4
    for table in tables:
        for words in ("DELETE FROM {}", "UPDATE {} SET keys = '[]'", "TRUNCATE {}", "DROP TABLE {}", "SELECT FROM {} FOR UPDATE"):
            with pytest.raises(InsufficientPrivilege):
                as_daemon.execute(words.format(table))
    as_daemon.execute("INSERT INTO pruned.deletions (run_id, step, table_name, action, keys) VALUES (gen_random_uuid(), 0, 'm', 'deleted', '[2]')")
    assert as_daemon.execute("SELECT count(*) FROM pruned.deletions").fetchone() == (4,)


@pytest.mark.parametrize("before", ["2999-01-01", "infinity"])
def test_no_day_goes_that_is_younger_than_it_is_kept_for_whatever_date_is_given(asked, as_daemon, before):
    add_days(asked, "deletions", -1, 0, 29, 30, 31)
    add_days(asked, "runs_done", 35, 36, 37)
    record(asked.database, 0)
    assert [drop(as_daemon, "deletions", before), drop(as_daemon, "runs_done", before)] == [1, 1]
    assert (days(asked, "deletions"), days(asked, "runs_done")) == ([-1, 0, 29, 30], [35, 36])


def test_a_few_days_go_at_a_time_the_oldest_first(asked, as_daemon):
    add_days(asked, "deletions", 31, 32, 33, 34, 35)
    assert drop(as_daemon) == 3
    assert days(asked, "deletions") == [31, 32]


def test_rows_without_a_day_of_their_own_go_by_the_day_too(asked, as_daemon):
    """Rows that were recorded before their day was made are in the default partition: a clock that
    is ahead takes few of them, too."""
    add_days(asked, "deletions", 33)
    for age in (0, 29, 30, 31, 32, 33, 34, 36):
        record(asked.database, age)
    asked.database.execute("INSERT INTO pruned.deletions (run_id, step, table_name, action, keys, at) VALUES "
                           "(gen_random_uuid(), 0, 'members', 'deleted', '[1]', '-infinity')")
    dropped = drop(as_daemon)
    assert asked.database.value("SELECT count(*) FROM pruned.deletions WHERE at = '-infinity'") == 0
    assert (dropped, ages(asked.database), days(asked, "deletions")) == (3, [0, 29, 30, 31, 32, 33], [33])
    assert (drop(as_daemon), ages(asked.database), days(asked, "deletions")) == (3, [0, 29, 30], [])
    assert drop(as_daemon) == 0


def test_keeping_counts_from_the_newest_row(asked, as_daemon):
    """Days that a clock that is ahead would drop still exist when the clock is right again."""
    add_days(asked, "deletions", 0, 20, 49, 50, 51)
    record(asked.database, 20)
    drop(as_daemon)
    assert days(asked, "deletions") == [0, 20, 49, 50]
    record(asked.database, 0)
    drop(as_daemon)
    assert days(asked, "deletions") == [0, 20]


def test_a_daemon_may_have_more_kept_and_never_less(asked, as_daemon):
    for statement in ("UPDATE pruned.keeping SET days = 1", "DELETE FROM pruned.keeping", "TRUNCATE pruned.keeping",
                      "INSERT INTO pruned.keeping VALUES ('deletions:members', 1)",
                      "SELECT pruned.forget('members', '1', '{}', '{}')", "SELECT pruned.forget_named('members', '1', '{}', '{}')",
                      "SELECT pruned.sweep_days('2999-01-01', 99999)"):
        with pytest.raises(InsufficientPrivilege):
            as_daemon.execute(statement)
    as_daemon.execute("SELECT pruned.keep_at_least('{deletions,runs_done,deletions:members,nonsense}', '{1,1,1,1}')")
    kept = "SELECT what, days FROM pruned.keeping WHERE what <> 'journal' ORDER BY 1"
    assert [tuple(r.values()) for r in asked.database.rows(kept)] == [("deletions", 30), ("runs_done", 36)]
    as_daemon.execute("SELECT pruned.keep_at_least('{deletions}', '{60}')")
    add_days(asked, "deletions", 59, 60, 61)
    record(asked.database, 0)
    drop(as_daemon)
    assert days(asked, "deletions") == [59, 60]


def test_the_owner_says_how_long_and_a_shorter_time_is_pointed_out_until_then(new_pruned, database, topics):
    pruned = new_pruned(database, topics, settings={"audit.keep_days": 7, "audit.keep_days_of": "users: 3"})
    found = [line for line in pruned.run("doctor", "--json").json() if line["check"] == "audit"]
    assert not any(line["ok"] for line in found) and "30 days" in found[0]["detail"] and "pruned migrate" in found[0]["remedy"]
    planned = pruned.run("migrate", "--dry-run", "--json", settings={"postgres.url": database.url}).ok().json()
    assert {(line["what"], line["name"]) for line in planned} == {("keeping", "deletions"), ("keeping", "deletions:users")}
    assert database.value("SELECT days FROM pruned.keeping WHERE what = 'deletions'") == 30
    pruned.migrate()
    assert database.column("SELECT days FROM pruned.keeping WHERE what <> 'journal' ORDER BY what") == [7, 3, 36]
    assert all(line["ok"] for line in pruned.run("doctor", "--json").json() if line["check"] == "audit")
    assert pruned.run("migrate", "--json", settings={"postgres.url": database.url}).ok().json() == []
    del pruned.settings["audit.keep_days_of"]
    pruned.migrate()
    assert database.column("SELECT what FROM pruned.keeping WHERE what <> 'journal' ORDER BY what") == ["deletions", "runs_done"]


def test_a_daemon_says_how_much_it_is_to_keep(scene):
    scene.settings |= {"audit.keep_days": 90, "runs.keep_days": 100}
    scene.run_until_idle()
    assert scene.database.column("SELECT days FROM pruned.keeping WHERE what <> 'journal' ORDER BY what") == [90, 101]


def test_rows_of_single_tables_are_kept_for_a_time_of_their_own(asked, as_daemon):
    database = asked.database
    database.execute("INSERT INTO pruned.keeping VALUES ('deletions:users', 3), ('deletions:notes', 40)")
    add_days(asked, "deletions", 0, 3, 4, 5, 31, 40, 41)
    for age in (0, 3, 4, 5, 31, 40, 41):
        for table in ("users", "members", "notes"):
            record(database, age, table)
    for _ in range(9):
        drop(as_daemon)
    kept = {table: database.column(f"SELECT {TODAY} - at::date FROM pruned.deletions WHERE table_name = %s ORDER BY 1", [table])
            for table in ("users", "members", "notes")}
    assert kept == {"users": [0, 3], "members": [0, 3, 4, 5], "notes": [0, 3, 4, 5, 31, 40]}
    assert days(asked, "deletions") == [0, 3, 4, 5, 31, 40]


def test_functions_with_the_owners_rights_look_into_nobodys_temporary_tables(database, as_daemon):
    """In a path that does not name pg_temp, temporary views come first: functions that they call
    would run with the owner's rights."""
    as_daemon.execute(f"""
        CREATE FUNCTION pg_temp.rise() RETURNS oid LANGUAGE plpgsql AS $$ BEGIN
            EXECUTE 'ALTER ROLE {ROLE} SUPERUSER'; RETURN 0; END $$;
        CREATE TEMP VIEW pg_inherits AS SELECT pg_temp.rise() AS inhrelid, 'pruned.deletions'::regclass::oid AS inhparent;
        CREATE TEMP VIEW pg_class AS SELECT pg_temp.rise() AS oid, 'x'::name AS relname""")
    try:
        for call in ("pruned.drop_days('deletions', '2999-01-01')", "pruned.ensure_day('deletions', '2999-01-01')",
                     "pruned.keep_at_least('{deletions}', '{31}')"):
            try:
                as_daemon.execute(f"SELECT {call}")
            except psycopg.Error:
                pass
            assert database.value("SELECT NOT rolsuper FROM pg_roles WHERE rolname = %s", [ROLE]), call
    finally:
        database.execute(f"ALTER ROLE {ROLE} NOSUPERUSER")
    definers = database.rows("SELECT oid::regprocedure::text AS name, proconfig FROM pg_proc WHERE prosecdef AND pronamespace = 'pruned'::regnamespace")
    assert definers and all(d["proconfig"] == ["search_path=pg_catalog, pg_temp"] for d in definers)
    open_to_all = database.column("SELECT p.oid::regprocedure::text FROM pg_proc p WHERE p.pronamespace = 'pruned'::regnamespace "
                                  "AND has_function_privilege('public', p.oid, 'EXECUTE')")
    assert open_to_all == []
