"""Pages of sticky jobs are searched on the standby of [postgres] replica_url, if it has all that the primary had when the step began."""

import contextlib
import itertools
import json
import os
import shutil
import threading

import psycopg
import pytest

from stack.postgres import Postgres
from stack.process import wait_until
from support.database import Database, make_role, private_server, with_database
from support.places import ROLE, binary_with_faults
from support.pruned import Pruned
from support.scene import fill, make_tables, now, result, tick_id
from support.topics import Topics

JOB = "scratch.old"
SENTENCE = """[retention scratch.old]
table = scratch
where = day <= (:T at time zone 'UTC')::date
batch = 10
data_consistency = sticky
"""
USED, WARNED = "Pages of sticky jobs are searched on the standby", "The standby is not used; pages are searched on the primary"
NEVER = "3000-01-01"
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def server():
    with private_server("replica") as one:
        yield one


class Searching(Pruned):
    """An installation with a sentence that is sticky, and a standby."""

    def say(self, text=SENTENCE):
        self.configuration.write_text(text)

    def tick(self, job=JOB, **options):
        at = now(minutes=-1)
        self.topics.tick(job, at, **options)
        return tick_id(job, at)

    def pages(self):
        """{(source, reason): pages}, of what is not 0."""
        samples = self.http.metrics().samples
        found = {tuple(dict(labels)[name] for name in ("source", "reason")): value
                 for (name, labels), value in samples.items() if name == "pruned_replica_pages_total"}
        assert found, "the metric is there from the start"
        return {key: value for key, value in found.items() if value}

    def done(self, run_id, removed, **fields):
        """The run has ended, and nothing of the standby was charged to it."""
        row = self.wait_run(run_id, deadline_s=90)
        assert (row["state"], row["attempts"], row["error"]) == ("finished", 0, None), row
        found = {name: value for name, value in result(row).items() if value}
        assert found == {"status": "completed", "updated_rows": removed, "removed": removed} | fields
        return row

    def left(self):
        return self.database.column("SELECT id FROM scratch ORDER BY id")


@pytest.fixture
def scene(server, shared, http, templates, scene_settings, tmp_path):
    database = Database(server.url(), templates(server).migrated())
    make_tables(database)
    topics = Topics(shared.kafka, f"r{os.getpid()}-{next(_numbers)}")
    one = Searching(tmp_path, database, topics, settings=scene_settings | {"http.listen": http.listen, f"jobs.{JOB}.max_share": "off"})
    one.http = http
    one.say()
    one.run("topics", "--apply").ok()
    one.standby = server.standby(server.folder.parent / f"standby-{next(_numbers)}")
    one.standby.catch_up()
    one.settings["postgres.replica_url"] = with_database(one.standby.url(), database.name, ROLE)
    yield one
    complaints = one.close()
    one.standby.kill()
    shutil.rmtree(one.standby.folder)
    topics.remove()
    database.close()
    assert not complaints, "\n".join(complaints)


def asked(standby):
    """The statements that our sessions run on the standby."""
    return standby._ask("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'pruned%'")


# --- it is used

@pytest.mark.parametrize("consistency", ["sticky", "delayed"])
def test_full_pages_come_from_the_standby_and_the_last_is_asked_of_the_primary(scene, consistency):
    scene.say(SENTENCE.replace("sticky", consistency))
    fill(scene.database, 35)
    daemon = scene.start()
    scene.done(scene.tick(), 35)
    assert scene.left() == []
    assert scene.pages() == {("replica", "used"): 3, ("primary", "last"): 1}
    assert len(daemon.lines(USED)) == 1 and daemon.lines(WARNED) == []


def test_pages_of_a_job_that_is_always_consistent_never_go_there(scene):
    scene.say(SENTENCE.replace("sticky", "always"))
    fill(scene.database, 35)
    scene.start()
    scene.done(scene.tick(), 35)
    assert scene.pages() == {} and asked(scene.standby) == "0"


def test_a_folder_of_sql_files_is_sticky_as_well(scene, tmp_path):
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


