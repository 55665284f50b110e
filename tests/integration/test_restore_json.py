"""The record of a row is JSON. What that cannot say comes back all the same, or is said."""

import pytest

from support.sentences import house  # noqa: F401


def test_the_null_of_json_comes_back_where_null_cannot_be(house):  # noqa: F811
    """An application that stores a missing value as JSON has such rows in columns that are NOT
    NULL."""
    house.sql("""CREATE TABLE memos (id int PRIMARY KEY, dead bool, j jsonb NOT NULL, t json NOT NULL);
        INSERT INTO memos VALUES (1, true, 'null', 'null'), (2, true, '{"a": null}', '"null"'), (3, false, 'null', '[]')""")
    house.say("memos.purge", "table = memos\nwhere = dead")
    before = house.rows("memos", "id, j::text, t::text")
    counters, run = house.done("memos.purge")
    assert counters == {"removed": 2, "updated_rows": 2}
    assert [line["action"] for line in house.restore(run)] == ["restored"] * 2
    assert house.rows("memos", "id, j::text, t::text") == before
    assert [line["action"] for line in house.restore(run)] == ["exists again"] * 2


def test_a_change_of_such_a_column_is_undone(house):  # noqa: F811
    house.sql("""CREATE TABLE memos (id int PRIMARY KEY, dead bool, j jsonb NOT NULL);
        INSERT INTO memos VALUES (1, true, 'null'), (2, true, '1')""")
    house.say("memos.empty", "table = memos\nwhere = dead\nset = j = '{}', dead = false")
    _, run = house.done("memos.empty")
    house.restore(run)
    assert house.rows("memos", "id, dead, j::text") == [(1, True, "null"), (2, True, "1")]


TYPES = """CREATE TYPE pair AS (a int, b text); CREATE TYPE mood AS ENUM ('glad', 'sad'); CREATE DOMAIN few AS int[] CHECK (pg_catalog.cardinality(VALUE) < 5);
CREATE DOMAIN fewer AS few"""
VALUES = {
    "int[]": ["[0:2]={1,2,3}", "{1,2}", "{}", "{{1,2},{3,4}}", "{1,NULL}"], "text[]": ['[-1:0][2:3]={{"a b",NULL},{"[0:1]={x}",d}}', '{"[0:1]={x}"}'],
    "fewer": ["[5:6]={1,2}", "{1}"], "pair[]": ['[0:1]={"(1,)",NULL}', '{"(,)"}'], "date[]": ["[0:0]={infinity}", '{"0044-03-15 BC"}'],
    "float8": ["NaN", "-Infinity", "1e-300", "0.1", "1.7976931348623157e+308"], "float4": ["NaN", "Infinity", "0.1"], "numeric": ["NaN", "-Infinity", "1.10", "0.000"],
    "timestamp": ["infinity", "0044-03-15 10:00:00.000001 BC", "294276-12-31 23:59:59"], "timestamptz": ["-infinity", "0044-03-15 10:00:00+00 BC"],
    "date": ["-infinity", "4713-01-01 BC", "5874897-12-31"], "time": ["24:00:00"], "timetz": ["10:00:00+05:30"], "interval": ["-1 mons +3 days -00:00:00.5"],
    "bytea": ["\\x00ff", "\\x"], "char(5)": ["ab"], '"char"': ["a"], "bit(5)": ["00101"], "varbit": ["", "1"], "int8range": ["empty", "(,5)"],
    "tsmultirange": ['{["2026-01-01 00:00:00",)}', "{}"], "xml": ["<a>é &lt;</a>", "a<b/>"], "money": ["-$1,234.50"], "uuid": ["00000000-0000-0000-0000-000000000001"],
    "inet": ["::1/128", "10.0.0.1/8"], "point": ["(0.1,-1e-300)"], "circle": ["<(0,0),1>"], "pair": ["(,)", '(1,"")', '(2,"x,""y")'], "mood": ["sad"],
    "jsonb": ['"null"', '{"a": [null, 1.50]}', '"[0:1]={1,2}"'], "tsvector": ["'a':1 'b':2A"], "oidvector": ["1 2"], "pg_lsn": ["16/B374D848"], "varchar(3)": ["", "é"],
    "text": ["[0:1]={1,2}", "null", "\t\n"]}


