"""Sentences with `children_portion`: when a row goes in portions, and what becomes of a row that
has begun."""

import pytest


from integration.test_sentences_portions import JOB, SENTENCE, SHOP, begin, begin_slowly
from support.scene import due_now
from support.sentences import house  # noqa: F401
from support.slow import ENDLESS_S, cancel_until, slow_table


@pytest.mark.check_all
def test_pages_that_are_cut_divide_no_row_with_few_children(house):  # noqa: F811
    """The limit of a slow page is a number of rows of the table itself, not of rows below one."""
    house.sql(SHOP)
    house.sql("DELETE FROM order_views; DELETE FROM coupons; DELETE FROM item_marks; DELETE FROM order_items;"
              "INSERT INTO order_items SELECT n, n % 8 + 1 FROM generate_series(1, 320) AS n")
    slow_table(house.database, "order_items", 0.01)
    house.say(JOB, f"{SENTENCE}\nchildren_portion = 1000\nbudget_ms = 2000\ntarget_step_ms = 500")
    row = house.run(JOB)
    assert {"removed": 8}.items() <= row["result"].items() and not row["result"].get("portions"), row
    assert [line for daemon in house.daemons for line in daemon.lines("Step failed")]
    halves = house.database.rows("SELECT d.step, array_agg(DISTINCT table_name::text ORDER BY table_name::text) AS tables FROM pruned.deletions d GROUP BY step")
    assert {tuple(one["tables"]) for one in halves} == {("order_items", "orders")}


@pytest.mark.check_all
@pytest.mark.parametrize("cursor", [
    '{"portion": 5}', '{"portion": null}', '{"portion": []}', '{"portion": {}}', '{"portion": {"key": null}}', '{"portion": {"key": 1}}',
    '{"portion": {"key": "1"}}', '{"portion": {"key": "1", "behind": null}}', '{"portion": {"key": "1", "behind": 5, "gone": "x"}}',
    '{"portion": {"key": "1", "behind": {}, "gone": -9}}', '{"portion": {"key": "9", "behind": {"k1": 0}}}',
    '{"portion": {"key": "1", "behind": {"k1": 1}, "gone": 99999999999999999999}}',
])
def test_a_cursor_that_is_no_portion(house, cursor):  # noqa: F811
    """Nothing is done for ever, and no process falls over it."""
    begin(house)
    house.pruned.run("pause", JOB).ok()
    row = house.run(JOB)
    house.database.execute("UPDATE pruned.runs SET cursor = %s WHERE run_id = %s", [cursor, row["run_id"]])
    house.pruned.run("resume", JOB).ok()
    house.work()
    row = house.pruned.run_row(row["run_id"])
    assert row["state"] == "finished", row
    assert house.rows("orders", "id")[-1] == (9,)


@pytest.mark.check_all
def test_a_row_with_few_children_goes_in_portions_if_it_takes_too_long_alone(house):  # noqa: F811
    """Nothing is charged, and nothing is quarantined. A statement about more than ten of its 40
    children is cancelled, as after 15 s."""
    house.sql(SHOP)
    house.sql("DELETE FROM order_views; DELETE FROM coupons; DELETE FROM item_marks; DELETE FROM order_items WHERE order_id > 1 OR id > 40; DELETE FROM orders WHERE id BETWEEN 2 AND 8")
    house.sql(f"""CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF (SELECT count(*) FROM gone) > 10 THEN PERFORM pg_sleep({ENDLESS_S}); END IF; RETURN NULL; END $$;
        CREATE TRIGGER slow AFTER DELETE ON order_items REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION slow()""")
    house.say(JOB, f"{SENTENCE}\nchildren_portion = 1000")
    house.start()
    daemon = house.pruned.start()
    run = house.pruned.run("tick", JOB, "--at", "-1m").ok().stdout.strip()
    cancel_until(house.database, "SELECT state = 'finished' FROM pruned.runs WHERE run_id = %s", [run])
    row = house.pruned.run_row(run)
    assert row["state"] == "finished" and row["attempts"] == 0 and row["result"]["removed"] == 1 and row["result"]["portions"] > 0, row
    assert house.rows("pruned.quarantine", "item") == [] and house.rows("orders", "id") == [(9,)]
    failed = daemon.lines("Step failed")
    assert {line["level"] for line in failed} == {"warning"} and {line["attempts"] for line in failed} == {0}
    assert [line["limit"] for line in failed[:2]] == [1, 1]  # beside others, and alone


@pytest.mark.check_all
def test_a_row_that_has_begun_is_judged_also_without_the_key(house):  # noqa: F811
    """No page finds it, because it is not due any more: what is gone is told all the same."""
    _, daemon, run = begin_slowly(house)
    daemon.kill()
    house.sql("UPDATE orders SET deleted_at = NULL WHERE id = 1")
    house.say(JOB, SENTENCE)
    due_now(house.database, run)
    house.work()
    house.pruned.run("retry", str(run)).ok()  # with the version that is there
    house.work()
    row = house.pruned.run_row(run)
    assert {"removed": 7, "kept": 1, "in_part": 1, "portions": 1}.items() <= row["result"].items(), row
    (line,) = house.daemons[-1].lines("The row stays, but some of its children are gone")
    assert (line["key"], line["rows"]) == ("1", 1000)
