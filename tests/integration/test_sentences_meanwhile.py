"""What others do with a sentence's rows while its run waits for them: a row whose reason is gone by
then stays."""

import pytest

from support.sentences import house  # noqa: F401
from support.shop import OLD, SHOP


def while_locked(house, job, change):  # noqa: F811
    """Another session makes CHANGE and keeps its transaction open until the job waits for it."""
    house.start()
    with house.database.connect() as other, other.transaction():
        other.execute(change)
        tick = house.pruned.run("tick", job, "--at", "-1m").ok().stdout.strip()
        house.pruned.start()
        house.database.wait("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()", until=1)
    house.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'finished'", until=1)
    return house.pruned.run_row(tick)


def test_a_row_that_becomes_the_newest_meanwhile_stays(house):  # noqa: F811
    house.sql("CREATE TABLE seen (id int PRIMARY KEY, g int, at int); INSERT INTO seen VALUES (1, 1, 10), (2, 1, 5), (3, 1, 4)")
    house.say("seen", "table = seen\nkeep = 1 per g by at desc")
    run = while_locked(house, "seen", "UPDATE seen SET at = 20 WHERE id = 2")
    assert (2,) in house.rows("seen", "id"), run


@pytest.mark.check_first(1)
@pytest.mark.parametrize("where", ["NOT is_wanted(owner)", "owner IN (TABLE unwanted)"])
def test_a_row_whose_condition_reads_another_table_in_another_way_than_by_select(house, where):  # noqa: F811
    """Another session takes the reason back, and changes the row."""
    house.sql("""CREATE TABLE items (id int PRIMARY KEY, owner int, note text); INSERT INTO items VALUES (1, 1), (2, 2);
        CREATE TABLE owners (id int PRIMARY KEY, wanted bool); INSERT INTO owners VALUES (1, false), (2, false);
        CREATE VIEW unwanted AS SELECT id FROM owners WHERE NOT wanted;
        CREATE FUNCTION is_wanted(int) RETURNS bool STABLE LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT wanted FROM owners WHERE id = $1); END'""")
    house.say("items", f"table = items\nwhere = {where}")
    run = while_locked(house, "items", "WITH o AS (UPDATE owners SET wanted = true WHERE id = 2) UPDATE items SET note = 'x' WHERE id = 2")
    assert house.rows("items", "id") == [(2,)], run


def test_a_row_whose_condition_reads_its_table_again(house):  # noqa: F811
    house.sql("CREATE TABLE seen (id int PRIMARY KEY, dead bool); INSERT INTO seen VALUES (1, true), (2, true)")
    house.say("seen", "table = seen\nwhere = EXISTS (SELECT FROM seen AS x WHERE x.id = seen.id AND x.dead)")
    while_locked(house, "seen", "UPDATE seen SET dead = false WHERE id = 2")
    assert house.rows("seen", "id") == [(2,)]


def test_a_row_that_is_changed_meanwhile_stays(house):  # noqa: F811
    house.sql("CREATE TABLE seen (id int PRIMARY KEY, dead bool); INSERT INTO seen VALUES (1, true), (2, true)")
    house.say("seen", "table = seen\nwhere = dead\naudit = off")
    run = while_locked(house, "seen", "UPDATE seen SET dead = false WHERE id = 2")
    assert house.rows("seen", "id") == [(2,)] and run["result"]["removed"] == 1 and run["result"]["failed"] == 0


def test_a_row_that_goes_meanwhile_is_gone(house):  # noqa: F811
    house.sql("CREATE TABLE seen (id int PRIMARY KEY, dead bool); INSERT INTO seen VALUES (1, true), (2, true)")
    house.say("seen", "table = seen\nwhere = dead")
    run = while_locked(house, "seen", "DELETE FROM seen WHERE id = 2")
    assert {word: run["result"][word] for word in ("removed", "gone", "failed")} == {"removed": 1, "gone": 1, "failed": 0}, run
    assert house.rows("seen", "id") == [] and house.keys(run["run_id"]) == [("seen", "deleted", 1)]


def test_a_row_that_is_there_again_meanwhile_stays(house):  # noqa: F811
    """Another one with its key, which the condition does not name."""
    house.sql("CREATE TABLE seen (id int PRIMARY KEY, dead bool); INSERT INTO seen VALUES (1, true), (2, true)")
    house.say("seen", "table = seen\nwhere = dead")
    run = while_locked(house, "seen", "DELETE FROM seen WHERE id = 2; INSERT INTO seen VALUES (2, false)")
    assert house.rows("seen", "id") == [(2,)] and (run["result"]["removed"], run["result"]["failed"]) == (1, 0), run


def test_a_column_that_is_renamed_meanwhile(house):  # noqa: F811
    house.sql("CREATE TABLE seen (id int PRIMARY KEY, dead bool, alive bool); INSERT INTO seen VALUES (1, true, false), (2, false, true)")
    house.say("seen", "table = seen\nwhere = dead")
    run = while_locked(house, "seen", "ALTER TABLE seen RENAME COLUMN dead TO was_dead")
    assert run["result"]["status"] == "blocked" and "dead" in run["result"]["reason"], run
    assert house.rows("seen", "id") == [(1,), (2,)] and house.keys(run["run_id"]) == []


