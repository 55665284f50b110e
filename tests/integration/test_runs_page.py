"""`pruned runs`: a table for people, and the page of one run."""

import json
import re
import signal
import subprocess
import unicodedata
import uuid

import pytest

from stack.process import wait_until
from support.command_line import JOB, RUN_KEYS, add_run, says
from support.instance import tenant  # noqa: F401
from support.pruned import clean_environment
from support.restored import EXPIRED, QUIET, expired  # noqa: F401
from support.screen import on_a_terminal
from support.scene import fill, now, refuse_rows, tick_id

pytestmark = pytest.mark.built_in

PARTS = ["parent", "values", "steps", "tables", "children", "quarantined", "actions", "next"]


def table(pruned, *options):
    head, *rows = [line.split("\t") for line in pruned.run("runs", *options).ok().stdout.splitlines()]
    return [dict(zip(head, row)) for row in rows]


def result(**counters):
    return json.dumps({"status": "completed", "updated_rows": 7} | counters)


# --- the table

def test_the_table_has_words_and_without_a_terminal_whole_texts(stored):
    def ago(n):
        return stored.database.value("SELECT now() + %s * interval '1 second'", [n])

    add_run(stored.database, "finished", finished_at=ago(-48), created_at=ago(-10), result=result(removed=4365, kept=33, failed=0))
    add_run(stored.database, "waiting", job="imports.placeholder_cleanup", due_at=ago(9 * 3600 + 60), created_at=ago(-20))
    add_run(stored.database, "dead", job="members.schedule_prune_deletions", finished_at=ago(-3 * 86400 - 60), created_at=ago(-30), error="no " * 99)
    add_run(stored.database, "skipped", finished_at=ago(-600), created_at=ago(-40), error="overlaps")
    first, second, third, fourth = table(stored)
    assert list(first) == ["run", "job", "state", "when", "result"] and len(first["run"]) == 8
    assert (first["state"], first["result"]) == ("finished", "4,365 removed, 33 kept")
    assert first["when"].endswith(" s ago") and 48 <= int(first["when"].split()[0]) < 90
    assert (second["when"], second["result"], third["when"], fourth["when"]) == ("in 9 h", "-", "3 days ago", "10 min ago")
    assert third["result"] == ("no " * 99) and third["job"] == "members.schedule_prune_deletions"


@pytest.mark.parametrize("error", ["漢字" * 60, "e\u0301" * 60, "字e" * 60])
def test_the_table_fits_with_letters_of_any_width(stored, error):
    add_run(stored.database, "dead", error=error)
    _, text, _ = on_a_terminal(stored, None, "runs")
    line = re.sub(r"\x1b\[[0-9;]*m", "", text.splitlines()[1])
    shown = line.split("  ")[-1]
    assert error.startswith(shown.rstrip("…")) and shown.endswith("…")
    used = sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
    assert 78 <= used <= 80


PLANNED = {"mode": "plan", "removed": 4365, "kept": 33}


@pytest.mark.check_first(2)
@pytest.mark.parametrize("found, words", [
    (PLANNED, "planned: 4,365 would be removed, 33 kept"),
    (PLANNED | {"applied": {"updated_rows": 1000, "removed": 1000, "kept": 3}}, "1,000 removed, 3 kept; planned: 3,365 would be removed, 30 kept"),
    (PLANNED | {"applied": {"updated_rows": 4365, "removed": 4365, "kept": 33}}, "4,365 removed, 33 kept; planned: nothing"),
    ({"mode": "plan", "updated_rows": 0, "reason": "no member"}, "planned: nothing; no member"),
    ({"mode": "plan", "updated_rows": 5}, "planned: 5 rows would change"),
    ({"mode": "plan", "updated_rows": 1}, "planned: 1 row would change"),
    ({"updated_rows": 1, "groups": 1, "projects": 2, "members": 1}, "2 projects, 1 group, 1 member"),
    ({"updated_rows": 1}, "1 row"),
])
def test_a_run_that_only_planned_does_not_read_like_a_removal(stored, found, words):
    run_id = add_run(stored.database, "finished", result=json.dumps({"status": "completed", "updated_rows": 4365} | found))
    assert table(stored, "--wide")[0]["result"] == words
    assert table(stored)[0]["result"] == words
    assert f"{JOB} finished: {words}" in stored.run("runs", run_id).ok().stdout


GONE = json.dumps({"status": "limit_reached", "updated_rows": 180500, "removed": 180500})


