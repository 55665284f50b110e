"""Jobs of one's own that are folders of SQL files: a wrong one is refused alone, with its place, by
commands and by the daemon, which ends its ticks and does them once it is mended. What is refused:
unit/engine/job/test_job_conf_check.c, test_job_own.c."""

import json
import shutil

import pytest

from stack.process import wait_until
from support.jobs_dir import SCRATCH, config, refused
from support.scene import JOBS, fill, now, result, tick_id

pytestmark = pytest.mark.built_in


def replace(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.fixture
def broken(new_scene, tmp_path):
    """A scene whose job scratch.remove is wrong; it is mended by `mend`."""
    mine = tmp_path / "own"
    shutil.copytree(JOBS, mine)
    replace(mine / SCRATCH / "job.conf", "batch = 10", "bacth = 10")
    scene = new_scene({"run.jobs_dir": mine})
    scene.own = mine
    return scene


@pytest.mark.check_all
def test_commands_show_the_rest_and_end_with_2(broken):
    place = f"{broken.own}/{SCRATCH}/job.conf:5"
    jobs = broken.run("jobs", "--json")
    assert jobs.code == 2 and refused(jobs)[SCRATCH][0] == place
    listed = {line["job"]: line for line in jobs.json()}
    assert listed[SCRATCH]["refused"].startswith(f"{place}: unknown key 'bacth'")
    assert listed["scratch.endless"]["refused"] is None and listed["members.remove_expired"]["enabled"] is True
    assert config(broken).code == 2
    doctor = broken.run("doctor", "--json")
    assert doctor.code == 2
    [found] = [f for f in doctor.json() if f["check"] == "jobs" and not f["ok"]]
    assert f"{SCRATCH} is refused: {place}: unknown key" in found["detail"] and place in found["remedy"]
    plan = broken.run("plan", SCRATCH)
    assert plan.code == 2 and place in plan.stderr
    assert broken.run("runs", "--job", SCRATCH).code == 0
    topics = broken.run("topics", "--json").ok()
    assert not [t for t in topics.json() if t["topic"].endswith(f"work.{SCRATCH}")]
    assert list(refused(topics)) == [SCRATCH]


def test_the_daemon_goes_on_and_ends_the_tick_blocked(broken):
    fill(broken.database, 3)
    daemon = broken.start()
    when = now(minutes=-1)
    broken.topics.tick(SCRATCH, when)
    row = broken.wait_run(tick_id(SCRATCH, when))
    reason = f"refused: {broken.own}/{SCRATCH}/job.conf:5: unknown key 'bacth', did you mean 'batch'?"
    assert row["state"] == "finished" and result(row) == {"status": "blocked", "reason": reason}
    assert row["error"] == reason and row["finished_at"] is not None
    [end] = wait_until(lambda: broken.topics.outcomes("RunFinished"), 30, "the outcome")
    assert (str(end.value["run_id"]), end.value["state"], json.loads(end.value["result"])["reason"]) == (str(row["run_id"]), "finished", reason)
    done = broken.run("tick", SCRATCH, "--wait=30")
    assert done.code == 7 and reason in done.stderr
    broken.topics.tick("scratch.endless", when)
    broken.wait_run(tick_id("scratch.endless", when), "ready", "waiting", "finished")
    assert len(daemon.lines("Job refused", level="error")) == 1
    assert broken.database.value("SELECT count(*) FROM scratch") == 3


@pytest.mark.check_all
def test_the_tick_is_done_once_the_job_is_mended(broken):
    fill(broken.database, 3)
    daemon = broken.start()
    when = now(minutes=-1)
    broken.topics.tick(SCRATCH, when)
    run_id = tick_id(SCRATCH, when)
    broken.wait_run(run_id)
    assert daemon.stop() == 0
    replace(broken.own / SCRATCH / "job.conf", "bacth = 10", "batch = 10")
    broken.run("topics", "--apply").ok()
    broken.start()
    wait_until(lambda: result(broken.run_row(run_id)) and result(broken.run_row(run_id)).get("status") == "completed", 60,
               lambda: broken.run_row(run_id))
    assert broken.database.value("SELECT count(*) FROM scratch") == 0
    # At least once: the first one may come again, from the process that was stopped at once.
    wait_until(lambda: len({end.headers["ce_id"] for end in broken.topics.outcomes("RunFinished")}) == 2, 30, "two outcomes")
