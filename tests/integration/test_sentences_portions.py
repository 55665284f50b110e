"""Sentences with `children_portion`: of a row with many children so many go in a step, the deepest
first, and the row goes with the last of them."""

import pytest

from stack.process import wait_until
from support.own_events import outcomes, say_event, send
from support.scene import configure, due_now
from support.sentences import house  # noqa: F401
from support.slow import ENDLESS_S, cancel_until, slow_table

JOB = "orders.purge"
ITEMS, PORTION = 2500, 1000
# no portion is smaller because the machine is busy
IN_PORTIONS = f"children_portion = {PORTION}\ntarget_step_ms = 60000"
# Order 1 has 2500 items, every second with a mark, 100 views that go by cascade, and 10 coupons
# that are emptied. The others have an item each; 9 is not due.
SHOP = f"""
CREATE TABLE orders (id bigint PRIMARY KEY, deleted_at timestamptz);
CREATE TABLE order_items (id bigint PRIMARY KEY, order_id bigint NOT NULL REFERENCES orders);
CREATE TABLE item_marks (id bigint PRIMARY KEY, item_id bigint NOT NULL REFERENCES order_items);
CREATE TABLE order_views (order_id bigint NOT NULL REFERENCES orders ON DELETE CASCADE, seen int NOT NULL);
CREATE TABLE coupons (id bigint PRIMARY KEY, order_id bigint REFERENCES orders ON DELETE SET NULL);
CREATE INDEX ON order_items (order_id); CREATE INDEX ON item_marks (item_id); CREATE INDEX ON order_views (order_id);
INSERT INTO orders SELECT n, CASE WHEN n < 9 THEN '2020-01-01+00'::timestamptz END FROM generate_series(1, 9) AS n;
INSERT INTO order_items SELECT n, 1 FROM generate_series(1, {ITEMS}) AS n;
INSERT INTO order_items SELECT 10000 + n, n FROM generate_series(2, 9) AS n;
INSERT INTO item_marks SELECT id, id FROM order_items WHERE order_id = 1 AND id % 2 = 0 OR order_id = 9;
INSERT INTO order_views SELECT 1, n FROM generate_series(1, 100) AS n;
INSERT INTO coupons SELECT n, 1 FROM generate_series(1, 10) AS n;
ANALYZE;
"""
TABLES = ("orders", "order_items", "item_marks", "order_views", "coupons")
BELOW = ITEMS + ITEMS // 2 + 100  # rows that go with order 1
SENTENCE = "table = orders\nwhere = deleted_at < :T\nchildren = auto\nmax_share = off\ndelay_ms = 0"
PAUSED = SENTENCE.replace("delay_ms = 0", "delay_ms = 3600000")


def shop(house):  # noqa: F811
    return {table: house.rows(table, "*", "1, 2") for table in TABLES}


def only_the_last(shop_before):
    """What is left once all that are due have gone."""
    return {"orders": [row for row in shop_before["orders"] if row[0] == 9], "order_items": [(10009, 9)], "item_marks": [(10009, 10009)],
            "order_views": [], "coupons": [(n, None) for n in range(1, 11)]}


def steps(house, run):  # noqa: F811
    """How many rows each step has deleted or emptied, by table."""
    found = {}
    for row in house.database.rows("SELECT step, table_name, jsonb_array_length(keys) AS n FROM pruned.deletions WHERE run_id = %s ORDER BY step", [run]):
        found.setdefault(row["step"], {})[row["table_name"]] = row["n"]
    return list(found.values())


def check_whole(house, run, before):  # noqa: F811
    keys = house.keys(run)
    assert len(keys) == len([key for key in keys if key[0] == "order_views"]) + len({key for key in keys if key[0] != "order_views"})
    assert len(keys) == BELOW + 10 + 1 + 7 * 2
    assert shop(house) == only_the_last(before)
    house.restore(run)
    assert shop(house) == before


def begin(house, more="", say=SENTENCE):  # noqa: F811
    house.sql(SHOP)
    house.say(JOB, f"{say}\n{IN_PORTIONS}\n{more}")
    return shop(house)


def begin_slowly(house):  # noqa: F811
    """A run whose first portion has gone, with a long pause behind it."""
    before = begin(house, say=PAUSED)
    house.start()
    daemon = house.pruned.run_at_once(1).start()
    run = house.pruned.run("tick", JOB, "--at", "-1m").ok().stdout.strip()
    wait_until(lambda: len(house.rows("pruned.deletions", "run_id")), 30, "the first portion")
    return before, daemon, run


def go_on(house, daemon, run=None):  # noqa: F811
    """Ends the pauses of the run."""
    configure(house.pruned, f"[jobs.{JOB}]\ndelay_ms = 0\n", daemon)
    due_now(house.database, run)


