"""A database of an older version: after `pruned migrate` the daemon works with the rights that its
role had before."""

import psycopg
import pytest

from stack.found import PROJECT
from stack.process import spawn
from support.held import OPEN, release
from support.instance import Tenant, built_in
from support.places import ROLE
from support.pruned import clean_environment
from support.sentences import House

STEPS = PROJECT / "schemas/postgres"
FIRST_RELEASED = 5  # the steps that the first version had
SETTLED = 49  # since this step holds follow another key
# The rights that it gave.
GRANTS = f"""
GRANT USAGE ON SCHEMA pruned, public TO {ROLE};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pruned TO {ROLE};
REVOKE INSERT, UPDATE, DELETE ON pruned.schema_version FROM {ROLE};
GRANT EXECUTE ON FUNCTION pruned.ensure_day(text, date), pruned.drop_days(text, date) TO {ROLE};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {ROLE};
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {ROLE};
"""
ROWS = """
SELECT pruned.ensure_day('deletions', (now() AT TIME ZONE 'UTC')::date);
INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job) VALUES (gen_random_uuid(), now(), now(), 'waiting', 'members.remove_expired');
INSERT INTO pruned.runs (run_id, scheduled_at, due_at, finished_at, state, job)
VALUES (gen_random_uuid(), now() - interval '1 day', now(), now() - interval '1 day', 'finished', 'members.remove_expired');
INSERT INTO pruned.deletions (run_id, step, table_name, action, keys)
SELECT run_id, 0, 'members', 'deleted', '[77]' FROM pruned.runs WHERE state = 'finished';
INSERT INTO pruned.quarantine (job, item, reason, attempts, parked) VALUES ('members.remove_expired', 'members:77', 'no', 3, true);
"""


def load(database, first, last):
    for version, step in list(enumerate(sorted(STEPS.glob("*.sql")), 1))[first - 1:last]:
        database.load(step)
        database.execute("INSERT INTO pruned.schema_version (version) VALUES (%s)", [version])


@pytest.fixture
def before_settled(new_pruned, new_database, new_topics, scene_settings, chosen, tmp_path):
    """A database with held rows, and without the step that lets holds follow another key."""
    database = new_database("app")
    load(database, 1, FIRST_RELEASED)
    database.connection.execute(GRANTS)
    load(database, FIRST_RELEASED + 1, SETTLED - 1)
    folder = tmp_path / "jobs.d"
    folder.mkdir()
    settings = {k: v for k, v in scene_settings.items() if built_in(k)} | chosen | {"run.jobs_dir": folder, "topics.create": "on"}
    return House(new_pruned(database, new_topics(), settings=settings), folder)


@pytest.fixture
def older(new_pruned, new_database, topics, scene_settings):
    database = new_database("app")
    load(database, 1, FIRST_RELEASED)
    database.connection.execute(GRANTS + ROWS)
    settings = {k: v for k, v in scene_settings.items() if not k.startswith(("jobs.scratch", "run.jobs_dir"))}
    one = new_pruned(database, topics, settings=settings)
    one.run("topics", "--apply").ok()
    return Tenant(one)


@pytest.mark.check_all
def test_a_daemon_works_with_the_rights_it_had(older):
    database, pruned = older.database, older.pruned
    older.user(user_type=5, username="ghost")
    member = older.member(older.user(), older.group(), expires_at=older.day(-1))
    assert pruned.run("run", "--until-idle").code == 3
    pruned.migrate()
    older.work()
    assert older.lines(level="error") == older.lines("Dispatcher round failed; will retry") == []
    assert older.ids("members", f"id = {member}") == []
    assert database.value("SELECT count(*) FROM pruned.days_of('deletions')") == 2
    assert database.column("SELECT DISTINCT state FROM pruned.runs") == ["finished"]
    lacking = [f for f in pruned.run("doctor", "--json").json() if f["check"] in ("rights", "audit", "schema") and not f["ok"]]
    assert lacking == []


