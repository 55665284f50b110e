"""The null of JSON is a value, and the record of a row cannot tell it from NULL."""

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