@pytest.mark.check_all
def test_many_children_go_in_portions_and_come_back(house):  # noqa: F811
    before = begin(house)
    assert house.plan(JOB) == [("orders", str(n), "removed", None) for n in range(1, 9)]
    counters, run = house.done(JOB)
    assert counters == {"removed": 8, "updated_rows": 8, "portions": 3}
    first, second, third, last, others = steps(house, run)
    assert all(sum(step.values()) == PORTION and "orders" not in step for step in (first, second, third)), (first, second, third)
    assert first == {"item_marks": 500, "order_items": 500}  # of 1000 items every second has a mark
    assert last["orders"] == 1 and sum(last.values()) <= PORTION + 1
    assert others == {"orders": 7, "order_items": 7}
    assert house.pruned.run_row(run)["rows_done"] == BELOW + 7 + 8 + 10  # coupons are emptied
    check_whole(house, run, before)


def test_rows_with_few_children_go_as_without_it(house):  # noqa: F811
    """A page ends before a row with many; no other is cut."""
    house.sql(SHOP)
    house.sql("INSERT INTO order_items SELECT 20000 + n, 5 FROM generate_series(1, 1200) AS n; DELETE FROM order_views; DELETE FROM coupons;"
              "DELETE FROM item_marks WHERE id < 10000; DELETE FROM order_items WHERE order_id = 1")
    house.say(JOB, f"{SENTENCE}\n{IN_PORTIONS}")
    counters, run = house.done(JOB)
    assert counters == {"removed": 8, "updated_rows": 8, "portions": 1}
    assert steps(house, run) == [{"orders": 4, "order_items": 3}, {"order_items": 1000}, {"orders": 1, "order_items": 201},
                                 {"orders": 3, "order_items": 3}]


@pytest.mark.check_all
def test_a_row_that_is_not_due_any_more_keeps_the_rest(house):  # noqa: F811
    before, daemon, run = begin_slowly(house)
    house.sql("UPDATE orders SET deleted_at = NULL WHERE id = 1")
    go_on(house, daemon, run)
    row = house.pruned.wait_run(run, "finished")
    assert {"removed": 7, "kept": 1, "in_part": 1, "portions": 1}.items() <= row["result"].items()
    (line,) = daemon.lines("The row stays, but some of its children are gone")
    assert (line["level"], line["table"], line["key"], line["rows"]) == ("error", "orders", "1", PORTION)
    left = shop(house)
    assert left["orders"] == [(1, None), (9, None)]
    assert sum(len(left[table]) for table in ("order_items", "item_marks", "order_views")) == BELOW - PORTION + 2
    house.restore(run)
    after = shop(house)
    assert after["orders"][0] == (1, None) and {**after, "orders": before["orders"]} == before


@pytest.mark.check_all
def test_a_row_that_is_not_due_any_more_when_no_other_is(house):  # noqa: F811
    """No page finds it, and it is judged all the same."""
    _, daemon, run = begin_slowly(house)
    house.sql("UPDATE orders SET deleted_at = NULL")
    go_on(house, daemon, run)
    row = house.pruned.wait_run(run, "finished")
    assert {"kept": 1, "in_part": 1, "portions": 1}.items() <= row["result"].items(), row
    assert daemon.lines("The row stays, but some of its children are gone", rows=PORTION)


@pytest.mark.check_all
def test_a_row_that_somebody_else_removes_is_gone(house):  # noqa: F811
    _, daemon, run = begin_slowly(house)
    house.sql("DELETE FROM item_marks WHERE id < 10000; DELETE FROM order_items WHERE order_id = 1; DELETE FROM orders WHERE id = 1")
    go_on(house, daemon, run)
    row = house.pruned.wait_run(run, "finished")
    assert {"removed": 7, "gone": 1}.items() <= row["result"].items() and "in_part" not in row["result"]
    assert not daemon.lines(level="error")


@pytest.mark.check_all
def test_a_kill_between_two_portions(house):  # noqa: F811
    before, daemon, run = begin_slowly(house)
    daemon.kill()
    house.say(JOB, f"{SENTENCE}\n{IN_PORTIONS}")
    due_now(house.database, run)
    house.work()
    row = house.pruned.run_row(run)
    assert row["state"] == "finished" and {"removed": 8, "portions": 3}.items() <= row["result"].items(), row
    check_whole(house, run, before)