@pytest.mark.check_first(1)
@pytest.mark.parametrize("state, error", [("held", "held: 1,000,000 rows are above max_rows 200000"), ("skipped", "discarded"), ("dead", "bad luck")])
def test_the_table_says_what_went_before_a_run_came_to_its_end(stored, state, error):
    run_id = add_run(stored.database, state, result=GONE, error=error)
    assert table(stored, "--wide")[0]["result"] == f"180,500 removed; {error}"
    assert table(stored)[0]["result"].startswith("180,500 removed; ")
    page = stored.run("runs", run_id).ok().stdout
    assert f"{JOB} {state}: 180,500 removed; {error}" in page
    assert "\nresult\tmore to come, 180,500 removed, 180,500 updated rows\n" in page and "limit_reached" not in page


def test_on_a_terminal_it_fits_as_well(stored):
    for job in ("members.schedule_prune_deletions", "imports.placeholder_cleanup", JOB):
        add_run(stored.database, "finished", job=job, result=result(removed=1234567, kept=33333, scheduled=99999, already_running=12345))
    done = subprocess.run(["script", "-qec", subprocess.list2cmdline(stored.argv("runs")), "/dev/null"], stdout=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, env=clean_environment(NO_COLOR=1))
    lines = [line.rstrip("\r") for line in done.stdout.splitlines()]
    assert lines[0].split() == ["run", "job", "state", "when", "result"]
    assert max(len(line) for line in lines) <= 80


def test_parents_first_and_children_when_asked_for(stored):
    parent = add_run(stored.database, "finished")
    child = add_run(stored.database, "waiting", parent_id=parent, job="users.destroy")

    def listed(*options):
        return {row["run"] for row in table(stored, *options)}

    assert listed() == {parent[:8]} and listed("--children") == {parent[:8], child[:8]}
    assert listed("--job", "users.destroy") == listed("--state", "waiting") == {child[:8]}
    assert {line["run_id"] for line in stored.run("runs", "--json").ok().json()} == {parent, child}


def test_columns_are_chosen(stored):
    run_id = add_run(stored.database, "dead", error="bad luck")
    assert table(stored, "--columns", "run_id, error,unique_key") == [{"run_id": run_id, "error": "bad luck", "unique_key": ""}]
    says(stored.run("runs", "--columns", "eror"), 1, "did you mean 'error'")
    says(stored.run("runs", "--columns", ""), 1, "--columns")


# --- the page

def test_the_page_of_a_run(expired):  # noqa: F811
    run = str(expired.tick(EXPIRED, **QUIET, **{f"jobs.{EXPIRED}.batch": 3, f"jobs.{EXPIRED}.delay_ms": 0})["run_id"])
    expired.pruned.run("restore", run, "--only", f"members:{expired.ids_gone[0]}").ok()
    first, *parts = expired.pruned.run("runs", run, "--json").ok().json()
    assert set(first) == RUN_KEYS and first["run_id"] == run
    page = {key: value for part in parts for key, value in part.items()}
    assert list(page) == PARTS
    assert page["parent"] == []
    assert sum(step["rows"] for step in page["steps"] if "members" in step["tables"]) >= len(expired.ids_gone)
    assert [step["step"] for step in page["steps"]] == sorted((step["step"] for step in page["steps"]), reverse=True) and len(page["steps"]) == 3
    assert all(0 <= step["took_ms"] < 60000 for step in page["steps"])
    assert {"table": "members", "action": "deleted", "rows": len(expired.ids_gone)} in page["tables"]
    assert page["children"] == [{"job": "users.destroy", "state": "finished", "runs": 1}]
    assert [(a["command"], a["object"]) for a in page["actions"]] == [("restore", f"{run} members:{expired.ids_gone[0]}")]
    assert page["next"] == [f"pruned restore {run} --with-children --dry-run"]
    text = expired.pruned.run("runs", run).ok().stdout
    assert f"{EXPIRED} finished: {len(expired.ids_gone)} removed" in text and "\nchildren\n" in text and page["next"][0] in text


def test_a_childs_page_names_its_parent_and_what_comes_next(stored):
    parent = add_run(stored.database, "finished", archived=True)
    child = add_run(stored.database, "dead", parent_id=parent, job="users.destroy")
    parts = stored.run("runs", child, "--json").ok().json()[1:]
    page = {key: value for part in parts for key, value in part.items()}
    assert page["parent"] == [{"run_id": parent, "job": JOB, "state": "finished"}]
    assert page["next"] == [f"pruned retry {child}", f"pruned discard {child}"]


