"""A run that would change more than its job's limits allow is held before anything of it is
touched, until somebody approves it."""

import datetime
import json

import pytest

from stack.process import wait_until
from support.instance import Tenant
from support.scene import fill, now, result, send_tick, tick_id

pytestmark = pytest.mark.built_in

JOB = "scratch.remove"
LIMITED = {"jobs.scratch.remove.max_rows": 20}


def left(scene):
    return scene.database.value("SELECT count(*) FROM scratch")


def shown(scene, run_id):
    return scene.run("runs", run_id, "--json").ok().json()[0]


def outcome_values(scene):
    return json.loads(wait_until(lambda: scene.topics.outcomes("RunHeld"), 30, "RunHeld")[0].value["values"])


@pytest.fixture
def limited(new_scene):
    scene = new_scene(LIMITED)
    scene.start()
    return scene


# --- max_rows

def test_a_run_over_the_limit_touches_nothing_and_says_why(limited):
    scene = limited
    fill(scene.database, 30)
    run_id = send_tick(scene)
    row = scene.wait_run(run_id, "held")
    assert row["error"] == "held: 30 rows are above max_rows 20"
    assert (row["step"], row["attempts"], row["finished_at"], row["unique_key"]) == (0, 0, None, JOB)
    assert left(scene) == 30 and scene.database.value("SELECT count(*) FROM pruned.deletions") == 0
    assert outcome_values(scene) == [{"value": "2026-01-01", "rows": 30}]
    held = shown(scene, run_id)["held"]
    at = datetime.datetime.fromisoformat(held.pop("at"))
    assert held == {"limit": "max_rows", "counted": 30, "estimated": False}
    assert abs((at - now()).total_seconds()) < 60
    outcome = wait_until(lambda: scene.topics.outcomes("RunHeld"), 30, "RunHeld")[0]
    assert outcome.key == run_id.encode()
    value = outcome.value
    assert (str(value["run_id"]), value["job"], value["limit"], value["counted"], value["estimated"]) == (
        run_id, JOB, "max_rows", 30, False)
    assert json.loads(value["limits"])["max_rows"] == 20
    line = scene.daemons[0].wait_line("Run is held", run_id=run_id)
    assert line["level"] == "warning" and f"pruned approve {run_id}" in line["remedy"]


@pytest.mark.check_all
def test_a_run_that_was_moved_meanwhile_is_not_said_to_be_held(new_scene):
    scene = new_scene(LIMITED)
    fill(scene.database, 30)
    scene.database.connection.execute("""
        CREATE TABLE moved (n bigint GENERATED ALWAYS AS IDENTITY);
        CREATE FUNCTION moved() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
            $$ BEGIN INSERT INTO public.moved DEFAULT VALUES; RETURN NULL; END $$;
        CREATE TRIGGER moved BEFORE UPDATE ON pruned.runs FOR EACH ROW WHEN (NEW.state = 'held') EXECUTE FUNCTION moved()""")
    daemon = scene.start()
    run_id = send_tick(scene)
    scene.database.wait("SELECT EXISTS (SELECT FROM moved)", until=True)
    scene.database.connection.execute("DROP TRIGGER moved ON pruned.runs")
    scene.wait_run(run_id, "held")
    daemon.wait_line("Run is held", run_id=run_id)
    assert len(daemon.lines("Run is held")) == 1


@pytest.mark.check_first(1)
@pytest.mark.parametrize("rows", [9, 20])
def test_a_run_that_reaches_the_limit_goes(limited, rows):
    fill(limited.database, rows)
    assert result(limited.wait_run(send_tick(limited)))["removed"] == rows


def test_other_jobs_and_other_runs_go_on(new_scene):
    scene = new_scene(LIMITED | {"jobs.scratch.remove.batch": 5})
    fill(scene.database, 30)
    scene.start()
    held = send_tick(scene)
    scene.wait_run(held, "held")
    at = now(minutes=-2)
    scene.topics.tick("scratch.wide", at)
    assert scene.wait_run(tick_id("scratch.wide", at))["state"] == "finished"
    later = scene.wait_run(send_tick(scene, seconds=-30))
    assert (later["state"], later["error"]) == ("skipped", f"overlaps {held}")


def test_tick_waits_until_the_run_is_held(limited):
    fill(limited.database, 30)
    done = limited.run("tick", JOB, "--wait=60")
    assert done.code == 7 and "held: 30 rows are above max_rows 20" in done.stderr and "pruned approve" in done.stderr


