"""A row that one run changed and a later one took: each run can be restored by itself, in either
order, and nothing that the application wrote is overwritten."""

import pytest

from support.scene import now, tick_id
from support.sentences import house  # noqa: F811,F401

SHOP = """CREATE TABLE cat (id bigint PRIMARY KEY, gone bool);
    INSERT INTO cat SELECT g, g <= 2 FROM generate_series(1, 50) g;
    CREATE TABLE prod (id bigint PRIMARY KEY, cat_id bigint REFERENCES cat ON DELETE SET NULL, name text, old bool DEFAULT false);
    INSERT INTO prod SELECT g, g, 'p' || g FROM generate_series(1, 6) g; CREATE INDEX ON prod (cat_id)"""
EMPTIES = "table = cat\nwhere = gone\nmax_share = off"
TAKES = "table = prod\nwhere = old\nmax_share = off"


def both(house, between, empties=EMPTIES, takes=TAKES):  # noqa: F811
    """The runs of the job that changes rows of prod, and of the one that takes them after
    BETWEEN."""
    house.sql(SHOP)
    house.say("empties", empties)
    house.say("takes", takes)
    first = house.run("empties", at=now(minutes=-9))
    house.sql(between)
    second = house.run("takes", at=now(minutes=-8))
    assert (first["state"], second["state"]) == ("finished", "finished")
    return first["run_id"], second["run_id"]


def lines(house, run, code=0):  # noqa: F811
    done = house.pruned.run("restore", str(run), "--json")
    assert done.code == code, done
    return {(line["table"], line["key"]): (line["action"], line["reason"]) for line in done.json()}


def test_a_row_that_was_emptied_and_then_removed_comes_back_as_it_was(house):  # noqa: F811
    first, second = both(house, "UPDATE prod SET old = true WHERE id = 1")
    before = house.rows("prod")
    gone = lines(house, first, code=6)
    assert gone["prod", "1"] == ("cannot be", f"the row is gone: run {second} has removed it since; restore that run first")
    assert gone["cat", "1"][0] == gone["prod", "2"][0] == "restored" and house.rows("prod", order="id") == [(2, 2, "p2", False)] + before[1:]
    assert lines(house, second)["prod", "1"] == ("restored", None)
    assert house.rows("prod", order="id")[0] == (1, None, "p1", True)
    # `old` was set by the application between the two.
    found = lines(house, first, code=6)["prod", "1"]
    assert found == ("cannot be", "changed since, or by this run: it is as run "
                     f"{second} found it, and which of these this run has changed is not known: cat_id, old")
    house.sql("UPDATE prod SET old = false WHERE id = 1")
    assert lines(house, first, code=6)["prod", "1"][0] == "cannot be"


@pytest.mark.parametrize("order", ["later first", pytest.param("earlier first", marks=pytest.mark.check_all)])
def test_runs_that_follow_each_other_are_undone_one_by_one(house, order):  # noqa: F811
    """What both have done to the row is all that was done to it."""
    takes = "table = prod\nwhere = cat_id IS NULL\nmax_share = off"
    first, second = both(house, "SELECT 1", takes=takes)
    assert house.rows("prod", "count(*)") == [(4,)]
    if order == "earlier first":
        assert [line[0] for key, line in lines(house, first, code=6).items() if key[0] == "prod"] == ["cannot be"] * 2
    assert {line[0] for line in lines(house, second).values()} == {"restored"}
    again = lines(house, first)
    assert again["prod", "1"] == again["prod", "2"] == ("restored", "put back: cat_id")
    assert house.rows("prod", order="id")[:2] == [(1, 1, "p1", False), (2, 2, "p2", False)]


