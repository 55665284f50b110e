"""A row that `pruned restore` brought back is held from every job, not only from the one that
removed it: whoever restored it wants to be asked first."""

import pytest

from support.instance import tenant  # noqa: F401
from support.own_events import answers, erasure, runs, say_event, send, topics  # noqa: F401
from support.own_job import CONF, DECIDE, OWN, PAGE, REMOVED
from support.restored import EXPIRED, PRUNE, QUIET, restore
from support.scene import now, result
from support.sentences import house  # noqa: F401

OPEN = "max_share = off\napprove = never\n"
DOCS = "CREATE TABLE docs (id bigint PRIMARY KEY, dead boolean); INSERT INTO docs SELECT n, n <= 3 FROM generate_series(1, 9) n"
HELD = "SELECT job, item FROM pruned.quarantine WHERE parked AND reason = 'restored' ORDER BY job, item"


def brought_back(house, more="where = dead"):  # noqa: F811
    """Documents 1 to 3 went with `docs.dead` and are back."""
    house.sql(DOCS)
    house.say("docs.dead", f"table = docs\n{more}\n{OPEN}")
    done, run_id = house.done("docs.dead")
    assert done["removed"] == 3
    assert len(house.restore(run_id)) == 3
    return house


def say_more(house, name, text):  # noqa: F811
    """Another job, whose topic is made before the next run."""
    house.say(name, text)
    house.made = False


def left(house, table="docs"):  # noqa: F811
    return house.database.value(f"SELECT count(*) FROM {table}")


@pytest.mark.check_all
@pytest.mark.parametrize("name", ["docs", "public.docs", '"docs"'])
def test_another_sentence_passes_it_over_until_it_is_released(house, name):  # noqa: F811
    brought_back(house)
    say_more(house, "docs.old", f"table = {name}\nwhere = id < 5\n{OPEN}")
    assert {row[1] for row in house.plan("docs.old") if row[2:] == ("kept", "restored")} == {"1", "2", "3"}
    assert house.done("docs.old")[0] == {"removed": 1, "kept_restored": 3, "updated_rows": 1} and left(house) == 8
    house.pruned.run("release", "docs:2", "--yes").ok()
    assert house.done("docs.old")[0]["removed"] == 1
    assert house.rows("docs", "id", "id")[:2] == [(1,), (3,)]


@pytest.mark.check_all
def test_so_does_the_job_under_a_new_name(house):  # noqa: F811
    brought_back(house)
    house.database.execute("DELETE FROM pruned.quarantine")
    house.database.execute("DELETE FROM pruned.holds")
    (run_id,) = [row["run_id"] for row in house.database.rows("SELECT run_id FROM pruned.runs UNION ALL SELECT run_id FROM pruned.runs_done")]
    house.sql("DELETE FROM docs WHERE dead")
    (house.folder / "docs.dead.conf").unlink()
    say_more(house, "docs.gone", f"table = docs\nwhere = dead\n{OPEN}")
    assert len(house.restore(run_id)) == 3
    assert house.done("docs.gone")[0] == {"kept_restored": 3} and left(house) == 9


@pytest.mark.check_all
def test_a_job_that_is_written_afterwards_and_a_folder(house):  # noqa: F811
    brought_back(house)
    files = {"page": PAGE, "decide": DECIDE, "apply/removed/10-docs": OWN}
    for name, text in files.items():
        path = house.folder / "own" / f"{name}.sql"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("-- A file of the tests.\n" + text.replace("scratch", "docs"))
    (house.folder / "own" / "job.conf").write_text(CONF.format(batch=100, more=f"cursor = id bigint\n{OPEN}").replace("scratch", "docs") + REMOVED)
    house.made = False
    done, _ = house.done("own")
    assert (done["removed"], done["kept_restored"]) == (6, 3) and left(house) == 3


def test_rows_below_are_held_from_the_job_on_their_table(house):  # noqa: F811
    house.sql(f"{DOCS}; CREATE TABLE pages (id bigint PRIMARY KEY, doc bigint REFERENCES docs); INSERT INTO pages SELECT n, n FROM generate_series(1, 9) n")
    house.say("docs.dead", f"table = docs\nwhere = dead\nchildren = pages\n{OPEN}")
    house.say("pages.old", f"table = pages\nwhere = id < 5\n{OPEN}")
    house.restore(house.done("docs.dead")[1])
    done, _ = house.done("pages.old")
    assert (done["removed"], done["kept_restored"]) == (1, 3) and left(house, "pages") == 8
    assert house.rows(f"({HELD}) AS h", "job, item") == [("docs.dead", f"docs:{n}") for n in (1, 2, 3)] + [
        ("pages.old", f"pages:{n}") for n in (1, 2, 3)]