def test_the_values_are_those_that_make_the_rows_due(new_scene):
    scene = new_scene(LIMITED | {"jobs.members.remove_expired.max_rows": 5, "jobs.members.remove_expired.batch": 3})
    instance = Tenant(scene)
    group = instance.group()
    for day, n in ((-1, 1), (-2, 4), (-3, 2), (-5, 3)):
        for _ in range(n):
            instance.member(instance.user(), group, expires_at=instance.day(day))
    scene.start()
    at = now()
    scene.topics.tick("members.remove_expired", at)
    scene.wait_run(tick_id("members.remove_expired", at), "held")
    value = wait_until(lambda: scene.topics.outcomes("RunHeld"), 30, "RunHeld")[0].value
    assert value["counted"] == 10
    assert json.loads(value["values"]) == [{"value": str(instance.day(day)), "rows": n} for day, n in ((-2, 4), (-5, 3), (-3, 2))]


def test_rows_that_stay_are_not_counted(new_scene):
    """A last owner's membership is due every night but stays, so it does not count."""
    scene = new_scene({"jobs.members.remove_expired.max_rows": 4, "jobs.members.remove_expired.batch": 2,
                       "jobs.members.remove_expired.delay_ms": 0})
    instance = Tenant(scene)
    for _ in range(4):
        instance.member(instance.user(), instance.group(), level=50, expires_at=instance.day(-1))
    group = instance.group()
    for _ in range(4):
        instance.member(instance.user(), group, expires_at=instance.day(-1))
    at = now()
    scene.topics.tick("members.remove_expired", at)
    scene.start()
    row = scene.wait_run(tick_id("members.remove_expired", at))
    assert (result(row)["removed"], result(row)["kept"]) == (4, 4)


def test_children_count(new_scene):
    """A bot's membership takes the bot along: two rows each. The parent is held, and has no
    child."""
    scene = new_scene({"jobs.members.remove_expired.max_rows": 7})
    instance = Tenant(scene)
    for _ in range(4):
        project = instance.project(instance.group())
        instance.member(instance.user(user_type=6), project=project, expires_at=instance.day(-1))
    at = now()
    scene.topics.tick("members.remove_expired", at)
    scene.start()
    row = scene.wait_run(tick_id("members.remove_expired", at), "held")
    assert row["error"] == "held: 8 rows are above max_rows 7"
    assert scene.database.value("SELECT count(*) FROM pruned.runs WHERE job = 'users.destroy'") == 0


# --- while it goes on

@pytest.mark.check_all
def test_a_run_that_grows_stops_before_the_page_that_would_exceed(new_scene):
    scene = new_scene(LIMITED | {"jobs.scratch.remove.delay_ms": 3600000})
    fill(scene.database, 15, day="2026-01-02")
    scene.start()
    run_id = send_tick(scene)
    scene.wait_run(run_id, "waiting")
    fill(scene.database, 30, first=100)
    scene.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s", [run_id])
    wait_until(lambda: scene.run_row(run_id)["step"] == 2, 30, "the second page")
    scene.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s", [run_id])
    row = scene.wait_run(run_id, "held")
    assert (row["error"], row["step"]) == ("held: 45 rows are above max_rows 20", 2)
    assert left(scene) == 25  # two pages of ten are gone: as many as the limit allows
    assert result(row)["removed"] == 20


# --- approve

def test_an_approved_run_goes_on_at_once(limited):
    scene = limited
    fill(scene.database, 30)
    run_id = send_tick(scene)
    scene.wait_run(run_id, "held")
    row = scene.run("approve", run_id, "--reason", "seen", "--json").ok().json()[0]
    assert row["run_id"] == run_id and row["held"] is None
    done = scene.wait_run(run_id)
    assert done["approved_rows"] == 30
    assert (done["state"], result(done)["removed"], left(scene)) == ("finished", 30, 0)
    assert (done["approved_until"] - done["approved_at"]) == datetime.timedelta(hours=24)
    assert done["approved_reason"] == "seen"
    assert scene.run("approve", run_id).code == 0  # approved already


def test_what_cannot_be_approved(limited):
    scene = limited
    fill(scene.database, 3)
    run_id = send_tick(scene)
    scene.wait_run(run_id)
    done = scene.run("approve", run_id)
    assert done.code == 1 and "finished" in done.stderr
    assert scene.run("approve", "7fecac87-579a-560b-ad38-6378e9e225c0").code == 6


