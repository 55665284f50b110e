"""Each job is killed at each fault point that it reaches. In the end everything is as if nothing
had been killed. `make check` kills one job at each point, `make check-all` each."""

import re

import pytest

from support.every_job import JOBS, SETTINGS, TICKED, leases_end, state, tell
from support.places import fault_points
from support.scene import now
from support.story import minute_passes

pytestmark = pytest.mark.built_in

ERRANDS = ("ci.delete_objects",)
EARLY = 1  # a membership whose timer is far in the future
# Jobs whose effects the engine applies, not their own code.
PAGES = ("members.remove_expired", "members.prune_deletions", "imports.placeholder_cleanup", "groups.adjourned_deletion",
         "users.refresh_authorizations")


# Points that are tested elsewhere (test_kill.py, test_kill_users.py, test_brakes_killed.py,
# test_kill_reapply.py): no job reaches them, or they raise an error instead of killing.
ELSEWHERE = re.compile(r"archive\.|schedule\.|remember\.|rebalance\.|answer\.|suspect\.counted$|errand\.open_transaction|errands\.|clock_set_back\.|alone\.|at_once\.|brakes\.|day\.|partitions\.|together\.|replica\.|ranges\.|unread\.")
# Points that a job reaches once a step: it is killed at the second time, too.
OFTEN = ("step.", "publish.", "errand.")


def killed_at(point):
    if point.startswith("errand."):
        return ERRANDS
    if point.startswith("intake."):
        return TICKED
    if point == "step.after_effects":
        return PAGES
    # an errand begins with its lease
    return [job for job in JOBS if point != "step.after_fence" or job not in ERRANDS]


def points():
    return [name for name in fault_points() if not ELSEWHERE.match(name)]


def prepare(scene, at):
    """Fills the scene and pauses all jobs. AT is the same in all tests of a file, so that all ids
    are the same."""
    tell(scene, at)
    scene.run("pause", *JOBS).ok()
    scene.topics.event("MemberExpirySet", {"member_id": EARLY, "expires_at": "2099-12-31"}, ce_id="timer", ce_time=at)


def work_off(scene, at, point=None, victims=()):
    """Resumes one job after the other. VICTIMS are killed at POINT, the first time and the second
    time, when the jobs before them have nothing left to do."""
    # their ticks come by themselves
    alone = victims if point and point.startswith("intake.") else ()
    send_ticks(scene, at, [job for job in TICKED if job not in alone])
    if point and point.startswith("dispatcher."):
        scene.run_until_idle()  # the runs wait for their paused jobs: the dispatcher has them
    paused = []
    for job in JOBS:
        if job in victims and paused:
            scene.run("resume", *paused).ok()
            paused.clear()
            scene.run_until_idle()
        paused.append(job)
        if job in victims or job in JOBS[-2:]:
            scene.run("resume", *paused).ok()
            paused.clear()
            send_ticks(scene, at, [job] if job in alone else [])
            if job in victims:
                die(scene, point, job)
            scene.run_until_idle()


def send_ticks(scene, at, jobs):
    for job in jobs:
        scene.topics.tick(job, at)


def die(scene, point, job):
    where = f"{point}={job}" if point.startswith("lane.") else point
    for passage in (1, 2) if point.startswith(OFTEN) else (1,):
        code = scene.start("--until-idle", environment={"PRUNED_FAULT": f"{where}:kill:{passage}"}).wait(60)
        assert code == -9 or passage == 2 and code == 0, f"{job}: {code}"
        minute_passes(scene.database)


@pytest.fixture(scope="module")
def at():
    return now(minutes=-2).replace(microsecond=0)


@pytest.fixture(scope="module")
def undisturbed():
    """The state after an undisturbed run. The first test makes it."""
    return {}


@pytest.fixture
def new_story(new_scene, at):
    def make():
        scene = new_scene(SETTINGS).with_faults()
        scene.settings["store.local.root"] = scene.folder / "objects"
        prepare(scene, at)
        return scene

    return make


@pytest.fixture
def killed_and_compared(new_story, at, undisturbed):
    def compare(point, victims):
        if not undisturbed:
            calm = new_story()
            work_off(calm, at)
            leases_end(calm, at)
            undisturbed.update(state(calm))
        scene = new_story()
        work_off(scene, at, point, victims)
        leases_end(scene, at)
        got = state(scene)
        for name, value in undisturbed.items():
            assert got[name] == value, name

    return compare


def one_each():
    """(point, job): each point with one of the jobs that reach it, each job in its turn."""
    return [(point, (jobs := killed_at(point))[n % len(jobs)]) for n, point in enumerate(points())]


@pytest.mark.parametrize("point, job", one_each())
def test_killed_there_in_one_job_everything_happened_once(killed_and_compared, point, job):
    killed_and_compared(point, [job])


@pytest.mark.check_all
@pytest.mark.parametrize("point", points())
def test_killed_there_in_each_job_everything_happened_once(killed_and_compared, point):
    killed_and_compared(point, killed_at(point))
