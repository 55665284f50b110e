"""A row that has the values of `set` already is not written again."""

import pytest

from support.sentences import house  # noqa: F401

ROWS = """CREATE TABLE people (id bigint PRIMARY KEY, j json, n numeric(5, 2), c char(3), d date, a int[], email text, m text, free numeric);
    INSERT INTO people (id, email, free) SELECT i, 'p' || i, 1.0 FROM generate_series(1, 4) AS i"""
SET = """set = j = '{"a": 1}', n = 1.005, c = 'x', d = '2026-01-31', a = '{1,NULL}', email = NULL, m = lower('X'), free = 1.00"""


def versions(house):  # noqa: F811
    return house.rows("people", "id, xmin::text, n::text, free::text", "id")


def test_a_tick_writes_each_row_once(house):  # noqa: F811
    """The values are compared as the columns store them, to the byte: `1.0` is not `1.00`."""
    house.sql(ROWS)
    house.say("people.same", f"table = people\nwhere = id < 9\n{SET}\nmax_share = off")
    first = house.run("people.same")["result"]
    before = versions(house)
    assert first["changed"] == 4 and {row[2:] for row in before} == {("1.01", "1.00")}
    house.sql("UPDATE people SET email = 'new' WHERE id = 2")
    second = house.run("people.same")["result"]
    after = versions(house)
    assert (second["changed"], second["kept"]) == (1, 3) and house.rows("people WHERE id = 2", "email") == [(None,)]
    assert [row for row in after if row[0] != 2] == [row for row in before if row[0] != 2]


@pytest.mark.check_all
def test_what_may_change_rows_is_not_asked_twice(house):  # noqa: F811
    """A value of a VOLATILE function, and a default, are written each time."""
    house.sql(ROWS + """; CREATE SEQUENCE s; GRANT USAGE ON s TO PUBLIC; ALTER TABLE people ALTER m SET DEFAULT 'd';
        CREATE FUNCTION drawn() RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT nextval('s') $$""")
    house.say("people.drawn", "table = people\nwhere = id = 1\nset = n = drawn()\nmax_share = off")
    house.say("people.default", "table = people\nwhere = id = 2\nset = m = DEFAULT\nmax_share = off")
    for job in "people.drawn", "people.default":
        assert [house.run(job)["result"]["changed"] for _ in range(2)] == [1, 1], job
    assert [row[0] for row in house.rows("people WHERE id = 1", "n::int")] == [2]