def test_two_jobs_on_one_table_and_one_that_takes_the_other_s_rows(house):  # noqa: F811
    house.sql("""CREATE TABLE o (id int PRIMARY KEY, dead bool); CREATE TABLE c (id int PRIMARY KEY, o int REFERENCES o ON DELETE CASCADE);
        INSERT INTO o SELECT n, n % 2 = 0 FROM generate_series(1, 300) n; INSERT INTO c SELECT n, n FROM generate_series(1, 300) n""")
    house.say("a", "table = o\nwhere = dead\nbatch = 20\ndelay_ms = 0")
    house.say("b", "table = o\nwhere = dead OR id <= 100\nbatch = 30\ndelay_ms = 0")
    house.say("c", "table = c\nwhere = id % 3 = 0\nbatch = 25\ndelay_ms = 0")
    runs = house.tick("a", "b", "c")
    assert [run["result"]["status"] for run in runs] == ["completed"] * 3
    assert house.database.column("SELECT id FROM o ORDER BY id") == list(range(101, 300, 2))
    assert house.database.column("SELECT id FROM c ORDER BY id") == [n for n in range(101, 300, 2) if n % 3]
    keys = [key for run in runs for key in house.keys(run["run_id"])]
    assert sorted(keys) == sorted([("o", "deleted", n) for n in range(1, 301) if n <= 100 or n % 2 == 0]
                                  + [("c", "deleted", n) for n in range(1, 301) if n <= 100 or n % 2 == 0 or n % 3 == 0])


def test_a_row_that_changes_between_page_and_apply_stays(house):  # noqa: F811
    """Another session changes it while the step waits for its lock."""
    house.sql(SHOP)
    house.say("orders.purge", f"table = orders\n{OLD}\nchildren = auto")
    house.start()
    with house.database.connect() as other, other.transaction():
        other.execute("UPDATE orders SET deleted_at = NULL WHERE id = 1")
        house.pruned.run("tick", "orders.purge", "--at", "-1m").ok()
        daemon = house.pruned.start()
        house.database.wait("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()", until=1)
    house.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'finished'", until=1)
    assert daemon.running and house.rows("orders", "id") == [(1,), (2,)]
    assert house.rows("order_items", "id") == [(11,), (12,), (21,)]
    result = house.database.value("SELECT result FROM pruned.runs")
    assert (result["removed"], result["kept"], result["failed"]) == (1, 1, 0)


def between_pages(house, job, change):  # noqa: F811
    """Makes CHANGE when the first page of a run has gone. Returns the run, once it has ended."""
    house.start()
    run_id = house.pruned.run("tick", job, "--at", "-1m").ok().stdout.strip()
    daemon = house.pruned.start()
    house.database.wait("SELECT state = 'waiting' AND step = 1 FROM pruned.runs WHERE run_id = %s", [run_id])
    daemon.stop()
    house.sql(change)
    house.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting'")
    house.work(**{f"jobs.{job}.delay_ms": 0})
    return house.pruned.run_row(run_id)


LATER = """CREATE TABLE scraps (id int PRIMARY KEY, o int REFERENCES orders); CREATE INDEX ON scraps (o);
    INSERT INTO scraps SELECT n, n FROM generate_series(2, 3) AS n"""
ORDERS = "CREATE TABLE orders (id int PRIMARY KEY, dead bool); INSERT INTO orders SELECT n, n < 4 FROM generate_series(1, 4) AS n"
PAGES = "table = orders\nwhere = dead\nbatch = 1\ndelay_ms = 3600000\nmax_share = off"


def test_a_child_table_that_appears_between_two_pages_is_followed(house):  # noqa: F811
    house.sql(ORDERS)
    house.say("b", f"{PAGES}\nchildren = auto")
    run = between_pages(house, "b", LATER)
    assert (run["state"], run["result"]["removed"]) == ("finished", 3), run
    assert house.rows("orders", "id") == [(4,)] and house.rows("scraps") == []
    assert sorted(house.keys(run["run_id"])) == [("orders", "deleted", n) for n in (1, 2, 3)] + [("scraps", "deleted", 2), ("scraps", "deleted", 3)]
    house.restore(run["run_id"])
    assert house.rows("orders", "id") == [(1,), (2,), (3,), (4,)] and house.rows("scraps") == [(2, 2), (3, 3)]


def test_a_child_table_that_appears_between_two_pages_and_is_not_named_blocks_its_rows(house):  # noqa: F811
    """Nothing of it is lost, and the rows to which none of it refers go."""
    house.sql(ORDERS)
    house.say("b", PAGES)
    run = between_pages(house, "b", LATER.replace("(2, 3)", "(3, 3)"))
    assert (run["state"], run["result"]["removed"], run["result"]["failed"]) == ("finished", 2, 1), run
    assert house.rows("orders", "id") == [(3,), (4,)] and house.rows("scraps") == [(3, 3)]


def test_rows_that_a_cascade_takes_from_such_a_table_are_audited(house):  # noqa: F811
    house.sql(ORDERS)
    house.say("b", PAGES)
    run = between_pages(house, "b", LATER.replace("REFERENCES orders", "REFERENCES orders ON DELETE CASCADE"))
    assert run["result"]["removed"] == 3 and house.rows("scraps") == []
    assert [key for key in house.keys(run["run_id"]) if key[0] == "scraps"] == [("scraps", "deleted", 2), ("scraps", "deleted", 3)]
