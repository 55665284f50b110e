"""Of the tables of a sentence is watched what is watched of those of other jobs: locks of others,
vacuums, dead rows."""

import pytest

from support.sentences import house  # noqa: F401


@pytest.mark.check_all
@pytest.mark.parametrize("table, name", [("items", "items"), ("ITEMS", "items"), ('"Odd Items"', '"Odd Items"'), ("lines", "items"),
                                         ("other.items", "other.items"), ('other."ITEMS"', 'other."ITEMS"')])
def test_the_tables_of_a_sentence_are_watched(house, table, name):  # noqa: F811
    """Its own, by each name that it can have, and those that it names as children."""
    house.sql("""CREATE TABLE items (id bigint PRIMARY KEY, day date); CREATE TABLE "Odd Items" (LIKE items INCLUDING ALL);
                 CREATE TABLE lines (id bigint PRIMARY KEY, day date); ALTER TABLE items ADD line_id bigint REFERENCES lines""")
    house.database.execute("""CREATE SCHEMA other; CREATE TABLE other.items (LIKE items INCLUDING ALL);
                              CREATE TABLE other."ITEMS" (LIKE items INCLUDING ALL)""")
    children = "children = items\n" if table == "lines" else ""
    house.say("items.purge", f"table = {table}\nwhere = day < :T\n{children}")
    shown = name.replace('"', "")
    found = house.pruned.run("status", "--json").json()[0]
    assert [one["table"] for one in found["dead_rows"]].count(shown) == 1
    assert "lock_waiters" not in found["throttle"]["passed"]
    with house.database.connect() as other:
        other.autocommit = False
        other.execute(f"LOCK TABLE {name} IN SHARE UPDATE EXCLUSIVE MODE")
        passed = house.pruned.run("status", "--json").json()[0]["throttle"]["passed"]
        assert passed["lock_waiters"] == f"table {shown} is vacuumed, or gets an index ([throttle] lock_waiters)"
        other.rollback()