def test_of_a_page_job_of_ours_it_finds_the_groups_in_order(scene):
    """imports.placeholder_cleanup: its page reads tables of the application and the quarantine."""
    scene.settings |= {"jobs.imports.placeholder_cleanup.batch": 10}
    scene.database.execute("SET session_replication_role = replica")  # details without users
    scene.database.execute("""INSERT INTO import_placeholder_user_details (id, placeholder_user_id, namespace_id, created_at, updated_at)
        SELECT i, 100 + i, NULL, now() - interval '3 days', now() - interval '3 days' FROM generate_series(1, 25) i""")
    scene.start()
    scene.wait_run(scene.tick("imports.placeholder_cleanup"))
    assert scene.database.column("SELECT DISTINCT deletion_attempts FROM import_placeholder_user_details") == [1]
    assert scene.pages() == {("replica", "used"): 2, ("primary", "last"): 1}


def test_a_wrong_value_is_reported_as_without_a_standby(scene, tmp_path):
    folder = tmp_path / "jobs"
    shutil.copytree(scene.settings["run.jobs_dir"], folder)
    conf = folder / "scratch.remove/job.conf"
    conf.write_text(conf.read_text().replace("starts = tick", "starts = tick\ndata_consistency = sticky"))
    scene.settings["run.jobs_dir"] = folder
    daemon = scene.start()
    at, args = now(minutes=-1), {"cursor": {"day": "yesterday evening", "id": 1}}
    scene.topics.tick("scratch.remove", at, args)
    row = scene.wait_run(tick_id("scratch.remove", at, json.dumps(args, separators=(",", ":"))))
    assert row["state"] == "dead" and "args.cursor" in row["error"], row
    assert scene.pages() == {("primary", "failed"): 1} and daemon.lines(WARNED) == []


# --- it is behind

def pause_ends(scene, run_id):
    scene.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s AND state = 'waiting'", [run_id])


def test_the_cursor_passes_over_no_row_that_a_paused_standby_does_not_have(scene):
    """The standby has the run's last commit, but not a row that was committed before the next step began."""
    scene.settings[f"jobs.{JOB}.delay_ms"] = 3600000
    fill(scene.database, 40, first=1001)
    daemon = scene.start()
    run_id = scene.tick()
    scene.wait_run(run_id, "waiting")
    assert scene.pages() == {("replica", "used"): 1}
    scene.standby.catch_up()
    scene.standby._ask("SELECT pg_wal_replay_pause()")
    scene.database.execute("INSERT INTO scratch SELECT 2000 + i, %s FROM generate_series(1, 5) i", [NEVER])
    scene.database.execute("UPDATE scratch SET day = '2026-01-01' WHERE id > 2000")
    fill(scene.database, 1, first=1015 + 500)
    scene.database.execute("UPDATE scratch SET id = 1011 WHERE id = 1515 AND NOT EXISTS (SELECT FROM scratch WHERE id = 1011)")
    for step in (2, 3, 4):
        pause_ends(scene, run_id)
        wait_until(lambda: scene.run_row(run_id)["step"] >= step or scene.run_row(run_id)["state"] == "finished", 30, "a step")
    while scene.run_row(run_id)["state"] == "waiting":
        pause_ends(scene, run_id)
    scene.done(run_id, 46)
    assert scene.left() == []
    [warning] = daemon.lines(WARNED)
    assert warning["reason"] == "paused" and "pg_wal_replay_resume" in warning["remedy"]
    assert scene.pages()["replica", "used"] == 1
    # and it is used again
    scene.standby._ask("SELECT pg_wal_replay_resume()")
    scene.standby.catch_up()

    def again():
        fill(scene.database, 5)
        scene.done(scene.tick(), 5)
        return daemon.lines(USED)[1:]

    wait_until(again, 60, "the standby in use again")
    assert len(daemon.lines(WARNED)) == 1


def test_a_standby_whose_stream_is_cut_is_told_once_and_not_waited_for(scene):
    scene.settings[f"jobs.{JOB}.delay_ms"] = 200
    scene.standby.lag()
    fill(scene.database, 5, day=NEVER, first=5001)
    fill(scene.database, 800)
    daemon = scene.start()
    run_id = scene.tick()
    line = daemon.wait_line(WARNED, deadline_s=60)
    assert line["reason"] == "behind"
    row = scene.run_row(run_id)
    assert row["step"] >= 20, "pages go on meanwhile"
    assert len(daemon.lines(WARNED)) == 1 and set(scene.pages()) == {("primary", "behind")}


# --- it goes away

def chain(scene):
    """A run with many pages, some of which the standby has found."""
    scene.settings[f"jobs.{JOB}.delay_ms"] = 50
    fill(scene.database, 600)
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    run_id = scene.tick()
    wait_until(lambda: scene.pages().get(("replica", "used"), 0) >= 3, 30, "pages of the standby")
    return daemon, run_id


