"""`stop` while two processes send deletes to a slow store, and while PostgreSQL goes away under two
processes."""

import threading

import pytest

from stack.process import wait_until
from support.held_store import objects, store  # noqa: F401
from support.s3 import TICK
from support.scene import result, send_tick, start
from support.slow import quick_table, slow_table
from support.two import JOB, RUNS, SETTINGS, STEPS, Two

pytestmark = pytest.mark.built_in

SLOT, SLOTS, LISTED = "ci.delete_objects", 4, 400
LEASED = "SELECT count(*) FROM ci_deleted_objects WHERE pick_up_at > now()"
SAID, AWAY = "Everything is stopped, until: pruned go", "PostgreSQL does not answer (ticks, events and runs wait)"
ROWS = 40


# --- errands to a store

@pytest.fixture
def errands(objects, store):  # noqa: F811
    """Four slots of a hundred objects in two processes, each of which waits for the store."""
    one = objects(LISTED, {f"jobs.{SLOT}.capacity": SLOTS})
    one.daemons = start(one.pruned, 2)
    one.pruned.run("tick", TICK).ok()
    for daemon in one.daemons:
        daemon.wait_line("Started", job=SLOT)
    one.database.wait(LEASED, until=LISTED)
    wait_until(lambda: store.deletes() >= 5, 30, "deletes")
    return one


def runs(one):
    return one.database.rows("SELECT * FROM pruned.runs WHERE job = %s ORDER BY slot", [SLOT])


@pytest.mark.check_all
@pytest.mark.parametrize("option", [[], ["--now"]])
def test_no_process_sends_a_delete_two_seconds_after_a_stop(errands, store, option):  # noqa: F811
    run, done = errands.pruned.run, []
    stop = threading.Thread(target=lambda: done.append(run("stop", *option, "--json")))
    stop.start()
    errands.database.wait("SELECT stopped FROM pruned.stop")
    store.slow_s = 0.5
    store.go_on.set()
    stop.join()
    [said] = done[0].ok().json()
    assert sorted(p["pid"] for p in said["processes"] if p["stopped"]) == sorted(daemon.pid for daemon in errands.daemons)
    since = errands.database.value("SELECT extract(epoch FROM since)::float8 FROM pruned.stop")
    errands.database.wait("SELECT extract(epoch FROM clock_timestamp()) > %s", [since + 3])
    last = max(store.came_at) - since
    assert last < 2, f"a delete came {last} s after"
    wait_until(lambda: {row["state"] for row in runs(errands)} == {"waiting"}, 30, "each run waits")
    sent, left = store.deletes(), len(errands.left())
    assert 0 < sent < LISTED and LISTED - sent <= left and errands.database.value(LEASED) == 0, "leases are given back"
    assert {(row["attempts"], row["error"]) for row in runs(errands)} == {(0, None)}
    assert errands.database.value("SELECT count(*) FROM pruned.quarantine") == 0
    store.slow_s = 0
    run("go").ok()
    errands.database.wait("SELECT count(*) FROM ci_deleted_objects", until=0)
    wait_until(lambda: {(row["state"], row["attempts"]) for row in runs(errands)} == {("finished", 0)}, 30, "each run ends")
    assert len(set(store.deleted())) == LISTED and sum(row["rows_done"] or 0 for row in runs(errands)) == LISTED
    audit = errands.database.column("SELECT jsonb_array_elements(keys)::bigint FROM pruned.deletions WHERE table_name = 'ci_deleted_objects'")
    assert len(audit) == len(set(audit)) == LISTED
    assert not any(daemon.lines(level="error") for daemon in errands.daemons)


# --- PostgreSQL ends

@pytest.fixture
def pair(own_postgres, new_scene):
    """Eight runs of pages of 0.1 s in two processes, of which some have been done."""
    made = Two(new_scene(SETTINGS | {f"jobs.{JOB}.batch": 1}, server=own_postgres))
    made.database.connection.execute(STEPS)
    slow_table(made.database, "scratch", 0.1)
    made.add(ROWS)
    made.run_ids = made.send()
    made.database.wait("SELECT count(*) FROM public.steps", until=lambda n: n >= 30)
    return made


def by_command(pair):
    pair.scene.run("stop").ok()


def by_command_that_cancels(pair):
    pair.scene.run("stop", "--now").ok()


def by_a_row(pair):
    """PostgreSQL ends before any process has read it."""
    pair.database.execute("UPDATE pruned.stop SET stopped = true")


@pytest.mark.check_all
@pytest.mark.parametrize("stop", [by_command, by_command_that_cancels, by_a_row])
def test_no_process_begins_a_step_when_postgres_is_back_after_a_stop(pair, own_postgres, stop):
    stop(pair)
    pair.database.close()
    own_postgres.kill()
    for daemon in pair.daemons:
        daemon.wait_line(AWAY)
    own_postgres.start()
    for daemon in pair.daemons:
        daemon.wait_line(SAID)
    gone = pair.gone(pair.run_ids)
    assert 0 < sum(gone) < ROWS * RUNS
    # they become rows
    later = [send_tick(pair.scene, JOB, {"first": n * 1000 + 1, "last": n * 1000 + 1}) for n in range(100, 100 + RUNS)]
    assert {row["attempts"] for row in pair.wait(pair.run_ids + later, "waiting", "finished")} == {0}
    assert {row["step"] for row in map(pair.scene.run_row, later)} == {0}
    assert pair.database.value("SELECT count(*) FROM public.steps WHERE ended_at > pg_postmaster_start_time()") == 0
    assert pair.gone(pair.run_ids) == gone
    quick_table(pair.database, "scratch")
    pair.scene.run("go").ok()
    for row in pair.wait(pair.run_ids):
        assert (row["state"], row["attempts"], result(row)["removed"]) == ("finished", 0, ROWS)
    assert pair.gone(pair.run_ids) == [ROWS] * RUNS
    assert {row["state"] for row in pair.wait(later)} == {"finished"}
    assert all(daemon.running for daemon in pair.daemons) and not any(daemon.lines(level="error") for daemon in pair.daemons)
