"""Events whose rows have rows below them share a transaction: each run has what is its own."""

import json

import pytest

from support.own_events import outcomes, say_event, topics  # noqa: F401
from support.sentences import house  # noqa: F401

NODES = range(1, 41)


def recorded(house):  # noqa: F811
    """The key that each run was asked for -> the rows that it has recorded, by table."""
    rows = house.database.rows("""
        SELECT r.args ->> 'key' AS asked, d.table_name || ' ' || d.action AS what, v.row ->> 'id' AS id
        FROM pruned.deletions d JOIN pruned.runs r USING (run_id), jsonb_array_elements(d.rows) AS v (row)""")
    found = {}
    for row in rows:
        found.setdefault(int(row["asked"]), []).append((row["what"], int(row["id"])))
    return {key: sorted(all) for key, all in found.items()}


def results(house):  # noqa: F811
    rows = house.database.rows("SELECT args ->> 'key' AS asked, result, rows_done FROM pruned.runs")
    return {int(row["asked"]): (row["result"], row["rows_done"]) for row in rows}


def drop_all(house, topics, table, more=""):  # noqa: F811
    """Says that an event takes a row of the table and what is below it, and sends one for each of
    NODES."""
    topics.make("app-rooms")
    house.say(f"{table}.drop", f"table = {table}\non = Left\nchildren = auto\ncapacity = 1\n{more}")
    say_event(house, "Left", "app-rooms", "key = id")
    house.start()
    topics.produce_many("app-rooms", [(None, json.dumps({"id": n}).encode()) for n in NODES])
    house.work()


def test_rows_of_the_own_table_below_are_those_of_their_run(house, topics):  # noqa: F811
    """Each node has two below it; the events name the upper ones."""
    house.sql("""CREATE TABLE nodes (id int PRIMARY KEY, up int REFERENCES nodes ON DELETE CASCADE);
        CREATE INDEX ON nodes (up);
        INSERT INTO nodes SELECT n, NULL FROM generate_series(1, 40) AS n;
        INSERT INTO nodes SELECT 1000 * k + n, n FROM generate_series(1, 40) AS n, generate_series(1, 2) AS k""")
    drop_all(house, topics, "nodes")
    assert house.rows("nodes") == []
    assert recorded(house) == {n: sorted(("nodes deleted", id) for id in (n, 1000 + n, 2000 + n)) for n in NODES}
    assert {n: rows for n, (_, rows) in results(house).items()} == {n: 3 for n in NODES}


def two_levels(house):  # noqa: F811
    """Each order has two items with a note each, and one hint that only refers to it."""
    house.sql("""CREATE TABLE orders (id int PRIMARY KEY);
        CREATE TABLE items (id int PRIMARY KEY, order_id int NOT NULL REFERENCES orders ON DELETE CASCADE);
        CREATE TABLE remarks (id int PRIMARY KEY, item_id int NOT NULL REFERENCES items ON DELETE CASCADE);
        CREATE TABLE hints (id int PRIMARY KEY, order_id int REFERENCES orders ON DELETE SET NULL);
        CREATE INDEX ON items (order_id); CREATE INDEX ON remarks (item_id); CREATE INDEX ON hints (order_id);
        CREATE TABLE statements (n int);
        CREATE FUNCTION note_statement() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN INSERT INTO statements SELECT count(*) FROM gone; RETURN NULL; END $$;
        CREATE TRIGGER note_statement AFTER DELETE ON items REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_statement();
        INSERT INTO orders SELECT n FROM generate_series(1, 41) AS n;
        INSERT INTO items SELECT 1000 * k + n, n FROM generate_series(1, 41) AS n, generate_series(1, 2) AS k;
        INSERT INTO remarks SELECT id + 5000, id FROM items;
        INSERT INTO hints SELECT 9000 + n, n FROM generate_series(1, 41) AS n""")


