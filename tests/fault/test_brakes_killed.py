"""Limits hold when processes die, and for any number of processes."""

import signal

import pytest

from stack.process import wait_until
from support.scene import fill, now, result, send_tick
from support.two import JOB as NAMED
from support.two import SETTINGS, Two

pytestmark = pytest.mark.built_in

JOB = "scratch.remove"


@pytest.fixture
def scene(new_scene):
    return new_scene({f"jobs.{JOB}.max_rows": 20}).with_faults()


def killed_at(scene, point):
    assert scene.start(environment={"PRUNED_FAULT": f"{point}:kill"}).wait(90) == -9


@pytest.mark.parametrize("point", ["step.after_effects", "brakes.counted", "step.before_commit", "brakes.held"])
def test_a_run_is_held_once_whenever_its_process_dies(scene, point):
    fill(scene.database, 30)
    run_id = send_tick(scene)
    killed_at(scene, point)
    scene.start()
    assert scene.wait_run(run_id, "held", deadline_s=60)["error"] == "held: 30 rows are above max_rows 20"
    said = wait_until(lambda: scene.topics.outcomes("RunHeld"), 30, "RunHeld")
    assert len({m.headers["ce_id"] for m in said}) == 1
    assert scene.database.value("SELECT count(*) FROM scratch") == 30


@pytest.mark.parametrize("point", ["step.after_effects", "step.before_commit", "step.after_commit"])
def test_an_approved_run_is_done_once_whenever_its_process_dies(scene, point):
    fill(scene.database, 30)
    first = scene.start()
    run_id = send_tick(scene)
    scene.wait_run(run_id, "held")
    first.stop()
    scene.run("approve", run_id).ok()
    killed_at(scene, point)
    scene.start()
    row = scene.wait_run(run_id, deadline_s=60)
    assert (result(row)["removed"], row["rows_done"]) == (30, 30)
    assert scene.database.value("SELECT count(*) FROM scratch") == 0


@pytest.mark.check_all
@pytest.mark.parametrize("point", ["brakes.counted", "brakes.held"])
def test_one_of_two_processes_dies_between_the_count_and_the_first_page(new_scene, point):
    """The other one counts these runs again, and holds them."""
    scene = new_scene(SETTINGS | {f"jobs.{NAMED}.max_rows": 20}).with_faults(at_once=2)
    pair = Two(scene, f"{point}:kill")
    pair.add(30)
    run_ids = pair.send()
    assert pair.daemons[0].wait(90) == -9
    assert {row["error"] for row in pair.wait(run_ids, "held")} == {"held: 30 rows are above max_rows 20"}
    scene.run("approve", run_ids[0]).ok()
    assert pair.wait(run_ids[:1])[0]["rows_done"] == 30
    assert pair.gone(run_ids) == [30] + [0] * (len(run_ids) - 1)
    wait_until(lambda: len({m.headers["ce_id"] for m in scene.topics.outcomes("RunHeld")}) == len(run_ids), 60, "RunHeld of each")


@pytest.mark.check_all
def test_two_processes_remove_no_more_in_a_day_than_the_limit(new_scene):
    scene = new_scene({"jobs.scratch.one.max_rows_per_day": 10})
    fill(scene.database, 40)
    for name in ("one", "another"):
        scene.start(name=name).wait_line("Partitions assigned")
    for key in range(1, 41):
        scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": key}, ce_time=now())
    wait_until(lambda: scene.database.value("SELECT count(*) FROM pruned.runs WHERE state IN ('finished', 'held') AND job = 'scratch.one'") == 40,
               90, "all runs have ended or are held")
    assert scene.database.value("SELECT count(*) FROM scratch") == 30
    assert scene.database.column("SELECT DISTINCT error FROM pruned.runs WHERE state = 'held'") == ["held: 1 row after 10 today is above max_rows_per_day 10"]


@pytest.mark.check_all
def test_four_fast_processes_remove_no_more_in_a_day_than_the_limit(new_scene):
    """Each could remove the rest of the day alone while it remembers what the others had done."""
    most, number = 900, 2000
    scene = new_scene({"jobs.scratch.one.max_rows_per_day": most, "jobs.scratch.one.batch": 1, "jobs.scratch.one.capacity": 4})
    fill(scene.database, number)
    for name in ("one", "two", "three", "four"):
        scene.start(name=name).wait_line("Partitions assigned")
    for key in range(1, number + 1):
        scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": key}, key=str(key), ce_time=now(minutes=-1))
    wait_until(lambda: scene.database.value("SELECT count(*) FROM pruned.runs WHERE state IN ('finished', 'held') AND job = 'scratch.one'") == number,
               120, "all runs have ended or are held")
    assert scene.database.value("SELECT count(*) FROM scratch") == number - most


