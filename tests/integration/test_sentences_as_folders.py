"""`pruned jobs show --to` of tables with odd names, and of what no folder can say."""

import pytest

from support.sentences import house  # noqa: F401

BILLING = """CREATE SCHEMA billing; GRANT USAGE ON SCHEMA billing TO PUBLIC; CREATE TABLE billing.{name} (id bigint PRIMARY KEY, dead boolean);
    INSERT INTO billing.{name} VALUES (1, true), (2, false); GRANT ALL ON ALL TABLES IN SCHEMA billing TO PUBLIC"""


def as_folder(house, name):
    """The run of the folder that has taken the place of the section."""
    house.pruned.run("jobs", "show", name, "--to", house.folder).ok()
    (house.folder / f"{name}.conf").unlink()
    assert house.pruned.run("check", name).code in (0, 6)
    counters, run = house.done(name)
    return counters, run


@pytest.mark.check_all
@pytest.mark.parametrize("name", ["orders", "insert", "delete", "updates", '"Order. Items"', '"a.update"', r'"a;b\s ""c"'])
def test_a_table_of_another_schema(house, name):  # noqa: F811
    """The audit names it as that of the section does."""
    house.sql(BILLING.format(name=name))
    house.say("b", f"table = billing.{name}\nwhere = dead")
    counters, run = as_folder(house, "b")
    assert counters == {"removed": 1, "updated_rows": 1} and house.keys(run) == [(f"billing.{name}", "deleted", 1)]
    house.restore(run)
    assert house.rows(f"billing.{name}") == [(1, True), (2, False)]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("name", ["update", '"x.insert"', '"1"', '"$(a) %2F *"'])
def test_a_table_with_an_odd_name_that_changes(house, name):  # noqa: F811
    house.sql(f"CREATE TABLE {name} (id int PRIMARY KEY, dead bool); INSERT INTO {name} VALUES (1, true), (2, false)")
    house.say("b", f"table = {name}\nwhere = dead\nset = dead = NULL")
    counters, run = as_folder(house, "b")
    assert counters == {"changed": 1, "updated_rows": 1} and house.keys(run) == [(name, "updated", 1)]


def test_a_child_of_another_schema(house):  # noqa: F811
    house.sql(BILLING.format(name="insert") + """; CREATE TABLE orders (id bigint PRIMARY KEY, dead boolean); INSERT INTO orders VALUES (1, true);
        ALTER TABLE billing.insert ADD o bigint REFERENCES orders; UPDATE billing.insert SET o = 1;
        CREATE TABLE billing.parts (id int PRIMARY KEY, i bigint REFERENCES billing.insert); GRANT ALL ON billing.parts TO PUBLIC""")
    house.say("b", "table = orders\nwhere = dead\nchildren = auto")
    counters, run = as_folder(house, "b")
    assert counters == {"removed": 1, "updated_rows": 1}
    assert house.keys(run) == [("billing.insert", "deleted", 1), ("billing.insert", "deleted", 2), ("orders", "deleted", 1)]
    assert "UPDATE, DELETE ON billing.insert TO" in house.pruned.run("grants").ok().stdout


QUOTES = '"' + '""' * 63 + '"'


@pytest.mark.check_first(1)
@pytest.mark.parametrize("schema, name", [("public", '"../../../../../escaped"'), ("public", '"a/b"'), ("public", '"a\nb"'), (QUOTES, QUOTES)])
def test_a_name_that_no_file_can_have(house, tmp_path, schema, name):  # noqa: F811
    house.sql(f"""CREATE SCHEMA IF NOT EXISTS {schema}; GRANT ALL ON SCHEMA {schema} TO PUBLIC; CREATE TABLE orders (id int PRIMARY KEY, dead bool);
        CREATE TABLE {schema}.{name} (id int PRIMARY KEY, o int REFERENCES orders); GRANT ALL ON {schema}.{name} TO PUBLIC""")
    house.say("b", "table = orders\nwhere = dead\nchildren = auto")
    before = sorted(tmp_path.rglob("*"))
    done = house.pruned.run("jobs", "show", "b", "--to", tmp_path / "deep" / "er")
    assert done.code == 2 and "name of a table cannot be that of a file" in done.stderr, done
    assert sorted(tmp_path.rglob("*")) == before
    assert "It can only be read" in house.pruned.run("jobs", "show", "b").ok().stdout


BEYOND = {
    "object": ("table = files\nwhere = dead\nobject = s3:uploads column path", "SQL files delete no objects"),
    "drop_partitions_older_than": ("table = days\ndrop_partitions_older_than = 3 days", "SQL files drop no partitions"),
    "children_portion": ("table = files\nwhere = dead\nchildren = auto\nchildren_portion = 5", "(children_portion)")}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("key", BEYOND)
def test_what_no_folder_can_say(house, tmp_path, key):  # noqa: F811
    text, why = BEYOND[key]
    house.sql("""CREATE TABLE files (id int PRIMARY KEY, dead bool, path text); CREATE INDEX ON files (path);
        CREATE TABLE parts (id int PRIMARY KEY, f int REFERENCES files); CREATE INDEX ON parts (f); CREATE TABLE days (at timestamptz) PARTITION BY RANGE (at)""")
    house.say("b", text)
    done = house.pruned.run("jobs", "show", "b", "--to", tmp_path / "taken")
    assert done.code == 2 and why in done.stderr and "no folder can take the place of [retention b]" in done.stderr
    assert not (tmp_path / "taken").exists()
    assert "in whose place it can stand" not in house.pruned.run("jobs", "show", "b").ok().stdout
