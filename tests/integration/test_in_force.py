"""Settings in force: running processes record their settings, and a command with another file shows
those, not its own."""

import os
import socket

import pytest

from stack.found import PROJECT
from stack.process import wait_until
from support.places import ROLE

JOB = "scratch.remove"


def processes(scene):
    return scene.run("processes", "--json").ok().json()


def job(scene, name=JOB, **options):
    return next(j for j in scene.run("jobs", "--json", **options).ok().json() if j["job"] == name)


def finding(scene):
    return [f for f in scene.run("doctor", "--json").json() if f["check"] == "processes"]


def start(scene, n=1, **options):
    daemon = scene.start(**options)
    daemon.wait_line("Started")
    wait_until(lambda: len(processes(scene)) == n, 30, f"{n} processes")
    return daemon


@pytest.mark.check_all
def test_a_process_is_listed_while_it_runs(scene):
    assert processes(scene) == []
    daemon = start(scene)
    wait_until(lambda: processes(scene)[0]["partitions"] == sum(n for t, n in scene.topics.partitions().items()
                                                                if not t.endswith(("outcomes", "dead", "clock"))), 30, "its partitions")
    [one] = processes(scene)
    assert set(one) == {"host", "pid", "version", "started_at", "seen_at", "settings", "partitions", "differing"}
    assert (one["host"], one["pid"]) == (socket.gethostname(), daemon.pid) and one["started_at"] <= one["seen_at"]
    assert one["version"] == next(line["version"] for line in scene.run("version", "--json").json() if line["name"] == "pruned")
    wait_until(lambda: processes(scene)[0]["seen_at"] > one["seen_at"], 30, "a later look")
    assert daemon.stop() == 0
    assert processes(scene) == []


@pytest.mark.check_all
def test_jobs_shows_what_is_in_force_whatever_the_command_line_says(scene):
    assert job(scene, settings={f"jobs.{JOB}.batch": 9})["settings"]["batch"] == 9  # nobody runs
    start(scene, settings={f"jobs.{JOB}.batch": 7, f"jobs.{JOB}.capacity": 3})
    seen = job(scene, settings={f"jobs.{JOB}.batch": 9})
    assert (seen["settings"]["batch"], seen["capacity"], seen["differs"]) == (7, 3, {})
    assert [f["ok"] for f in finding(scene)] == [True]


@pytest.mark.check_all
def test_settings_that_differ_between_processes_are_named(scene):
    start(scene, settings={f"jobs.{JOB}.batch": 7})
    second = start(scene, 2, settings={f"jobs.{JOB}.batch": 8, "http.listen": "127.0.0.1:0"})
    assert sorted(job(scene)["differs"]["batch"]) == [7, 8] and list(job(scene)["differs"]) == ["batch"]
    assert job(scene, "scratch.wide")["differs"] == {}
    [found] = finding(scene)
    assert not found["ok"] and JOB in found["detail"] and '"batch"' in found["detail"]
    assert scene.run("doctor").code != 0
    assert len({p["settings"] for p in processes(scene)}) == 2
    assert [p["differing"] for p in processes(scene)] == [f"jobs.{JOB}.batch"] * 2
    assert "differ" in scene.run("jobs").ok().stdout
    assert second.stop() == 0
    assert job(scene)["differs"] == {} and job(scene)["settings"]["batch"] == 7


@pytest.mark.check_all
def test_settings_of_no_job_that_differ_are_named_and_no_secret(scene):
    start(scene, settings={"run.workers": 2, "store.object.secret_key": "hush-one", "http.listen": "127.0.0.1:0"})
    second = start(scene, 2, settings={"run.workers": 3, "store.object.secret_key": "hush-two"})
    [found] = finding(scene)
    assert not found["ok"] and 'run.workers ["2", "3"]' in found["detail"] and "store.object.secret_key" in found["detail"]
    assert "http.listen" not in found["detail"] and "hush" not in found["detail"]
    assert [p["differing"] for p in processes(scene)] == ["run.workers, store.object.secret_key"] * 2
    assert second.stop() == 0
    assert [p["differing"] for p in processes(scene)] == [None]