def test_a_standby_that_is_promoted_is_never_used_again(scene):
    daemon, run_id = chain(scene)
    scene.standby.promote()
    line = daemon.wait_line(WARNED)
    used = scene.pages()["replica", "used"]
    with psycopg.connect(with_database(scene.standby.url(), scene.database.name), autocommit=True) as there:
        there.execute("INSERT INTO scratch SELECT i, '2026-01-01' FROM generate_series(100001, 100100) i")
    scene.done(run_id, 600)
    fill(scene.database, 35)
    scene.done(scene.tick(), 35)
    assert line["reason"] == "promoted" and len(daemon.lines(WARNED)) == 1
    assert scene.pages()["replica", "used"] == used and scene.pages()["primary", "promoted"] > 3
    with psycopg.connect(with_database(scene.standby.url(), scene.database.name), autocommit=True) as there:
        assert there.execute("SELECT count(*) FROM scratch WHERE id > 100000").fetchone() == (100,)


@pytest.mark.parametrize("how", ["killed", "frozen"])
def test_a_standby_that_is_away_fails_no_step_and_is_used_again(scene, how):
    daemon, run_id = chain(scene)
    scene.standby.kill() if how == "killed" else scene.standby.freeze_all()
    line = daemon.wait_line(WARNED, deadline_s=60)
    assert line["reason"] == "away"
    scene.done(run_id, 600)
    assert len(daemon.lines(WARNED)) == 1
    scene.standby.start() if how == "killed" else scene.standby.thaw_all()
    scene.standby.catch_up()

    def again():
        fill(scene.database, 11)
        scene.done(scene.tick(), 11)
        return daemon.lines(USED)[1:]

    wait_until(again, 90, "the standby in use again")


def test_a_standby_that_is_away_from_the_start_costs_no_run(scene):
    scene.standby.kill()
    fill(scene.database, 35)
    daemon = scene.start()
    scene.done(scene.tick(), 35)
    assert set(scene.pages()) == {("primary", "away")} and len(daemon.lines(WARNED)) == 1


# --- it is another

def test_another_cluster_is_refused(scene, server):
    other = Postgres(server.folder.parent / "other").start()
    try:
        make_role(other.url())
        scene.settings["postgres.replica_url"] = with_database(other.url(), "postgres", ROLE)
        fill(scene.database, 35)
        daemon = scene.start()
        scene.done(scene.tick(), 35)
        [line] = daemon.lines(WARNED)
        assert line["reason"] in ("foreign", "refused") and set(scene.pages()) == {("primary", line["reason"])}
    finally:
        other.kill()


def test_another_database_with_the_same_tables_is_refused(scene, server, templates):
    """The other server has a schema pruned and rows that are due, and has replayed as much as the right one."""
    other = Database(server.url(), templates(server).migrated())
    make_tables(other)
    fill(other, 35, first=501)
    scene.standby.catch_up()
    scene.settings["postgres.replica_url"] = with_database(scene.standby.url(), other.name, ROLE)
    fill(scene.database, 35)
    daemon = scene.start()
    scene.done(scene.tick(), 35)
    [line] = daemon.lines(WARNED)
    assert line["reason"] == "foreign" and set(scene.pages()) == {("primary", "foreign")}
    other.close()


def test_a_standby_that_has_gone_on_with_a_log_of_its_own_is_not_used(scene):
    """It was promoted, has written more than the primary, and is in recovery again: by positions in the log it is ahead."""
    scene.standby.lag()
    scene.standby.promote()
    with psycopg.connect(with_database(scene.standby.url(), scene.database.name), autocommit=True) as there:
        there.execute("INSERT INTO scratch SELECT i, '2026-01-01' FROM generate_series(100001, 100100) i")
        there.execute("SELECT count(pg_logical_emit_message(true, 'test', repeat('x', 1000000))) FROM generate_series(1, 40)")
    scene.standby.stop()
    (scene.standby.folder / "data/standby.signal").touch()
    scene.standby.start()
    assert scene.standby._ask(f"SELECT pg_last_wal_replay_lsn() > '{scene.database.value('SELECT pg_current_wal_insert_lsn()')}'") == "t"
    fill(scene.database, 35)
    scene.start()
    scene.done(scene.tick(), 35)
    assert set(scene.pages()) == {("primary", "behind")}