def test_a_step_takes_the_daemons_rights_to_change_the_audit(older):
    older.pruned.migrate()
    day = older.database.value("SELECT child FROM pruned.days_of('deletions') LIMIT 1")
    with psycopg.connect(older.database.role_url, autocommit=True) as daemon:
        for statement in ("DELETE FROM pruned.deletions", "UPDATE pruned.deletions SET keys = '[]'", f"DELETE FROM pruned.{day}"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                daemon.execute(statement)
    assert older.database.value("SELECT count(*) FROM pruned.deletions") == 1


def test_rights_that_everybody_has_do_not_stop_a_step(older):
    older.database.execute("GRANT SELECT, INSERT, UPDATE ON pruned.runs TO PUBLIC")
    older.pruned.migrate()


GIVEN = """
    SELECT c.relname || ': ' || string_agg(a.privilege_type, ', ' ORDER BY a.privilege_type) AS rights
    FROM pg_class c, aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
    WHERE c.relnamespace = 'pruned'::regnamespace AND r.rolname = %(role)s GROUP BY c.relname
    UNION ALL
    SELECT p.oid::regprocedure::text FROM pg_proc p, aclexplode(p.proacl) a JOIN pg_roles r ON r.oid = a.grantee
    WHERE p.pronamespace = 'pruned'::regnamespace AND r.rolname = %(role)s
    ORDER BY 1"""


def test_the_rights_after_migrate_are_those_of_pruned_grants(older):
    older.pruned.migrate()
    migrated = older.database.column(GIVEN, {"role": ROLE})
    older.database.grant()
    assert migrated == older.database.column(GIVEN, {"role": ROLE}) and len(migrated) > 15


HOLD = "INSERT INTO pruned.holds (tab, key, hold_id, kind, reason, who) VALUES ('public.docs', '{}', gen_random_uuid(), 'hold', 'case 1', 'ann'); SELECT pruned.holds_follow()"
RENAME = 'ALTER TABLE docs RENAME COLUMN "A, b" TO c'
# what is done before and after the step; the keys then
CHANGES = {"after": ([], [RENAME], ['{"c": 1, "n": 2}']),
           "before": ([RENAME], [], ['{"c": 1, "n": 2}']),
           "before, and held since": ([RENAME, HOLD.format('{"c": 3, "n": 4}')], [], ['{"c": 1, "n": 2}', '{"c": 3, "n": 4}']),
           "never": ([], [], ['{"n": 2, "A, b": 1}']),
           "of the name": (["ALTER TABLE docs RENAME TO old"], [RENAME.replace("docs", "old"), "ALTER TABLE old RENAME TO docs"], ['{"c": 1, "n": 2}'])}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("how", CHANGES)
def test_what_was_held_stays_held(before_settled, how):
    house, (before, after, keys) = before_settled, CHANGES[how]
    house.sql('CREATE TABLE docs ("A, b" int, n int, PRIMARY KEY ("A, b", n)); INSERT INTO docs VALUES (1, 2), (3, 4), (5, 6)')
    for change in [HOLD.format('{"n": 2, "A, b": 1}'), *before]:
        house.sql(change)
    house.pruned.migrate()
    house.database.grant()
    for change in after:
        house.sql(change)
    house.say("it", f"table = docs\nwhere = true\n{OPEN}")
    assert house.done("it")[0] == {"removed": 3 - len(keys), "updated_rows": 3 - len(keys), "kept_hold": len(keys)}
    assert house.database.column("SELECT tab || ':' || key FROM pruned.holds ORDER BY 1") == [f"public.docs:{key}" for key in keys]
    release(house, f"docs:{keys[0]}")
    assert house.done("it")[0]["removed"] == 1


@pytest.mark.check_all
def test_a_partition_of_what_was_held_takes_its_holds_along(before_settled):
    house = before_settled
    house.sql("""CREATE TABLE docs (id int PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE part PARTITION OF docs FOR VALUES FROM (1) TO (9);
        INSERT INTO docs VALUES (1), (2), (3)""")
    house.sql(HOLD.format(2))
    house.pruned.migrate()
    house.database.grant()
    house.sql("ALTER TABLE docs DETACH PARTITION part")
    house.say("it", f"table = part\nwhere = true\n{OPEN}")
    assert house.done("it")[0]["kept_hold"] == 1 and house.rows("part") == [(2,)]


# --- migrations that are broken off

HELD_UP_AT = """
CREATE FUNCTION public.hold_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(77); RETURN NEW; END $$;
CREATE TRIGGER hold_up BEFORE INSERT ON pruned.schema_version FOR EACH ROW WHEN (NEW.version = %s) EXECUTE FUNCTION public.hold_up()"""
FREE = "DROP TRIGGER hold_up ON pruned.schema_version; DROP FUNCTION public.hold_up()"
MADE = """
SELECT format('%s.%s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid))
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = 'pruned'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'pruned'::regnamespace
UNION ALL SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
WHERE c.relnamespace = 'pruned'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
UNION ALL SELECT format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)) FROM pg_constraint
WHERE connamespace = 'pruned'::regnamespace AND conrelid <> 0 AND NOT (SELECT relispartition FROM pg_class WHERE oid = conrelid)
UNION ALL SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
WHERE c.relnamespace = 'pruned'::regnamespace AND NOT tgisinternal AND NOT c.relispartition
UNION ALL SELECT format('%s %s', version, compatible_from) FROM pruned.schema_version ORDER BY 1"""


def kill_at(house, step):
    """`pruned migrate` is killed when all of STEP is done and not committed."""
    house.database.connection.execute(HELD_UP_AT % step)
    url, lock = {"postgres.url": house.database.url}, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 77 AND NOT granted"
    with house.database.connect() as other:
        other.execute("SELECT pg_advisory_lock(77)")
        migration = spawn(house.pruned.argv("migrate", settings=url), env=clean_environment())
        house.database.wait(lock, until=1)
        migration.kill()
        migration.wait(30)
    house.database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()", until=0)
    house.database.connection.execute(FREE)


@pytest.mark.check_all
def test_a_migration_that_is_killed_goes_on_where_it_was(older, new_database):
    last = len(list(STEPS.glob("*.sql")))
    for step in (FIRST_RELEASED + 1, 15, 41, 51, last):
        kill_at(older, step)
        assert older.database.value("SELECT max(version) FROM pruned.schema_version") == step - 1
        said = f"schema pruned is older than this program: step {step - 1}, wanted {last}; run: pruned migrate"
        for command in (("run", "--until-idle"), ("version", "--check"), ("doctor",), ("jobs",)):
            done = older.pruned.run(*command)
            assert done.code == 3 and said in done.stdout + done.stderr, done
    older.pruned.migrate()
    assert older.database.column(MADE) == new_database("migrated").column(MADE)