@pytest.mark.check_all
def test_an_event_of_another_job_waits_until_it_is_released(erasure):  # noqa: F811
    erasure.say("people.old", f"table = people\nwhere = id = 2\n{OPEN}")
    erasure.restore(erasure.done("people.old")[1])
    say_event(erasure, "UserErasureRequested", "app-users", "key = id")
    say_more(erasure, "people.erase", "table = people\non = UserErasureRequested\n")
    send(erasure, {"id": 2}, ce_id="e1", ce_source="/app")
    erasure.work()
    erasure.work()
    assert left(erasure, "people") == 9
    assert answers(erasure)[-1] == ("people.erase", "people", "2", "kept", "restored")
    assert ("waiting", "people:2") in runs(erasure, "state, waits_for")
    erasure.pruned.run("release", "people:2", "--yes").ok()
    erasure.work()
    assert left(erasure, "people") == 8 and answers(erasure)[-1][3] == "removed"


@pytest.mark.check_all
def test_commands_of_the_quarantine_name_the_release(house):  # noqa: F811
    brought_back(house)
    for verb in ("drop", "retry"):
        done = house.pruned.run("quarantine", verb, "docs.dead", "docs:1")
        assert done.code == 6 and "held after a restore" in done.stderr and "pruned release 'docs:1'" in done.stderr
        assert "3 restored rows stay held" in house.pruned.run("quarantine", verb, "--yes").ok().stdout
    assert house.pruned.run("quarantine", "list", "--all", "--json").ok().json() == []
    assert "3 rows are held after a restore: pruned holds" in house.pruned.run("quarantine").ok().stdout
    assert house.done("docs.dead")[0] == {"kept_restored": 3}


@pytest.mark.check_all
def test_what_a_process_of_the_version_before_has_held_is_held(house):  # noqa: F811
    """It writes into quarantine, where it also looks for what is held."""
    house.sql(DOCS)
    house.say("docs.dead", f"table = docs\nwhere = dead\n{OPEN}")
    house.start()
    house.database.execute("INSERT INTO pruned.quarantine (job, item, reason, attempts, parked) VALUES ('docs.x', 'docs:1', 'restored', 0, true)")
    assert house.done("docs.dead")[0] == {"removed": 2, "kept_restored": 1, "updated_rows": 2}
    house.pruned.run("release", "docs:1", "--yes").ok()
    assert house.rows("pruned.quarantine") == [] and house.done("docs.dead")[0]["removed"] == 1


@pytest.mark.check_first(1)
@pytest.mark.parametrize("approve", ["above", "first"])
def test_the_next_run_of_its_job_needs_an_approval(house, approve):  # noqa: F811
    house.sql(DOCS)
    house.say("docs.dead", f"table = docs\nwhere = dead\nmax_share = off\napprove = {approve}\n")
    run = house.run("docs.dead")
    if approve == "first":
        assert run["state"] == "held"
        house.pruned.run("approve", str(run["run_id"]), "--reason", "seen").ok()
        house.work()
    assert left(house) == 6
    house.restore(run["run_id"])
    house.sql("INSERT INTO docs VALUES (20, true)")
    said = house.pruned.run("plan", "docs.dead")
    assert "would be held" in said.stdout + said.stderr, "its plan says so before"
    again = house.run("docs.dead", at=now())
    assert again["state"] == "held" and again["held"]["limit"] == "approve" and left(house) == 10
    # Once somebody has approved one, the next ones go; restored rows stay.
    house.pruned.run("approve", str(again["run_id"]), "--reason", "seen").ok()
    house.work()
    assert left(house) == 9
    house.sql("INSERT INTO docs VALUES (21, true)")
    assert house.run("docs.dead", at=now())["state"] == "finished" and left(house) == 9


@pytest.mark.check_all
def test_once_its_rows_are_released_a_run_needs_no_approval(house):  # noqa: F811
    house.sql(DOCS)
    house.say("docs.dead", "table = docs\nwhere = dead\nmax_share = off\n")
    house.restore(house.run("docs.dead")["run_id"])
    house.pruned.run("release", "docs:1", "docs:2", "docs:3", "--yes").ok()
    assert house.run("docs.dead", at=now())["state"] == "finished" and left(house) == 6


@pytest.mark.check_all
def test_nothing_calls_it_parked(house):  # noqa: F811
    brought_back(house)
    said = house.pruned.run("doctor", "--json").stdout
    assert "3 restored rows held after a restore" in said and "pruned quarantine retry" not in said
    assert house.pruned.run("status", "--json").ok().json()[0]["parked"] == 0


def test_a_built_in_job_leaves_what_another_one_removed(tenant):  # noqa: F811
    """A member who expired, came back, and is scheduled."""
    top, user, admin = tenant.group(), tenant.user(), tenant.user(admin=True)
    tenant.owner(tenant.user(), top)
    tenant.member(user, top, expires_at=tenant.day(-1))
    (member,) = tenant.ids("members", f"user_id = {user}")
    run = tenant.tick(EXPIRED, **QUIET)
    assert result(run)["removed"] == 1
    restore(tenant.pruned, run["run_id"])
    tenant.leave(top, user, admin)
    tenant.tick(PRUNE, **QUIET)
    assert tenant.ids("members", f"user_id = {user}") == [member]
