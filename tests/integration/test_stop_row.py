"""`stop` and `pause` are rows: all processes obey them within two seconds, whoever writes them, and
everybody who looks is told."""

import json
import os
import re

import pytest

from stack.process import patient
from support.scene import fill, now, result, send_tick, start
from support.screen import Screen, on_a_terminal
from support.slow import hold_rows, let_held_rows_go, quick_table, slow_table, wait_asleep
from support.two import JOB, SETTINGS, STEPS, Two
from support.topics import rfc3339

CHAIN, WIDE = "scratch.remove", "scratch.wide"
ROWS, RUNS = 40, 8
SAID, GOES_ON = "Everything is stopped, until: pruned go", "No longer stopped; work goes on"
LIVE = r"\r\x1b\[K\x1b\[\?7l"  # a line that replaces the one before
RED = r"\x1b\[(?:1;)?31m"
BY_HAND = "UPDATE pruned.stop SET stopped = true"


@pytest.fixture
def pair(new_scene):
    """Eight runs of pages of 0.1 s in two processes, of which some have been done."""
    made = Two(new_scene(SETTINGS | {f"jobs.{JOB}.batch": 1}))
    made.database.connection.execute(STEPS)
    slow_table(made.database, "scratch", 0.1)
    made.add(ROWS)
    made.run_ids = made.send(RUNS)
    made.database.wait("SELECT count(*) FROM public.steps", until=lambda n: n >= 30)
    return made


def assert_nothing_begins(pair, since):
    """Two seconds after the row was written no step commits, and no step has begun since. Both
    processes have work all the time."""
    pair.database.wait("SELECT clock_timestamp() > %s::timestamptz + interval '3 s'", [since])
    began, ended = pair.database.row("SELECT extract(epoch FROM max(began_at) - %(since)s)::float8 AS began, "
                                     "extract(epoch FROM max(ended_at) - %(since)s)::float8 AS ended FROM public.steps", {"since": since}).values()
    assert began < 2 and ended < patient(2), f"a step began {began} s after, one ended {ended} s after"
    gone = pair.gone(pair.run_ids)
    assert 0 < sum(gone) < ROWS * RUNS, "some have been done, and some are left"
    assert {(row["state"], row["attempts"]) for row in pair.wait(pair.run_ids, "waiting", "finished")} <= {("waiting", 0), ("finished", 0)}
    assert all(daemon.running for daemon in pair.daemons)


def assert_all_go_on(pair):
    for row in pair.wait(pair.run_ids):
        assert (row["state"], row["attempts"], result(row)["removed"]) == ("finished", 0, ROWS)
    assert pair.gone(pair.run_ids) == [ROWS] * RUNS
    assert not any(daemon.lines(level="error") for daemon in pair.daemons)


# --- within two seconds, as the tables show it

@pytest.mark.check_all
def test_no_step_is_committed_two_seconds_after_a_stop(pair):
    pair.scene.run("stop").ok()
    assert_nothing_begins(pair, pair.database.value("SELECT since FROM pruned.stop"))
    quick_table(pair.database, "scratch")
    pair.scene.run("go").ok()
    assert_all_go_on(pair)


@pytest.mark.check_all
@pytest.mark.parametrize("by_hand", [False, True])
def test_no_step_is_committed_two_seconds_after_a_pause(pair, by_hand):
    if by_hand:
        pair.database.execute("INSERT INTO pruned.controls (job, paused) VALUES (%s, true)", [JOB])
    else:
        pair.scene.run("pause", JOB).ok()
    assert_nothing_begins(pair, pair.database.value("SELECT changed_at FROM pruned.controls"))
    # others go on
    assert pair.scene.wait_run(send_tick(pair.scene, WIDE, {"n": 1}))["state"] == "finished"
    quick_table(pair.database, "scratch")
    pair.scene.run("resume", JOB).ok()
    assert_all_go_on(pair)


@pytest.mark.check_all
@pytest.mark.parametrize("row", [
    f"{BY_HAND}, since = clock_timestamp(), by = 'an older version', reason = 'by hand'", BY_HAND,
    "DELETE FROM pruned.stop; INSERT INTO pruned.stop (stopped) VALUES (true)"])