@pytest.mark.check_all
def test_changes_of_two_runs_are_undone_one_by_one(house):  # noqa: F811
    """The columns are those that the sentences set."""
    first, second = both(house, "SELECT 1", empties="table = prod\nwhere = id = 1 AND name <> 'x'\nset = name = 'x'\nmax_share = off",
                         takes="table = prod\nwhere = name = 'x'\nset = name = 'y', cat_id = NULL\nmax_share = off")
    was = lines(house, first, code=6)["prod", "1"]
    assert was == ("cannot be", f"changed since, first by run {second} (restore that run first, if you have not): cat_id, name")
    assert lines(house, second)["prod", "1"][0] == lines(house, first)["prod", "1"][0] == "restored"
    assert house.rows("prod", order="id")[0] == (1, 1, "p1", False)


def test_what_the_application_wrote_behind_the_later_run_stays(house):  # noqa: F811
    first, second = both(house, "SELECT 1", takes="table = prod\nwhere = cat_id IS NULL\nmax_share = off")
    lines(house, second)
    house.sql("UPDATE prod SET name = 'newer' WHERE id = 1")
    said = lines(house, first, code=6)
    assert said["prod", "1"] == ("cannot be", f"changed since, first by run {second} (restore that run first, if you have not): cat_id, name")
    assert said["prod", "2"][0] == "restored" and house.rows("prod", order="id")[0] == (1, None, "newer", False)


MEN = """CREATE TABLE men (id bigint PRIMARY KEY, boss bigint REFERENCES men ON DELETE SET NULL, name text);
    INSERT INTO men SELECT n, CASE WHEN n > 6 THEN 1 END, 'old' FROM generate_series(1, 8) n; CREATE INDEX ON men (boss)"""


@pytest.mark.check_first(1)
@pytest.mark.parametrize("then", ["SELECT 1", "ALTER TABLE men DROP CONSTRAINT men_boss_fkey"], ids=["as it is", "without the key"])
def test_what_one_run_has_emptied_and_then_removed_comes_back_as_it_removed_it(house, then):  # noqa: F811
    """The first page empties `boss` of 7 and 8, the application writes to 8, and later pages remove
    both. All that the run has done is undone, and nothing else."""
    house.sql(MEN)
    house.say("men", "table = men\nwhere = true\nbatch = 2\ndelay_ms = 3600000\nmax_share = off\napprove = never")
    house.start()
    house.pruned.start()
    at = now(minutes=-1)
    house.pruned.topics.tick("men", at)
    run = tick_id("men", at)
    for step in (1, 2, 3, 4):
        house.database.wait("SELECT step FROM pruned.runs WHERE run_id = %s AND state = 'waiting' OR run_id = %s AND finished_at IS NOT NULL", [run, run], until=step)
        house.sql("UPDATE men SET name = 'new' WHERE id = 8")
        house.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s AND state = 'waiting'", [run])
        house.pruned.run("retry", str(run))
    house.pruned.wait_run(run)
    assert house.rows("men") == []
    house.sql(then)
    assert {line[0] for line in lines(house, run).values()} == {"restored"}
    assert house.rows("men", order="id")[6:] == [(7, 1, "old"), (8, 1, "new")]


def test_what_one_step_has_emptied_and_removed_comes_back_whole(house):  # noqa: F811
    """2 goes together with 1, and so `boss` of 3 is emptied before it goes: a trigger follows."""
    house.sql("""CREATE TABLE men (id bigint PRIMARY KEY, boss bigint REFERENCES men, gone bool, top bool DEFAULT false);
        INSERT INTO men VALUES (1, NULL, true), (2, 1, false), (3, 2, true), (4, NULL, false);
        CREATE FUNCTION top() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.top := true; RETURN NEW; END';
        CREATE TRIGGER top BEFORE UPDATE ON men FOR EACH ROW WHEN (NEW.boss IS NULL) EXECUTE FUNCTION top()""")
    house.say("men", "table = men\nwhere = gone\nchildren = auto\nmax_share = off")
    before = house.rows("men")
    run = house.run("men", at=now(minutes=-1))
    assert run["state"] == "finished" and house.rows("men", "id") == [(4,)]
    assert {line[0] for line in lines(house, run["run_id"]).values()} == {"restored"}
    assert house.rows("men", order="id") == before
