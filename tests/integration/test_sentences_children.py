"""Sentences with children: they go first, rows that refer to each other go together, and all of
them come back."""

import pytest

from support.sentences import house  # noqa: F401
from support.shop import CIRCLE, LINES, OLD, SHOP, check_shop, shop


AUDITED = {
    ("orders", "deleted", 1), ("orders", "deleted", 3),
    ("order_items", "deleted", 11), ("order_items", "deleted", 12), ("order_items", "deleted", 31),
    ("item_marks", "deleted", 111), ("item_marks", "deleted", 112), ("item_marks", "deleted", 113),
    ("order_views", "deleted", '{"seen": "2026-01-01", "order_id": 1}'), ("order_views", "deleted", '{"seen": "2026-01-02", "order_id": 1}'),
    ("coupons", "updated", 100)}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("children, notes", [
    ("order_items, item_marks, order_notes(order_id)", [(20, 2), (30, None)]), ("auto", [(10, 1), (20, 2), (30, None)])])
def test_children_go_first_and_come_back(house, children, notes):  # noqa: F811
    """What a foreign key takes or empties by itself is recorded as well."""
    house.sql(SHOP)
    before = shop(house)
    house.say("orders.purge", f"table = orders\n{OLD}\nchildren = {children}")
    counters, run = house.done("orders.purge")
    assert counters == {"removed": 2, "updated_rows": 2}
    check_shop(house, notes)
    assert set(house.keys(run)) == AUDITED | ({("order_notes", "deleted", 10)} if len(notes) == 2 else set())
    assert len(house.keys(run)) == len(set(house.keys(run)))
    house.restore(run)
    assert shop(house) == before


def test_a_child_that_is_not_named_keeps_its_row(house):  # noqa: F811
    """Its foreign key forbids it: the row is in quarantine, the others go."""
    house.sql(SHOP)
    house.say("orders.purge", f"table = orders\n{OLD}\nchildren = order_notes(order_id)")
    house.sql("DELETE FROM item_marks; DELETE FROM order_items WHERE order_id = 3")
    counters, run = house.done("orders.purge")
    assert counters == {"removed": 1, "updated_rows": 1, "failed": 1}
    assert house.rows("orders", "id") == [(1,), (2,)] and house.rows("order_notes", "id") == [(10,), (20,), (30,)]
    assert house.rows("pruned.quarantine", "item") == [("orders:1",)]


def test_a_child_that_appears_later(house):  # noqa: F811
    house.sql(SHOP)
    house.say("orders.purge", f"table = orders\n{OLD}\nchildren = auto")
    house.start()
    house.pruned.start()
    first = house.pruned.run("tick", "orders.purge", "--at", "-2m", "--wait").ok()
    assert first.code == 0 and house.rows("orders", "id") == [(2,)]
    house.sql("""CREATE TABLE parcels (id bigint PRIMARY KEY, order_id bigint REFERENCES orders);
        INSERT INTO orders VALUES (4, '2020-01-01+00'); INSERT INTO parcels VALUES (40, 4), (41, 2)""")
    house.pruned.run("tick", "orders.purge", "--at", "-1m", "--wait").ok()
    assert house.rows("orders", "id") == [(2,)] and house.rows("parcels", "id") == [(41,)]


def test_rows_that_refer_to_rows_of_their_own_table(house):  # noqa: F811
    """1 <- 2 <- 3 <- 4: 1 and 3 are to go, so all do, with what refers to them. 5 <- 6: 6 goes
    alone."""
    house.sql("""CREATE TABLE folders (id bigint PRIMARY KEY, parent bigint REFERENCES folders, dead boolean NOT NULL);
        CREATE TABLE files (id bigint PRIMARY KEY, folder bigint NOT NULL REFERENCES folders);
        INSERT INTO folders VALUES (1, NULL, true), (2, 1, false), (3, 2, true), (4, 3, false), (5, NULL, false), (6, 5, true);
        INSERT INTO files VALUES (10, 1), (20, 2), (40, 4), (50, 5), (60, 6)""")
    house.say("folders", "table = folders\nwhere = dead\nchildren = auto")
    counters, run = house.done("folders")
    assert counters == {"removed": 3, "updated_rows": 3, "below": 2}
    assert house.rows("folders", "id") == [(5,)] and house.rows("files", "id") == [(50,)]
    assert sorted(house.keys(run)) == [("files", "deleted", n) for n in (10, 20, 40, 60)] + [
        ("folders", "deleted", n) for n in (1, 2, 3, 4, 6)] + [("folders", "updated", 3)]
    house.restore(run)
    assert house.rows("folders", "id, parent") == [(1, None), (2, 1), (3, 2), (4, 3), (5, None), (6, 5)]
    assert house.rows("files", "id") == [(10,), (20,), (40,), (50,), (60,)]


