"""What a restore puts back is held by the key that pages give, of whatever type it is."""

import pytest

from support.scene import now
from support.sentences import house  # noqa: F401


# The type of the key, and keys
TYPES = {
    "moment": ("timestamptz", ["2020-01-01 12:00:00.000001+05", "infinity", "0044-03-15 00:00:00+00 BC"]),
    "local": ("timestamp", ["2020-01-01 12:00:00"]),
    "double": ("float8", ["1e-320", "0.1", "NaN", "1.7976931348623157e308", "-0"]),
    "single": ("real", ["16777216", "1e-45", "3.4e38"]),
    "zeros": ("float8[]", ["{-0,1}", "[0:1]={1,-0}", "{-0.5}"]),
    "list": ("int[]", ["{1,2}", "{}", "{NULL}"]),
    "pair": ("pair", ["(1,x)", '(,"a,b")']),
    "object": ("jsonb", ['"x"', '{"a": 1}', "[1, 2]", "null"]),
    "padded": ("char(5)", ["a", "a%b"]),
    "money": ("amount", ["1.00", "2.50"]),
    "number": ("bigint", ["1", "2"]),
}


def make_tables(house, column="k%, :ey"):  # noqa: F811
    house.sql("CREATE TYPE pair AS (a int, b text); CREATE DOMAIN amount AS numeric(6, 2)")
    for name, (sql, keys) in TYPES.items():
        house.sql(f'CREATE TABLE t_{name} ("{column}" {sql} PRIMARY KEY, old boolean NOT NULL DEFAULT true, n text)')
        for key in keys:
            house.database.execute(f"INSERT INTO t_{name} VALUES (%s)", [key])


@pytest.mark.check_all
def test_a_restored_row_stays_until_it_is_released(house):  # noqa: F811
    make_tables(house)
    for name in TYPES:
        house.say(f"of.{name}", f"table = t_{name}\nwhere = old")
    jobs = [f"of.{name}" for name in TYPES]
    before = {name: house.rows(f"t_{name} AS t", "t::text") for name in TYPES}
    for run in house.tick(*jobs, at=now(minutes=-9)):
        lines = house.restore(run["run_id"])
        assert {line["action"] for line in lines} == {"restored"} and len(lines) == len(TYPES[run["job"][3:]][1])
    assert {name: house.rows(f"t_{name} AS t", "t::text") for name in TYPES} == before
    again = house.tick(*jobs, at=now(minutes=-8))
    assert {name: house.rows(f"t_{name} AS t", "t::text") for name in TYPES} == before
    assert [run["result"]["kept_restored"] for run in again] == [len(keys) for _, keys in TYPES.values()]
    for line in house.pruned.run("holds", "--rows", "--json").ok().json():
        house.pruned.run("release", line["row"], "--yes").ok()
    house.tick(*jobs, at=now(minutes=-7))
    assert {name: house.rows(f"t_{name} AS t", "t::text") for name in TYPES} == {name: [] for name in TYPES}


@pytest.mark.check_all
def test_a_change_that_was_undone_is_not_made_again(house):  # noqa: F811
    """Also where JSON does not tell the key apart from another: -0 is 0."""
    make_tables(house)
    for name in TYPES:
        house.say(f"of.{name}", f"table = t_{name}\nwhere = old\nset = old = false")
    jobs = [f"of.{name}" for name in TYPES]
    before = {name: house.rows(f"t_{name} AS t", "t::text") for name in TYPES}
    for run in house.tick(*jobs, at=now(minutes=-9)):
        assert {line["action"] for line in house.restore(run["run_id"])} == {"restored"}
    house.tick(*jobs, at=now(minutes=-8))
    assert {name: house.rows(f"t_{name} AS t", "t::text") for name in TYPES} == before


@pytest.mark.check_all
def test_a_restored_row_is_no_longer_in_the_archive(house):  # noqa: F811
    make_tables(house)
    for name in TYPES:
        house.sql(f"CREATE TABLE a_{name} (LIKE t_{name})")
        house.say(f"of.{name}", f"table = t_{name}\nwhere = old\narchive = a_{name}")
    before = {name: house.rows(f"t_{name} AS t", "t::text") for name in TYPES}
    for run in house.tick(*[f"of.{name}" for name in TYPES]):
        assert {line["action"] for line in house.restore(run["run_id"])} == {"restored"}, run
    assert {name: house.rows(f"t_{name} AS t", "t::text") for name in TYPES} == before
    assert {name: house.rows(f"a_{name}") for name in TYPES} == {name: [] for name in TYPES}


def test_rows_without_a_key_come_back_once_after_a_column_came_and_one_went(house):  # noqa: F811
    """Such a row is found by what it holds: by the columns that the record and the table have."""
    house.sql("""CREATE TABLE parents (id int PRIMARY KEY, old boolean); CREATE TABLE loose (parent int REFERENCES parents ON DELETE CASCADE, a text, b text);
        INSERT INTO parents VALUES (1, true); INSERT INTO loose VALUES (1, 'x', 'y'), (1, 'z', 'y')""")
    house.say("loose", "table = parents\nwhere = old\nchildren = auto")
    _, run = house.done("loose")
    house.sql("ALTER TABLE loose DROP COLUMN b, ADD COLUMN c int NOT NULL DEFAULT 7")
    assert {line["action"] for line in house.restore(run)} == {"restored"}
    assert house.rows("loose", "parent, a, c") == [(1, "x", 7), (1, "z", 7)]
    assert {line["action"] for line in house.restore(run)} == {"exists again"}
    assert house.rows("loose", "parent, a, c") == [(1, "x", 7), (1, "z", 7)]


@pytest.mark.check_all
def test_a_row_is_held_and_released_by_each_way_to_write_its_key(house):  # noqa: F811
    house.sql("CREATE TYPE pair AS (a int, b text); CREATE TABLE lists (k int[] PRIMARY KEY); CREATE TABLE pairs (k pair PRIMARY KEY); "
              "INSERT INTO lists VALUES ('{1,2}'); INSERT INTO pairs VALUES ('(1,x)')")
    for table, ways in (("lists", ["{1,2}", "{1, 2}", '{"1",2}']), ("pairs", ["(1,x)", '(1,"x")', '( 1,x)'])):
        for way, other in zip(ways, ways[1:] + ways[:1]):
            house.pruned.run("hold", f"{table}:{way}", "--reason", "x").ok()
            [line] = house.pruned.run("holds", "--rows", "--json").ok().json()
            assert line["row"] == f"{table}:{ways[0]}"
            house.pruned.run("release", f"{table}:{other}", "--yes", "--reason", "x").ok()
            assert house.pruned.run("holds", "--json").ok().json() == []
