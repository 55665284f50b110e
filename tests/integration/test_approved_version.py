"""An approval is for what its run would change by the version of its job that was counted."""

import pytest

from support.own_events import ERASE, erased, erasure, runs, say_event, send, topics, user  # noqa: F401
from support.sentences import house  # noqa: F401

OLD, NEW = "old AND id > 0", "id > 70"


@pytest.fixture
def held(house):  # noqa: F811
    """A run that is held with 30 rows; the sentence then names 30 others."""
    house.sql("CREATE TABLE items (id bigint PRIMARY KEY, old boolean); INSERT INTO items SELECT i, i <= 30 FROM generate_series(1, 100) i")
    say(house, OLD)
    run = house.run("items.purge")
    assert run["error"] == "held: 30 rows are above max_rows 20"
    say(house, NEW)
    return run["run_id"]


def say(house, where, more="delay_ms = 0"):  # noqa: F811
    house.say("items.purge", f"table = items\nwhere = {where}\nmax_rows = 20\nbatch = 10\n{more}")


def now_due(house, run):  # noqa: F811
    house.work()
    row = house.pruned.run_row(run)
    assert row["state"] == "waiting" and row["error"].startswith("blocked: begun with version"), row
    house.pruned.run("retry", run).ok()
    house.work()
    return house.pruned.run_row(run)


def left(house):  # noqa: F811
    return house.database.row("SELECT count(*) FILTER (WHERE old) AS old, count(*) FILTER (WHERE id > 70) AS new FROM items")


@pytest.mark.check_all
def test_an_approval_lets_no_other_version_go(house, held):  # noqa: F811
    house.pruned.run("approve", held).ok()
    row = now_due(house, held)
    assert (row["state"], row["error"]) == ("held", "held: 30 rows are above max_rows 20"), row
    assert left(house) == {"old": 30, "new": 30}
    house.pruned.run("approve", held).ok()
    house.work()
    assert house.pruned.run_row(held)["state"] == "finished" and left(house) == {"old": 30, "new": 0}


@pytest.mark.check_all
def test_a_page_without_rows_keeps_no_approval_of_another_version(house, held):  # noqa: F811
    """Of the approved 30 rows ten have gone. The next page is of another version, and none of its
    rows goes; those behind it are more than the limit lets go."""
    house.sql("""CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$; DELETE FROM items WHERE id > 98;
        CREATE TRIGGER nothing BEFORE DELETE ON items FOR EACH ROW WHEN (OLD.id BETWEEN 71 AND 80) EXECUTE FUNCTION nothing()""")
    say(house, OLD, "delay_ms = 3600000")
    house.pruned.run("approve", held).ok()
    daemon = house.pruned.start()
    house.database.wait("SELECT state = 'waiting' AND rows_done = 10 FROM pruned.runs WHERE run_id = %s", [held])
    assert daemon.stop() == 0
    say(house, NEW)
    house.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s", [held])
    row = now_due(house, held)
    assert (row["state"], row["error"]) == ("held", "held: 28 rows are above max_rows 20"), row
    assert left(house) == {"old": 20, "new": 28}


@pytest.mark.check_all
def test_an_approval_holds_for_the_version_that_is_back(house, held):  # noqa: F811
    house.pruned.run("approve", held).ok()
    house.work()
    say(house, OLD)
    house.pruned.run("retry", held).ok()
    house.work()
    assert house.pruned.run_row(held)["state"] == "finished" and left(house) == {"old": 0, "new": 30}


@pytest.mark.check_all
def test_who_approves_a_run_of_another_version_is_told(house, held):  # noqa: F811
    said = house.pruned.run("approve", held).ok().stderr
    assert "The job has changed since the run was counted: it goes on as it was then" in said and "pruned discard" in said
    say(house, OLD)
    house.pruned.run("discard", held).ok()
    run = house.run("items.purge")
    assert run["state"] == "held" and "has changed" not in house.pruned.run("approve", run["run_id"]).ok().stderr


@pytest.mark.check_all
def test_another_event_is_another_version_of_the_job_that_it_names_rows_for(erasure):  # noqa: F811
    """With `approve = first` somebody looks first at what goes by another key."""
    erasure.say("people.erase", f"{ERASE}\napprove = first")

    def ask(content):
        send(erasure, content, ce_type="UserErasureRequested")
        erasure.work()
        return runs(erasure, "state, error")[-1]

    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.user.id")
    assert ask(user(1)) == ("held", "held: the first run of this job needs an approval (1 row)")
    erasure.pruned.run("approve", erasure.database.value("SELECT run_id::text FROM pruned.runs")).ok()
    assert ask(user(2)) == ("finished", None) and erased(erasure) == [1, 2]
    say_event(erasure, "UserErasureRequested", "app-users", "key = payload.owner.id")
    assert ask({"payload": {"owner": {"id": 3}}}) == ("held", "held: the first run of this job needs an approval (1 row)")
    assert erased(erasure) == [1, 2]


@pytest.mark.check_all
def test_an_approval_that_was_taken_back_lets_no_later_run_go(erasure):  # noqa: F811
    """The approved run is discarded before it has changed a row."""
    erasure.say("items.first", "table = people\nwhere = true\nset = email = NULL\napprove = first")
    run = erasure.run("items.first")
    assert (run["state"], run["error"]) == ("held", "held: the first run of this job needs an approval (9 rows)"), run
    for command in ("pause items.first", f"approve {run['run_id']}", f"discard {run['run_id']}", "resume items.first"):
        erasure.pruned.run(*command.split()).ok()
    assert erasure.pruned.run_row(str(run["run_id"]))["state"] == "skipped"
    again = erasure.pruned.run("approve", str(run["run_id"]))
    assert again.code == 1 and "only a held run can be approved" in again.stderr
    assert erasure.run("items.first")["state"] == "held"
