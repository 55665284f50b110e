"""Jobs of one's own that are folders of SQL files: a wrong one is refused alone, with its place, by
commands and by the daemon, which ends its ticks and does them once it is mended."""

import json
import shutil

import pytest

from stack.process import wait_until
from support.jobs_dir import ORDERS, SCRATCH, config, folder, jobs_of, known, own, refused, write  # noqa: F401
from support.scene import JOBS, fill, now, result, tick_id

pytestmark = pytest.mark.built_in


@pytest.fixture
def scratch(folder):
    """The folder of a job, with its job.conf; a good sentence lies beside it."""
    shutil.copytree(JOBS / SCRATCH, folder / SCRATCH)
    write(folder / "good.conf", ORDERS)
    return folder / SCRATCH


def replace(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize("old, new, line, reason", [
    ("batch = 10", "bacth = 10", 5, "unknown key 'bacth', did you mean 'batch'?"),
    ("batch = 10", "batch = ten", 5, "batch: "),
    ("due = day", "table = x", 8, "'table' in [job] appears twice, first in line 7"),
    ("[what removed]", "[waht removed]", 14, "unknown group 'waht removed'"),
    ("[what removed]", "[what]", 14, "the group needs a name"),
    ("counts_as_updated = true", "count_as_updated = true", 15, "unknown key 'count_as_updated', did you mean 'counts_as_updated'?"),
    ("counts_as_updated = true", "counts_as_updated = yes", 15, "expected true or false"),
    ("counts_as_updated = true", "outcome = MemberRemovd", 15, "unknown outcome 'MemberRemovd', did you mean 'MemberRemoved'?"),
    ("[what removed]", "[failed]\noutcome = RowKept\n[what removed]", 15, "unknown outcome 'RowKept'"),
    ("counts_as_updated = true", "outcome = MemberKept\noutcome.reasn = x", 16, "outcome MemberKept has no field 'reasn', did you mean 'reason'?"),
    ("counts_as_updated = true", "outcome = MemberKept\noutcome.reason = x\noutcome.member_id = one", 17,
     "outcome MemberKept: field member_id: not an integer"),
    ("counts_as_updated = true", "outcome = MemberRemoved\noutcome.expires_at = tomorrow", 16, "outcome MemberRemoved: field expires_at: "),
    ("counts_as_updated = true", "outcome = MemberKept\noutcome.member_id =", 16, "outcome MemberKept: field member_id: "),
    ("[what removed]", "[failed]\noutcome = MemberKept\noutcome.source_id = 1.5\n[what removed]", 16, "outcome MemberKept: field source_id: "),
    ("counts_as_updated = true", "outcome.reason = x", 15, "outcome.reason: [what removed] has no outcome"),
    ("[what removed]", "[event MemberExpirySett]\nkey = id\n[what removed]", 14,
     "unknown event 'MemberExpirySett', did you mean 'MemberExpirySet'?"),
    ("[what removed]", "[event MemberExpirySet]\nkeys = id\n[what removed]", 15, "unknown key 'keys', did you mean 'key'?"),
])
def test_what_job_conf_says_in_vain_is_refused(own, scratch, old, new, line, reason):
    replace(scratch / "job.conf", old, new)
    done = config(own)
    assert done.code == 2
    place, why = refused(done)[SCRATCH]
    assert place == f"{scratch}/job.conf:{line}" and reason in why
    assert "orders.purge" in jobs_of(known(done)) and SCRATCH not in jobs_of(known(done))


def test_a_folder_of_apply_without_its_group_is_refused(own, scratch):
    replace(scratch / "job.conf", "[what removed]\ncounts_as_updated = true\n", "[what remove]\n")
    place, why = refused(config(own))[SCRATCH]
    assert place == f"{scratch}/apply/removed/"
    assert why == "nothing would use it: job.conf has no group [what removed], did you mean 'remove'?"


def test_a_folder_without_its_page_or_with_a_wrong_statement_is_refused(own, scratch):
    replace(scratch / "page.sql", ":limit::int", ":limit")
    assert "has no cast" in refused(config(own))[SCRATCH][1]
    (scratch / "page.sql").unlink()
    assert "no page.sql" in refused(config(own))[SCRATCH][1]


def test_a_folder_without_job_conf_is_refused_if_it_looks_like_a_job(own, scratch, folder):
    (scratch / "job.conf").rename(scratch / "jobs.conf")
    (folder / "shared").mkdir()
    write(folder / "shared" / "rows.sql", "SELECT 1\n")
    assert refused(config(own)) == {SCRATCH: (str(scratch), "there is no job.conf")}


def test_a_name_must_be_fit_for_a_topic(own, scratch, folder):
    scratch.rename(folder / "my job")
    file = write(folder / "my file.conf", "[retention]\ntable = t\nwhere = true\n")
    found = refused(config(own))
    assert found["my job"] == (f"{folder}/my job", "this cannot be the name of a job")
    assert found["my file"][0] == f"{file}:1" and "cannot be a name" in found["my file"][1]


def test_jobs_dir_cannot_replace_a_job_of_the_program(own, folder):
    shutil.copytree(JOBS / SCRATCH, folder / "members.remove_expired")
    done = config(own)
    assert done.code == 2 and known(done)["jobs.members.remove_expired.batch"] == ("1000", "job.conf")
    assert refused(done)["members.remove_expired"][0] == f"{folder}/members.remove_expired"


# --- commands and the daemon

@pytest.fixture
def broken(new_scene, tmp_path):
    """A scene whose job scratch.remove is wrong; it is mended by `mend`."""
    mine = tmp_path / "own"
    shutil.copytree(JOBS, mine)
    replace(mine / SCRATCH / "job.conf", "batch = 10", "bacth = 10")
    scene = new_scene({"run.jobs_dir": mine})
    scene.own = mine
    return scene


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