def test_a_role_without_rights_is_named_once(scene):
    scene.database.execute("DROP ROLE IF EXISTS stranger")
    scene.database.execute("CREATE ROLE stranger LOGIN")
    scene.standby.catch_up()
    scene.settings["postgres.replica_url"] = with_database(scene.standby.url(), scene.database.name, "stranger")
    fill(scene.database, 35)
    daemon = scene.start()
    scene.done(scene.tick(), 35)
    [line] = daemon.lines(WARNED)
    assert line["reason"] == "refused" and "permission denied" in line["detail"] and set(scene.pages()) == {("primary", "refused")}


# --- the search does not end

SLOW = """
CREATE FUNCTION scratch_slow(day date) RETURNS date LANGUAGE plpgsql STABLE AS
  $$ BEGIN IF pg_is_in_recovery() THEN PERFORM pg_sleep(20); END IF; RETURN day; END $$
"""


def slow(scene):
    scene.database.execute(SLOW)
    scene.say(SENTENCE.replace("day <=", "scratch_slow(day) <="))
    fill(scene.database, 25)
    daemon = scene.start()
    run_id = scene.tick()
    wait_until(lambda: scene.standby._ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "1", 30, "a search")
    return daemon, run_id


def test_a_search_that_takes_too_long_is_cancelled(scene):
    daemon, run_id = slow(scene)
    scene.done(run_id, 25)
    wait_until(lambda: scene.standby._ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "0", 10, "its end")
    assert daemon.wait_line(WARNED)["reason"] == "slow" and ("replica", "used") not in scene.pages()


