"""`mode = plan`: a run does all but the effects. A new installation begins so."""

import re
import shutil
import signal

import pytest

from stack.found import PROJECT
from stack.process import wait_until
from support.command_line import FEW
from support.instance import Tenant, tenant  # noqa: F401
from support.places import APP_TABLES
from support.scene import JOBS, fill, now, result, tick_id

pytestmark = pytest.mark.built_in

JOB = "scratch.remove"
PLAN = {"run.mode": "plan"}


def tick(scene, job=JOB, **delta):
    at = now(**(delta or {"minutes": -1}))
    scene.topics.tick(job, at)
    return tick_id(job, at)


def audited(database):
    return database.value("SELECT count(*) FROM pruned.deletions")


def test_a_planned_run_changes_nothing_and_its_time_is_used_up(new_scene):
    scene = new_scene(PLAN)
    fill(scene.database, 25)
    daemon = scene.start()
    run_id = tick(scene)
    row = scene.wait_run(run_id)
    assert (row["state"], row["error"], row["unique_key"]) == ("finished", None, None)
    assert result(row) == {"status": "completed", "mode": "plan", "updated_rows": 25, "removed": 25}
    assert scene.database.value("SELECT count(*) FROM scratch") == 25 and audited(scene.database) == 0
    assert [m.value["state"] for m in scene.topics.outcomes("RunFinished")] == ["finished"]
    assert daemon.wait_line("Finished", run_id=run_id)["mode"] == "plan"
    daemon.stop()
    scene.start(settings={"run.mode": "apply"})
    scene.topics.tick(JOB, row["scheduled_at"])
    applied = scene.wait_run(tick(scene, seconds=-20))
    assert result(applied) == {"status": "completed", "updated_rows": 25, "removed": 25}
    assert result(scene.run_row(run_id))["mode"] == "plan"


def test_a_plan_says_that_a_run_would_be_held(new_scene):
    scene = new_scene(PLAN | {f"jobs.{JOB}.max_rows": 20})
    fill(scene.database, 20)
    assert "held" not in scene.run("plan", JOB).ok().stdout
    fill(scene.database, 5, first=100)
    said = "25 rows are above max_rows 20"
    assert scene.run("plan", JOB).ok().stdout.splitlines()[-1] == f"would be held: {said}"
    *_, summary, last = scene.run("plan", JOB, "--json").ok().json()
    assert summary == {"summary": {"removed": 25}} and last == {"would_be_held": {"limit": "max_rows", "counted": 25, "error": said}}
    assert "held" not in scene.run("plan", JOB, settings={f"jobs.{JOB}.approve": "never"}).ok().stdout
    daemon = scene.start()
    run_id = tick(scene)
    row = scene.wait_run(run_id)
    assert (row["state"], result(row)["would_be_held"]) == ("finished", said)
    assert daemon.wait_line("Finished", run_id=run_id)["would_be_held"] == said
    assert f"would be held: {said}" in scene.run("runs", "--wide").ok().stdout


def test_a_run_without_rows_is_marked_too(new_scene):
    scene = new_scene(PLAN)
    scene.start()
    assert result(scene.wait_run(tick(scene))) == {"status": "completed", "mode": "plan", "updated_rows": 0, "removed": 0}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("settings, mode", [
    ({"run.mode": "plan", "jobs.scratch.remove.mode": "apply"}, None),
    ({"run.mode": "apply", "jobs.scratch.remove.mode": "plan"}, "plan"),
    ({"run.mode": "off", "jobs.scratch.remove.mode": "plan"}, "plan"),
])
def test_the_mode_of_a_job_wins(new_scene, settings, mode):
    scene = new_scene(settings)
    fill(scene.database, 3)
    scene.start()
    row = scene.wait_run(tick(scene))
    assert result(row).get("mode") == mode and result(row)["removed"] == 3
    assert scene.database.value("SELECT count(*) FROM scratch") == (3 if mode else 0)
    shown = {job["job"]: job["mode"] for job in scene.run("jobs", "--json").ok().json()}
    assert shown[JOB] == (mode or "apply") and shown["users.destroy"] == settings["run.mode"]


def test_off_is_as_disabled(new_scene):
    scene = new_scene({"run.mode": "off"})
    scene.start()
    row = scene.wait_run(tick(scene))
    assert (row["state"], row["error"]) == ("skipped", "disabled")
    assert {job["enabled"] for job in scene.run("jobs", "--json").ok().json()} == {False}


