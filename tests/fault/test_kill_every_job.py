"""Each job killed at each point of a step, twice: in the end everything is as if nobody had been killed."""

import subprocess

import pytest

from support.every_job import JOBS, SETTINGS, TICKED, leases_end, state, tell
from support.places import binary_with_faults
from support.scene import now

ERRANDS = ("ci.delete_objects",)
# Effects that the engine applies, not the job's own code.
PAGES = ("members.remove_expired", "members.prune_deletions", "imports.placeholder_cleanup", "groups.adjourned_deletion",
         "users.refresh_authorizations")


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


def prepare(scene, at):
    """AT is the same for all tests of a run, so that all ids are. Until its turn comes a job is paused."""
    tell(scene, at)
    for job in JOBS:
        scene.run("pause", job).ok()
    for job in TICKED:
        scene.topics.tick(job, at)


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
        prepare(scene, at)
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