@pytest.mark.check_all
def test_every_value_comes_back_as_its_text(house):  # noqa: F811
    """After it has gone, and after it has changed; what is there again is known as the same."""
    house.sql(TYPES)
    columns = ", ".join(f"c{i} {name}" for i, name in enumerate(VALUES))
    house.sql(f"CREATE TABLE every (id int PRIMARY KEY, dead bool, {columns})")
    texts = ", ".join(f"c{i}::text" for i in range(len(VALUES)))
    for i, (name, values) in enumerate(VALUES.items()):
        for n, value in enumerate(values):
            house.database.execute(f"INSERT INTO every (id, dead, c{i}) VALUES (%s, true, %s)", [100 * i + n, value])
    house.sql("INSERT INTO every (id, dead) VALUES (-1, true)")
    before = house.rows("every", f"id, {texts}")
    assert [(row[0], row[1 + row[0] // 100]) for row in before[1:]] == [
        (100 * i + n, value) for i, values in enumerate(VALUES.values()) for n, value in enumerate(values)]
    house.say("every.purge", "table = every\nwhere = dead")
    house.say("every.empty", "table = every\nwhere = dead\nset = dead = false, " + ", ".join(f"c{i} = NULL" for i in range(len(VALUES))))
    _, run = house.done("every.purge")
    assert {(line["action"], line["reason"]) for line in house.restore(run)} == {("restored", None)}
    assert house.rows("every", f"id, {texts}") == before
    assert {(line["action"], line["reason"]) for line in house.restore(run)} == {("exists again", None)}
    house.sql("DELETE FROM pruned.quarantine; DELETE FROM pruned.holds")
    _, run = house.done("every.empty")
    assert {line["action"] for line in house.restore(run)} == {"restored"} and house.rows("every", f"id, {texts}") == before
    assert {line["action"] for line in house.restore(run)} == {"exists again"}


def test_what_comes_back_otherwise_is_said(house):  # noqa: F811
    house.sql("""CREATE TABLE memos (id int PRIMARY KEY, dead bool, j json, t text); INSERT INTO memos VALUES (1, true, '{"b":1, "a":1,"a":2}', 'x')""")
    house.say("memos.purge", "table = memos\nwhere = dead")
    _, run = house.done("memos.purge")
    (line,) = house.restore(run)
    assert (line["action"], line["reason"]) == ("restored", "written as jsonb writes it: j")
    assert house.rows("memos", "j::text, t") == [('{"a": 2, "b": 1}', "x")]


def test_keys_and_children_with_such_arrays_come_back(house):  # noqa: F811
    house.sql("""CREATE TABLE lists (id int[], n int, PRIMARY KEY (id, n)); CREATE TABLE parts (id int[] PRIMARY KEY, list int[], n int, FOREIGN KEY (list, n) REFERENCES lists);
        INSERT INTO lists VALUES ('[0:1]={1,2}', 1), ('{1,2}', 1); INSERT INTO parts VALUES ('[5:5]={1}', '[0:1]={1,2}', 1), ('{2}', '{1,2}', 1)""")
    house.say("lists.purge", "table = lists\nwhere = true\nchildren = auto")
    before = house.rows("lists", "id::text, n"), house.rows("parts", "id::text, list::text")
    _, run = house.done("lists.purge")
    (line,) = house.restore(run, "--only", 'lists:{"id": "[0:1]={1,2}", "n": 1}')
    assert line["action"] == "restored" and house.rows("lists", "id::text, n") == [("[0:1]={1,2}", 1)]
    assert sorted((line["table"], line["action"], line["key"]) for line in house.restore(run)) == sorted([
        ("lists", "exists again", '{"n": 1, "id": "[0:1]={1,2}"}'), ("lists", "restored", '{"n": 1, "id": "{1,2}"}'),
        ("parts", "restored", "[5:5]={1}"), ("parts", "restored", "{2}")])
    assert (house.rows("lists", "id::text, n"), house.rows("parts", "id::text, list::text")) == before
    lines = house.pruned.run("who", 'lists:{"id": "[0:1]={1,2}", "n": 1}', "--json").ok().json()
    assert [(line["table"], line["key"]) for line in lines] == [("parts", "[1]"), ("lists", '{"n": 1, "id": "[0:1]={1,2}"}')]