@pytest.mark.check_all
@pytest.mark.parametrize("mode, ok", [("off", False), ("plan", False), ("apply", True)])
def test_doctor_and_status_say_the_mode_that_is_in_force(new_scene, mode, ok):
    """Commands show the mode of the daemon, not that of their own command line."""
    scene = new_scene({"run.mode": mode, "jobs.scratch.wide.mode": "apply" if mode == "plan" else mode})
    scene.start().wait_line("Started")
    wait_until(lambda: scene.run("processes", "--json").ok().json(), 30, "the process")
    other = {"run.mode": "plan" if mode == "apply" else "apply", "jobs.scratch.wide.mode": "apply"}
    found = [f for f in scene.run("doctor", "--json", settings=other).json() if f["check"] == "mode"]
    assert [(f["ok"], f["detail"].partition(":")[0]) for f in found] == [(ok, mode)] and "in the running processes" in found[0]["detail"]
    modes = scene.run("status", "--json", settings=other).ok().json()[0]["modes"]
    assert modes.get(JOB) == (None if mode == "apply" else mode) and modes.get("scratch.wide") == ("off" if mode == "off" else None)
    [line] = [line for line in scene.run("status", settings=other).ok().stdout.splitlines() if line.startswith("Mode ")]
    others = sum(mode == "plan" for mode in modes.values()) - 4
    words = {"apply": "apply", "off": "off: all jobs", "plan": f"plan: {', '.join(list(modes)[:4])}, ... and {others} more"}
    assert line == f"Mode        {words[mode]}" and (mode != "plan" or others > 1)
    assert words[mode].partition(": ")[2] in found[0]["detail"] or "off: no job runs" in found[0]["detail"]


# --- a mode that changes while a run goes on

def test_a_chain_that_a_reload_turns_into_a_plan_tells_what_it_had_done(new_scene):
    scene = new_scene({f"jobs.{JOB}.delay_ms": 3600000})
    fill(scene.database, 25)
    daemon = scene.start()
    run_id = tick(scene)
    scene.wait_run(run_id, "waiting")
    for count, mode in ((1, "plan"), (2, "apply")):
        scene.configuration.write_text(f"[jobs.{JOB}]\nmode = {mode}\n")
        daemon.send(signal.SIGHUP)
        daemon.wait_line("Configuration reloaded", count=count)
        scene.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s AND finished_at IS NULL", [run_id])
        if mode == "plan":
            row = scene.wait_run(run_id)
    assert result(row) == {"status": "completed", "mode": "plan", "updated_rows": 25, "removed": 25, "applied": {"updated_rows": 10, "removed": 10}}
    assert scene.database.value("SELECT count(*) FROM scratch") == 15
    assert result(scene.wait_run(tick(scene, seconds=-5), "waiting")) == {"status": "limit_reached", "updated_rows": 10, "removed": 10}


WAITING_PLAN = """
INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job, step, cursor, result)
VALUES (gen_random_uuid(), now(), now(), 'waiting', 'scratch.endless', 1, '{"n": 0, "plan_gone": "{"}', '{"mode": "plan", "removed": 7}')
RETURNING run_id"""


def test_pages_without_keys_do_not_end_a_plan(new_scene, tmp_path):
    """Two runs that began as plans meet such a page in one transaction; behind it are rows."""
    shutil.copytree(JOBS, tmp_path / "jobs")
    job = tmp_path / "jobs/scratch.endless"
    shutil.copytree(tmp_path / f"jobs/{JOB}/apply", job / "apply")
    (job / "decide.sql").unlink()
    (job / "job.conf").write_text((job / "job.conf").read_text() + "\n[what removed]\ncounts_as_updated = true\n")
    (job / "page.sql").write_text("SELECT CASE WHEN s.id > 1 THEN s.id END AS key, s.id AS n FROM scratch s "
                                  "WHERE s.id > greatest(:cursor.n::bigint, 0) ORDER BY s.id LIMIT :limit::int\n")
    scene = new_scene({"run.jobs_dir": tmp_path / "jobs", "jobs.scratch.endless.capacity": 1})
    fill(scene.database, 4)
    ids = [scene.database.value(WAITING_PLAN) for _ in range(2)]
    scene.start()
    for run_id in ids:
        found = result(scene.wait_run(run_id))
        assert (found["mode"], found["removed"], "applied" in found) == ("plan", 10, False)
    assert scene.database.value("SELECT count(*) FROM scratch") == 4 and audited(scene.database) == 0


# --- the jobs

def plan_then_apply(tenant, job):
    """(counters of a plan without its mode, counters when it is applied); what the plan has left
    behind is checked."""
    tenant.pruned.settings["run.mode"] = "plan"
    before = tenant.database.value("SELECT count(*) FROM members"), tenant.database.value("SELECT count(*) FROM users")
    planned = tenant.tick(job)
    assert (planned["state"], result(planned).pop("mode")) == ("finished", "plan")
    assert (tenant.database.value("SELECT count(*) FROM members"), tenant.database.value("SELECT count(*) FROM users")) == before
    assert tenant.children(planned) == [] and audited(tenant.database) == 0
    assert {m.schema for m in tenant.pruned.topics.outcomes()} == {"pruned.outcomes.RunFinished"}
    tenant.pruned.settings["run.mode"] = "apply"
    applied = tenant.tick(job, at=now())
    return {k: v for k, v in result(planned).items() if k != "mode"}, result(applied)


