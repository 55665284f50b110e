"""`pruned stop` and `pruned go`: while everything is stopped no process begins a step or calls a
store. Steps under way end; nothing is lost."""

import datetime
import re
import signal
import time

import pytest

from stack.process import wait_until
from support.exposition import Listening
from support.held_store import objects, store  # noqa: F401
from support.s3 import TICK
from support.scene import fill, now, result, send_tick, start
from support.slow import hold_rows, let_held_rows_go, quick_table, slow_table, wait_asleep

pytestmark = pytest.mark.built_in

JOB, WIDE, SLOT = "scratch.remove", "scratch.wide", "ci.delete_objects"
SAID = "Everything is stopped, until: pruned go"
GOES_ON = "No longer stopped; work goes on"


def stop(scene, *options):
    """Returns its output once all processes report that they have stopped."""
    [said] = scene.run("stop", *options, "--json").ok().json()
    assert all(process["stopped"] for process in said["processes"]), said
    return said


def step_of(scene, run_id):
    return (scene.run_row(run_id) or {"step": 0})["step"]


def wait_step(scene, run_id, least):
    wait_until(lambda: step_of(scene, run_id) >= least, 30, f"step {least} of {run_id}")


def slow_chain(scene, n=1):
    """Makes N daemons, and a run of 30 pages of 0.2 s each, which has begun. Returns them and its
    id."""
    fill(scene.database, 300)
    slow_table(scene.database, "scratch", 0.02)
    daemons = start(scene, n)
    run_id = send_tick(scene)
    wait_step(scene, run_id, 3)
    return daemons, run_id


def go_and_end(scene, run_id):
    """What is left of a slow chain goes at once."""
    quick_table(scene.database, "scratch")
    scene.run("go").ok()
    assert result(scene.wait_run(run_id, deadline_s=60))["removed"] == 300


def wait_parked(scene, run_id):
    """The run has come to its fence, and waits there. Its row."""
    row = scene.wait_run(run_id, "waiting")
    assert (row["attempts"], row["error"]) == (0, None) and row["due_at"] <= row["changed_at"]
    return row


@pytest.mark.check_all
def test_a_chain_in_one_of_two_processes_stops_and_goes_on(new_scene):
    scene = new_scene()
    daemons, run_id = slow_chain(scene, 2)
    said = stop(scene, "--reason", "too many")
    for daemon in daemons:
        assert "stopped" in daemon.wait_line(SAID, reason="too many")["message"]
    assert said["stop"]["reason"] == "too many" and sorted(p["pid"] for p in said["processes"]) == sorted(d.pid for d in daemons)
    step = wait_parked(scene, run_id)["step"]
    other = send_tick(scene, WIDE, {"n": 1})
    wait_parked(scene, other)  # its tick has become a row
    assert step_of(scene, run_id) == step and scene.run_row(other)["step"] == 0
    go_and_end(scene, run_id)
    for daemon in daemons:
        daemon.wait_line(GOES_ON)
    assert scene.wait_run(other)["state"] == "finished"
    assert all(not daemon.lines(level="error") for daemon in daemons)


@pytest.mark.check_all
def test_everybody_sees_it(new_scene):
    http = Listening()
    scene = new_scene({"http.listen": http.listen})
    [daemon] = start(scene)
    assert scene.run("status", "--json").json()[0]["stop"] is None
    wait_until(lambda: http.metrics()["pruned_stopped"] == 0, 10, "0")
    stop(scene, "--reason", "look")
    said = scene.run("status", "--json").json()[0]["stop"]
    assert set(said) == {"since", "by", "reason"} and said["reason"] == "look" and "pruned" in said["by"]
    assert abs(datetime.datetime.fromisoformat(said["since"]) - now()) < datetime.timedelta(minutes=5)
    wait_until(lambda: http.metrics()["pruned_stopped"] == 1, 10, "1")
    for command in ("status", "jobs"):
        assert re.match("Everything is stopped since .*: look; go on with: pruned go\n", scene.run(command).stdout)
    [finding] = [f for f in scene.run("doctor", "--json").json() if f["check"] == "stopped"]
    assert not finding["ok"] and finding["remedy"] == "pruned go"
    assert "stopped" in daemon.wait_line(SAID)["message"]
    assert "pruned go" in scene.run("tick", JOB, "--wait=1").stderr
    scene.run("go").ok()
    assert scene.run("status", "--json").json()[0]["stop"] is None
    wait_until(lambda: http.metrics()["pruned_stopped"] == 0, 10, "0")
    http.close()


