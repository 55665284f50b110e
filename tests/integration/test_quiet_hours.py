"""`not_between`: in these hours a job's runs wait, a chain between two of its pages; they go on
when the hours are over."""

import datetime

import pytest

from stack.process import wait_until
from support.scene import configure, fill, hours, now, refuse_rows, result, send_tick, start

JOB, WIDE = "scratch.remove", "scratch.wide"
UTC = datetime.timezone.utc


def wait_quiet(scene, run_id):
    row = scene.wait_run(run_id, "waiting")
    assert "quiet hours" in row["error"] and row["attempts"] == 0
    return row


@pytest.mark.check_all
def test_a_run_does_not_begin_in_them_and_others_do(scene):
    fill(scene.database, 5)
    configure(scene, f"[jobs.{JOB}]\nnot_between = {hours(-60, 60)}\n")
    start(scene)
    run_id = send_tick(scene)
    row = wait_quiet(scene, run_id)
    end = (datetime.datetime.now(UTC) + datetime.timedelta(minutes=60)).replace(second=0, microsecond=0)
    assert abs(row["due_at"] - end) <= datetime.timedelta(minutes=1) and row["due_at"].second == 0
    assert row["step"] == 0 and scene.wait_run(send_tick(scene, WIDE, {"n": 1}))["state"] == "finished"
    [listed] = [run for run in scene.run("runs", "--json").ok().json() if run["job"] == JOB]
    assert listed["state"] == "waiting" and "quiet hours" in listed["error"]
    assert scene.run("status", "--json").json()[0]["quiet"] == [JOB]
    assert scene.database.value("SELECT count(*) FROM scratch") == 5


@pytest.mark.check_all
def test_a_chain_pauses_between_its_pages_and_goes_on(scene):
    fill(scene.database, 3000)
    [daemon] = start(scene)
    run_id = send_tick(scene)
    scene.database.wait("SELECT step FROM pruned.runs WHERE run_id = %s", [run_id], until=lambda n: n and n > 3)
    configure(scene, f"[jobs.{JOB}]\nnot_between = {hours(-5, 55)}\n", daemon)
    row = wait_quiet(scene, run_id)
    assert 3 < row["step"] < 300 and scene.database.value("SELECT count(*) FROM scratch") == 3000 - 10 * row["step"]
    configure(scene, "", daemon)
    row = scene.wait_run(run_id)
    assert result(row)["removed"] == 3000 and row["error"] is None


@pytest.mark.check_first(1)
@pytest.mark.parametrize("restarts", [False, True])
def test_hours_that_are_changed_meanwhile_end_as_they_do_now(scene, restarts):
    """Earlier, later, and at once."""
    fill(scene.database, 5)
    text = f"[jobs.{JOB}]\nnot_between = {{}}\n"
    configure(scene, text.format(hours(-60, 60)))
    [daemon] = start(scene)
    run_id = send_tick(scene)
    ends = [wait_quiet(scene, run_id)["due_at"]]

    def change(value):
        nonlocal daemon
        if not restarts:
            return configure(scene, text.format(value), daemon)
        daemon.stop()
        configure(scene, text.format(value))
        [daemon] = start(scene)

    change(hours(-60, 30))
    ends.append(wait_until(lambda: (due := scene.run_row(run_id)["due_at"]) < ends[0] and due, 30, "an earlier end"))
    assert ends[1] > now(minutes=20) and scene.database.value("SELECT count(*) FROM scratch") == 5
    change(hours(-60, 90))
    change("off")
    assert result(scene.wait_run(run_id))["removed"] == 5


@pytest.mark.check_all
def test_the_error_of_a_retry_stays_readable_and_a_tick_that_waits_says_why(scene):
    fill(scene.database, 25)
    refuse_rows(scene.database, "true")
    configure(scene, f"[jobs.{JOB}]\nbatch = 25\n")
    [daemon] = start(scene)
    run_id = send_tick(scene)
    first = scene.wait_run(run_id, "waiting")
    assert first["attempts"] == 1 and first["error_class"]
    configure(scene, f"[jobs.{JOB}]\nnot_between = {hours(-60, 60)}\n", daemon)
    for count in (1, 2):  # `retry` brings it forward
        scene.run("retry", run_id).ok()
        daemon.wait_line("Quiet hours; runs wait for their end", count=count)
        row = wait_until(lambda: (r := scene.run_row(run_id))["due_at"] > now(minutes=30) and r, 30, "it waits")
        reason, last = row["error"].split("; its last error: ")
        assert reason.startswith("quiet hours until ") and (last, row["error_class"]) == (first["error"], first["error_class"])
    scene.run("discard", run_id).ok()
    done = scene.run("tick", JOB, "--wait=3")
    assert done.code == 8 and "it is waiting: quiet hours until " in done.stderr and "last error" not in done.stderr


@pytest.mark.check_all
def test_nothing_but_their_end_ends_them(scene):
    """Neither a retry, nor a new tick, nor another process."""
    scene.run_at_once(1)
    fill(scene.database, 5)
    configure(scene, f"[jobs.{JOB}]\nnot_between = {hours(-60, 60)}\n")
    [first] = start(scene)
    run_id = send_tick(scene)
    due = wait_quiet(scene, run_id)["due_at"]
    scene.run("retry", run_id).ok()
    first.wait_line("Quiet hours; runs wait for their end", count=2)
    assert wait_quiet(scene, run_id)["due_at"] == due
    later = send_tick(scene)
    assert scene.wait_run(later)["error"] == f"overlaps {run_id}"
    first.kill()
    start(scene)
    wait_quiet(scene, run_id)
    assert scene.database.value("SELECT count(*) FROM scratch") == 5


@pytest.mark.check_all
def test_they_end_by_themselves(scene):
    """At the beginning of a minute: up to a minute and a half."""
    fill(scene.database, 5)
    while datetime.datetime.now(UTC).second > 50:
        wait_until(lambda: datetime.datetime.now(UTC).second < 50, 15, "a new minute")
    configure(scene, f"[jobs.{JOB}]\nnot_between = {hours(-1, 1)}\n")
    start(scene)
    run_id = send_tick(scene)
    due = wait_quiet(scene, run_id)["due_at"]
    row = scene.wait_run(run_id, deadline_s=90)
    assert result(row)["removed"] == 5 and row["started_at"] >= due


def test_other_hours_do_not_hold_it(scene):
    fill(scene.database, 5)
    configure(scene, f"[jobs.{JOB}]\nnot_between = {hours(60, 120)}\n")
    start(scene)
    assert result(scene.wait_run(send_tick(scene)))["removed"] == 5


def test_a_wrong_value_is_named_with_its_place(stored):
    stored.configuration.write_text("[log]\nlevel = info\n[jobs.users.destroy]\nnot_between = 7-20\n")
    done = stored.run("config")
    assert done.code == 2 and f"{stored.configuration}:4" in done.stderr and "not_between" in done.stderr and "expected HH:MM-HH:MM" in done.stderr
