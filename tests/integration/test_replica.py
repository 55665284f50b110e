"""Pages of sticky jobs are searched on the standby of [postgres] replica_url, if it has all that
the primary had when the step began."""

import json
import shutil

import pytest

from stack.process import wait_until
from support.scene import fill, now, result, tick_id
from support.standby import SENTENCE, USED, WARNED, asked, scene, server  # noqa: F401

pytestmark = pytest.mark.built_in


# --- it is used

@pytest.mark.check_all
@pytest.mark.parametrize("consistency", ["sticky", "delayed"])
def test_full_pages_come_from_the_standby_and_the_last_is_asked_of_the_primary(scene, consistency):  # noqa: F811
    scene.say(SENTENCE.replace("sticky", consistency))
    fill(scene.database, 35)
    daemon = scene.start()
    scene.done(scene.tick(), 35)
    assert scene.left() == []
    assert scene.pages() == {("replica", "used"): 3, ("primary", "last"): 1}
    assert len(daemon.lines(USED)) == 1 and daemon.lines(WARNED) == []


@pytest.mark.check_all
def test_pages_of_a_job_that_is_always_consistent_never_go_there(scene):  # noqa: F811
    scene.say(SENTENCE.replace("sticky", "always"))
    fill(scene.database, 35)
    scene.start()
    scene.done(scene.tick(), 35)
    assert scene.pages() == {} and asked(scene.standby) == "0"


@pytest.mark.check_all
def test_a_folder_of_sql_files_is_sticky_as_well(scene, tmp_path):  # noqa: F811
    folder = tmp_path / "jobs"
    shutil.copytree(scene.settings["run.jobs_dir"], folder)
    conf = folder / "scratch.remove/job.conf"
    conf.write_text(conf.read_text().replace("starts = tick", "starts = tick\ndata_consistency = sticky"))
    scene.settings["run.jobs_dir"] = folder
    fill(scene.database, 21)
    scene.start()
    run_id = scene.tick("scratch.remove")
    assert result(scene.wait_run(run_id))["removed"] == 21
    assert scene.pages() == {("replica", "used"): 2, ("primary", "last"): 1}


@pytest.mark.check_all
def test_of_a_page_job_of_ours_it_finds_the_groups_in_order(scene):  # noqa: F811
    """imports.placeholder_cleanup: its page reads tables of the application and the quarantine."""
    scene.settings |= {"jobs.imports.placeholder_cleanup.batch": 10}
    scene.database.execute("SET session_replication_role = replica")  # details without users
    scene.database.execute("""INSERT INTO import_placeholder_user_details (id, placeholder_user_id, namespace_id, created_at, updated_at)
        SELECT i, 100 + i, NULL, now() - interval '3 days', now() - interval '3 days' FROM generate_series(1, 25) i""")
    scene.start()
    scene.wait_run(scene.tick("imports.placeholder_cleanup"))
    assert scene.database.column("SELECT DISTINCT deletion_attempts FROM import_placeholder_user_details") == [1]
    assert scene.pages() == {("replica", "used"): 2, ("primary", "last"): 1}


@pytest.mark.check_all
def test_a_wrong_value_is_reported_as_without_a_standby(scene, tmp_path):  # noqa: F811
    folder = tmp_path / "jobs"
    shutil.copytree(scene.settings["run.jobs_dir"], folder)
    conf = folder / "scratch.remove/job.conf"
    conf.write_text(conf.read_text().replace("starts = tick", "starts = tick\ndata_consistency = sticky"))
    scene.settings["run.jobs_dir"] = folder
    daemon = scene.start()
    at, args = now(minutes=-1), {"cursor": {"day": "9999999-01-01", "id": 1}}
    scene.topics.tick("scratch.remove", at, args)
    row = scene.wait_run(tick_id("scratch.remove", at, json.dumps(args, separators=(",", ":"))))
    assert row["state"] == "dead" and "args.cursor" in row["error"], row
    assert scene.pages() == {("primary", "failed"): 1} and daemon.lines(WARNED) == []


