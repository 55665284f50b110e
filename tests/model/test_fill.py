"""Many rows (schemas/app/fill_begin.sql) and rows one by one (builder.py) must agree: both say how
the application's rows belong together, in two languages."""

import datetime
import importlib
import json
import random

import pytest

from model import generate
from support.instance import Instance
from support.places import APP_FILL, PROJECT

TREE = """
INSERT INTO users (id, username) VALUES (1, 'somebody'), (2, 'somebody else');
INSERT INTO namespaces (id, path, type, parent_id) VALUES (1, 'top', 'Group', NULL), (2, 'sub', 'Group', 1);
INSERT INTO projects (path, namespace_id, project_namespace_id) VALUES ('code', 2, 3);
INSERT INTO namespaces (id, path, name, type) VALUES (4, 'other', 'Other', 'Group');
INSERT INTO members (user_id, source_type, source_id, access_level) VALUES (1, 'Namespace', 2, 50), (2, 'Project', 1, 30)
"""
# Of a random instance: the columns that are said, and those that follow from them.
SAID = {"users": "id bigint, username text", "namespaces": "id bigint, path text, name text, type text, parent_id bigint",
        "projects": "id bigint, path text, name text, namespace_id bigint, project_namespace_id bigint",
        "members": "id bigint, user_id bigint, source_type text, source_id bigint, access_level int"}
FOLLOWS = {"namespaces": "id name path type parent_id traversal_ids", "projects": "id name path namespace_id project_namespace_id",
           "routes": "source_type source_id namespace_id path name", "members": "id type member_namespace_id"}
# Columns that people or a clock decide; they do not say how rows belong together. A builder's
# project is called `project`.
FREE = {"created_at", "updated_at", "visibility_level", "email"}
FREE_OF = {"users": {"name"}, "projects": {"name"}}


def fill(database):
    begin, end = APP_FILL
    database.load(begin)
    database.execute(TREE)
    database.load(end)


def build(database):
    there = Instance(database)
    one, two = there.user(username="somebody"), there.user(username="somebody else")
    top = there.group(path="top")
    sub = there.group(parent=top, path="sub")
    code = there.project(sub, path="code")
    there.group(path="other", name="Other")
    there.owner(one, sub)
    there.member(two, project=code)


def rows(database, table):
    left_out = FREE | FREE_OF.get(table, set())
    return sorted(({name: value for name, value in row.items() if name not in left_out}
                   for row in database.rows(f"SELECT * FROM {table}")), key=str)


def test_both_ways_make_the_same_rows(new_database):
    filled, built = new_database("app"), new_database("app")
    fill(filled)
    build(built)
    for table in filled.column("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"):
        assert rows(filled, table) == rows(built, table), table
    assert [row["path"] for row in rows(filled, "routes")] == ["top", "top/sub", "top/sub/code", "other"]


def fill_in(database, table, rows):
    columns = SAID[table]
    names = ", ".join(column.split()[0] for column in columns.split(", "))
    text = json.dumps([{name: row[name] for name in names.split(", ")} for row in rows])
    database.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM jsonb_to_recordset(%s) AS r ({columns}) ORDER BY id", [text])


def chosen(rows, names):
    return sorted((tuple(row[name] for name in names.split()) for row in rows), key=str)


@pytest.mark.parametrize("seed", range(3))
def test_both_ways_make_the_same_random_places(new_database, seed):
    """Trees of several levels, personal namespaces, projects in both, members of each."""
    instance = generate.Instance(random.Random(seed), 120, datetime.datetime(2025, 3, 10, tzinfo=datetime.timezone.utc))
    instance.make(False, False)
    database, (begin, end) = new_database("app"), APP_FILL
    database.load(begin)
    for table in SAID:
        fill_in(database, table, [row for row in instance.tables[table] if table != "namespaces" or row["type"] != "Project"])
    database.load(end)
    for table, names in FOLLOWS.items():
        there = database.rows(f"SELECT {names.replace(' ', ', ')} FROM {table}")
        assert chosen(there, names) == chosen(instance.tables[table], names), table


def test_a_todo_is_about_its_place_and_nothing_is_left_behind(new_database):
    database = new_database("app")
    begin, end = APP_FILL
    database.load(begin)
    database.execute(TREE)
    database.execute("INSERT INTO todos (user_id, author_id, group_id) VALUES (1, 2, 2)")
    database.execute("INSERT INTO todos (user_id, author_id, project_id) VALUES (1, 2, 1)")
    database.execute("INSERT INTO todos (user_id, author_id, project_id, target_type, target_id, action) VALUES (1, 2, 1, 'Issue', 7, 1)")
    database.load(end)
    assert [(t["target_type"], t["target_id"], t["action"], t["state"]) for t in database.rows("SELECT * FROM todos ORDER BY id")] == [
        ("Namespace", 2, 10, "pending"), ("Project", 1, 10, "pending"), ("Issue", 7, 1, "pending")]
    assert database.value("SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal") == 0
    assert database.value("SELECT count(*) FROM pg_proc WHERE pronamespace = pg_my_temp_schema()") == 0
    assert database.value("SELECT nextval(pg_get_serial_sequence('namespaces', 'id'))") == 5


@pytest.mark.parametrize("module, ask, counts", [
    ("data", lambda data: data.filler(400, data.SPREAD), {"users": 100, "namespaces": 60, "projects": 40, "members": 400}),
    ("groups", lambda groups: groups.fill(0.005), {"users": 100, "namespaces": 110, "projects": 100, "members": 1001}),
    ("prune", lambda prune: prune.fill(0.005), {"namespaces": 110, "projects": 100, "members": 1501, "members_deletion_schedules": 5}),
    ("placeholders", lambda placeholders: placeholders.filler([placeholders.FILL], details=10), {
        "users": 21, "namespaces": 1, "import_placeholder_user_details": 20})])
def test_the_benchmarks_fill(new_database, monkeypatch, module, ask, counts):
    monkeypatch.syspath_prepend(PROJECT / "tests/bench")
    database = new_database("app")
    ask(importlib.import_module(module))(database)
    assert {table: database.value(f"SELECT count(*) FROM {table}") for table in counts} == counts
    assert database.value("SELECT count(*) FROM namespaces WHERE cardinality(traversal_ids) > 1") >= counts.get("projects", 0)
    assert database.value("SELECT count(*) FROM members m LEFT JOIN namespaces n ON n.id = member_namespace_id WHERE n.type IS DISTINCT FROM "
                          "CASE m.source_type WHEN 'Project' THEN 'Project' ELSE 'Group' END") == 0