def test_members_are_decided_as_if_they_went_one_after_the_other(tenant):
    """Two owners expire, each on a page of its own: the first goes, the second would be the
    last."""
    group = tenant.group()
    for day in (-1, -2):
        tenant.owner(tenant.user(), group, expires_at=tenant.day(day))
    project = tenant.project(tenant.group())
    tenant.member(tenant.user(user_type=6), project=project, expires_at=tenant.day(-3))
    tenant.pruned.settings |= {"jobs.members.remove_expired.batch": 1, "jobs.members.remove_expired.delay_ms": 0}
    planned, applied = plan_then_apply(tenant, "members.remove_expired")
    assert planned == applied and (planned["removed"], planned["kept"], planned["scheduled"]) == (2, 1, 1)


def test_a_job_in_c_does_its_steps_and_takes_them_back(tenant):
    group, user, owner = tenant.group(), tenant.user(), tenant.user()
    tenant.owner(owner, group)
    for _ in range(3):
        tenant.member(user, tenant.group(group))
    tenant.put("members_deletion_schedules", namespace_id=group, user_id=user, scheduled_by_id=owner)
    tenant.pruned.settings["jobs.members.schedule_prune_deletions.mode"] = "apply"
    tenant.pruned.settings["run.mode"] = "plan"
    parent = tenant.tick("members.schedule_prune_deletions")
    child = tenant.children(parent)[0]
    assert (child["state"], result(child)["mode"], result(child)["removed"]) == ("finished", "plan", 3)
    assert len(tenant.ids("members")) == 4 and len(tenant.ids("members_deletion_schedules")) == 1


# --- a new installation

def recorded(database):
    return database.value("SELECT mode FROM pruned.mode")


@pytest.mark.check_all
def test_a_new_installation_only_plans_and_says_so(bare):
    del bare.settings["run.mode"]
    bare.database.load(APP_TABLES)
    bare.migrate()
    bare.run("topics", "--apply").ok()
    assert recorded(bare.database) == "plan"
    bare.settings["postgres.url"] = bare.database.url
    daemon = bare.start()
    said = daemon.wait_line("Mode is plan: runs of these jobs change nothing")
    assert said["level"] == "warning" and "members.remove_expired" in said["jobs"] and said["remedy"] == "[run] mode = apply"
    assert {job["mode"] for job in bare.run("jobs", "--json").ok().json()} == {"plan"}
    found = [f for f in bare.run("doctor", "--json").json() if f["check"] == "mode"]
    assert [(f["ok"], "plan" in f["detail"]) for f in found] == [(False, True)]
    instance = Tenant(bare)
    members(instance, 3)
    at = now()
    bare.topics.tick("members.remove_expired", at)
    row = bare.wait_run(tick_id("members.remove_expired", at))
    assert (result(row)["mode"], result(row)["removed"], len(instance.ids("members"))) == ("plan", 3, 3)


@pytest.mark.check_all
def test_without_a_job_it_says_what_one_that_is_added_will_do(bare, tmp_path):
    """Also once that has come with a reload."""
    del bare.settings["run.mode"]
    bare.migrate()
    bare.settings |= {"postgres.url": bare.database.url, "run.jobs": "none", "run.jobs_dir": tmp_path / "jobs.d"}
    (tmp_path / "jobs.d").mkdir()
    bare.run("topics", "--apply").ok()
    daemon = bare.start()
    assert daemon.wait_line("Mode is plan: runs of these jobs change nothing")["jobs"] == "every job that is added"
    [found] = [f for f in bare.run("doctor", "--json").json() if f["check"] == "mode"]
    assert (found["ok"], found["detail"].startswith("plan: ")) == (False, True) and "no process runs" not in found["detail"]
    assert "Mode plan" in re.sub(" +", " ", bare.run("status").stdout)
    bare.database.execute("CREATE TABLE t (id int PRIMARY KEY)")
    (tmp_path / "jobs.d/t.purge.conf").write_text("[retention t.purge]\ntable = t\nwhere = id > 0\n")
    bare.run("reload").ok()
    daemon.wait_line("Mode is plan: runs of these jobs change nothing", jobs="t.purge")
    assert bare.run("reload").ok() and len(daemon.lines("Mode is plan: runs of these jobs change nothing")) == 2


def test_a_schema_that_was_there_goes_on_with_apply(new_pruned, new_database, topics):
    database = new_database("app")
    for version, step in enumerate(sorted((PROJECT / "schemas/postgres").glob("*.sql"))[:5], 1):
        database.load(step)
        database.execute("INSERT INTO pruned.schema_version (version) VALUES (%s)", [version])
    pruned = new_pruned(database, topics, settings=FEW)
    pruned.migrate()
    assert recorded(database) == "apply"
    pruned.migrate()
    assert recorded(database) == "apply"


def members(instance, n):
    group = instance.group()
    return [instance.member(instance.user(), group, expires_at=instance.day(-1)) for _ in range(n)]