@pytest.mark.check_all
def test_a_pause_between_two_portions(house):  # noqa: F811
    before, daemon, run = begin_slowly(house)
    house.pruned.run("pause", JOB).ok()
    go_on(house, daemon, run)
    assert house.rows("pruned.runs", "state") == [("waiting",)]
    rows = len(house.keys(run))
    assert len(shop(house)["orders"]) == 9
    house.pruned.run("resume", JOB).ok()
    house.pruned.wait_run(run, "finished")
    assert rows < BELOW
    check_whole(house, run, before)


@pytest.mark.check_all
def test_limits_count_what_goes_in_portions(house):  # noqa: F811
    before = begin(house, "max_rows = 2000")
    row = house.run(JOB)
    assert row["state"] == "held", row
    assert shop(house) == before
    house.pruned.run("approve", str(row["run_id"])).ok()
    house.work()
    check_whole(house, row["run_id"], before)


@pytest.mark.check_all
def test_a_row_that_an_event_names(house):  # noqa: F811
    before = begin(house, "on = OrderErased", say=SENTENCE.replace("where = deleted_at < :T\n", ""))
    house.pruned.topics.make("shop", 1)
    say_event(house, "OrderErased", "shop", "key = id")
    house.start()
    send(house, {"id": 1}, "shop", ce_type="OrderErased", ce_id="1", ce_source="shop")
    house.work()
    (row,) = house.database.rows("SELECT * FROM pruned.runs")
    assert row["state"] == "finished" and {"removed": 1, "portions": 3}.items() <= row["result"].items(), row
    assert [one[0] for one in shop(house)["orders"]] == list(range(2, 10))
    assert outcomes(house) == [("1", JOB, "removed", None)]
    house.restore(row["run_id"])
    assert shop(house) == before


@pytest.mark.check_all
def test_the_answer_about_a_row_that_stays_in_part(house):  # noqa: F811
    begin(house, "on = OrderErased", say=PAUSED)
    house.pruned.topics.make("shop", 1)
    say_event(house, "OrderErased", "shop", "key = id")
    house.start()
    daemon = house.pruned.start()
    send(house, {"id": 1}, "shop", ce_type="OrderErased", ce_id="1", ce_source="shop")
    wait_until(lambda: len(house.rows("pruned.deletions", "run_id")), 30, "the first portion")
    house.sql("UPDATE orders SET deleted_at = NULL WHERE id = 1")
    go_on(house, daemon)
    wait_until(lambda: outcomes(house), 30, "the outcome")
    assert outcomes(house) == [("1", JOB, "kept", f"where; {PORTION} rows below it are gone")]


# --- shapes of tables

SHAPES = """
CREATE SCHEMA other;
CREATE TABLE tenants (a int, b text, code text UNIQUE NOT NULL, dead boolean NOT NULL, PRIMARY KEY (a, b));
CREATE TABLE items (id int, a int, b text, PRIMARY KEY (id, a), FOREIGN KEY (a, b) REFERENCES tenants) PARTITION BY HASH (id, a);
CREATE TABLE items_0 PARTITION OF items FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE items_1 PARTITION OF items FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE other.items (id int PRIMARY KEY, item int, a int, code text REFERENCES tenants (code), FOREIGN KEY (item, a) REFERENCES items (id, a));
CREATE TABLE loose (item int REFERENCES other.items ON DELETE CASCADE, n int NOT NULL);
CREATE TABLE marks (id int PRIMARY KEY, item int DEFAULT 0 REFERENCES other.items ON DELETE SET DEFAULT);
INSERT INTO tenants SELECT n, 'b' || n, 'c' || n, n < 4 FROM generate_series(1, 4) AS n;
INSERT INTO items SELECT n, n % 4 + 1, 'b' || n % 4 + 1 FROM generate_series(1, 40) AS n;
INSERT INTO other.items VALUES (0, NULL, NULL, NULL);
INSERT INTO other.items SELECT n, CASE WHEN n % 3 > 0 THEN i.id END, i.a, CASE WHEN n % 5 < 3 THEN 'c' || i.a END
  FROM generate_series(1, 80) AS n JOIN items i ON i.id = n % 40 + 1;
INSERT INTO loose SELECT n % 80 + 1, n FROM generate_series(1, 120) AS n;
INSERT INTO marks SELECT n, n % 80 + 1 FROM generate_series(1, 60) AS n;
"""
SHAPED = ("tenants", "items", "other.items", "loose", "marks")
SHAPES_SENTENCE = "table = tenants\nwhere = dead\nchildren = auto\nmax_share = off\ndelay_ms = 0"


def shapes(house):  # noqa: F811
    return {table: house.rows(table, "*", "1, 2") for table in SHAPED}