@pytest.mark.parametrize("point", ["day.taken:kill:3", "step.after_commit:kill:5"])
def test_rows_that_a_killed_process_has_taken_are_there_again(new_scene, point):
    """It dies with rows that it has not committed, or with the allowance that it was given."""
    most, number = 30, 50
    scene = new_scene({"jobs.scratch.one.max_rows_per_day": most, "jobs.scratch.one.batch": 1, "jobs.scratch.one.capacity": 2}).with_faults()
    fill(scene.database, number)
    for key in range(1, number + 1):
        scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": key}, key=str(key), ce_time=now(minutes=-1))
    assert scene.start(environment={"PRUNED_FAULT": point}).wait(90) == -9
    assert scene.database.value("SELECT count(*) FROM scratch") > number - most
    scene.start()
    wait_until(lambda: scene.database.value("SELECT count(*) FROM pruned.runs WHERE state IN ('finished', 'held') AND job = 'scratch.one'") == number,
               90, "all runs have ended or are held")
    assert scene.database.value("SELECT count(*) FROM scratch") == number - most


# --- while a run waits between two pages

def wait_between_pages(scene):
    """The id of a run that waits behind its first page."""
    run_id = send_tick(scene)
    scene.wait_run(run_id, "waiting", deadline_s=60)
    assert scene.run_row(run_id)["step"] == 1
    return run_id


# said by a daemon's first look
LOOKED = "Thresholds are off, because this role may not see what they need"


def due_now(scene, run_id):
    scene.database.execute("UPDATE pruned.runs SET due_at = clock_timestamp() WHERE run_id = %s AND state = 'waiting'", [run_id])


@pytest.fixture
def chain(new_scene):
    """Pages of ten, and a long pause behind each."""
    scene = new_scene({f"jobs.{JOB}.delay_ms": 3600000}).run_at_once(1)
    fill(scene.database, 15)
    return scene


@pytest.mark.parametrize("point", ["step.after_effects", "brakes.counted", "brakes.held"])
def test_a_run_whose_approval_has_ended_is_held_once_whenever_its_process_dies(chain, point):
    chain.with_faults()
    chain.settings[f"jobs.{JOB}.max_rows"] = 20
    fill(chain.database, 15, first=16)
    daemon = chain.start()
    run_id = send_tick(chain)
    chain.wait_run(run_id, "held")
    chain.run("approve", run_id).ok()
    assert chain.wait_run(run_id, "waiting")["rows_done"] == 10
    assert daemon.stop() == 0
    chain.database.execute("UPDATE pruned.runs SET approved_until = approved_until - interval '24 hours'")
    due_now(chain, run_id)
    killed_at(chain, point)
    chain.start()
    row = chain.wait_run(run_id, "held", "finished", deadline_s=60)
    assert (row["error"], row["rows_done"], row["approved_until"]) == ("held: 30 rows are above max_rows 20", 10, None)
    assert chain.database.value("SELECT count(*) FROM scratch") == 20
    wait_until(lambda: len({m.headers["ce_id"] for m in chain.topics.outcomes("RunHeld")}) == 2, 30, "RunHeld, for the second time")


def waits_and_is_killed(scene, daemon, run_id, reason):
    """The run waits for REASON; its process dies; the next one makes it wait, too."""
    due_now(scene, run_id)
    scene.database.wait("SELECT error FROM pruned.runs WHERE run_id = %s", [run_id], until=lambda error: (error or "").startswith(reason))
    assert daemon.kill() == -9
    later = scene.start()
    later.wait_line("Partitions assigned", deadline_s=60)
    later.wait_line(LOOKED)
    due_now(scene, run_id)
    return later


def assert_goes_on(scene, run_id):
    due_now(scene, run_id)
    row = scene.wait_run(run_id, deadline_s=60)
    assert (row["state"], row["attempts"], row["step"], result(row)["removed"]) == ("finished", 0, 2, 15)
    assert scene.database.value("SELECT count(*) FROM scratch") == 0
    assert scene.database.value("SELECT sum(jsonb_array_length(keys)) FROM pruned.deletions") == 15


def test_a_process_that_dies_during_quiet_hours(chain):
    daemon = chain.start()
    run_id = wait_between_pages(chain)
    begin, end = (f"{now(minutes=m):%H:%M}" for m in (-60, 60))
    chain.configuration.write_text(f"[jobs.{JOB}]\nnot_between = {begin}-{end} UTC\n")
    daemon.send(signal.SIGHUP)
    daemon.wait_line("Configuration reloaded")
    later = waits_and_is_killed(chain, daemon, run_id, "quiet hours until ")
    later.wait_line("Quiet hours; runs wait for their end")
    assert chain.database.value("SELECT count(*) FROM scratch") == 5
    chain.configuration.write_text("")
    later.send(signal.SIGHUP)
    later.wait_line("Configuration reloaded")
    assert_goes_on(chain, run_id)


@pytest.mark.check_all
def test_a_process_that_dies_while_it_is_throttled(chain):
    daemon = chain.start()
    run_id = wait_between_pages(chain)
    daemon.stop()
    with chain.database.connect() as vacuum:  # the lock of a vacuum
        vacuum.autocommit = False
        vacuum.execute("LOCK TABLE scratch IN SHARE UPDATE EXCLUSIVE MODE")
        daemon = chain.start()
        daemon.wait_line(LOOKED)
        later = waits_and_is_killed(chain, daemon, run_id, "throttled: lock_waiters")
        later.wait_line("Throttled; runs wait between pages", job=JOB)
        assert chain.database.value("SELECT count(*) FROM scratch") == 5
        vacuum.rollback()
    later.wait_line("No longer throttled", job=JOB)
    assert_goes_on(chain, run_id)
