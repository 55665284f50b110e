"""Built-in jobs and held rows: no row that is held goes or changes, whatever it is to the job (the
row itself, below it, above it, its object), whenever it is held, and whoever dies. Generated from
the list of jobs: a new job needs a line in support/held_jobs.py."""

import pytest

from stack.process import wait_until
from support.held_jobs import BUILT_IN, JOBS, Case, World, cases, hold_all
from support.story import minute_passes

pytestmark = pytest.mark.built_in

# Moments of a step, and of one that calls a store.
STEP = ["step.after_fence", "step.after_effects", "step.before_commit", "step.after_commit"]
ERRAND = ["errand.before_lease", "errand.after_lease", "errand.acted_on_one", "errand.before_settle", "step.before_commit"]
PASSAGES = (1, 2, 4)


def moments(job):
    return ERRAND if job.startswith("ci.") else STEP


def in_check(*jobs):
    """All, of which `make check` has JOBS."""
    return [pytest.param(job, id=job, marks=() if job in jobs else pytest.mark.check_all) for job in BUILT_IN]


def cells():
    return [pytest.param(job, moment, id=f"{job}-{moment}") for job in BUILT_IN for moment in moments(job)]


def release(world):
    world.scene.run("release", *world.database.column("SELECT DISTINCT hold_id::text FROM pruned.holds"), "--yes", "--reason", "it is over").ok()


def check(these):
    """What is held is there as it was, with what would have gone with it; everything else is
    gone."""
    missed = [said for case in these for said in case.missed()]
    begun = [f"{case.name}: {row} is {case.world.see(row)}" for case in these if case.whole for row in case.whole_rows if not case.same(row)]
    other = [f"{case.name}: it {'stayed' if case.same(case.main) else 'went'}" for case in these if case.same(case.main) != case.stays]
    assert not missed + begun + other, "\n".join(missed + begun + other + these[0].world.runs())


def all_go(world, these):
    release(world)
    # What was tried several times waits for its next try.
    world.database.execute("UPDATE pruned.quarantine SET next_try_at = now()")
    world.go()
    left = [case.name for case in these if case.same(case.main)]
    assert left == [], "\n".join(left + world.runs())


def test_each_job_has_a_line():
    assert sorted(JOBS) == BUILT_IN


@pytest.mark.parametrize("job", in_check("members.remove_expired", "users.destroy"))
def test_what_is_held_stays_and_the_rest_goes(new_scene, job):
    world = World(new_scene())
    these = cases(world, [job])
    hold_all(world, these)
    world.go()
    check(these)
    for run in world.database.column("SELECT run_id::text FROM pruned.runs WHERE job = %s AND state = 'finished'", [job]):
        assert "disagree" in world.scene.run("verify", run, "--all").ok().stdout
    all_go(world, these)


@pytest.mark.check_all
def test_what_is_held_stays_beside_all_other_jobs(new_scene):
    world = World(new_scene())
    these = cases(world)
    hold_all(world, these)
    world.go()
    check(these)
    all_go(world, these)


@pytest.mark.check_all
@pytest.mark.parametrize("job", BUILT_IN)
def test_what_is_held_stays_whenever_a_process_is_killed(new_scene, job):
    """One world, in which a process dies at one moment after the other, each a few times."""
    world = World(new_scene().with_faults())
    these = cases(world, [job])
    hold_all(world, these)
    world.tick()
    for moment in moments(job):
        for passage in PASSAGES:
            world.scene.start("--until-idle", environment={"PRUNED_FAULT": f"{moment}:kill:{passage}"}).wait(60)
            minute_passes(world.database)
            # no message is taken for what kills
            world.database.execute("DELETE FROM pruned.suspects")
            world.end_leases()
            assert [said for case in these for said in case.missed()] == [], (moment, passage)
        world.more(job, these)
    world.work()
    world.go()  # ticks of before may have met a run that had begun
    check(these)
    all_go(world, these)


@pytest.mark.check_first(1)
@pytest.mark.parametrize("job, moment", cells())
def test_what_is_held_meanwhile_stays_or_had_gone(new_scene, job, moment):
    """A step stands still when the rows are held. The command waits for it, and then says which of
    the two it is; it has ended with 0 only if all are there."""
    world = World(new_scene().with_faults())
    these = [Case(world, JOBS[job], held) for held in (None, "itself", "itself")]
    world.tick()
    daemon = world.scene.start("--until-idle", environment={"PRUNED_FAULT": f"{moment}:sleep=2500:2"})
    busy = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction' AND state_change < now() - interval '300 ms' " \
           "UNION ALL SELECT FROM ci_deleted_objects WHERE pick_up_at > now()"
    wait_until(lambda: not daemon.running or world.database.execute(busy).rowcount, 30, "a step that stands still")
    held = [case.held for case in these if case.held]
    said = world.scene.run("hold", *held, "--reason", "case 1")
    there = [row for row in held if world.see(row)]
    assert (said.code == 0) == (there == held), (said, there)
    daemon.wait()
    world.go()
    assert [row for row in held if world.see(row)] == there
    rows = world.database.column("SELECT pg_catalog.regexp_replace(tab, '^public\\.', '') || ':' || key FROM pruned.holds ORDER BY 1")
    assert all(world.see(row) for row in rows) and (said.code or rows == sorted(held)), (said, rows)
    files = [case.rows["object"] for case in these if case.held in there and "object" in case.rows]
    logs = "\n".join(one.text() for one in world.scene.daemons)
    assert all(file.exists() or file.name in logs for file in files), files