@pytest.mark.check_all
@pytest.mark.parametrize("portion", [1, 3, 7, 20])
def test_portions_leave_what_is_left_without_them(house, portion):  # noqa: F811
    """Keys of two columns, partitions, rows without a key, rows that are found in two ways, two
    tables of one name, foreign keys to another column, rows that are set to their default."""
    house.sql(SHAPES.replace("'b' || n % 4 + 1", "'b' || (n % 4 + 1)"))
    house.database.execute("GRANT USAGE ON SCHEMA other TO PUBLIC; GRANT ALL ON other.items TO PUBLIC")
    before = shapes(house)
    house.say("tenants", SHAPES_SENTENCE)
    _, run = house.done("tenants")
    whole, keys = shapes(house), sorted(map(str, house.keys(run)))
    house.restore(run)
    house.sql("DELETE FROM pruned.holds")  # what was put back is held
    assert shapes(house) == before
    house.say("tenants", f"{SHAPES_SENTENCE}\nchildren_portion = {portion}")
    counters, run = house.done("tenants")
    assert counters["removed"] == 3 and counters.get("portions", 0) > 0 and shapes(house) == whole
    assert sorted(map(str, house.keys(run))) == keys
    assert all(sum(step.values()) <= portion + ("tenants" in step) * 1 for step in steps(house, run))
    house.restore(run)
    assert shapes(house) == before


# --- what is refused

CIRCLES = {
    "own": ("CREATE TABLE {t} (id int PRIMARY KEY, parent int REFERENCES {t})", "{t} refers to itself (public.{t}_parent_fkey)"),
    "below": ("CREATE TABLE {t} (id int PRIMARY KEY); CREATE TABLE {t}_lines (id int PRIMARY KEY, o int REFERENCES {t}, up int REFERENCES {t}_lines)",
              "{t}_lines refers to itself (public.{t}_lines_up_fkey)"),
    "circle": ("CREATE TABLE {t} (id int PRIMARY KEY, last int); CREATE TABLE {t}_lines (id int PRIMARY KEY, o int REFERENCES {t});"
               "ALTER TABLE {t} ADD CONSTRAINT last_{t} FOREIGN KEY (last) REFERENCES {t}_lines ON DELETE SET NULL",
               "refer to each other in a circle, which public.last_{t} closes"),
}


def test_rows_that_refer_to_each_other_are_refused(house):  # noqa: F811
    for name, (tables, _) in CIRCLES.items():
        house.sql(tables.format(t=f"orders_{name}"))
        house.say(name, f"table = orders_{name}\nwhere = true\nchildren = auto\nchildren_portion = 10")
    done = house.pruned.run("check", "--json")
    wrong = {one["job"]: one["detail"] for one in done.json() if one["level"] == "error"}
    assert done.code == 2, done
    for run, (name, (_, why)) in zip(house.tick(*CIRCLES), CIRCLES.items()):
        why = why.format(t=f"orders_{name}")
        assert why in wrong[name] and "leave children_portion out" in wrong[name], (name, wrong)
        assert run["result"]["status"] == "blocked" and why in run["result"]["reason"], (name, run)


def test_it_can_be_checked_and_shown(house, tmp_path):  # noqa: F811
    begin(house)
    house.pruned.run("check", JOB).ok()
    files = {one["file"]: one["text"] for one in house.pruned.run("jobs", "show", JOB, "--json").ok().json()}
    assert "portion/large.sql" in files and "portion/decide.sql" in files
    done = house.pruned.run("jobs", "show", JOB, "--to", tmp_path / "taken")
    assert done.code == 2 and "children_portion" in done.stderr
    house.say(JOB, f"{SENTENCE}\nchildren_portion = off")
    assert not [one["file"] for one in house.pruned.run("jobs", "show", JOB, "--json").ok().json() if "portion" in one["file"]]


@pytest.mark.check_all
def test_a_row_that_takes_too_long_is_told_of_the_key(house):  # noqa: F811
    """Its third time-out, alone, as after 15 s: the reason says what would help."""
    house.sql(SHOP)
    slow_table(house.database, "order_items", ENDLESS_S, condition="OLD.order_id = 1")
    house.say(JOB, f"{SENTENCE}")
    house.pruned.run("pause", JOB).ok()
    row = house.run(JOB)
    house.sql(f"""UPDATE pruned.runs SET cursor = '{{"limit": 1, "timeouts": 2}}' WHERE run_id = '{row["run_id"]}'""")
    house.pruned.run("resume", JOB).ok()
    house.pruned.start()
    cancel_until(house.database, "SELECT count(*) FROM pruned.quarantine")
    ((item, reason),) = house.rows("pruned.quarantine", "item, reason")
    assert item == "orders:1" and f"with children_portion in [retention {JOB}] rows below it go in portions" in reason
