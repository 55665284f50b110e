"""If a role lacks a right, the error names the right, its object, and which role must run which
command."""

import pytest

from support.places import ROLE


def as_role(pruned, *command):
    done = pruned.run(*command, settings={"postgres.url": pruned.database.role_url})
    assert done.code == 3, f"{done}"
    return done.stderr


@pytest.mark.parametrize("command, lacks", [(("forget", "users", "7"), "permission denied for function forget")])
def test_without_the_right_to_forget_the_error_names_the_owner(scene, command, lacks):
    said = as_role(scene, *command)
    owner = scene.database.value("SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'pruned.runs'::regclass")
    assert lacks in said and f"this role {ROLE} may not; run it as the owner of schema pruned, {owner}: pruned -s postgres.url=" in said
    assert said.count("forget users 7") == 1 and f"//{owner}@" in said


def test_without_the_right_to_migrate_the_error_names_the_owner(scene):
    scene.database.execute("DELETE FROM pruned.schema_version WHERE version > 11")
    said = as_role(scene, "migrate")
    owner = scene.database.value("SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'pruned.runs'::regclass")
    assert "must be owner of table" in said and f"run it as the owner of schema pruned, {owner}: pruned -s postgres.url=" in said


def test_without_rights_on_the_schema_the_error_names_the_owner(scene):
    scene.database.connection.execute(f"REVOKE ALL ON SCHEMA pruned FROM {ROLE}")
    said = as_role(scene, "forget", "users", "7")
    assert "permission denied for schema pruned" in said and "the owner of schema pruned" in said
