"""SIGHUP: the daemon reads its configuration again; the signal never ends the daemon."""

import signal

import pytest

from stack.process import wait_until
from support.exposition import Listening
from support.scene import fill, now, result, tick_id
from support.slow import hold_rows, let_held_rows_go, wait_asleep

JOB = "scratch.remove"
OTHER = "scratch.endless"
REFUSED = "Configuration not reloaded; the settings in force stay"


def write(scene, text):
    scene.configuration.write_text(text)


def hang_up(daemon, message="Configuration reloaded", count=1):
    daemon.send(signal.SIGHUP)
    return daemon.wait_line(message, count=count)


def start(scene, text=""):
    write(scene, text)
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    return daemon


@pytest.mark.check_all
def test_a_jobs_settings_are_taken_over(scene):
    fill(scene.database, 25)
    daemon = start(scene)
    write(scene, "[jobs.scratch.remove]\nbatch = 4\n[audit]\nrows = keys\n")
    line = hang_up(daemon)
    assert set(line["changed"].split(", ")) == {"jobs.scratch.remove.batch", "audit.rows"}
    assert line["level"] == "info" and "needs_restart" not in line
    scene.database.wait("SELECT shared ->> 'audit.rows' FROM pruned.processes", until="keys")
    scene.topics.tick(JOB, at := now(minutes=-1))
    row = scene.wait_run(tick_id(JOB, at))
    assert (result(row)["removed"], row["step"]) == (25, 7)
    assert scene.database.column("SELECT DISTINCT rows FROM pruned.deletions") == [None]


def test_a_schedule_begins_anew_and_ends(scene):
    scene.settings.pop("jobs.scratch.remove.schedule", None)
    daemon = start(scene, "[jobs.scratch.remove]\nschedule = off\n")
    write(scene, "[jobs.scratch.remove]\nschedule = 0 3 * * *\ntime_zone = Europe/Berlin\n")
    hang_up(daemon)
    scene.database.wait("SELECT count(*) FROM pruned.schedules WHERE job = %s AND schedule = '0 3 * * * Europe/Berlin'", [JOB], until=1)
    write(scene, "[jobs.scratch.remove]\nschedule = off\n")
    hang_up(daemon, count=2)
    scene.database.wait("SELECT count(*) FROM pruned.schedules WHERE job = %s", [JOB], until=0)


def test_alerts_get_the_interval_of_a_changed_schedule_and_know_what_is_off(scene):
    http = Listening()
    scene.settings["http.listen"] = http.listen
    scene.settings.pop("jobs.scratch.remove.schedule", None)
    daemon = start(scene, "[jobs.scratch.remove]\nschedule = off\n")
    assert http.metrics().of("pruned_job_interval_seconds", job=JOB) == 0
    write(scene, "[jobs.scratch.remove]\nschedule = 0 3 * * *\n")
    hang_up(daemon)
    metrics = http.metrics()
    assert metrics.of("pruned_job_interval_seconds", job=JOB) == 24 * 3600 and metrics.of("pruned_job_enabled", job=JOB) == 1
    write(scene, "[jobs.scratch.remove]\nmode = off\n")
    hang_up(daemon, count=2)
    assert http.metrics().of("pruned_job_enabled", job=JOB) == 0
    http.close()


def test_the_logs_level_and_format_are_taken_over(scene):
    scene.settings.pop("log.format")
    daemon = start(scene, "[log]\nformat = json\n")
    write(scene, "[log]\nformat = json\nlevel = debug\n")
    assert hang_up(daemon)["changed"] == "log.level"
    scene.topics.tick(JOB, at := now(minutes=-1))
    scene.wait_run(tick_id(JOB, at))
    write(scene, "[log]\nformat = text\nlevel = debug\n")
    assert hang_up(daemon, count=2)["changed"] == "log.format"
    daemon.send(signal.SIGHUP)  # nothing has changed since; the line comes as text
    wait_until(lambda: "Configuration reloaded changed=nothing" in daemon.text(), 30, "a line of text")


def test_settings_that_need_a_restart_are_listed_and_unchanged(scene):
    daemon = start(scene)
    write(scene, "[run]\nworkers = 3\n[http]\nlisten = 127.0.0.1:0\n[jobs.scratch.remove]\ncapacity = 2\nbatch = 7\n"
                 "[kafka]\nfetch.error.backoff.ms = 20\n")
    line = hang_up(daemon)
    assert line["level"] == "warning" and line["changed"] == "jobs.scratch.remove.batch"
    assert set(line["needs_restart"].split(", ")) == {"run.workers", "http.listen", "jobs.scratch.remove.capacity", "kafka.fetch.error.backoff.ms"}
    scene.topics.tick(JOB, at := now(minutes=-1))
    assert scene.wait_run(tick_id(JOB, at))["state"] == "finished"