def test_a_plan_counts_what_the_run_removes_of_rows_that_refer_to_each_other(house):  # noqa: F811
    """Pages of two: 1 takes 2 and 4 along, 3 takes 6 (which is not asked for) and with it 7, and 9
    is on the page of 8. 10 takes 11 along, and 14 goes alone."""
    house.sql("""CREATE TABLE folders (id bigint PRIMARY KEY, parent bigint REFERENCES folders, dead boolean NOT NULL);
        INSERT INTO folders VALUES (1, NULL, true), (3, NULL, true), (2, 1, false), (4, 2, true), (5, NULL, false), (6, 3, false), (7, 6, true),
          (8, NULL, true), (9, 8, true), (10, NULL, true), (11, 10, false), (12, NULL, false), (13, 1, true), (14, 12, true)""")
    house.say("folders", "table = folders\nwhere = dead\nchildren = auto\nbatch = 2")
    plan = house.plan("folders")
    assert plan == [("folders", str(n), "removed", None) for n in (1, 3, 8, 9, 10, 14)]
    counters, _ = house.done("folders")
    assert counters["removed"] == len(plan)
    assert house.rows("folders", "id") == [(5,), (12,)]


@pytest.mark.check_all
@pytest.mark.parametrize("batch", [1, 2, 3, 7])
def test_a_plan_and_its_run_agree_whatever_the_pages_are(house, batch):  # noqa: F811
    """A hundred rows below each other at random; a key of two columns, one of them is the tenant's
    in both foreign keys."""
    house.sql("""CREATE TABLE nodes (tenant int, id int, parent int, twin int, dead boolean NOT NULL, PRIMARY KEY (tenant, id),
          FOREIGN KEY (tenant, parent) REFERENCES nodes, FOREIGN KEY (tenant, twin) REFERENCES nodes ON DELETE CASCADE);
        SELECT setseed(0.3);
        DO $$ BEGIN FOR n IN 0..99 LOOP INSERT INTO nodes VALUES (n % 2, n,
          CASE WHEN random() < 0.6 AND n > 11 THEN n - 2 * (1 + floor(random() * 5))::int END,
          CASE WHEN random() < 0.1 AND n > 1 THEN n - 2 END, random() < 0.5); END LOOP; END $$""")
    house.say("nodes", f"table = nodes\nwhere = dead\nchildren = auto\napprove = never\nbatch = {batch}")
    plan = house.plan("nodes")
    counters, _ = house.done("nodes")
    assert 20 < counters["removed"] == len(plan) < 60 and {line[2] for line in plan} == {"removed"}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("null, how", [("", ""), (" NOT NULL", "DEFERRABLE"), ("", "ON DELETE SET NULL")])
def test_a_circle_is_loosened(house, null, how):  # noqa: F811
    house.sql(CIRCLE.format(null=null, how=how, lines=LINES))
    house.say("carts", "table = carts\nwhere = dead\nchildren = auto")
    counters, run = house.done("carts")
    assert counters == {"removed": 1, "updated_rows": 1}
    assert house.rows("carts", "id, last_line") == [(2, 21)] and house.rows("lines", "id") == [(21,)]
    assert {key[:3] for key in house.keys(run) if key[1] == "deleted"} == {
        ("carts", "deleted", 1), ("lines", "deleted", 11), ("lines", "deleted", 12)}
    house.restore(run, "--dry-run")
    assert house.rows("carts", "id, last_line") == [(2, 21)]
    house.restore(run)
    assert house.rows("carts", "id, last_line") == [(1, 11), (2, 21)] and house.rows("lines", "id") == [(11,), (12,), (21,)]


@pytest.mark.check_all
def test_of_a_circle_that_cannot_be_closed_nothing_is_restored(house):  # noqa: F811
    """The same circle, but a row that one of its rows refers to was removed for good."""
    house.sql(CIRCLE.format(null=" NOT NULL", how="DEFERRABLE INITIALLY DEFERRED", lines=LINES))
    house.sql("CREATE TABLE shops (id bigint PRIMARY KEY); INSERT INTO shops VALUES (5);"
              " ALTER TABLE carts ADD COLUMN shop_id bigint REFERENCES shops DEFERRABLE; UPDATE carts SET shop_id = 5 WHERE id = 1")
    house.say("carts", "table = carts\nwhere = dead\nchildren = auto")
    _, run = house.done("carts")
    house.sql("DELETE FROM shops")
    lines = house.restore(run, "--partial")
    assert {line["action"] for line in lines} == {"cannot be"} and len(lines) == 3
    assert house.rows("carts", "id") == [(2,)] and house.rows("lines", "id") == [(21,)]
    house.sql("INSERT INTO shops VALUES (5)")
    house.restore(run)
    assert house.rows("carts", "id") == [(1,), (2,)] and house.rows("lines", "id") == [(11,), (12,), (21,)]