def test_a_search_that_somebody_cancels_is_done_on_the_primary(scene):
    daemon, run_id = slow(scene)
    scene.standby._ask("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
    wait_until(lambda: scene.pages().get(("primary", "failed")), 30, "the page on the primary")
    scene.done(run_id, 25)


def test_a_search_that_conflicts_with_the_replay_is_done_on_the_primary(scene):
    scene.standby._ask("ALTER SYSTEM SET max_standby_streaming_delay = 0")
    scene.standby._ask("SELECT pg_reload_conf()")
    daemon, run_id = slow(scene)
    with scene.database.connection.transaction():
        scene.database.execute("LOCK TABLE scratch IN ACCESS EXCLUSIVE MODE")
    wait_until(lambda: scene.pages().get(("primary", "failed")), 30, lambda: f"the page on the primary: {scene.pages()}")
    conflicts = f"SELECT confl_lock FROM pg_stat_database_conflicts WHERE datname = '{scene.database.name}'"
    wait_until(lambda: int(scene.standby._ask(conflicts)) > 0, 60, "a conflict that the standby has counted")
    scene.done(run_id, 25)


# --- between the search and the locks

@contextlib.contextmanager
def held_at_the_page(scene, page=1):
    """Holds the daemon between the search and the locks; at the end of the block it continues."""
    scene.binary = binary_with_faults()
    daemon = scene.start(environment={"PRUNED_FAULT": f"replica.page_found:stop:{page}"})
    daemon.run_id = scene.tick()
    daemon.wait_stopped()
    yield daemon
    daemon.thaw()


def test_what_changes_after_the_search_is_decided_by_the_primary(scene):
    fill(scene.database, 25)
    with held_at_the_page(scene) as daemon:
        scene.database.execute("UPDATE scratch SET day = %s WHERE id IN (2, 3)", [NEVER])
        scene.database.execute("DELETE FROM scratch WHERE id IN (4, 14)")
    scene.done(daemon.run_id, 21, kept=2, gone=1)
    assert scene.left() == [2, 3]


def test_with_keep_a_row_that_has_become_one_of_the_newest_stays(scene):
    scene.say("[retention scratch.old]\ntable = scratch\nkeep = 5 per note by id desc\nbatch = 10\ndata_consistency = sticky\n")
    scene.database.execute("INSERT INTO scratch SELECT i, '2026-01-01', 'same' FROM generate_series(1, 30) i")
    with held_at_the_page(scene) as daemon:
        scene.database.execute("DELETE FROM scratch WHERE id BETWEEN 11 AND 28")
    scene.done(daemon.run_id, 7, kept=3)
    assert scene.left() == [8, 9, 10, 29, 30]


def test_an_orphan_that_has_found_its_parent_stays(scene):
    scene.database.execute("CREATE TABLE parents (id bigint PRIMARY KEY)")
    scene.database.execute(f"GRANT SELECT ON parents TO {ROLE}")
    scene.say("[retention scratch.old]\ntable = scratch\nwhere = NOT EXISTS (SELECT FROM parents p WHERE p.id = scratch.id)\n"
              "batch = 10\ndata_consistency = sticky\n")
    fill(scene.database, 25)
    with held_at_the_page(scene) as daemon:
        scene.database.execute("INSERT INTO parents VALUES (5), (15)")
    scene.done(daemon.run_id, 23, kept=1)
    assert scene.left() == [5, 15]


def test_rows_that_refer_to_each_other_go_with_all_that_has_come_meanwhile(scene):
    scene.database.execute("CREATE TABLE nodes (id bigint PRIMARY KEY, above bigint REFERENCES nodes, day date NOT NULL)")
    scene.database.execute("CREATE INDEX ON nodes (above)")
    scene.database.execute(f"GRANT SELECT, UPDATE, DELETE ON nodes TO {ROLE}")
    scene.database.execute("INSERT INTO nodes SELECT i, CASE WHEN i > 1 THEN i - 1 END, '2026-01-01' FROM generate_series(1, 25) i")
    scene.say(SENTENCE.replace("scratch\n", "nodes\n") + "children = auto\n")
    with held_at_the_page(scene) as daemon:
        scene.database.execute("INSERT INTO nodes VALUES (101, 10, '2026-01-01'), (102, 101, '2026-01-01')")
    scene.wait_run(daemon.run_id)
    assert scene.database.value("SELECT count(*) FROM nodes") == 0
    assert scene.pages().get(("replica", "used"), 0) >= 1


@pytest.mark.parametrize("page", [1, 2, 3])
def test_killed_between_the_search_and_the_locks_each_row_goes_once(scene, page):
    fill(scene.database, 25)
    scene.binary = binary_with_faults()
    killed = scene.start(environment={"PRUNED_FAULT": f"replica.page_found:kill:{page}"})
    run_id = scene.tick()
    assert killed.wait(60) == -9
    scene.start()
    scene.done(run_id, 25)
    assert scene.database.value("SELECT count(*) FROM pruned.deletions d, jsonb_array_elements(d.keys)") == 25


def test_a_process_that_takes_a_run_over_does_not_trust_a_standby_without_its_last_commit(scene):
    scene.settings[f"jobs.{JOB}.delay_ms"] = 3600000
    fill(scene.database, 35)
    first = scene.start()
    run_id = scene.tick()
    scene.standby.catch_up()
    scene.wait_run(run_id, "waiting")
    scene.standby.catch_up()
    scene.standby._ask("SELECT pg_wal_replay_pause()")
    pause_ends(scene, run_id)
    wait_until(lambda: scene.run_row(run_id)["step"] == 2, 30, "the second page")
    first.kill()
    second = scene.start()
    pause_ends(scene, run_id)
    wait_until(lambda: scene.run_row(run_id)["step"] == 3, 30, "the third page")
    assert second.running and scene.left() == list(range(31, 36))
    assert {source for source, _ in scene.pages()} == {"primary"}


# --- what is shown

def test_doctor_and_status_show_the_standby_and_its_lag(scene):
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


def test_without_a_replica_nothing_is_shown(scene):
    del scene.settings["postgres.replica_url"]
    assert [f for f in scene.run("doctor", "--json").json() if f["check"] == "standby"] == []
    assert scene.run("status", "--json").json()[0]["replica"] is None
    fill(scene.database, 25)
    scene.start()
    scene.done(scene.tick(), 25)
    assert "pruned_replica_pages_total" not in scene.http.metrics() and asked(scene.standby) == "0"


def test_the_password_is_not_shown(scene):
    settings = {"postgres.replica_url": "postgresql://me:hunter22@127.0.0.1:1/there"}
    for command in (["config"], ["config", "--json"], ["doctor"], ["status"]):
        done = scene.run(*command, settings=settings)
        assert "hunter22" not in done.stdout + done.stderr, done
    assert "postgresql://me:***@127.0.0.1:1/there" in scene.run("config", settings=settings).stdout


@pytest.mark.parametrize("value", ["stiky", "Sticky", ""])
def test_a_consistency_that_does_not_exist_is_refused_with_its_line(scene, value):
    scene.say(SENTENCE.replace("sticky", value))
    done = scene.run("jobs")
    assert done.code == 2 and "expected always, sticky or delayed" in done.stderr + done.stdout, done
