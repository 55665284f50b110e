"""Children whose column has another type or collation than the key that it refers to: PostgreSQL
compares them by the operator of the foreign key and the collation of the key. What it would take
with a row is recorded, and nothing else goes."""

import pytest

from support.sentences import house  # noqa: F401

COLLATIONS = """CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    CREATE COLLATION noaccent (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"""

# Of the parent's key: its type, the key of a row that goes and of two that stay. Of the child: its
# type, values that refer to the first, and to the others
PAIRS = {
    "padded": ("char(5)", "ab", ["cd", "ef"], "text", ["ab", "ab  ", "ab   "], ["cd", "ef "]),
    "padded_varchar": ("char(5)", "ab", ["cd", "ef"], "varchar(9)", ["ab", "ab  "], ["cd", "ef "]),
    "texts": ("text", "ab", ["ab ", "cd"], "char(5)", ["ab", "ab  "], ["cd"]),
    "names": ("name", "ab", ["AB", "cd"], "text", ["ab"], ["cd", "AB"]),
    "numbers": ("numeric", "1.00", ["2", "3"], "int", ["1"], ["2", "3"]),
    "doubles": ("float8", "0.1", ["2", "3"], "numeric", ["0.1", "0.1000000000000000055"], ["2"]),
    "wide": ("bigint", "1", ["2", "3"], "int", ["1"], ["2", "3"]),
    "days": ("timestamptz", "2020-01-01 00:00+00", ["2021-01-01 00:00+00", "2022-01-01 00:00+00"], "date", ["2020-01-01"], ["2021-01-01"]),
    "networks": ("inet", "10.0.0.0/8", ["11.0.0.0/8", "10.0.0.0"], "cidr", ["10.0.0.0/8"], ["11.0.0.0/8"]),
    "nocase": ("text COLLATE nocase", "Bob", ["ann", "eve"], "text", ["Bob", "bob", "BOB"], ["Ann", "EVE"]),
    "nocase_varchar": ("text COLLATE nocase", "É", ["ann", "eve"], "varchar", ["É", "é"], ["Ann", "EVE"]),
    "nocase_alike": ("text COLLATE nocase", "Bob", ["ann", "eve"], "text COLLATE nocase", ["Bob", "bob"], ["Ann", "EVE"]),
    "nocase_child": ("text", "Bob", ["bob", "ann"], "text COLLATE nocase", ["Bob", "bob"], ["ann"]),
    "nocase_bytes": ('text COLLATE "C"', "Bob", ["bob", "ann"], "text COLLATE nocase", ["Bob", "bob"], ["ann"]),
    "two": ("text COLLATE nocase", "Bob", ["Bób", "ann"], "text COLLATE noaccent", ["Bob", "bob"], ["Bób", "bób"]),
    "bytes": ('text COLLATE "C"', "ab", ["AB", "cd"], "text", ["ab"], ["cd", "AB"]),
}
ACTIONS = {"n": "NO ACTION", "c": "CASCADE", "s": "SET NULL"}


def make(house):  # noqa: F811
    house.sql(COLLATIONS)
    for name, (parent, key, others, child, values, rest) in PAIRS.items():
        house.sql(f"CREATE TABLE p_{name} (id {parent} PRIMARY KEY, dead bool)")
        for one in (key, *others):
            house.database.execute(f"INSERT INTO p_{name} VALUES (%s, %s)", [one, one == key])
        for letter, action in ACTIONS.items():
            house.sql(f"CREATE TABLE {letter}_{name} (k serial PRIMARY KEY, p {child} REFERENCES p_{name} ON DELETE {action})")
            for one in values + rest:
                house.database.execute(f"INSERT INTO {letter}_{name} (p) VALUES (%s)", [one])


def content(house, name):  # noqa: F811
    return {letter: house.rows(f"{letter}_{name} AS t", "t::text") for letter in (*ACTIONS, "p")}


@pytest.mark.check_all
@pytest.mark.parametrize("more", ["", "children_portion = 1"])
def test_what_refers_to_a_row_goes_with_it_and_comes_back(house, more):  # noqa: F811
    make(house)
    for name in PAIRS:
        house.say(f"of.{name}", f"table = p_{name}\nwhere = dead\nchildren = auto\n{more}")
    before = {name: content(house, name) for name in PAIRS}
    done = house.tick(*[f"of.{name}" for name in PAIRS])
    assert {run["job"]: (run["state"], run["error"]) for run in done} == {f"of.{name}": ("finished", None) for name in PAIRS}
    for run, (name, (*_, values, rest)) in zip(done, PAIRS.items()):
        recorded = sorted((table, action, key) for table, action, key, _ in house.audit(run["run_id"]) if table != f"p_{name}")
        ids = range(1, len(values) + 1)
        assert recorded == sorted([(f"{letter}_{name}", action, i) for letter, action in (("n", "deleted"), ("c", "deleted"), ("s", "updated"))
                                   for i in ids]), name
        left = range(len(values) + 1, len(values) + len(rest) + 1)
        assert house.rows(f"c_{name}", "k") == [(i,) for i in left] and house.rows(f"n_{name}", "k") == [(i,) for i in left], name
        assert house.rows(f"s_{name} WHERE p IS NULL", "k") == [(i,) for i in ids], name
        assert {line["action"] for line in house.restore(run["run_id"])} == {"restored"}, name
    assert {name: content(house, name) for name in PAIRS} == before


@pytest.mark.check_all
def test_a_plan_counts_them(house):  # noqa: F811
    make(house)
    for name in PAIRS:
        house.say(f"of.{name}", f"table = p_{name}\nwhere = dead")
    for name, (*_, values, _) in PAIRS.items():
        lines = house.pruned.run("plan", f"of.{name}", "--json").ok().json()
        assert f"c_{name}" in str(lines) and str(len(values)) in str(lines), (name, lines)


@pytest.mark.check_all
def test_rows_that_refer_to_rows_of_their_own_table(house):  # noqa: F811
    house.sql(COLLATIONS + """; CREATE TABLE a (id text COLLATE nocase PRIMARY KEY, up text REFERENCES a, dead bool);
        INSERT INTO a VALUES ('Bob', NULL, true), ('ann', NULL, false), ('x', 'bob', false), ('y', 'ANN', false), ('z', 'X', false);
        CREATE TABLE b (id char(4) PRIMARY KEY, up text REFERENCES b, dead bool);
        INSERT INTO b VALUES ('ab', NULL, true), ('cd', NULL, false), ('x', 'ab  ', false), ('y', 'cd', false), ('z', 'x  ', false);
        CREATE TABLE c (id text COLLATE "C" PRIMARY KEY, up text REFERENCES c, dead bool);
        INSERT INTO c VALUES ('Bob', NULL, true), ('bob', NULL, false), ('x', 'Bob', false), ('y', 'bob', false), ('z', 'x', false)""")
    for name in ("a", "b", "c"):
        house.say(f"of.{name}", f"table = {name}\nwhere = dead\nchildren = auto")
    before = [house.rows(name) for name in ("a", "b", "c")]
    done = house.tick("of.a", "of.b", "of.c")
    assert [run["error"] for run in done] == [None] * 3
    assert [house.rows(name, "id::text COLLATE \"C\"") for name in ("a", "b", "c")] == [[("ann",), ("y",)], [("cd",), ("y",)], [("bob",), ("y",)]]
    assert [run["result"]["below"] for run in done] == [2, 2, 2]
    for run in done:
        house.restore(run["run_id"])
    assert [house.rows(name) for name in ("a", "b", "c")] == before
