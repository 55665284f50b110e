"""`pruned migrate`: the schema in steps, once, and the indexes that cursors need."""

import json
import subprocess

from support.command_line import says
from support.pruned import clean_environment


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
