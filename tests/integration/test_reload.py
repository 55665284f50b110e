"""SIGHUP: the configuration is read again while the daemon runs; it never ends the daemon."""

import signal

from stack.process import wait_until
from support.scene import fill, now, result, tick_id

JOB = "scratch.remove"
REFUSED = "The configuration was not reloaded: the settings stay as they were"


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


def test_a_jobs_settings_are_taken_over(scene):
    fill(scene.database, 25)
    daemon = start(scene)
    write(scene, "[jobs.scratch.remove]\nbatch = 4\n[audit]\nrows = keys\n")
    line = hang_up(daemon)
    assert set(line["changed"].split(", ")) == {"jobs.scratch.remove.batch", "audit.rows"}
    assert line["level"] == "info" and "needs_restart" not in line
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


def test_the_logs_level_and_format_are_taken_over(scene):
    scene.settings.pop("log.format")
    daemon = start(scene, "[log]\nformat = json\n")
    write(scene, "[log]\nformat = json\nlevel = debug\n")
    assert hang_up(daemon)["changed"] == "log.level"
    scene.topics.tick(JOB, at := now(minutes=-1))
    scene.wait_run(tick_id(JOB, at))
    write(scene, "[log]\nformat = text\nlevel = debug\n")
    assert hang_up(daemon, count=2)["changed"] == "log.format"
    daemon.send(signal.SIGHUP)  # nothing has changed since; said as text
    wait_until(lambda: "Configuration reloaded changed=nothing" in daemon.text(), 30, "a line of text")


def test_what_wants_a_restart_is_listed_and_left_as_it_is(scene):
    daemon = start(scene)
    write(scene, "[run]\nworkers = 3\n[http]\nlisten = 127.0.0.1:0\n[jobs.scratch.remove]\ncapacity = 2\nbatch = 7\n"
                 "[kafka]\nfetch.wait.max.ms = 20\n")
    line = hang_up(daemon)
    assert line["level"] == "warning" and line["changed"] == "jobs.scratch.remove.batch"
    assert set(line["needs_restart"].split(", ")) == {"run.workers", "http.listen", "jobs.scratch.remove.capacity", "kafka.fetch.wait.max.ms"}
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