def test_twice_is_once(stored):
    assert stored.run("go", "--json").ok().json() == [{"stop": None, "ended": None}]
    [first] = stored.run("stop", "--reason", "one", "--json").ok().json()
    [second] = stored.run("stop", "--json").ok().json()
    assert first == second and first["processes"] == first["runs"] == []
    [third] = stored.run("stop", "--reason", "two", "--json").ok().json()
    assert third["stop"] == first["stop"] | {"reason": "two"}
    [fourth] = stored.run("stop", "--json", settings={"postgres.url": stored.database.url}).ok().json()
    assert fourth["stop"] == third["stop"]
    [fifth] = stored.run("stop", "--reason", "three", "--json", settings={"postgres.url": stored.database.url}).ok().json()
    by = fifth["stop"]["by"]
    assert by.startswith("postgres (") and not first["stop"]["by"].startswith("postgres (")
    assert fifth["stop"] == first["stop"] | {"reason": "three", "by": by}
    assert stored.run("go", "--json").ok().json() == [{"stop": None, "ended": fifth["stop"]}]
    stored.run("go").ok()


def test_a_step_that_runs_ends(scene):
    fill(scene.database, 30)
    hold_rows(scene.database, "true")
    start(scene)
    run_id = send_tick(scene)
    wait_asleep(scene.database)
    said = stop(scene)
    assert said["runs"] == [{"run_id": run_id, "job": JOB, "step": 0}] and said["processes"][0]["running"] == [run_id]
    let_held_rows_go(scene.database)
    row = wait_parked(scene, run_id)
    assert row["step"] == 1 and scene.database.value("SELECT count(*) FROM scratch") == 20
    wait_until(lambda: stop(scene)["runs"] == [], 10, "no step under way")
    scene.run("go").ok()
    assert result(scene.wait_run(run_id))["removed"] == 30


@pytest.mark.check_first(1)
@pytest.mark.parametrize("held_by", ["a statement", "a lock"])
def test_a_step_is_cancelled_at_once_and_not_charged(scene, held_by):
    fill(scene.database, 30)
    start(scene)
    with scene.database.connect() as other:
        other.autocommit = False
        if held_by == "a lock":
            other.execute("SELECT FROM scratch FOR UPDATE")
        else:
            hold_rows(scene.database, "true")
        run_id = send_tick(scene)
        if held_by == "a lock":
            scene.database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
        else:
            wait_asleep(scene.database)
        said = stop(scene, "--now")
        assert said["runs"] == [] and scene.database.value("SELECT count(*) FROM scratch") == 30
        assert said["cancelled"] == [{"run_id": run_id, "job": JOB, "step": 0}]
        row = wait_parked(scene, run_id)
        assert row["step"] == 0
        other.rollback()
    if held_by != "a lock":
        let_held_rows_go(scene.database)
    scene.run("go").ok()
    row = scene.wait_run(run_id)
    assert (row["attempts"], result(row)["removed"]) == (0, 30)


@pytest.mark.check_all
def test_a_process_that_does_not_say_that_it_has_stopped(scene):
    [daemon] = start(scene)
    wait_until(lambda: scene.run("processes", "--json").ok().json(), 30, "the process")
    daemon.send(signal.SIGSTOP)
    try:
        done = scene.run("stop", "--json")
        assert done.code == 8 and "1 of 1 process has not confirmed" in done.stderr
        assert [process["stopped"] for process in done.json()[0]["processes"]] == [False]
    finally:
        daemon.send(signal.SIGCONT)
    assert scene.run("stop", "--json").ok().json()[0]["cancelled"] == []
    scene.run("go").ok()


def test_a_stop_becomes_one_that_cancels(scene):
    fill(scene.database, 5)
    hold_rows(scene.database, "true")
    start(scene)
    run_id = send_tick(scene)
    wait_asleep(scene.database)
    assert [run["run_id"] for run in stop(scene)["runs"]] == [run_id]
    assert stop(scene, "--now")["runs"] == []
    assert wait_parked(scene, run_id)["step"] == 0 and scene.database.value("SELECT count(*) FROM scratch") == 5


@pytest.mark.check_all
def test_a_backlog_becomes_rows(scene):
    stop(scene)
    start(scene)
    for n in range(300):
        scene.topics.tick(WIDE, now(minutes=-1), {"n": n})
    waiting = "SELECT count(*) FROM pruned.runs WHERE state = 'waiting'"
    scene.database.wait(waiting, until=300)
    assert scene.database.value("SELECT count(*) FROM scratch_log") == 0
    scene.run("go").ok()
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'finished'", until=300, deadline_s=60)


def test_ticks_that_overlap_meanwhile_are_skipped_as_in_a_pause(scene):
    fill(scene.database, 5)
    stop(scene)
    start(scene)
    first, second = send_tick(scene, minutes=-2), send_tick(scene, minutes=-1)
    for run_id in (first, second):
        wait_parked(scene, run_id)
    scene.run("go").ok()
    assert result(scene.wait_run(first))["removed"] == 5
    assert scene.wait_run(second)["error"] == f"overlaps {first}"