# --- what is shown

@pytest.mark.check_all
def test_doctor_and_status_show_the_standby_and_its_lag(scene):  # noqa: F811
    def doctor():
        [found] = [f for f in scene.run("doctor", "--json").json() if f["check"] == "standby"]
        return found

    def status():
        return scene.run("status", "--json").json()[0]["replica"]

    def lag():
        scene.database.execute("SELECT pg_logical_emit_message(true, 'test', repeat('x', 1000))")

    found = doctor()
    assert found["ok"] and " 0 bytes" in found["detail"], found
    assert status()["state"] == "used" and "Standby     used: 0 bytes" in scene.run("status").stdout
    scene.standby._ask("SELECT pg_wal_replay_pause()")
    lag()
    found = doctor()
    assert not found["ok"] and "pg_wal_replay_resume" in found["remedy"], found
    assert status()["state"] == "paused" and status()["behind_bytes"] >= 1000 and status()["behind_s"] >= 0
    scene.standby._ask("SELECT pg_wal_replay_resume()")
    scene.standby.promote()
    assert not doctor()["ok"] and status()["state"] == "promoted"
    scene.standby.kill()
    assert not doctor()["ok"] and status()["state"] == "away" and status()["behind_bytes"] is None


@pytest.mark.check_all
def test_without_a_replica_nothing_is_shown(scene):  # noqa: F811
    del scene.settings["postgres.replica_url"]
    assert [f for f in scene.run("doctor", "--json").json() if f["check"] == "standby"] == []
    assert scene.run("status", "--json").json()[0]["replica"] is None
    fill(scene.database, 25)
    scene.start()
    scene.done(scene.tick(), 25)
    assert "pruned_replica_pages_total" not in scene.http.metrics() and asked(scene.standby) == "0"


@pytest.mark.check_all
def test_the_password_is_not_shown(scene):  # noqa: F811
    settings = {"postgres.replica_url": "postgresql://me:hunter22@127.0.0.1:1/there"}
    for command in (["config"], ["config", "--json"], ["doctor"], ["status"]):
        done = scene.run(*command, settings=settings)
        assert "hunter22" not in done.stdout + done.stderr, done
    assert "postgresql://me:***@127.0.0.1:1/there" in scene.run("config", settings=settings).stdout


@pytest.mark.check_all
def test_a_consistency_that_does_not_exist_is_refused(scene):  # noqa: F811
    scene.say(SENTENCE.replace("sticky", "stiky"))
    done = scene.run("jobs")
    assert done.code == 2 and "expected always, sticky or delayed" in done.stderr + done.stdout, done


# --- rows past their deadline

@pytest.mark.check_all
def test_overdue_rows_are_looked_for_on_it(scene):  # noqa: F811
    scene.say(SENTENCE + "due = day + 0 days\ndeadline = 1 day\n")
    scene.database.execute("CREATE INDEX ON scratch (day)")
    fill(scene.database, 5)
    found = lambda: (scene.database.value("SELECT found FROM pruned.overdue WHERE job = 'scratch.old'") or {}).get("rows")  # noqa: E731
    again = lambda: scene.database.execute("UPDATE pruned.overdue SET found = NULL, taken_at = now() - interval '61 s'")  # noqa: E731
    scene.start()
    wait_until(lambda: found() == {"goes": 5}, 60, "the first look")
    scene.standby.catch_up()
    scene.standby._ask("SELECT pg_wal_replay_pause()")
    wait_until(lambda: scene.standby._ask("SELECT pg_get_wal_replay_pause_state()") == "paused", 60, "the pause")
    scene.database.execute("DELETE FROM scratch")
    again()
    assert wait_until(found, 60, "a look on the standby") == {"goes": 5}
    scene.standby._ask("SELECT pg_wal_replay_resume()")
    scene.standby.catch_up()
    again()
    wait_until(lambda: found() == {}, 60, "a look at what is there now")
