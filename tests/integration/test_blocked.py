"""A job that lacks something: commands, doctor and metrics show it, and it continues by itself once
nothing is missing."""

import pytest

from stack.process import wait_until
from support.places import ROLE
from support.screen import on_a_terminal
from support.scene import fill, now, result, tick_id

pytestmark = pytest.mark.built_in

JOB = "scratch.remove"
GROUPS = "groups.adjourned_deletion"
LACKS = [f"REVOKE ALL ON scratch FROM {ROLE}", "ALTER TABLE scratch RENAME TO scratched"]
HAS = [f"GRANT SELECT, UPDATE, DELETE ON scratch TO {ROLE}", "ALTER TABLE scratched RENAME TO scratch"]


def blocked(scene, what=LACKS[0]):
    """Three rows are due, something that the job needs is missing, and its tick has ended."""
    fill(scene.database, 3)
    scene.database.execute(what)
    when = now(minutes=-1)
    scene.topics.tick(JOB, when)
    return tick_id(JOB, when)


def again_now(scene):
    """The next try, which is ten seconds after the first, begins now."""
    scene.database.wait("SELECT next_try_at - at BETWEEN '9 s' AND '11 s' FROM pruned.blocked", until=True)
    scene.database.execute("UPDATE pruned.blocked SET next_try_at = now()")


def finding(scene, check):
    return [f for f in scene.run("doctor", "--json").json() if f["check"] == check]


@pytest.mark.check_all
def test_a_command_that_waits_for_the_tick_gets_the_code_and_the_reason(scene):
    fill(scene.database, 3)
    scene.database.execute(LACKS[0])
    scene.start()
    done = scene.run("tick", JOB, "--wait=60")
    assert done.code == 7, done
    assert "blocked" in done.stderr and "scratch" in done.stderr
    run_id = done.stdout.split()[0]
    [job] = [j for j in scene.run("jobs", "--json").ok().json() if j["job"] == JOB]
    assert (job["last_state"], job["last_run_id"]) == ("blocked", run_id)
    [found] = finding(scene, "blocked jobs")
    assert not found["ok"] and JOB in found["detail"] and "scratch" in found["detail"] and "pruned grants" in found["remedy"]
    assert scene.run("doctor").code == 3  # the missing right is a finding, too, and the first


@pytest.mark.check_all
@pytest.mark.parametrize("lacks, has", list(zip(LACKS, HAS)))
def test_the_tick_is_tried_again_once_nothing_is_missing(scene, lacks, has):
    daemon = scene.start()
    # what lacks its table when it is loaded is refused (test_refused_at_load.py)
    daemon.wait_line("Partitions assigned")
    run_id = blocked(scene, lacks)
    assert result(scene.wait_run(run_id))["status"] == "blocked"
    scene.database.execute(has)
    again_now(scene)
    wait_until(lambda: result(row)["status"] == "completed" if (row := scene.run_row(run_id))["state"] == "finished" else None, 60,
               lambda: scene.run_row(run_id))
    row = scene.run_row(run_id)
    assert result(row)["removed"] == 3 and "reason" not in result(row) and row["error"] is None
    assert scene.database.value("SELECT count(*) FROM scratch") == 0
    wait_until(lambda: scene.database.value("SELECT count(*) FROM pruned.blocked") == 0, 30, "forgotten")
    assert [f["ok"] for f in finding(scene, "blocked jobs")] == [True]
    ends = scene.topics.outcomes("RunFinished")
    assert len({e.headers["ce_id"] for e in ends}) == len(ends) == 2


def test_a_job_that_stays_blocked_is_reported_once(scene):
    run_id = blocked(scene)
    daemon = scene.start()
    scene.wait_run(run_id)
    again_now(scene)
    daemon.wait_line("Step failed", level="warning", run_id=run_id, state="finished")
    assert result(scene.wait_run(run_id))["status"] == "blocked"
    assert len(scene.topics.outcomes("RunFinished")) == 1
    assert len(daemon.lines("Step failed", level="error", run_id=run_id)) == 1
    assert scene.database.value("SELECT tries FROM pruned.blocked") == 1