@pytest.mark.check_all
def test_settings_of_both_kinds_and_of_kafka_are_named(scene):
    start(scene, settings={"run.workers": 2, f"jobs.{JOB}.batch": 7, "kafka.linger.ms": 3})
    start(scene, 2, settings={"run.workers": 3, f"jobs.{JOB}.batch": 8})
    said = [one["detail"] for one in finding(scene)]
    assert len(said) == 2 and '"batch"' in said[0]
    assert 'kafka.linger.ms ["3"] and not set, run.workers ["2", "3"]' in said[1]
    assert [p["differing"] for p in processes(scene)] == [f"jobs.{JOB}.batch, kafka.linger.ms, run.workers"] * 2


def test_a_job_that_one_process_lacks_is_named(scene):
    start(scene)
    more = {"run.jobs": "ci.delete_objects", "store.local.root": "/tmp"}
    scene.run("topics", "--apply", settings=more).ok()
    start(scene, 2, settings=more)
    assert [p["differing"] for p in processes(scene)] == ["ci.delete_objects, run.jobs, store.local.root"] * 2


@pytest.mark.check_first(1)
@pytest.mark.parametrize("known", [None, '{"run.new": "1"}'], ids=["older", "newer"])
def test_a_process_of_another_version_does_not_differ_by_what_it_does_not_know(scene, known):
    start(scene)
    scene.database.execute("""
        INSERT INTO pruned.processes (id, host, pid, version, started_at, seen_at, settings, jobs, versions, refused, shared)
        SELECT gen_random_uuid(), host, 1, 'another', started_at, seen_at, 'another', jobs, versions, refused, %(known)s::jsonb || CASE
            WHEN %(known)s::jsonb IS NOT NULL THEN shared - 'run.workers' END FROM pruned.processes""", {"known": known})
    assert [p["differing"] for p in processes(scene)] == [None] * 2
    [found] = finding(scene)
    assert not found["ok"] and found["detail"].endswith("2 different sets of settings")


@pytest.mark.check_all
def test_a_process_that_was_killed_is_seen_and_counts_no_more(scene):
    daemon = start(scene.run_at_once(1), settings={f"jobs.{JOB}.batch": 7})
    daemon.kill()
    scene.database.execute("UPDATE pruned.processes SET seen_at = seen_at - interval '1 minute'")
    start(scene, 2, settings={f"jobs.{JOB}.batch": 8})
    assert job(scene)["differs"] == {} and job(scene)["settings"]["batch"] == 8
    [found] = finding(scene)
    assert not found["ok"] and str(daemon.pid) in found["detail"]
    scene.database.execute("UPDATE pruned.processes SET seen_at = seen_at - interval '1 hour' WHERE pid = %s", [daemon.pid])
    wait_until(lambda: len(processes(scene)) == 1, 30, "forgotten")


def test_no_secret_is_in_the_table(scene):
    daemon = start(scene, settings={"store.object.secret_key": "hush-hush"})
    assert "hush-hush" not in scene.database.value("SELECT string_agg(to_jsonb(p)::text, ' ') FROM pruned.processes p")
    assert daemon.running and os.path.exists(f"/proc/{daemon.pid}")


def test_a_role_that_was_granted_before_the_upgrade_keeps_working(scene):
    """`pruned grants` is not run again: the schema step itself grants the new tables to the roles
    that write the old ones."""
    granted = scene.database.column(
        "SELECT DISTINCT table_name FROM information_schema.role_table_grants WHERE grantee = %s AND table_schema = 'pruned'", [ROLE])
    step = (PROJECT / "schemas/postgres").joinpath("008-seen.sql").read_text()
    scene.database.execute("DROP TABLE pruned.blocked, pruned.job_states, pruned.processes")
    scene.database.execute("ALTER TABLE pruned.schema_version DROP COLUMN compatible_from")
    scene.database.connection.execute(step)
    assert {"blocked", "job_states", "processes"} <= set(granted) == set(scene.database.column(
        "SELECT DISTINCT table_name FROM information_schema.role_table_grants WHERE grantee = %s AND table_schema = 'pruned'", [ROLE]))
