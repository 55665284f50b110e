"""`pruned who` and `restore --only` read a key as the column's type: also as plans and outcomes
write it."""

import json

import pytest

from support.command_line import says
from support.sentences import house  # noqa: F401


# The type of the key, a key as it is stored, and how it can be asked for
TYPES = {
    "moment": ("timestamptz", "2024-01-01 00:00:00+00", ["2024-01-01T01:00:00+01:00", "2024-01-01T00:00:00+00:00"]),
    "local": ("timestamp", "2024-01-01 10:00:00", ["2024-01-01T10:00:00"]),
    "whole": ("bigint", "7", ["007", " 7", "+7"]),
    "number": ("numeric", "1.50", ["1.5", "1.500", "15e-1"]),
    "price": ("numeric(6,2)", "2.50", ["2.5"]),
    "flag": ("boolean", "true", ["t", "yes"]),
    "double": ("float8", "1e-320", ["0.1e-319"]),
    "uuid": ("uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", ["A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"]),
    "list": ("int[]", "{1,2}", ["{1, 2}"]),
    "object": ("jsonb", '"x"', []),
    "padded": ("char(5)", "ab", ["ab   "]),
    "text": ("text", "{a", []),
    "digits": ("varchar(9)", "42", []),
    "span": ("interval", "1 mon", ["1 month"]),
    "money": ("money", "$1,234.50", ["1234.5"]),
    "pairs": ("hstore", '"a"=>"1", "b c"=>NULL', ['b\\ c=>NULL,a=>1']),
}
TWO = {"nr": 1.5, "at": "2024-01-01 00:00:00+00"}


@pytest.fixture
def gone(house):  # noqa: F811
    """Rows of all these types that have gone; the runs, by the name of the type."""
    house.sql("CREATE EXTENSION hstore")
    for name, (sql, key, _) in TYPES.items():
        house.sql(f"CREATE TABLE t_{name} (id {sql} PRIMARY KEY, n int)")
        house.database.execute(f"INSERT INTO t_{name} VALUES (%s)", [key])
        house.say(f"of.{name}", f"table = t_{name}\nwhere = true")
    house.sql("CREATE TABLE t_two (nr numeric, at timestamptz, PRIMARY KEY (nr, at)); INSERT INTO t_two VALUES (1.50, '2024-01-01T00:00Z')")
    house.say("of.two", "table = t_two\nwhere = true")
    names = [*TYPES, "two"]
    house.runs = dict(zip(names, [str(run["run_id"]) for run in house.tick(*[f"of.{name}" for name in names])]))
    return house


@pytest.mark.check_all
def test_a_row_is_found_by_each_text_of_its_key(gone):
    for name, (_, key, others) in TYPES.items():
        for text in [key, *others]:
            lines = gone.pruned.run("who", f"t_{name}:{text}", "--json").ok().json()
            assert [line["run_id"] for line in lines] == [gone.runs[name]], (name, text)
    (line,) = gone.pruned.run("who", f"t_two:{json.dumps(TWO)}", "--json").ok().json()
    assert line["run_id"] == gone.runs["two"]


@pytest.mark.check_all
def test_just_this_row_is_put_back_by_each_text_of_its_key(gone):
    for name, (_, key, others) in TYPES.items():
        lines = gone.restore(gone.runs[name], "--only", f"t_{name}:{[key, *others][-1]}")
        assert [line["action"] for line in lines] == ["restored"] and len(gone.rows(f"t_{name}", "n")) == 1, name
    assert [line["action"] for line in gone.restore(gone.runs["two"], "--only", f"t_two:{json.dumps(TWO)}")] == ["restored"]


@pytest.mark.check_all
def test_just_this_row_is_forgotten_by_each_text_of_its_key(gone):
    own = {"postgres.url": gone.database.url}
    for name, (_, key, others) in TYPES.items():
        (line,) = gone.pruned.run("forget", f"t_{name}", [key, *others][-1], "--json", settings=own).ok().json()
        assert (line["table"], line["forgotten"]) == (f"t_{name}", 1), (name, line)


@pytest.mark.parametrize("item, words", [
    ("t_uuid:abc", "no key of t_uuid (id)"), ("t_moment:now", "cut or round"), ("t_moment:soon", "no key of t_moment"),
    ("t_price:1.001", "cut or round"), ("t_money:1.001", "cut or round"), ("t_money:$1.001", "cut or round"), ("t_padded:abcdef", "cut or round"), ("t_flag:perhaps", "no key of t_flag"),
    ("t_list:{1", "no key of t_list"), ("t_two:{\"nr\": \"x\", \"at\": \"2024-01-01\"}", "no key of t_two (nr, at)"), ("t_two:{1", "neither")])
def test_a_key_that_is_none_of_the_column_is_said(house, item, words):  # noqa: F811
    name = item.split(":")[0][2:]
    if name == "two":
        house.sql("CREATE TABLE t_two (nr numeric, at timestamptz, PRIMARY KEY (nr, at))")
    else:
        house.sql(f"CREATE TABLE t_{name} (id {TYPES[name][0]} PRIMARY KEY)")
    says(house.pruned.run("who", item), 1, words)
    says(house.pruned.run("restore", "7fecac87-579a-560b-ad38-6378e9e225c0", "--only", item), 1, words)