@pytest.mark.check_first(1)
@pytest.mark.parametrize("tallies", [False, True])
def test_rows_of_other_tables_below_are_those_of_their_run(house, topics, tallies):  # noqa: F811
    """Where a trigger changes a further table, which counts for limits, each goes by itself."""
    two_levels(house)
    if tallies:
        house.sql("""CREATE TABLE tallies (n int PRIMARY KEY); INSERT INTO tallies SELECT n FROM generate_series(1, 41) AS n;
            CREATE FUNCTION drop_tally() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM tallies WHERE n = OLD.id; RETURN OLD; END $$;
            CREATE TRIGGER drop_tally AFTER DELETE ON orders FOR EACH ROW EXECUTE FUNCTION drop_tally()""")
    drop_all(house, topics, "orders")
    assert house.rows("orders") == [(41,)] and house.rows("items", "id") == [(1041,), (2041,)] and house.rows("remarks", "id") == [(6041,), (7041,)]
    assert house.rows("hints", "id") == [(9000 + n,) for n in range(1, 42)]
    assert house.rows("hints WHERE order_id IS NOT NULL", "order_id") == [(41,)]
    assert recorded(house) == {n: sorted([
        ("orders deleted", n), ("items deleted", 1000 + n), ("items deleted", 2000 + n),
        ("remarks deleted", 6000 + n), ("remarks deleted", 7000 + n), ("hints updated", 9000 + n)]) for n in NODES}
    below = {"items": {"deleted": 2}, "remarks": {"deleted": 2}, "hints": {"changed": 1}}
    if tallies:
        below["tallies"] = {"deleted": 1}
    for n, (result, rows) in results(house).items():
        others = {table: {what: k for what, k in whats.items() if what != "inserted"} for table, whats in result["tables"].items() if table != "statements"}
        assert (result["removed"], others, rows) == (1, below, 7 if tallies else 6), n
    statements = [n for (n,) in house.rows("statements", "n") if n > 0]
    assert sum(statements) == 80 and (max(statements) > 2) != tallies, statements


def test_a_row_below_two_rows_that_go_is_recorded_once(house, topics):  # noqa: F811
    house.sql("""CREATE TABLE people (id int PRIMARY KEY);
        CREATE TABLE pairs (id int PRIMARY KEY, one int REFERENCES people ON DELETE CASCADE, other int REFERENCES people ON DELETE CASCADE);
        CREATE INDEX ON pairs (one); CREATE INDEX ON pairs (other);
        INSERT INTO people SELECT n FROM generate_series(1, 40) AS n;
        INSERT INTO pairs SELECT 100 + n, n, 41 - n FROM generate_series(1, 40) AS n""")
    drop_all(house, topics, "people")
    assert house.rows("people") == house.rows("pairs") == []
    found = recorded(house)
    assert sorted(one for all in found.values() for one in all) == sorted([("people deleted", n) for n in NODES] + [("pairs deleted", 100 + n) for n in NODES])
    for key, all in found.items():
        assert all[-1] == ("people deleted", key)
        assert {id for what, id in all if what == "pairs deleted"} <= {100 + key, 141 - key}
    assert sum(rows for _, rows in results(house).values()) == 80


@pytest.mark.check_all
def test_rows_in_portions_do_not_share_a_statement(house, topics):  # noqa: F811
    """No step removes more rows below than a portion has, however many events wait."""
    house.sql("""CREATE TABLE tops (id int PRIMARY KEY);
        CREATE TABLE lows (id int PRIMARY KEY, top int NOT NULL REFERENCES tops ON DELETE CASCADE);
        CREATE INDEX ON lows (top);
        INSERT INTO tops SELECT n FROM generate_series(1, 40) AS n;
        INSERT INTO lows SELECT 100 * k + n, n FROM generate_series(1, 40) AS n, generate_series(1, 9) AS k""")
    drop_all(house, topics, "tops", "children_portion = 4\napprove = never")
    assert house.rows("tops") == house.rows("lows") == []
    steps = house.database.column("""SELECT sum(jsonb_array_length(keys)) FROM pruned.deletions
        WHERE table_name = 'lows' GROUP BY run_id, step""")
    assert sum(steps) == 360 and max(steps) <= 4
