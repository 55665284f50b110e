"""Each job killed at each point of a step, twice: in the end everything is as if nobody had been killed."""

import datetime
import subprocess

import pytest

from support.instance import Instance
from support.places import binary_with_faults
from support.scene import now

# In the order in which they start each other; until its turn comes a job is paused.
JOBS = ("members.remove_expired", "members.schedule_prune_deletions", "members.prune_deletions", "groups.adjourned_deletion",
        "groups.destroy", "imports.placeholder_cleanup", "users.delete_placeholder", "users.destroy",
        "ci.schedule_delete_objects", "ci.delete_objects", "users.refresh_authorizations")
ERRANDS = ("ci.delete_objects",)
# Effects that the engine applies, not the job's own code.
PAGES = ("members.remove_expired", "members.prune_deletions", "imports.placeholder_cleanup", "groups.adjourned_deletion",
         "users.refresh_authorizations")
SETTINGS = {"jobs.groups.adjourned_deletion.spacing_ms": 0, "jobs.imports.placeholder_cleanup.spacing_ms": 0,
            "jobs.members.remove_expired.batch": 2, "jobs.members.remove_expired.delay_ms": 0, "jobs.members.prune_deletions.batch": 1,
            "jobs.members.remove_expired.refresh_delay_ms": 0, "jobs.members.prune_deletions.refresh_delay_ms": 0,
            "jobs.groups.destroy.batch": 1, "jobs.ci.delete_objects.batch": 2, "run.workers": 2}


def killed_at(point):
    if point.startswith("errand."):
        return ERRANDS
    if point == "step.after_effects":
        return PAGES
    return [job for job in JOBS if point != "step.after_fence" or job not in ERRANDS]  # an errand begins with its lease


def points():
    if not binary_with_faults().exists():
        return ["none: make FAULTS=1"]
    listed = subprocess.run([binary_with_faults(), "version", "--faults"], stdout=subprocess.PIPE, text=True, check=True)
    return [name for name in listed.stdout.split() if name.startswith(("step.", "publish.", "errand."))
            and name != "errand.open_transaction"]  # an error, no place to die at


def tell(scene, at):
    """Something for each job to do; AT is the same for all tests of a run, so that all ids are."""
    there = Instance(scene.database, at)
    there.user(user_type=5, username="ghost")
    admin = there.user(admin=True)
    there.period(7)
    group, other = there.group(), there.group()
    for user_type in (0, 0, 6):
        there.member(there.user(user_type=user_type), group, expires_at=there.day(-1))
    leaver = there.user()
    for place in ({"group": group}, {"group": other}, {"project": there.project(group)}):
        there.member(leaver, **place)
    there.leave(group, leaver, by=admin)
    top = there.group()
    doomed = there.project(there.group(parent=top))
    there.member(there.user(), project=doomed)
    there.member(there.user(user_type=6), project=doomed)
    there.put("ci_job_artifacts", project_id=doomed, job_id=7, file="a.zip", file_final_path="kept/for/later")
    there.mark(top, admin, ago=30)
    _, placeholder = there.placeholder()
    there.put("notification_settings", user_id=placeholder, source_type="Namespace", source_id=group)
    objects = scene.folder / "objects"
    objects.mkdir()
    for n in range(5):
        (objects / f"{n}").write_text("artifact")
        there.put("ci_deleted_objects", file_store=1, store_dir="", file=f"{n}", project_id=7,
                  pick_up_at=at - datetime.timedelta(hours=1))
    for job in JOBS:
        scene.run("pause", job).ok()
    for job in ("members.remove_expired", "members.schedule_prune_deletions", "groups.adjourned_deletion",
                "imports.placeholder_cleanup", "ci.schedule_delete_objects", "users.refresh_authorizations"):
        scene.topics.tick(job, at)


def bare(row):
    """Without what a clock wrote."""
    return {name: value is not None if isinstance(value, datetime.datetime) else value for name, value in row.items()}


