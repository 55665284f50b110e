"""A role that lacks a right is told which, on what, and who is to run what."""

import pytest

from support.places import ROLE


def as_role(pruned, *command):
    done = pruned.run(*command, settings={"postgres.url": pruned.database.role_url})
    assert done.code == 3, f"{done}"
    return done.stderr


@pytest.mark.parametrize("command, lacks", [(("forget", "users", "7"), "permission denied for function forget")])
def test_who_may_not_forget_is_told_who_may(scene, command, lacks):
    said = as_role(scene, *command)
    owner = scene.database.value("SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'pruned.runs'::regclass")
    assert lacks in said and f"this role {ROLE} may not; run it as the owner of schema pruned, {owner}: pruned -s postgres.url=" in said
    assert said.count("forget users 7") == 1 and f"//{owner}@" in said


def test_who_may_not_migrate_is_told_who_may(scene):
    scene.database.execute("DELETE FROM pruned.schema_version WHERE version > 11")
    said = as_role(scene, "migrate")
    owner = scene.database.value("SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'pruned.runs'::regclass")
    assert "must be owner of table" in said and f"run it as the owner of schema pruned, {owner}: pruned -s postgres.url=" in said


def test_one_without_any_right_on_the_schema_costs_no_command(scene):
    scene.database.connection.execute(f"REVOKE ALL ON SCHEMA pruned FROM {ROLE}")
    said = as_role(scene, "forget", "users", "7")
    assert "permission denied for schema pruned" in said and "the owner of schema pruned" in said
