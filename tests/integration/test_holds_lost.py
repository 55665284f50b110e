"""A hold whose row is not there any more: the application removed it, or gave it another key. What
could be that row stays until somebody says."""

import pytest

from support.held import OPEN, hold, release
from support.sentences import house  # noqa: F401

# A page's key has that of its document.
WORLD = """CREATE TABLE docs (code text PRIMARY KEY, dead boolean); INSERT INTO docs SELECT 'd' || n, true FROM generate_series(1, 3) n;
    CREATE TABLE pages (doc text REFERENCES docs ON UPDATE CASCADE ON DELETE CASCADE, n int, PRIMARY KEY (doc, n)); INSERT INTO pages SELECT code, 1 FROM docs;
    CREATE TABLE other (id int PRIMARY KEY); INSERT INTO other VALUES (1)"""
HELD = {"itself": ("docs:d2", "docs:x2"), "below": ('pages:{"n": 1, "doc": "d2"}', 'pages:{"n": 1, "doc": "x2"}')}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("which", HELD)
def test_nothing_goes_while_a_held_row_has_another_key(house, which):  # noqa: F811
    was, now = HELD[which]
    house.sql(WORLD)
    house.say("it", f"table = docs\nwhere = dead\n{OPEN}")
    house.say("other", f"table = other\nwhere = true\n{OPEN}")
    hold(house, was).ok()
    house.sql("UPDATE docs SET code = 'x2' WHERE code = 'd2'")
    run, other = house.tick("it", "other")
    assert (run["result"]["status"], other["result"]["removed"]) == ("blocked", 1)
    assert f"{was} is held, and there is no such row" in run["error"] and len(house.rows("docs")) == 3
    doctor = house.pruned.run("doctor")
    assert doctor.code == 6 and f"1 row held and not there, the first is {was}" in doctor.stdout + doctor.stderr
    listed = house.pruned.run("holds").ok()
    assert f"{was} is held, and there is no such row" in listed.stdout + listed.stderr
    hold(house, now).ok()
    release(house, was)
    house.pruned.run("retry", str(run["run_id"]), "--yes").ok()
    house.work()
    row = house.pruned.run_row(run["run_id"])
    assert (row["state"], row["result"]["removed"], row["result"]["kept_hold"]) == ("finished", 2, 1) and house.rows("docs", "code") == [("x2",)]


@pytest.mark.check_all
def test_a_restored_row_that_the_application_removes_holds_up_nothing(house):  # noqa: F811
    house.sql(WORLD)
    house.say("it", f"table = docs\nwhere = dead\n{OPEN}")
    house.restore(house.done("it")[1])
    house.sql("DELETE FROM docs WHERE code = 'd2'")
    assert house.done("it")[0] == {"kept_restored": 2}