@pytest.mark.check_all
@pytest.mark.parametrize("archived", [False, True])
def test_the_beginning_of_an_id_will_do(stored, archived):
    one = add_run(stored.database, "finished", archived=archived, run_id=uuid.UUID("aaaa1111-0000-4000-8000-000000000001"))
    add_run(stored.database, "finished", run_id=uuid.UUID("aaaa2222-0000-4000-8000-000000000002"))
    for prefix in ("aaaa1", "aaaa1111-0", "AAAA1"):
        assert stored.run("runs", prefix, "--json").ok().json()[0]["run_id"] == one
    for prefix in ("aaa", "aaaa"):
        says(stored.run("runs", prefix), 1, "several runs", one)
    for prefix in ("bbbb", "aaaa1'; --", "aaaa11110", "aaaa1111-0000-4000-8000-0000000000011"):
        says(stored.run("runs", prefix), 6, "no run")


@pytest.mark.check_all
def test_the_page_shows_what_failed_in_this_run(scene):
    """Also what had failed before; not what failed in another run."""
    job = "scratch.remove"
    fill(scene.database, 3)
    refuse_rows(scene.database, "OLD.id IN (1, 2)")
    scene.database.execute("INSERT INTO pruned.quarantine (job, item, reason, attempts, parked, first_at, next_try_at) VALUES "
                           "(%(job)s, 'scratch:1', 'x', 1, false, now() - interval '9 days', now() - interval '8 days'), "
                           "(%(job)s, 'scratch:9', 'x', 5, true, now() - interval '9 days', now() - interval '8 days')", {"job": job})
    scene.topics.tick(job, at := now(minutes=-1))
    scene.run_until_idle(settings={f"jobs.{job}.item_attempts": 2})

    def shown():
        parts = scene.run("runs", tick_id(job, at), "--json").ok().json()[1:]
        [items] = [part["quarantined"] for part in parts if "quarantined" in part]
        return [(item["item"], item["attempts"], item["parked"]) for item in items]

    assert sorted(shown()) == [("scratch:1", 2, True), ("scratch:2", 1, False)]
    scene.topics.tick(job, later := now(seconds=-1))
    scene.run_until_idle(settings={f"jobs.{job}.item_attempts": 2})
    scene.database.execute("UPDATE pruned.quarantine SET next_try_at = now() WHERE item = 'scratch:2'")
    at = later
    assert shown() == []


@pytest.mark.check_first(1)
@pytest.mark.parametrize("error", ["quiet hours 07:00-20:00 Europe/Berlin", "throttled: standby_lag: x", "bad luck"])
def test_what_comes_next_is_what_helps(stored, error):
    run = add_run(stored.database, "waiting", error=error)

    def following():
        return [part["next"] for part in stored.run("runs", run, "--json").ok().json()[1:] if "next" in part][0]

    retry = [f"pruned retry {run}"] if error == "bad luck" else []
    assert following() == [*retry, f"pruned discard {run}"]
    stored.run("pause", JOB).ok()
    assert following() == [f"pruned resume {JOB}", f"pruned discard {run}"]
    stored.run("stop").ok()
    assert following() == ["pruned go", f"pruned resume {JOB}", f"pruned discard {run}"]


def test_a_run_that_is_held_again_says_that_it_was_approved_for_less(stored):
    held = {"limit": "max_rows", "counted": 60, "approved": 30}
    add_run(stored.database, "held", error="held: 60 rows are above max_rows 20", held=json.dumps(held))
    assert table(stored, "--wide")[0]["result"] == "held: 60 rows are above max_rows 20, more than the 30 rows approved"


# --- status, again and again

@pytest.mark.check_all
@pytest.mark.parametrize("option", ["--watch=1", "--watch"])
def test_status_is_shown_again_and_again(stored, option):
    stored.run("topics", "--apply").ok()
    with open(stored.folder / "watch", "w") as out:
        watching = subprocess.Popen(stored.argv("status", option, "--json"), stdout=out, env=clean_environment())
    try:
        wait_until(lambda: (stored.folder / "watch").read_text().count("\n") >= 2, 30, "two times")
        stored.run("pause", JOB).ok()
        wait_until(lambda: JOB in (stored.folder / "watch").read_text().splitlines()[-1], 30, "what has changed")
    finally:
        watching.terminate()  # not SIGINT: a check that was started in the background ignores it
        assert watching.wait(10) == -signal.SIGTERM
    says(stored.run("status", "--watch=x"), 1, "--watch")