def application(database):
    tables = database.column("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
    return {table: sorted((bare(row) for row in database.rows(f'SELECT * FROM "{table}"')), key=str) for table in tables}


def keys_of(audit):
    """A row that the daemon made itself has the next number of a sequence, which a rolled back step has used up."""
    return len(audit["keys"]) if audit["table_name"] == "ghost_user_migrations" else sorted(audit["keys"], key=str)


def leases_end(scene, at):
    """Objects that a dead process had taken come again when its lease is over."""
    scene.database.execute("UPDATE ci_deleted_objects SET pick_up_at = now() - interval '1 h'")
    scene.topics.tick("ci.schedule_delete_objects", at + datetime.timedelta(seconds=1))
    scene.run_until_idle()


def state(scene):
    """Which run and step takes which object is open once a lease has run out; all else is the same to the letter."""
    database = scene.database
    said = [m for m in scene.topics.outcomes() if not m.value.get("job", "").startswith("ci.") and "slot" not in m.value]
    audit = database.rows("SELECT run_id::text, step, table_name, action, keys FROM pruned.deletions "
                          "WHERE run_id NOT IN (SELECT run_id FROM pruned.runs WHERE job LIKE 'ci.%')")
    outcomes = {(m.schema, m.headers["ce_id"]): m.raw for m in said}
    assert len({(m.headers["ce_id"], m.raw) for m in said}) == len(outcomes), "a repeat says something else"
    return application(database) | {
        "runs": database.rows("SELECT run_id::text, parent_id::text, job, state, step, attempts, unique_key, args, result, error "
                              "FROM pruned.runs WHERE job NOT LIKE 'ci.%' ORDER BY run_id"),
        "runs of objects": database.column("SELECT DISTINCT state FROM pruned.runs WHERE job LIKE 'ci.%'"),
        "audit of objects": database.row("SELECT count(k), count(DISTINCT k) AS different FROM pruned.deletions d JOIN pruned.runs r "
                                         "USING (run_id), jsonb_array_elements(keys) k WHERE r.job LIKE 'ci.%'"),
        "audit": sorted((a | {"keys": keys_of(a)} for a in audit), key=str),
        "outcomes": sorted(outcomes),
        "refreshes": database.rows("SELECT user_id, kind, seq FROM pruned.dirty_users ORDER BY 1, 2"),
        "quarantine": database.rows("SELECT item, attempts FROM pruned.quarantine ORDER BY 1"),
        "left behind": database.value("SELECT count(*) FROM pruned.unpublished"),
        "suspects": database.value("SELECT count(*) FROM pruned.suspects WHERE topic LIKE %s", [f"{scene.topics.prefix}.%"]),
        "objects": sorted(p.name for p in (scene.folder / "objects").iterdir()),
    }


def work_off(scene, point=None):
    """One job after the other wakes up; who is to die at POINT does so when it first comes by, and at its second time."""
    victims = killed_at(point) if point else ()
    for job in JOBS:
        scene.run("resume", job).ok()
        if job in victims:
            die_twice(scene, point)
        if job in victims or job in JOBS[-2:]:
            scene.run_until_idle()


def die_twice(scene, point):
    for passage in (1, 2):
        code = scene.start("--until-idle", environment={"PRUNED_FAULT": f"{point}:kill:{passage}"}).wait(60)
        assert code == -9 or passage == 2 and code == 0


@pytest.fixture(scope="module")
def at():
    return now(minutes=-2).replace(microsecond=0)


@pytest.fixture(scope="module")
def undisturbed():
    """The state of a run in which nobody dies; the first test makes it."""
    return {}


@pytest.fixture
def new_story(new_scene, at):
    def make():
        scene = new_scene(SETTINGS | {"kafka.group.instance.id": "the one process"})
        scene.binary = binary_with_faults()
        scene.settings["store.local.root"] = scene.folder / "objects"
        tell(scene, at)
        return scene

    return make


@pytest.mark.parametrize("point", points())
def test_killed_there_in_each_job_everything_happened_once(new_story, at, undisturbed, point):
    if not undisturbed:
        calm = new_story()
        work_off(calm)
        leases_end(calm, at)
        undisturbed.update(state(calm))
    scene = new_story()
    work_off(scene, point)
    leases_end(scene, at)
    got = state(scene)
    for name, value in undisturbed.items():
        assert got[name] == value, name
