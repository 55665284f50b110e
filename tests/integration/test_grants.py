"""deploy/grants.sql also works on a database that lacks some tables, and names no table that no database has."""

import re
import subprocess

import pytest

from support.places import APP_TABLES, GRANTS, ROLE

TABLES = re.findall(r"^CREATE TABLE (\w+)", APP_TABLES.read_text(), re.M)
NAMED = sorted(set(re.findall(r"'([a-z_]+)(?::[A-Z, ]+)?'", GRANTS.read_text())) & set(TABLES))


@pytest.mark.parametrize("table", NAMED)
def test_a_table_that_is_absent_is_left_out(pruned, table):
    pruned.database.connection.execute(f"DROP TABLE {table} CASCADE")
    pruned.database.grant()
    other = next(name for name in ("members", "users") if name != table)
    assert pruned.database.value("SELECT has_table_privilege(%s, %s, 'DELETE')", [ROLE, other])


def test_each_name_is_a_table_of_the_application():
    """The other names are columns, keywords of psql, and ours."""
    arrays = re.findall(r"ARRAY\s*\[(.*?)\]", re.sub(r"--[^\n]*", "", GRANTS.read_text()), re.S)
    names = {name for array in arrays for name in re.findall(r"'([a-z_]+)", array) if not name.endswith("_id")}
    assert names and names <= set(TABLES)


def test_a_table_with_a_key_to_a_user_is_granted(pruned):
    pruned.database.connection.execute("CREATE TABLE timelogs (id bigint PRIMARY KEY, user_id bigint REFERENCES users);"
                                       "CREATE TABLE apart (id bigint PRIMARY KEY, user_id bigint)")
    pruned.database.grant()
    rights = {name: pruned.database.value("SELECT has_table_privilege(%s, %s, 'UPDATE')", [ROLE, name]) for name in ("timelogs", "apart")}
    assert rights == {"timelogs": True, "apart": False}


def test_rights_are_given_together_or_stay_as_they_were(pruned):
    """A table that the file does not know stops it in the middle."""
    pruned.database.execute("CREATE TABLE pruned.of_a_newer_version (id bigint)")
    with pytest.raises(subprocess.CalledProcessError):
        pruned.database.grant()
    assert pruned.database.value("SELECT has_table_privilege(%s, 'pruned.runs', 'UPDATE')", [ROLE])
