"""The limits of a sentence, by its own rows and by those that go with them."""

import pytest

from support.scene import now
from support.sentences import house  # noqa: F401


def test_a_sentence_that_names_most_of_a_large_table_is_held(house):  # noqa: F811
    house.sql("CREATE TABLE orders (id bigint PRIMARY KEY, gone boolean); INSERT INTO orders SELECT i, i % 4 = 0 FROM generate_series(1, 5000) i")
    house.say("all", "table = orders\nwhere = gone")
    house.say("few", "table = orders\nwhere = id <= 900")
    held = house.run("all")
    assert (held["state"], held["error"]) == ("held", "held: 1,250 rows are 25.0 % of orders, above max_share 20 %")
    assert house.done("few")[0]["removed"] == 900
    assert house.database.value("SELECT count(*) FROM orders WHERE gone AND id > 900") == 1025


FAMILY = """CREATE TABLE tb (id bigint PRIMARY KEY, gone boolean); CREATE TABLE tbc (id bigint PRIMARY KEY, tb_id bigint REFERENCES tb);
    CREATE INDEX ON tbc (tb_id); INSERT INTO tb SELECT i, i <= 200 FROM generate_series(1, 300) i;
    INSERT INTO tbc SELECT i, i % 300 + 1 FROM generate_series(1, 3000) i"""


@pytest.mark.check_all
def test_rows_of_children_count_for_the_limits(house):  # noqa: F811
    house.sql(FAMILY)
    house.say("tb.purge", "table = tb\nwhere = gone\nchildren = tbc\nmax_rows = 500\nbatch = 20\ndelay_ms = 0")
    held = house.run("tb.purge")
    assert (held["state"], held["error"]) == ("held", "held: 2,200 rows are above max_rows 500")
    assert house.rows("tb", "count(*)") == [(300,)] and house.rows("tbc", "count(*)") == [(3000,)]
    said = house.pruned.run("plan", "tb.purge").ok().stdout.splitlines()
    assert "with them: 2000 rows of tbc" in said and said[-1] == "would be held: 2,200 rows are above max_rows 500"
    *_, summary, below, would = house.pruned.run("plan", "tb.purge", "--json").ok().json()
    assert (summary, below, would["would_be_held"]["counted"]) == ({"summary": {"removed": 200}}, {"below": {"tbc": 2000}}, 2200)
    house.pruned.run("approve", held["run_id"]).ok()
    house.pruned.run_until_idle()
    run = house.pruned.run_row(held["run_id"])
    assert (run["state"], run["rows_done"], run["result"]["removed"]) == ("finished", 2200, 200)
    assert house.rows("tb", "count(*)") == [(100,)] and house.rows("tbc", "count(*)") == [(1000,)]


def test_the_page_whose_children_exceed_is_not_applied(house):  # noqa: F811
    """A trigger adds rows after the run was counted."""
    house.sql(FAMILY.replace("3000", "300"))
    house.sql("""CREATE FUNCTION more() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
          IF OLD.id = 1 THEN INSERT INTO tbc SELECT 1000 + i, 100 FROM generate_series(1, 500) i; END IF; RETURN OLD; END $$;
        CREATE TRIGGER more AFTER DELETE ON tb FOR EACH ROW EXECUTE FUNCTION more()""")
    house.say("tb.purge", "table = tb\nwhere = gone\nchildren = tbc\nmax_rows = 500\nbatch = 20\ndelay_ms = 0")
    held = house.run("tb.purge")
    assert (held["state"], held["error"], held["rows_done"]) == ("held", "held: 900 rows are above max_rows 500", 160)
    assert house.rows("tb", "count(*)") == [(220,)] and house.rows("tbc", "count(*)") == [(720,)]


@pytest.mark.check_all
@pytest.mark.parametrize("before", ["none", "many"])
def test_rows_of_children_are_not_compared_with_the_usual(house, before):  # noqa: F811
    """Neither those of this run, nor those of the runs before it: the sentence may have named none
    then."""
    say, usual = "table = tb\nwhere = gone\nmax_ratio = 3\nmin_rows = 0\nmax_share = off\n", 4
    house.sql("""CREATE TABLE tb (id bigint PRIMARY KEY, gone boolean); CREATE TABLE tbc (id bigint PRIMARY KEY, tb_id bigint REFERENCES tb);
        CREATE INDEX ON tbc (tb_id)""")
    house.say("tb.purge", say + ("children = tbc" if before == "many" else ""))
    for n in range(5):
        house.sql(f"INSERT INTO tb SELECT i, true FROM generate_series(1, {usual}) i")
        if before == "many":
            house.sql(f"INSERT INTO tbc SELECT i, i % {usual} + 1 FROM generate_series(1, 100) i")
        assert house.done("tb.purge", at=now(minutes=-20 + n))[0]["removed"] == usual
    house.say("tb.purge", say + "children = tbc")
    house.sql(f"INSERT INTO tb SELECT i, true FROM generate_series(1, {3 * usual}) i;"
              f"INSERT INTO tbc SELECT i, i % {3 * usual} + 1 FROM generate_series(1, 200) i")
    assert house.done("tb.purge")[0]["removed"] == 3 * usual
    house.sql(f"INSERT INTO tb SELECT i, true FROM generate_series(1, {3 * usual + 1}) i; INSERT INTO tbc SELECT i, 1 FROM generate_series(1, 5) i")
    held = house.run("tb.purge", at=now())
    assert (held["state"], held["error"]) == ("held", f"held: {3 * usual + 1} rows are {(3 * usual + 1) / usual:.1f} times the usual {usual}, above max_ratio 3")


