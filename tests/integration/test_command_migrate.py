"""`pruned migrate`: the schema in steps, once, and the indexes that cursors need."""

import json
import subprocess

import pytest

from support.command_line import says
from support.database import with_database
from support.pruned import clean_environment

STRANGER, OWNER, TEAM = "pruned_test_stranger", "pruned_test_migrator", "pruned_test_team"
TABLES_OWNER = "pruned_test_tables_owner"


def make_role(database, name, *words):
    database.execute(f"DO $$ BEGIN CREATE ROLE {name} {' '.join(words)}; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$")


@pytest.fixture
def roles(new_database):
    """A database with a role that may make schemas, one that owns nothing else, and a role that the
    first is a member of."""
    database = new_database("app")
    for name, words in ((STRANGER, "NOLOGIN"), (TEAM, "NOLOGIN"), (OWNER, f"LOGIN IN ROLE {TEAM}")):
        make_role(database, name, words)
    database.execute(f"GRANT CREATE ON DATABASE {database.name} TO {STRANGER}, {OWNER}, {TEAM}")
    return database


def test_migrate_makes_the_schema_once(new_pruned, new_database, topics):
    database = new_database("app")
    pruned = new_pruned(database, topics, settings={"postgres.url": database.url})
    planned = pruned.run("migrate", "--dry-run").ok().stdout
    assert "CREATE TABLE pruned.runs" in planned
    assert database.value("SELECT to_regnamespace('pruned') IS NULL")
    made = pruned.run("migrate", "--json").ok().json()
    assert [line["name"] for line in made][0] == "001-runs.sql"
    assert database.value("SELECT max(version) FROM pruned.schema_version") == len(made)
    assert pruned.run("migrate", "--json").ok().json() == []
    pruned.run("jobs").ok()


def test_without_the_right_to_migrate_the_error_names_the_owner(new_pruned, new_database, topics):
    database = new_database("app")
    says(new_pruned(database, topics).run("migrate"), 3, "permission denied", "owner of the application's tables")
    assert database.value("SELECT to_regnamespace('pruned') IS NULL")


def test_an_owner_who_may_make_no_schema_is_told_what_to_grant(new_pruned, new_database, topics):
    """The owner of the tables is not always the owner of the database."""
    database = new_database("app")
    make_role(database, TABLES_OWNER, "LOGIN")
    owner = database.value("SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()")
    database.execute(f"""DO $$ DECLARE t regclass; BEGIN FOR t IN SELECT c.oid FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace
        AND c.relkind IN ('r', 'p') LOOP EXECUTE format('ALTER TABLE %s OWNER TO {TABLES_OWNER}', t); END LOOP; END $$""")
    pruned = new_pruned(database, topics, settings={"postgres.url": with_database(database.url, database.name, TABLES_OWNER)})
    done = pruned.run("migrate")
    says(done, 3, f"GRANT CREATE ON DATABASE {database.name} TO {TABLES_OWNER}", f"{owner}@")
    database.execute(f"GRANT CREATE ON DATABASE {database.name} TO {TABLES_OWNER}")
    pruned.run("migrate").ok()


def test_two_migrations_at_once_take_turns(new_pruned, new_database, topics):
    database = new_database("app")
    pruned = new_pruned(database, topics, settings={"postgres.url": database.url})
    both = [subprocess.Popen(pruned.argv("--json", "migrate"), env=clean_environment(),
                             stdout=subprocess.PIPE, text=True) for _ in range(2)]
    lines = [json.loads(line) for process in both for line in process.communicate(timeout=60)[0].splitlines()]
    assert [process.returncode for process in both] == [0, 0]
    assert len(lines) == database.value("SELECT count(*) FROM pruned.schema_version")


def test_a_failing_step_leaves_nothing_behind(new_pruned, new_database, topics):
    database = new_database("app")
    database.execute("CREATE SCHEMA pruned; CREATE TABLE pruned.quarantine (mine int)")
    pruned = new_pruned(database, topics, settings={"postgres.url": database.url})
    says(pruned.run("migrate"), 3, "001-runs.sql", "quarantine")
    assert database.column("SELECT relname FROM pg_class WHERE relnamespace = 'pruned'::regnamespace") == ["quarantine"]