@pytest.mark.check_all
def test_an_approval_that_is_a_day_old_has_no_effect_and_the_run_is_held_again(new_scene):
    scene = new_scene(LIMITED)
    fill(scene.database, 30)
    daemon = scene.start()
    run_id = send_tick(scene)
    scene.wait_run(run_id, "held")
    daemon.stop()
    scene.run("approve", run_id).ok()
    scene.run("approve", run_id).ok()
    assert scene.run_row(run_id)["approved_rows"] == 30
    scene.database.execute("UPDATE pruned.runs SET approved_at = approved_at - interval '1 day', "
                           "approved_until = approved_until - interval '1 day' WHERE run_id = %s", [run_id])
    scene.start()
    row = scene.wait_run(run_id, "held")
    assert (row["error"], row["approved_at"], left(scene)) == ("held: 30 rows are above max_rows 20", None, 30)
    held = shown(scene, run_id)["held"]
    assert (held["approved"], held["approval_ended"]) == (30, True)
    said = "held: 30 rows are above max_rows 20, the approval of 30 rows has ended"
    assert said in scene.run("runs", run_id).ok().stdout
    # At least once: the first one may come again, from the process that was stopped at once.
    wait_until(lambda: len({m.headers["ce_id"] for m in scene.topics.outcomes("RunHeld")}) == 2, 30, "a second RunHeld")
    scene.run("approve", run_id).ok()
    assert result(scene.wait_run(run_id))["removed"] == 30


def test_an_approved_run_that_grows_is_held_again(new_scene):
    scene = new_scene(LIMITED | {"jobs.scratch.remove.delay_ms": 3600000})
    fill(scene.database, 30, day="2026-01-02")
    scene.start()
    run_id = send_tick(scene)
    scene.wait_run(run_id, "held")
    scene.run("approve", run_id).ok()
    scene.wait_run(run_id, "waiting")
    fill(scene.database, 30, first=100)
    for step in (3, 4):  # the approval was a step
        scene.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s", [run_id])
        wait_until(lambda: scene.run_row(run_id)["step"] == step, 30, "a page")
    scene.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s", [run_id])
    row = scene.wait_run(run_id, "held")
    assert (row["error"], row["approved_at"], left(scene)) == ("held: 60 rows are above max_rows 20", None, 30)
    assert shown(scene, run_id)["held"]["approved"] >= 30


def test_a_held_run_is_discarded_and_gives_its_key_back(limited):
    scene = limited
    fill(scene.database, 30)
    run_id = send_tick(scene)
    scene.wait_run(run_id, "held")
    assert scene.run("retry", run_id).code == 1
    scene.run("discard", run_id).ok()
    assert scene.run("approve", run_id).code == 1
    scene.wait_run(send_tick(scene, seconds=-20), "held")
    assert left(scene) == 30


def test_never_lifts_the_limits(new_scene):
    scene = new_scene(LIMITED | {"jobs.scratch.remove.approve": "never"})
    fill(scene.database, 30)
    scene.start()
    assert result(scene.wait_run(send_tick(scene)))["removed"] == 30


def test_always_holds_every_run_that_would_change_a_row(new_scene):
    scene = new_scene({"jobs.scratch.remove.approve": "always"})
    scene.start()
    assert scene.wait_run(send_tick(scene, seconds=-50))["state"] == "finished"
    fill(scene.database, 3)
    run_id = send_tick(scene)
    assert scene.wait_run(run_id, "held")["error"] == "held: each run of this job needs an approval (3 rows)"
    scene.run("approve", run_id).ok()
    assert result(scene.wait_run(run_id))["removed"] == 3


def test_first_holds_the_first_run_of_a_version(new_scene, tmp_path):
    scene = new_scene({"jobs.scratch.remove.approve": "first"})
    fill(scene.database, 13)
    scene.start()
    run_id = send_tick(scene)
    assert scene.wait_run(run_id, "held")["error"] == "held: the first run of this job needs an approval (13 rows)"
    scene.run("approve", run_id).ok()
    scene.wait_run(run_id)
    fill(scene.database, 3)
    assert scene.wait_run(send_tick(scene, seconds=-20))["state"] == "finished"
    scene.database.execute("UPDATE pruned.approved_versions SET version = 'another'")
    fill(scene.database, 2)
    assert scene.wait_run(send_tick(scene, seconds=-10), "held")["error"] == "held: the first run of this job needs an approval (2 rows)"