@pytest.mark.check_all
def test_rows_of_children_are_no_share_of_the_table(house):  # noqa: F811
    house.sql("""CREATE TABLE tb (id bigint PRIMARY KEY, gone boolean); CREATE TABLE tbc (id bigint PRIMARY KEY, tb_id bigint REFERENCES tb);
        CREATE INDEX ON tbc (tb_id); INSERT INTO tb SELECT i, i <= 900 FROM generate_series(1, 5000) i;
        INSERT INTO tbc SELECT i, i % 900 + 1 FROM generate_series(1, 2700) i""")
    house.say("tb.purge", "table = tb\nwhere = gone\nchildren = tbc\nbatch = 100\ndelay_ms = 0")
    assert house.done("tb.purge")[0]["removed"] == 900
    house.sql("UPDATE tb SET gone = id <= 2000; INSERT INTO tbc SELECT 10000 + i, i % 1000 + 950 FROM generate_series(1, 3000) i")
    held = house.run("tb.purge")
    assert (held["state"], held["error"]) == ("held", "held: 1,100 rows are 26.8 % of tb, above max_share 20 %")


TREE = """CREATE TABLE folders (id int PRIMARY KEY, parent int REFERENCES folders, dead boolean NOT NULL);
    CREATE INDEX ON folders (parent); INSERT INTO folders SELECT i, CASE WHEN i > 10 THEN i / 10 END, i IN (1, 15) FROM generate_series(1, 2000) i"""


@pytest.mark.check_all
def test_rows_below_in_the_table_itself_are_a_share_of_it(house):  # noqa: F811
    """1000 of 2000 rows go: 1 and all below it, of which 15 goes for itself as well."""
    house.sql(TREE)
    house.say("folders", "table = folders\nwhere = dead\nchildren = auto\nmin_rows = 0")
    said = house.pruned.run("plan", "folders").ok().stdout.splitlines()
    assert "with them: 998 rows of folders" in said and said[-1] == "would be held: 1,000 rows are 50.0 % of folders, above max_share 20 %"
    held = house.run("folders")
    assert (held["state"], held["error"]) == ("held", "held: 1,000 rows are 50.0 % of folders, above max_share 20 %")
    assert house.rows("folders", "count(*)") == [(2000,)]
    house.pruned.run("approve", held["run_id"]).ok()
    house.pruned.run_until_idle()
    run = house.pruned.run_row(held["run_id"])
    assert (run["state"], run["rows_done"]) == ("finished", 1000) and house.rows("folders", "count(*)") == [(1000,)]
    assert [run["result"][name] for name in ("removed", "updated_rows", "below")] == [2, 2, 998]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("mode, state", [("apply", "held"), ("plan", "finished")])
def test_rows_below_of_earlier_pages_are_a_share_of_the_table(house, mode, state):  # noqa: F811
    """The roots are pages of their own; each has 111 rows, and the third page exceeds 20 %."""
    house.sql(TREE.replace("IN (1, 15)", "BETWEEN 2 AND 9").replace("2000) i", "999) i"))
    house.say("folders", f"table = folders\nwhere = dead\nchildren = auto\nmin_rows = 0\nbatch = 1\ndelay_ms = 0\nmode = {mode}")
    run = house.run("folders")
    words = "888 rows are 88.9 % of folders, above max_share 20 %"
    assert run["state"] == state and (run["error"] == "held: " + words if state == "held" else words in str(run["result"]))
    assert house.rows("folders", "count(*)") == [(999,)]


def test_the_brake_holds_what_is_always_true(house):  # noqa: F811
    house.sql("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 1200); CREATE TABLE u (id int PRIMARY KEY); INSERT INTO u SELECT generate_series(1, 5)")
    house.say("t", "table = t\nwhere = id = id OR random() < 2\nmax_share = 50 %")
    house.say("u", "table = u\nwhere = true\nmax_rows = 4")
    house.start()
    for job in ("t", "u"):
        house.pruned.run("tick", job, "--at", "-1m").ok()
    house.daemons.append(house.pruned.run_until_idle())
    assert [(run["state"], run["held"] is not None) for run in house.database.rows("SELECT * FROM pruned.runs")] == [("held", True)] * 2
    assert house.database.value("SELECT count(*) FROM t") == 1200 and house.database.value("SELECT count(*) FROM u") == 5