def test_a_broken_file_changes_nothing(scene):
    fill(scene.database, 25)
    daemon = start(scene)
    write(scene, "[jobs.scratch.remove]\nbatch = 5\nbacth = 6\n")
    line = hang_up(daemon, REFUSED)
    assert line["level"] == "error" and "unknown key 'bacth'" in line["error"] and "pruned.conf:3" in line["error"]
    write(scene, "[jobs.scratch.remove]\nschedule = every day\n")
    assert "schedule" in hang_up(daemon, REFUSED, count=2)["error"]
    scene.configuration.unlink()
    hang_up(daemon, REFUSED, count=3)
    scene.topics.tick(JOB, at := now(minutes=-1))
    row = scene.wait_run(tick_id(JOB, at))
    assert (result(row)["removed"], row["step"]) == (25, 3)
    write(scene, "")


def test_a_storm_of_signals_ends_nothing(scene):
    fill(scene.database, 250)
    daemon = scene.start()
    daemon.wait_line("Started")
    scene.topics.tick(JOB, at := now(minutes=-1))
    for n in range(200):
        write(scene, f"[jobs.scratch.remove]\nbatch = {5 + n % 10}\n")
        daemon.send(signal.SIGHUP)
    assert result(scene.wait_run(tick_id(JOB, at)))["removed"] == 250
    hang_up(daemon)
    assert daemon.stop() == 0


def step_under_way(scene):
    """The transaction of the step that is held."""
    wait_asleep(scene.database)
    return scene.database.row("SELECT pid, xact_start FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'")


def steps_of_other(scene, last):
    """The number of steps of the other job for LAST rows."""
    scene.topics.tick(OTHER, at := now(minutes=-1), {"last": last})
    return scene.wait_run(tick_id(OTHER, at, f'{{"last":{last}}}'))["step"]


def test_a_blocked_step_delays_neither_a_reload_nor_other_jobs(scene):
    fill(scene.database, 5)
    hold_rows(scene.database, "OLD.id = 3")
    daemon = start(scene)
    scene.topics.tick(JOB, at := now(minutes=-1))
    # a statement may take 15 s: if the machine stood still for longer, this is a later step
    for attempt in range(1, 5):
        held = step_under_way(scene)
        write(scene, f"[jobs.{OTHER}]\nbatch = {10 * attempt}\n[jobs.{JOB}]\nbatch = {attempt}\n")
        assert f"jobs.{OTHER}.batch" in hang_up(daemon, count=attempt)["changed"]
        assert steps_of_other(scene, 20 * attempt) == 2
        if scene.database.row("SELECT pid, xact_start FROM pg_stat_activity WHERE pid = %s", [held["pid"]]) == held:
            break
    else:
        raise AssertionError("others went on only after the step that was held")
    let_held_rows_go(scene.database)
    assert result(scene.wait_run(tick_id(JOB, at)))["removed"] == 5
    assert daemon.stop() == 0


def test_many_signals_while_a_step_is_held_leave_the_last_file_in_force(scene):
    fill(scene.database, 5)
    hold_rows(scene.database, "OLD.id = 3")
    daemon = start(scene)
    scene.topics.tick(JOB, at := now(minutes=-1))
    step_under_way(scene)
    for n in range(1, 51):
        write(scene, f"[jobs.{OTHER}]\nbatch = {n}\n")
        daemon.send(signal.SIGHUP)
    wait_until(lambda: scene.run("jobs", "--json").ok() and any(
        line["job"] == OTHER and line["settings"]["batch"] == 50 for line in scene.run("jobs", "--json").json()), 30, "the last file in force")
    assert not [line for line in daemon.lines() if line["level"] == "error"]
    assert {line["changed"] for line in daemon.lines("Configuration reloaded")} <= {f"jobs.{OTHER}.batch", "nothing"}
    let_held_rows_go(scene.database)
    assert result(scene.wait_run(tick_id(JOB, at)))["removed"] == 5


def test_a_signal_during_the_start_is_handled_after_it(scene):
    with scene.database.connect() as other, other.transaction():
        other.execute("LOCK TABLE pruned.schedules")
        daemon = scene.start()
        scene.database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
        write(scene, "[jobs.scratch.remove]\nbatch = 4\n")
        hang_up(daemon, "Starting; the configuration will be reloaded after the start")
        assert not daemon.lines("Started")
    assert daemon.wait_line("Configuration reloaded")["changed"] == "jobs.scratch.remove.batch"
    assert daemon.stop() == 0


def test_a_signal_right_after_the_start_of_the_process_does_not_end_it(scene):
    daemon = scene.start()
    wait_until(lambda: daemon.blocks(signal.SIGHUP), 30, "it has begun")
    daemon.send(signal.SIGHUP)
    daemon.wait_line("Configuration reloaded")
    assert daemon.stop() == 0


@pytest.mark.check_all
def test_a_signal_during_the_shutdown_reloads_nothing(scene):
    fill(scene.database, 5)
    hold_rows(scene.database, "OLD.id = 3")
    daemon = start(scene)
    scene.topics.tick(JOB, now(minutes=-1))
    step_under_way(scene)
    write(scene, "[jobs.scratch.remove]\nbatch = 4\n")
    daemon.send(signal.SIGTERM)
    daemon.wait_line("Stopping")
    hang_up(daemon, "Shutting down; configuration not reloaded")
    assert daemon.wait() == 0
    assert not daemon.lines("Configuration reloaded")