@pytest.mark.parametrize("user", [None, OWNER])
def test_a_schema_that_somebody_else_made_is_refused(roles, new_pruned, topics, user):
    """Its owner would run code as whoever calls. A superuser has everybody's rights and is not
    them."""
    roles.execute(f"CREATE SCHEMA pruned AUTHORIZATION {STRANGER}; GRANT ALL ON SCHEMA pruned TO {OWNER}")
    pruned = new_pruned(roles, topics, settings={"postgres.url": with_database(roles.url, roles.name, user)})
    for dry in ([], ["--dry-run"]):
        says(pruned.run("migrate", *dry), 3, f"role {STRANGER} owns schema pruned", "run: pruned migrate as")
    assert roles.column("SELECT relname FROM pg_class WHERE relnamespace = 'pruned'::regnamespace") == []


@pytest.mark.check_all
@pytest.mark.parametrize("thing", ["schema pruned", "function pruned.ensure_day(pg_catalog.text,pg_catalog.date)", "table pruned.plans"])
def test_what_somebody_else_owns_in_it_is_refused_and_named_by_doctor(roles, new_pruned, topics, thing):
    pruned = new_pruned(roles, topics, settings={"postgres.url": roles.url})
    pruned.run("migrate").ok()
    (owners,) = [line for line in pruned.run("doctor", "--json").json() if line["check"] == "owners"]
    superuser = roles.value("SELECT current_user")
    assert owners["ok"] and owners["detail"].endswith(f"belong to {superuser}")
    roles.execute(f"ALTER {thing} OWNER TO {STRANGER}")
    says(pruned.run("migrate"), 3, f"role {STRANGER} owns {thing},")
    (owners,) = [line for line in pruned.run("doctor", "--json").json() if line["check"] == "owners"]
    assert owners["level"] == "error" and f"{STRANGER} owns {thing}," in owners["detail"]
    roles.execute(owners["remedy"].partition(" -c ")[2].strip("'"))
    assert pruned.run("migrate", "--json").ok().json() == []


@pytest.mark.check_first(1)
@pytest.mark.parametrize("owner", [OWNER, TEAM, "the database's"])
def test_a_schema_of_the_role_of_its_group_or_of_the_databases_owner_is_taken(roles, new_pruned, topics, owner):
    if owner == "the database's":
        roles.execute(f"ALTER DATABASE {roles.name} OWNER TO {STRANGER}")
        owner = STRANGER
    roles.execute(f"CREATE SCHEMA pruned AUTHORIZATION {owner}; GRANT ALL ON SCHEMA pruned TO {OWNER}")
    pruned = new_pruned(roles, topics, settings={"postgres.url": with_database(roles.url, roles.name, OWNER)})
    assert pruned.run("migrate", "--json").ok().json() != []


def test_indexes_are_created_and_invalid_ones_created_again(new_pruned, new_database, topics):
    database = new_database("migrated")
    pruned = new_pruned(database, topics, settings={"postgres.url": database.url})
    index = "pruned_members_expires_at_id"
    lines = pruned.run("migrate", "--indexes", "--dry-run", "--json").ok().json()
    assert any(line["name"] == index and line["action"] == "would make" for line in lines)
    made = pruned.run("migrate", "--indexes", "--json").ok().json()
    assert {(line["name"], line["action"]) for line in made} >= {(index, "made")}
    assert pruned.run("migrate", "--indexes", "--json").ok().json() == []
    database.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass", [index])
    again = pruned.run("migrate", "--indexes", "--json").ok().json()
    assert [(line["name"], line["action"]) for line in again] == [(index, "made")]
    assert database.value("SELECT indisvalid FROM pg_index WHERE indexrelid = %s::regclass", [index])


def test_an_index_of_another_name_is_enough(new_pruned, new_database, topics):
    database = new_database("migrated")
    database.execute("CREATE INDEX theirs ON members (expires_at, id)")
    pruned = new_pruned(database, topics, settings={"postgres.url": database.url})
    lines = pruned.run("migrate", "--indexes", "--json").ok().json()
    assert "pruned_members_expires_at_id" not in {line["name"] for line in lines}


def test_topics_are_made_for_the_jobs_that_are_in_force_then(bare):
    """Without tables of the built-in jobs there are none of theirs."""
    bare.settings |= {"run.jobs": None, "run.jobs_dir": None, "postgres.url": bare.database.url}
    assert "missing" in bare.run("migrate", "--topics", "--dry-run").ok().stdout and bare.topics.partitions() == {}
    bare.run("migrate", "--topics").ok()
    assert set(bare.topics.partitions()) == {"ticks", "events", "outcomes", "dead", "clock"}
    bare.run("topics").ok()
