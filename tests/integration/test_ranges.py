"""`ranges`: a run divides its rows by its cursor and works in several lanes. Outside it is one."""

import collections

import pytest

from stack.process import wait_until
from support.command_line import add_run
from support.places import ROLE
from support.scene import fill, refuse_rows, result, send_tick

JOB = "scratch.remove"
RANGES = {f"jobs.{JOB}.ranges": 4, f"jobs.{JOB}.approve": "never"}
INSIDE = "SELECT count(*) FROM pruned.runs WHERE range_of IS NOT NULL"


def left(scene):
    return scene.database.value("SELECT count(*) FROM scratch")


def audited(scene, run_id):
    """Each removed key, and the rows of each step."""
    rows = scene.database.rows("SELECT step, keys FROM pruned.deletions WHERE run_id = %s", [run_id])
    assert len({row["step"] for row in rows}) == len(rows)
    return sorted(key for row in rows for key in row["keys"]), {row["step"]: len(row["keys"]) for row in rows}


def by_range(steps):
    found = collections.Counter()
    for step, rows in steps.items():
        found[step // 100_000_000] += rows
    return found


def check_whole(scene, run_id, rows):
    """Everything happened once, and nothing shows the ranges."""
    row = scene.run_row(run_id)
    assert (row["state"], row["attempts"], row["error"], row["unique_key"]) == ("finished", 0, None, None)
    assert result(row) == {"status": "completed", "updated_rows": rows, "removed": rows}
    assert (row["rows_done"], left(scene)) == (rows, 0)
    keys, steps = audited(scene, run_id)
    assert keys == list(range(1, rows + 1))
    assert scene.database.column("SELECT run_id::text FROM pruned.runs") == [run_id]
    ended = wait_until(lambda: scene.topics.outcomes("RunFinished"), 30, "the end")
    assert [(str(m.value["run_id"]), m.value["state"]) for m in ended] == [(run_id, "finished")]
    return steps


def test_a_run_in_ranges_is_one_run(new_scene):
    scene = new_scene(RANGES)
    fill(scene.database, 400)
    run_id = send_tick(scene)
    daemon = scene.start()
    scene.wait_run(run_id)
    wait_until(lambda: scene.topics.outcomes("RunFinished"), 30, "the end")
    steps = check_whole(scene, run_id, 400)
    shares = by_range(steps)
    # The first page is the run's own; the other 390 rows are divided.
    assert sorted(shares) == [0, 1, 2, 3] and all(97 <= n <= 108 for n in shares.values())
    lines = daemon.lines("Finished", run_id=run_id)
    assert sum(line["updated_rows"] for line in lines) == 400
    assert [line["status"] for line in lines].count("completed") == 1
    assert daemon.lines("Step failed") == []


@pytest.mark.check_all
def test_ranges_are_made_anew_once_they_are_done(new_scene):
    """So many rows are divided at once that an uneven end is short."""
    scene = new_scene(RANGES | {f"jobs.{JOB}.ranges": 2, f"jobs.{JOB}.batch": 2})
    fill(scene.database, 1000)
    run_id = send_tick(scene)
    scene.start()
    scene.wait_run(run_id, deadline_s=120)
    wait_until(lambda: scene.topics.outcomes("RunFinished"), 30, "the end")
    check_whole(scene, run_id, 1000)


def test_few_rows_are_not_divided(new_scene):
    scene = new_scene(RANGES)
    fill(scene.database, 85)
    run_id = send_tick(scene)
    scene.start()
    scene.wait_run(run_id)
    wait_until(lambda: scene.topics.outcomes("RunFinished"), 30, "the end")
    assert set(by_range(check_whole(scene, run_id, 85))) == {0}


# --- trouble in a range

def ended(scene, run_id):
    return wait_until(lambda: [m.value for m in scene.topics.outcomes("RunFinished") if str(m.value["run_id"]) == run_id], 30, "the end")


def test_a_row_that_is_refused_is_quarantined_and_the_others_go(new_scene):
    scene = new_scene(RANGES)
    fill(scene.database, 400)
    refuse_rows(scene.database, "OLD.id IN (11, 150, 390)")
    run_id = send_tick(scene)
    scene.start()
    row = scene.wait_run(run_id)
    assert result(row) == {"status": "completed", "updated_rows": 397, "removed": 397, "failed": 3} | {
        k: v for k, v in result(row).items() if k not in ("updated_rows", "removed", "failed", "status")}
    assert scene.database.column("SELECT item FROM pruned.quarantine ORDER BY item") == ["scratch:11", "scratch:150", "scratch:390"]
    assert scene.database.value(INSIDE) == 0 and len(ended(scene, run_id)) == 1


BROKEN = """
    CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF OLD.id < {0} THEN RAISE EXCEPTION 'not now'; END IF; RETURN OLD; END $$;
    CREATE TRIGGER broken BEFORE DELETE ON scratch FOR EACH ROW EXECUTE FUNCTION broken()"""


def test_what_fails_in_a_range_is_charged_to_the_run_alone(new_scene):
    """The range gives back what is left of it. The run ends, with its own attempts, as if it had
    never been divided."""
    scene = new_scene(RANGES | {f"jobs.{JOB}.max_attempts": 0, f"jobs.{JOB}.batch": 20})
    fill(scene.database, 400)
    scene.database.connection.execute(BROKEN.format(50))
    run_id = send_tick(scene)
    scene.start()
    row = scene.wait_run(run_id, "dead")
    assert row["attempts"] == 1 and "not now" in row["error"]
    assert [m["state"] for m in ended(scene, run_id)] == ["dead"]
    assert scene.run("runs", "--json").ok().json()[0]["run_id"] == run_id and len(scene.run("runs", "--json").json()) == 1
    assert scene.database.value(INSIDE) == 0
    scene.database.execute("DROP TRIGGER broken ON scratch")
    scene.run("retry", run_id).ok()
    row = scene.wait_run(run_id)
    assert {k: result(row)[k] for k in ("updated_rows", "removed")} == {"updated_rows": 400, "removed": 400}
    assert audited(scene, run_id)[0] == list(range(1, 401)) and left(scene) == 0


# --- operators

@pytest.fixture
def divided(new_scene):
    """A run in four ranges, each of which has done a page and pauses."""
    scene = new_scene(RANGES | {f"jobs.{JOB}.delay_ms": 3600000})
    fill(scene.database, 400)
    scene.the_run = send_tick(scene)
    scene.start()
    wait_until(lambda: left(scene) == 360, 30, "a page of each range")
    return scene


def go_on(scene):
    """Ends the pauses from now on."""
    scene.settings[f"jobs.{JOB}.delay_ms"] = 0
    scene.daemons[-1].stop()
    scene.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting'")
    scene.start()


@pytest.mark.check_all
def test_commands_show_one_run(divided):
    scene = divided
    shown = scene.run("runs", "--json").ok().json()
    assert [run["run_id"] for run in shown] == [scene.the_run]
    assert (shown[0]["result"]["removed"], shown[0]["result"]["updated_rows"]) == (40, 40), "of all ranges so far"
    status = scene.run("status", "--json").ok().json()
    assert sum(status[0]["runs"].values() if isinstance(status, list) else status["runs"].values()) == 1
    inside = scene.database.value("SELECT run_id::text FROM pruned.runs WHERE range_of IS NOT NULL LIMIT 1")
    assert scene.run("runs", inside).code != 0 and scene.run("discard", inside).code != 0
    go_on(scene)
    scene.wait_run(scene.the_run)
    check_whole(scene, scene.the_run, 400)


def test_people_see_counts_of_all_ranges_and_which_range_did_which_step(divided):
    scene = divided
    [row] = scene.run("runs").ok().stdout.splitlines()[1:]
    assert row.split("\t")[0] == scene.the_run[:8] and row.split("\t")[4].startswith("40 removed")
    first, *parts = scene.run("runs", scene.the_run, "--json").ok().json()
    steps = next(part["steps"] for part in parts if "steps" in part)
    assert first["result"]["removed"] == 40 and [(step["range"], step["step"], step["rows"]) for step in steps] == [(3, 1, 10), (2, 1, 10), (1, 1, 10), (None, 0, 10)]
    page = scene.run("runs", scene.the_run).ok().stdout
    assert ": 40 removed" in page and "\nrange\tstep\tat\trows\t" in page and "0000000" not in page.partition("steps")[2]


def test_what_ranges_wait_for_is_said_of_their_run(divided):
    """The run itself only waits for them."""
    scene = divided
    scene.database.execute("UPDATE pruned.runs SET error = 'throttled: wal: much' WHERE range_of IS NOT NULL")
    [shown] = scene.run("runs", "--json").ok().json()
    assert (shown["state"], shown["error"]) == ("waiting", "throttled: wal: much")
    [waits] = scene.run("status", "--json").json()[0]["throttle"]["waiting"]
    assert (waits["job"], waits["runs"], waits["reason"]) == (JOB, 1, "wal: much")


def test_discarded_it_ends_with_all_its_ranges(divided):
    scene = divided
    scene.run("discard", scene.the_run).ok()
    go_on(scene)
    wait_until(lambda: scene.database.value(INSIDE) == 0, 60, "no range is left")
    row = scene.run_row(scene.the_run)
    assert (row["state"], row["error"], row["rows_done"], left(scene)) == ("skipped", "discarded", 40, 360)
    assert (result(row)["updated_rows"], result(row)["removed"]) == (40, 40)


@pytest.mark.check_all
def test_a_pause_and_a_stop_hold_all_ranges(divided):
    scene = divided
    scene.run("pause", JOB).ok()
    go_on(scene)
    scene.run("stop").ok()
    scene.run("resume", JOB).ok()
    assert left(scene) == 360
    scene.run("go").ok()
    scene.wait_run(scene.the_run)
    check_whole(scene, scene.the_run, 400)


def test_a_tick_meanwhile_overlaps(divided):
    scene = divided
    other = send_tick(scene, seconds=-5)
    assert scene.wait_run(other, "skipped")["error"] == f"overlaps {scene.the_run}"


@pytest.mark.check_all
def test_restore_brings_back_the_rows_of_all_ranges(divided):
    scene = divided
    go_on(scene)
    scene.wait_run(scene.the_run)
    scene.database.execute(f"GRANT INSERT ON scratch TO {ROLE}")
    scene.run("restore", scene.the_run).ok()
    assert left(scene) == 400


def test_a_run_that_only_plans_from_now_on_takes_its_ranges_in(divided):
    scene = divided
    scene.settings[f"jobs.{JOB}.mode"] = "plan"
    go_on(scene)
    row = scene.wait_run(scene.the_run)
    assert left(scene) == 360 and scene.database.value(INSIDE) == 0
    assert result(row)["mode"] == "plan" and result(row)["removed"] == 400
    assert result(row)["applied"]["removed"] == 40, result(row)


@pytest.mark.check_all
def test_ranges_that_pause_do_not_hold_up_a_run_that_takes_them_in(divided):
    scene = divided
    scene.settings |= {f"jobs.{JOB}.mode": "plan", f"jobs.{JOB}.delay_ms": 0}
    scene.daemons[-1].stop()
    scene.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting' AND range_of IS NULL")
    scene.start()
    row = scene.wait_run(scene.the_run)
    assert scene.database.value(INSIDE) == 0 and result(row)["applied"]["removed"] == 40


@pytest.mark.check_all
def test_a_run_is_not_archived_before_it_has_what_its_ranges_have_done(divided):
    scene = divided
    other = add_run(scene.database, "finished")
    scene.database.execute("UPDATE pruned.runs SET state = 'skipped', error = 'superseded', finished_at = now() - interval '2 hours'"
                           " WHERE range_of IS NULL")
    archived = "SELECT rows_done FROM pruned.runs_done WHERE run_id = %s"
    wait_until(lambda: scene.database.rows(archived, [other]), 30, "the archive")
    assert scene.database.value(INSIDE) == 3 and scene.database.rows(archived, [scene.the_run]) == []
    scene.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting'")
    [row] = wait_until(lambda: scene.database.rows(archived, [scene.the_run]), 30, "the archive")
    assert row["rows_done"] == 40


# --- jobs that cannot

@pytest.mark.built_in
def test_a_job_that_cannot_be_divided_is_refused_when_it_is_loaded(new_scene):
    """Which jobs these are: unit/engine/job/test_job_ranges.c."""
    said = new_scene().run("run", "--until-idle", settings={"jobs.users.destroy.ranges": 2})
    assert said.code == 2 and "[jobs.users.destroy] ranges: " in said.stderr


def test_a_plan_is_of_one_run(new_scene):
    scene = new_scene({f"jobs.{JOB}.ranges": 4, f"jobs.{JOB}.mode": "plan"})
    fill(scene.database, 400)
    run_id = send_tick(scene)
    scene.start()
    row = scene.wait_run(run_id)
    assert (result(row)["removed"], left(scene), scene.database.value(INSIDE)) == (400, 400, 0)
