"""`approvals = 2`: two different persons, neither of whom placed the tick or changed the rule."""

import pytest

from support.places import ROLE
from support.scene import now, tick_id
from support.sentences import house  # noqa: F401

JOB = "orders.purge"
RULE = "table = orders\nwhere = gone\napprove = always\nmax_share = off\napprovals = 2"


def persons(house):  # noqa: F811
    """The settings with which three persons run commands: roles of the database."""
    url = house.pruned.settings["postgres.url"]
    made = []
    for name in ("anna", "bert", "carl"):
        role = f"pruned_test_{name}"
        house.database.execute(f"DO $$ BEGIN CREATE ROLE {role} LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$")
        house.database.execute(f"GRANT {ROLE} TO {role}")
        made.append({"postgres.url": url.replace(f"//{ROLE}@", f"//{role}@")})
    return made


@pytest.fixture
def held(house):  # noqa: F811
    """A run of four rows that is held, its settings, and the three persons."""
    house.sql("CREATE TABLE orders (id bigint PRIMARY KEY, gone boolean); INSERT INTO orders SELECT n, n <= 4 FROM generate_series(1, 6) n")
    house.say(JOB, RULE)
    run = house.run(JOB)
    assert run["state"] == "held" and run["error"].endswith("; 0 of 2 approvals"), run["error"]
    return house, str(run["run_id"]), *persons(house)


def test_one_of_two_lets_nothing_go_and_two_do(held):
    house, run, anna, bert, _ = held
    pruned = house.pruned
    (said,) = pruned.run("approve", run, "--step", "0", "--rows", "4", "--json", settings=anna).ok().json()
    assert (said["state"], said["error"].endswith("; 1 of 2 approvals: pruned_test_anna")) == ("held", True), said
    house.work()
    assert house.rows("orders", "count(*)") == [(6,)]
    assert "1 of 2 approvals: pruned_test_anna" in pruned.run("runs", run).stdout
    (night,) = [line for line in pruned.run("night", "--json").json() if line["job"] == JOB]
    assert night["says"].endswith("1 of 2 approvals"), night
    again = pruned.run("approve", run, settings=anna)
    assert again.code == 1 and "pruned_test_anna has approved it already: another must approve it" in again.stderr
    # It is another run than the one that was looked at.
    for seen in (("--step", "3"), ("--rows", "5")):
        other = pruned.run("approve", run, *seen, settings=bert)
        assert other.code == 1 and "has changed" in other.stderr and "nothing was done" in other.stderr
    (said,) = pruned.run("approve", run, "--json", settings=bert).ok().json()
    assert said["state"] == "ready", said
    house.work()
    assert house.rows("orders", "count(*)") == [(2,)]
    who = house.database.rows("SELECT role, reason FROM pruned.journal WHERE command = 'approve' ORDER BY at")
    assert [tuple(one.values()) for one in who] == [("pruned_test_anna", "1 of 2 approvals"), ("pruned_test_bert", "up to 4 rows")]


def test_neither_who_placed_the_tick_nor_who_changed_the_rule(held):
    house, run, anna, bert, carl = held
    pruned = house.pruned
    pruned.run("discard", run).ok()
    daemon = pruned.start()
    daemon.wait_line("Partitions assigned")
    house.say(JOB, RULE.replace("where = gone", "where = gone AND id > 0"))
    pruned.run("reload", settings=bert).ok()
    house.database.wait("SELECT true FROM pruned.journal WHERE command = 'reload' AND object = %s", [JOB])
    at = now(minutes=-1)
    placed = pruned.run("tick", JOB, "--at", at.isoformat(), "--wait", settings=anna)
    assert placed.code == 7, placed
    run = tick_id(JOB, at)
    refused = {name: pruned.run("approve", run, settings=who) for name, who in {"placed it": anna, "changed its rule": bert}.items()}
    for what, done in refused.items():
        assert done.code == 1 and f"has {what}: another must approve it" in done.stderr, done
    assert house.database.value("SELECT count(*) FROM pruned.journal WHERE command = 'approve'") == 0
    assert pruned.run("approve", run, settings=carl).code == 0
