"""A standby that is behind, away, slow or another one fails no step and passes over no row: the
primary is asked, and one line says why."""

import psycopg
import pytest

from stack.postgres import Postgres
from stack.process import wait_until
from support.database import Database, make_role, with_database
from support.places import ROLE
from support.scene import fill, make_tables
from support.standby import JOB, NEVER, SENTENCE, USED, WARNED, scene, server  # noqa: F401


# --- it is behind

def pause_ends(scene, run_id):  # noqa: F811
    scene.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s AND state = 'waiting'", [run_id])


@pytest.mark.check_all
def test_the_cursor_passes_over_no_row_that_a_paused_standby_does_not_have(scene):  # noqa: F811
    """The standby has the run's last commit, but not a row that was committed before the next step
    began."""
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


@pytest.mark.check_all
def test_a_standby_whose_stream_is_cut_is_told_once_and_not_waited_for(scene):  # noqa: F811
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


@pytest.mark.check_all
def test_a_process_that_takes_a_run_over_does_not_trust_a_standby_without_its_last_commit(scene):  # noqa: F811
    scene.settings[f"jobs.{JOB}.delay_ms"] = 3600000
    fill(scene.database, 35)
    first = scene.run_at_once(1).start()
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


# --- it goes away

def chain(scene):  # noqa: F811
    """A run with many pages, some of which the standby has found."""
    scene.settings[f"jobs.{JOB}.delay_ms"] = 50
    fill(scene.database, 600)
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    run_id = scene.tick()
    wait_until(lambda: scene.pages().get(("replica", "used"), 0) >= 3, 30, "pages of the standby")
    return daemon, run_id


@pytest.mark.check_all
def test_a_standby_that_is_promoted_is_never_used_again(scene):  # noqa: F811
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


@pytest.mark.check_all
@pytest.mark.parametrize("how", ["killed", "frozen"])
def test_a_standby_that_is_away_fails_no_step_and_is_used_again(scene, how):  # noqa: F811
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


@pytest.mark.check_all
def test_a_standby_that_is_away_from_the_start_costs_no_run(scene):  # noqa: F811
    scene.standby.kill()
    fill(scene.database, 35)
    daemon = scene.start()
    scene.done(scene.tick(), 35)
    assert set(scene.pages()) == {("primary", "away")} and len(daemon.lines(WARNED)) == 1


# --- it is another

@pytest.mark.check_all
def test_another_cluster_is_refused(scene, server):  # noqa: F811
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


@pytest.mark.check_all
def test_another_database_with_the_same_tables_is_refused(scene, server, templates):  # noqa: F811
    """The other server has a schema pruned and rows that are due, and has replayed as much as the
    right one."""
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


@pytest.mark.check_all
def test_a_standby_that_has_gone_on_with_a_log_of_its_own_is_not_used(scene):  # noqa: F811
    """It was promoted, has written more than the primary, and is in recovery again: by positions in
    the log it is ahead."""
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


@pytest.mark.check_all
def test_a_role_without_rights_is_named_once(scene):  # noqa: F811
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


def slow(scene):  # noqa: F811
    scene.database.execute(SLOW)
    scene.say(SENTENCE.replace("day <=", "scratch_slow(day) <="))
    fill(scene.database, 25)
    daemon = scene.start()
    run_id = scene.tick()
    wait_until(lambda: scene.standby._ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "1", 30, "a search")
    return daemon, run_id


@pytest.mark.check_all
def test_a_search_that_takes_too_long_is_cancelled(scene):  # noqa: F811
    daemon, run_id = slow(scene)
    scene.done(run_id, 25)
    wait_until(lambda: scene.standby._ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "0", 10, "its end")
    assert daemon.wait_line(WARNED)["reason"] == "slow" and ("replica", "used") not in scene.pages()


@pytest.mark.check_all
def test_a_search_that_somebody_cancels_is_done_on_the_primary(scene):  # noqa: F811
    daemon, run_id = slow(scene)
    scene.standby._ask("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
    wait_until(lambda: scene.pages().get(("primary", "failed")), 30, "the page on the primary")
    scene.done(run_id, 25)


@pytest.mark.check_all
def test_a_search_that_conflicts_with_the_replay_is_done_on_the_primary(scene):  # noqa: F811
    scene.standby._ask("ALTER SYSTEM SET max_standby_streaming_delay = 0")
    scene.standby._ask("SELECT pg_reload_conf()")
    daemon, run_id = slow(scene)
    with scene.database.connection.transaction():
        scene.database.execute("LOCK TABLE scratch IN ACCESS EXCLUSIVE MODE")
    wait_until(lambda: scene.pages().get(("primary", "failed")), 30, lambda: f"the page on the primary: {scene.pages()}")
    conflicts = f"SELECT confl_lock FROM pg_stat_database_conflicts WHERE datname = '{scene.database.name}'"
    wait_until(lambda: int(scene.standby._ask(conflicts)) > 0, 60, "a conflict that the standby has counted")
    scene.done(run_id, 25)
