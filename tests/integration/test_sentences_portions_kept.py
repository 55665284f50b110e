"""Sentences with `children_portion`, of a row that a trigger keeps, or that takes too long."""

import pytest

from integration.test_sentences_portions import ITEMS, JOB, SENTENCE, SHOP, begin
from support.sentences import house  # noqa: F401
from support.slow import slow_table


@pytest.mark.check_all
def test_what_a_trigger_does_not_let_empty_is_not_tried_for_ever(house):  # noqa: F811
    begin(house)
    house.sql("INSERT INTO coupons SELECT n, 1 FROM generate_series(11, 4000) AS n;"
              "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.order_id := OLD.order_id; RETURN NEW; END';"
              "CREATE TRIGGER keep BEFORE UPDATE ON coupons FOR EACH ROW EXECUTE FUNCTION keep()")
    counters, run = house.done(JOB)
    assert {"removed": 7, "failed": 1}.items() <= counters.items(), counters
    assert house.rows("orders", "id") == [(1,), (9,)] and not [key for key in house.keys(run) if key[0] == "coupons"]


@pytest.mark.check_all
def test_a_portion_that_takes_too_long_is_cut(house):  # noqa: F811
    """Down to one row, which is in time: nothing is charged to the row or to the run."""
    house.sql(SHOP)
    house.sql("DELETE FROM item_marks; DELETE FROM order_views; DELETE FROM order_items WHERE id BETWEEN 11 AND 9999")
    slow_table(house.database, "order_items", 0.3)
    house.say(JOB, f"{SENTENCE}\nchildren_portion = 8\nbudget_ms = 2000")
    row = house.run(JOB)
    assert row["state"] == "finished" and {"removed": 8}.items() <= row["result"].items() and row["attempts"] == 0, row
    cut = [line for daemon in house.daemons for line in daemon.lines("Step failed")]
    assert cut and {line["level"] for line in cut} == {"warning"} and min(line["limit"] for line in cut) < 8
    assert "failed" not in {k for k, v in row["result"].items() if v} and house.rows("pruned.quarantine", "item") == []
    assert house.rows("orders", "id") == [(9,)]


@pytest.mark.check_all
def test_children_that_a_trigger_keeps_are_not_tried_for_ever(house):  # noqa: F811
    begin(house)
    house.sql("CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"
              "CREATE TRIGGER keep BEFORE DELETE ON item_marks FOR EACH ROW WHEN (OLD.id < 10000) EXECUTE FUNCTION keep()")
    counters, run = house.done(JOB)
    assert {"removed": 7, "failed": 1, "in_part": 1}.items() <= counters.items() and "passed_over" not in counters, counters
    assert house.rows("pruned.quarantine", "item, reason") == [
        ("orders:1", "a trigger or a rule keeps rows below it")]
    assert house.rows("orders", "id") == [(1,), (9,)]
    assert house.rows("item_marks m LEFT JOIN order_items i ON i.id = m.item_id", "count(*) AS marks, count(i.id) AS items") == [(ITEMS // 2 + 1, ITEMS // 2 + 1)]
    (line,) = house.daemons[-1].lines("The row stays, but some of its children are gone")
    assert line["rows"] == sum(1 for key in house.keys(run) if key[0] in ("order_items", "order_views")) - 7 > 0


def test_a_row_that_cannot_go_says_what_is_gone(house):  # noqa: F811
    """Its last child refuses: what has gone before is told."""
    begin(house)
    house.sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not this one'; END $$;"
              "CREATE TRIGGER refuse BEFORE DELETE ON order_views FOR EACH ROW WHEN (OLD.seen = 7) EXECUTE FUNCTION refuse()")
    counters, run = house.done(JOB)
    assert {"removed": 7, "failed": 1, "in_part": 1}.items() <= counters.items()
    (line,) = house.daemons[-1].lines("The row stays, but some of its children are gone")
    assert line["rows"] == sum(1 for key in house.keys(run) if key[0] in ("order_items", "item_marks", "order_views")) - 7