@pytest.mark.check_all
def test_a_row_of_settings_that_comes_lets_the_job_go_on(scene):
    daemon = scene.start()
    scene.database.execute("DELETE FROM application_settings")
    scene.topics.tick(GROUPS, when := now(minutes=-1))
    run_id = tick_id(GROUPS, when)
    assert result(scene.wait_run(run_id))["status"] == "blocked"
    scene.database.execute("INSERT INTO application_settings (deletion_adjourned_period) VALUES (7)")
    again_now(scene)
    daemon.wait_line("Finished", job=GROUPS, run_id=run_id, deadline_s=60)
    assert result(scene.run_row(run_id))["status"] == "completed"


def test_a_later_tick_that_is_not_blocked_ends_it(scene):
    run_id = blocked(scene)
    scene.start()
    scene.wait_run(run_id)
    scene.database.execute("UPDATE pruned.blocked SET next_try_at = 'infinity'")
    scene.database.execute(HAS[0])
    scene.topics.tick(JOB, when := now(seconds=-10))
    scene.wait_run(tick_id(JOB, when))
    wait_until(lambda: scene.database.value("SELECT count(*) FROM pruned.blocked") == 0, 30, "settled")
    assert result(scene.run_row(run_id))["status"] == "blocked"


def archive(scene):
    scene.database.execute("SELECT pruned.ensure_day('runs_done', (scheduled_at AT TIME ZONE 'UTC')::date) FROM pruned.runs")
    scene.database.execute("INSERT INTO pruned.runs_done SELECT (jsonb_populate_record(NULL::pruned.runs_done, to_jsonb(r))).* FROM pruned.runs r")
    scene.database.execute("DELETE FROM pruned.runs")


@pytest.mark.check_all
def test_a_run_that_comes_back_from_the_archive_knows_how_much_it_has_removed(scene):
    run_id = blocked(scene)
    daemon = scene.start()
    scene.wait_run(run_id)
    wait_until(lambda: scene.database.value("SELECT count(*) FROM pruned.blocked") == 1, 30, "noted")
    daemon.stop()
    scene.database.execute("UPDATE pruned.runs SET rows_done = 5")
    archive(scene)
    scene.database.execute(HAS[0])
    again_now(scene)
    scene.start()
    scene.database.wait("SELECT result ->> 'status' FROM pruned.runs WHERE run_id = %s", [run_id], until="completed")
    assert scene.run_row(run_id)["rows_done"] == 5 + 3


@pytest.mark.check_first(1)
@pytest.mark.parametrize("archived", [False, True])
def test_retry_takes_a_blocked_run(scene, archived):
    run_id = blocked(scene)
    scene.run_until_idle()
    scene.database.execute("DELETE FROM pruned.blocked")
    if archived:
        archive(scene)
    scene.database.execute(HAS[0])
    retried = scene.run("retry", run_id, "--json").ok()
    assert retried.json()[0]["state"] == "ready" and "No daemon runs: the run begins once one does" in retried.stderr
    daemon = scene.start()
    row = scene.wait_run(run_id, "finished")
    assert result(row)["status"] == "completed" and result(row)["removed"] == 3
    # retry has sent the message
    assert not daemon.lines("Work message was missing and is sent again")


@pytest.mark.check_all
def test_lists_and_status_show_it_as_blocked(scene):
    run_id = blocked(scene)
    scene.start()
    assert result(scene.wait_run(run_id))["status"] == "blocked"
    wait_until(lambda: scene.database.value("SELECT count(*) FROM pruned.blocked") == 1, 30, "noted")
    [listed] = scene.run("runs", "--state", "blocked", "--json").ok().json()
    assert (listed["run_id"], listed["state"], result(listed)["status"]) == (run_id, "finished", "blocked")
    [status] = scene.run("status", "--json").ok().json()
    assert status["blocked"] == [JOB]
    shown = [line for line in scene.run("status").ok().stdout.splitlines() if line.startswith("Blocked")]
    assert len(shown) == 1 and JOB in shown[0]
    assert "\x1b[31mblocked" in on_a_terminal(scene, None, "jobs")[1]


@pytest.mark.check_all
def test_doctor_does_not_report_a_blocked_job_that_is_paused(scene):
    run_id = blocked(scene)
    scene.start()
    scene.wait_run(run_id)
    wait_until(lambda: finding(scene, "blocked jobs")[0]["ok"] is False, 30, "noted")
    scene.run("pause", JOB).ok()
    assert [f["ok"] for f in finding(scene, "blocked jobs")] == [True]
    [paused] = finding(scene, "paused")
    assert paused["remedy"] == f"pruned resume {JOB}"