@pytest.mark.check_all
def test_killed_while_stopped(new_scene):
    scene = new_scene().run_at_once(1)
    [daemon], run_id = slow_chain(scene)
    stop(scene)
    step = wait_parked(scene, run_id)["step"]
    daemon.kill()
    [daemon] = start(scene)
    daemon.wait_line(SAID)
    wait_parked(scene, send_tick(scene, WIDE, {"n": 1}))
    assert step_of(scene, run_id) == step
    go_and_end(scene, run_id)


@pytest.mark.check_all
def test_an_idle_end_does_not_wait_for_it(scene):
    fill(scene.database, 5)
    run_id = send_tick(scene)
    stop(scene)
    scene.run_until_idle()
    wait_parked(scene, run_id)
    scene.run("go").ok()
    scene.run_until_idle()
    assert result(scene.run_row(run_id))["removed"] == 5


@pytest.mark.check_all
def test_without_kafka(own_kafka, new_scene):
    """The stop holds at once, and no process begins a step when Kafka is back."""
    scene = new_scene({"kafka.session.timeout.ms": 60000}, bootstrap=own_kafka.bootstrap)
    [daemon], run_id = slow_chain(scene)
    own_kafka.kill()
    daemon.wait_line(re.compile("Kafka degraded|Publishing waits for Kafka"))
    stop(scene)
    step = step_of(scene, run_id)
    assert scene.run_row(run_id)["state"] in ("ready", "waiting")
    own_kafka.start()
    scene.topics.wait_for_groups()
    wait_parked(scene, send_tick(scene, WIDE, {"n": 1}))
    assert step_of(scene, run_id) == step
    go_and_end(scene, run_id)


@pytest.mark.check_all
@pytest.mark.parametrize("how", ["stop", "kill"])
def test_postgres_comes_back(own_postgres, new_scene, how):
    scene = new_scene(server=own_postgres)
    [daemon], run_id = slow_chain(scene)
    stop(scene)
    step = wait_parked(scene, run_id)["step"]
    scene.database.close()
    getattr(own_postgres, how)()
    daemon.wait_line("PostgreSQL does not answer (ticks, events and runs wait)")
    own_postgres.start()
    wait_parked(scene, send_tick(scene, WIDE, {"n": 1}))
    assert step_of(scene, run_id) == step
    go_and_end(scene, run_id)


# --- stores


@pytest.mark.check_all
@pytest.mark.parametrize("option", [[], ["--now"]])
def test_nothing_more_is_sent_to_a_store(objects, store, option):  # noqa: F811
    one = objects(200)
    scene = one.pruned
    start(scene)
    scene.run("tick", TICK).ok()
    wait_until(lambda: store.deletes() > 0, 30, "a delete")
    said, run_id = stop(scene, *option), str(one.run()["run_id"])
    assert said["runs"] == ([] if option else [{"run_id": run_id, "job": SLOT, "step": 0}])
    store.go_on.set()
    row = wait_parked(scene, run_id)
    sent = store.deletes()  # --now does not wait for their answers
    assert sent < 200 and row["step"] == 1 and len(one.left()) == (200 if option else 200 - sent)
    # leases are given back
    assert one.database.value("SELECT count(*) FROM ci_deleted_objects WHERE pick_up_at > now()") == 0
    wait_parked(scene, send_tick(scene, WIDE, {"n": 1}))
    assert store.deletes() == sent
    scene.run("go").ok()
    one.database.wait("SELECT count(*) FROM ci_deleted_objects", until=0)
    assert one.run()["attempts"] == 0


@pytest.mark.check_all
def test_a_store_is_left_alone_when_nobody_can_ask_postgres(own_postgres, objects, store):  # noqa: F811
    """It may have been stopped meanwhile."""
    one = objects(200, server=own_postgres)
    scene = one.pruned
    [daemon] = start(scene)
    scene.run("tick", TICK).ok()
    wait_until(lambda: store.deletes() > 0, 30, "a delete")
    one.database.close()
    own_postgres.kill()
    daemon.wait_line("PostgreSQL does not answer (ticks, events and runs wait)")
    began = time.monotonic()
    wait_until(lambda: time.monotonic() - began > 1.5, 10, "the time that was allowed is over")
    under_way = store.deletes()
    store.go_on.set()
    own_postgres.start()
    assert daemon.wait_line("Finished", job=SLOT)["updated_rows"] <= under_way < 200
    one.database.wait("SELECT count(*) FROM ci_deleted_objects", until=0, deadline_s=60)
