"""A run that could be held with a part of the rows below a row gone, or whose first page says
nothing about its later ones, is counted as a whole before anything goes."""

import pytest

from support.scene import now
from support.sentences import house  # noqa: F811,F401

SHOP = """CREATE TABLE cart (id bigint PRIMARY KEY, gone bool);
    INSERT INTO cart SELECT g, g <= 4 FROM generate_series(1, 50) g;
    CREATE TABLE item (id bigint PRIMARY KEY, cart_id bigint REFERENCES cart);
    INSERT INTO item SELECT g, 3 + g % 2 FROM generate_series(1, 60) g; CREATE INDEX ON item (cart_id)"""
PORTIONS = "table = cart\nwhere = gone\nchildren = item\nchildren_portion = 5\nmax_share = off\nbatch = 2\ndelay_ms = 0"


def nothing_went(house):  # noqa: F811
    return house.rows("cart", "count(*)") == [(50,)] and house.rows("item", "count(*)") == [(60,)]


@pytest.mark.parametrize("limit, said", [
    ("max_rows_per_day = 50", "64 rows after 0 today are above max_rows_per_day 50"),
    pytest.param("max_rows = 50", "64 rows are above max_rows 50", marks=pytest.mark.check_all)])
def test_no_limit_holds_a_run_with_a_part_of_the_children_gone(house, limit, said):  # noqa: F811
    """The first page has two rows without children, and the limit is reached in the second of those
    with thirty."""
    house.sql(SHOP)
    house.say("cart", f"{PORTIONS}\n{limit}")
    held = house.run("cart")
    assert (held["state"], held["error"]) == ("held", f"held: {said}") and nothing_went(house)
    house.pruned.run("approve", held["run_id"]).ok()
    house.work()
    assert house.pruned.run_row(held["run_id"])["rows_done"] == 64 and house.rows("item") == []


def test_what_a_run_in_portions_has_left_of_the_day_is_not_given_to_others(house):  # noqa: F811
    """It has begun a row, and waits."""
    house.sql(SHOP)
    house.say("cart", f"{PORTIONS}\nmax_rows_per_day = 100")
    house.start()
    begun = """INSERT INTO pruned.runs (run_id, job, state, scheduled_at, due_at, rows_done, rows_counted, result)
        VALUES (gen_random_uuid(), 'cart', 'held', now() - interval '1 hour', now(), 10, {}, '{{"others": 10}}')"""
    house.sql(begun.format(47))
    held = house.run("cart")
    assert (held["state"], held["error"]) == ("held", "held: 64 rows after 47 today are above max_rows_per_day 100") and nothing_went(house)
    house.pruned.run("discard", str(held["run_id"])).ok()
    house.sql("DELETE FROM pruned.runs WHERE rows_done = 10")
    house.sql(begun.format(36))
    assert house.run("cart", at=now(minutes=-2))["rows_done"] == 64


def test_rows_that_take_rows_of_their_table_are_counted_before_the_first_goes(house):  # noqa: F811
    """The first page has two rows with nothing below."""
    house.sql("""CREATE TABLE folder (id bigint PRIMARY KEY, up bigint REFERENCES folder ON DELETE CASCADE, gone bool);
        INSERT INTO folder SELECT g, CASE WHEN g > 60 THEN 3 END, g <= 3 FROM generate_series(1, 100) g; CREATE INDEX ON folder (up)""")
    house.say("folder", "table = folder\nwhere = gone\nmax_share = 20 %\nmin_rows = 0\nbatch = 2\ndelay_ms = 0")
    held = house.run("folder")
    assert (held["state"], held["error"]) == ("held", "held: 43 rows are 43.0 % of folder, above max_share 20 %")
    assert house.rows("folder", "count(*)") == [(100,)]