def test_a_row_that_another_version_or_a_person_writes_is_obeyed(pair, row):
    """This also holds for a row without a time and a name."""
    pair.database.connection.execute(row)
    assert_nothing_begins(pair, pair.database.value("SELECT clock_timestamp()"))
    for daemon in pair.daemons:
        assert len(daemon.lines(SAID)) == 1, "it is said once"
        assert not daemon.lines("Cannot read whether everything is stopped; will retry")
    assert pair.scene.run("status", "--json").json()[0]["stop"] is not None
    [finding] = [f for f in pair.scene.run("doctor", "--json").json() if f["check"] == "stopped"]
    assert not finding["ok"] and finding["remedy"] == "pruned go"
    # the command sees the row that is there already
    [said] = pair.scene.run("stop", "--reason", "mine", "--json").ok().json()
    assert said["stop"]["since"] is not None and said["stop"]["by"] and said["stop"]["reason"] == "mine"
    assert sorted(p["pid"] for p in said["processes"] if p["stopped"]) == sorted(d.pid for d in pair.daemons)
    quick_table(pair.database, "scratch")
    pair.database.execute("UPDATE pruned.stop SET stopped = false")
    for daemon in pair.daemons:
        daemon.wait_line(GOES_ON)
    assert_all_go_on(pair)


@pytest.mark.check_all
def test_a_row_by_hand_cancels_what_runs(scene):
    fill(scene.database, 5)
    hold_rows(scene.database, "true")
    start(scene, 2)
    run_id = send_tick(scene, CHAIN)
    wait_asleep(scene.database)
    scene.database.execute(f"{BY_HAND}, cancel = true")
    row = scene.wait_run(run_id, "waiting")
    assert (row["step"], row["attempts"], scene.database.value("SELECT count(*) FROM scratch")) == (0, 0, 5)
    let_held_rows_go(scene.database)
    scene.run("go").ok()
    assert result(scene.wait_run(run_id))["removed"] == 5


@pytest.mark.check_all
def test_a_stop_while_two_processes_take_in_a_backlog(scene):
    """All ticks become rows meanwhile. What was done before stays done, and nothing is done
    twice."""
    number, done = 400, "SELECT count(*) FROM scratch_log"
    start(scene, 2)
    scene.topics.produce_many("ticks", [(WIDE, json.dumps(
        {"job": WIDE, "scheduled_at": rfc3339(now(minutes=-1)), "args": {"n": n}}).encode()) for n in range(number)])
    scene.database.wait(done, until=lambda n: n >= 5)
    scene.run("stop").ok()
    before = scene.database.value(done)
    scene.database.wait("SELECT count(*) FROM pruned.runs", until=number)
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'ready'", until=0)
    assert 5 <= before == scene.database.value(done) < number
    assert scene.database.value("SELECT count(*) FROM pruned.runs WHERE state = 'waiting' AND attempts = 0 AND step = 0") == number - before
    scene.run("go").ok()
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'finished'", until=number, deadline_s=60)
    assert scene.database.value(done) == number


@pytest.mark.check_first(1)
@pytest.mark.parametrize("command, taken_back", [("stop", "go"), (f"pause {CHAIN}", f"resume {CHAIN}")])
def test_it_works_while_the_new_schema_is_not_there_yet(scene, command, taken_back):
    """A new program is installed, and `pruned migrate` has not run."""
    scene.database.execute("DELETE FROM pruned.schema_version WHERE version > 25")
    scene.run(*command.split()).ok()
    column, table = ("stopped", "stop") if command == "stop" else ("paused", "controls")
    assert scene.database.value(f"SELECT {column} FROM pruned.{table}") is True
    scene.run(*taken_back.split()).ok()
    assert scene.database.value(f"SELECT {column} FROM pruned.{table}") is False
    assert scene.run("quarantine").code == 3


# --- it is shown

@pytest.mark.check_first(1)
@pytest.mark.parametrize("command", ["jobs", "status"])
def test_the_first_line_on_a_terminal_is_red(stored, command):
    stored.run("stop", "--reason", "look").ok()
    _, shown, _ = on_a_terminal(stored, None, command)
    first = shown.splitlines()[0]
    assert re.fullmatch(rf"{RED}Everything is stopped since .* by .*: look; go on with: pruned go\x1b\[0m", first), shown
    stored.run("go").ok()
    _, shown, _ = on_a_terminal(stored, None, command)
    assert "Everything is stopped" not in shown


def test_the_live_line_begins_with_it_in_red(scene):
    screen = Screen()
    (scene.folder / "daemon-1.log").touch()  # nothing is written to it
    with os.fdopen(os.dup(screen.theirs), "wb") as out:
        daemon = scene.start(settings={"log.format": "text"}, out=out)
    screen.wait(re.compile(rf"{LIVE} *[0-9.]+ s "))
    scene.run("stop").ok()
    screen.wait(re.compile(rf"{LIVE}{RED}stopped \(pruned go\)\x1b\[0m +[0-9.]+ s "))
    scene.run("go").ok()
    screen.wait(re.compile(rf"stopped \(pruned go\).*{GOES_ON}.*{LIVE} *[0-9.]+ s ", re.DOTALL))
    assert daemon.stop() == 0
    screen.close()
