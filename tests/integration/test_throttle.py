"""Between pages runs wait while a threshold of [throttle] is passed, and go on when its cause is
gone."""

import contextlib
import itertools
import os
import threading

import psycopg
import pytest

from stack.process import wait_until
from support.database import Database, private_server
from support.places import ROLE
from support.pruned import Pruned
from support.scene import fill, make_tables, now, result, tick_id, wait_hurried
from support.topics import Topics

JOB = "scratch.remove"
LEAST = {f"throttle.{name}": 1 for name in (
    "standby_lag_bytes", "slot_lag_bytes", "wal_unarchived_files", "old_transaction_s", "lock_waiters")}
LEAST["throttle.wal_bytes_per_s"] = 1000000  # the daemon itself writes less
# Ten pages, whose pauses are together longer than the time between two looks of the daemon.
ROWS, PAUSE = 100, {f"jobs.{JOB}.delay_ms": 700}
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def server():
    with private_server("throttle", archive=True) as one, psycopg.connect(one.url(), autocommit=True) as there:
        there.execute(f"GRANT pg_monitor TO {ROLE}")
        there.close()
        yield one


@pytest.fixture(scope="module")
def scene(server, shared, http, templates, scene_settings, tmp_path_factory):
    """An installation with a daemon whose thresholds are all as low as can be."""
    database = Database(server.url(), templates(server).migrated())
    make_tables(database)
    topics = Topics(shared.kafka, f"h{os.getpid()}-{next(_numbers)}")
    one = Pruned(tmp_path_factory.mktemp("throttle"), database, topics, settings=scene_settings | LEAST | PAUSE | {"http.listen": http.listen})
    one.run("topics", "--apply").ok()
    one.start().wait_line("Partitions assigned")
    yield one
    complaints = one.close()
    topics.remove()
    database.close()
    assert not complaints, "\n".join(complaints)


@contextlib.contextmanager
def old_transaction(scene):
    with scene.database.connect() as other:
        other.autocommit = False
        other.execute("SELECT 1")
        yield
        other.rollback()


@contextlib.contextmanager
def much_wal(scene):
    """Ten megabytes a second, if the machine is not busy."""
    enough = threading.Event()

    def write():
        while not enough.wait(0.05):
            scene.database.execute("SELECT pg_logical_emit_message(false, 'test', repeat('x', 500000))")

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        enough.set()
        thread.join()


@contextlib.contextmanager
def abandoned_slot(scene):
    scene.database.execute("SELECT pg_create_physical_replication_slot('abandoned', true)")
    yield
    scene.database.execute("SELECT pg_drop_replication_slot('abandoned')")


@contextlib.contextmanager
def waiting_session(scene):
    """It waits for a row that another session has changed. The daemon has no need of that row."""
    scene.database.execute("INSERT INTO scratch VALUES (1000, '3000-01-01')")
    with scene.database.connect() as holder, scene.database.connect() as waiter:
        holder.autocommit = False
        holder.execute("UPDATE scratch SET note = 'a' WHERE id = 1000")
        thread = threading.Thread(target=waiter.execute, args=["UPDATE scratch SET note = 'b' WHERE id = 1000"])
        thread.start()
        yield
        holder.commit()
        thread.join()
    scene.database.execute("DELETE FROM scratch WHERE id = 1000")


@contextlib.contextmanager
def maintenance(scene):
    """The lock that VACUUM and CREATE INDEX CONCURRENTLY hold."""
    with scene.database.connect() as other:
        other.autocommit = False
        other.execute("LOCK TABLE scratch IN SHARE UPDATE EXCLUSIVE MODE")
        scene.database.wait("SELECT count(*) FROM pg_locks WHERE mode = 'ShareUpdateExclusiveLock' AND granted")
        yield
        other.rollback()


@contextlib.contextmanager
def broken_archive(scene):
    def archive(command):
        with psycopg.connect(scene.database.server_url, autocommit=True) as there:
            there.execute(f"ALTER SYSTEM {command}")
            there.execute("SELECT pg_reload_conf()")

    archive("SET archive_command = 'false'")
    for _ in range(2):
        scene.database.execute("CREATE TABLE something (); DROP TABLE something; SELECT pg_switch_wal()")
    yield
    archive("RESET archive_command")


def throttled(scene, run_id, reason):
    """The run's row, once it waits for this reason."""
    def fact():
        row = scene.run_row(run_id)
        return row and row["state"] == "waiting" and (row["error"] or "").startswith(f"throttled: {reason}: ") and row

    return wait_until(fact, 30, lambda: f"a wait for {reason}: {scene.run_row(run_id)}")


def tick(scene):
    when = now(minutes=-1)
    scene.topics.tick(JOB, when)
    return tick_id(JOB, when)


@pytest.mark.check_all
@pytest.mark.parametrize("cause, reason", [
    (old_transaction, "old_transaction"), (abandoned_slot, "slot_lag"), (waiting_session, "lock_waiters"),
    (maintenance, "lock_waiters"), (broken_archive, "wal_unarchived")])
def test_a_run_waits_and_goes_on(scene, http, cause, reason):
    daemon = scene.daemons[0]
    before = len(daemon.lines("Throttled; runs wait between pages"))
    fill(scene.database, ROWS)
    with cause(scene):
        wait_until(lambda: reason in scene.run("status", "--json").json()[0]["throttle"]["passed"], 30, f"{reason} in status")
        run_id = tick(scene)
        row = throttled(scene, run_id, reason)
        assert 4 < (row["due_at"] - row["changed_at"]).total_seconds() <= 30 and row["attempts"] == 0
        shown, *_ = scene.run("runs", run_id, "--json").json()
        assert shown["error"].startswith(f"throttled: {reason}: ") and "1 sessions" not in shown["error"] and scene.database.value("SELECT count(*) FROM scratch") > 0
        [waits] = scene.run("status", "--json").json()[0]["throttle"]["waiting"]
        assert (waits["job"], waits["runs"], waits["reason"]) == (JOB, 1, shown["error"].removeprefix("throttled: "))
        assert http.metrics().of("pruned_throttled_seconds_total", job=JOB, reason=reason) >= 5
    row = wait_hurried(scene, run_id)
    assert (row["state"], row["attempts"], row["error"], result(row)["removed"]) == ("finished", 0, None, ROWS)
    said = daemon.lines("Throttled; runs wait between pages")[before:]
    assert {line["job"] for line in said} == {JOB} and reason in [line["reason"].partition(":")[0] for line in said]
    daemon.wait_line("No longer throttled", job=JOB)


@pytest.mark.check_all
def test_much_write_ahead_log(scene):
    """A rate needs two looks, so `pruned status` cannot show it."""
    fill(scene.database, ROWS)
    with much_wal(scene):
        run_id = tick(scene)
        assert " of write-ahead log a second" in throttled(scene, run_id, "wal")["error"]
    row = wait_hurried(scene, run_id)
    assert (row["attempts"], result(row)["removed"]) == (0, ROWS)


@pytest.mark.check_all
def test_two_processes_and_a_standby_whose_replay_is_paused(scene, server):
    """Between two pages, with the lane moving to the other process meanwhile."""
    standby = server.standby(server.folder.parent / "standby")
    try:
        standby.catch_up()
        fill(scene.database, 2 * ROWS)
        scene.daemons[0].stop()
        pair = [scene.start(settings={"http.listen": ""}) for _ in range(2)]
        run_id = tick(scene)
        wait_until(lambda: (scene.run_row(run_id) or {"step": 0})["step"] >= 1, 30, "the first page")
        standby._ask("SELECT pg_wal_replay_pause()")
        row = throttled(scene, run_id, "standby_lag")
        left = scene.database.value("SELECT count(*) FROM scratch")
        assert 0 < left < 2 * ROWS and row["step"] >= 1 and "walreceiver" in row["error"] and ": 0.0 " not in row["error"]
        owner = next(d for d in pair if d.lines("Throttled; runs wait between pages"))
        assert owner.stop() == 0
        other = next(d for d in pair if d is not owner)
        other.wait_line("Throttled; runs wait between pages", job=JOB)
        assert scene.database.value("SELECT count(*) FROM scratch") == left
        standby._ask("SELECT pg_wal_replay_resume()")
        row = wait_hurried(scene, run_id)
        assert (row["state"], row["attempts"], scene.database.value("SELECT count(*) FROM scratch")) == ("finished", 0, 0)
        said = [line["reason"].partition(":")[0] for line in owner.lines("Throttled; runs wait between pages")]
        # Before its replay was paused it may have been a moment behind, too.
        assert 1 <= said.count("standby_lag") <= 1 + len(owner.lines("No longer throttled")), said
    finally:
        standby.kill()


@pytest.mark.check_all
def test_seconds_that_a_standby_is_behind(scene, server):
    """Its bytes are off, so that nothing but its seconds is waited for."""
    for daemon in scene.daemons:
        daemon.stop()
    standby = server.standby(server.folder.parent / "late standby")

    def delay(command):
        standby._ask(f"ALTER SYSTEM {command}")
        standby._ask("SELECT pg_reload_conf()")

    try:
        standby.catch_up()
        delay("SET recovery_min_apply_delay = '4s'")
        fill(scene.database, 2 * ROWS)
        scene.start(settings={"http.listen": "", "throttle.standby_lag_bytes": "off", "throttle.standby_lag_s": 1})
        run_id = tick(scene)
        assert throttled(scene, run_id, "standby_lag")["error"].endswith(" s behind ([throttle] standby_lag_s 1)")
        assert scene.database.value("SELECT count(*) FROM scratch") > 0
        delay("RESET recovery_min_apply_delay")
        row = wait_hurried(scene, run_id)
        assert (row["state"], row["attempts"], scene.database.value("SELECT count(*) FROM scratch")) == ("finished", 0, 0)
    finally:
        standby.kill()


@pytest.mark.check_all
def test_seconds_of_a_standby_that_replays_nothing(scene, server):
    """And reports nothing, so that the server's own measure stands still."""
    for daemon in scene.daemons:
        daemon.stop()
    standby = server.standby(server.folder.parent / "silent standby")
    try:
        standby.catch_up()
        standby._ask("ALTER SYSTEM SET wal_receiver_status_interval = 0")
        standby._ask("SELECT pg_reload_conf()")
        scene.database.wait("SELECT replay_lsn >= pg_current_wal_lsn() FROM pg_stat_replication")
        scene.start(settings={"http.listen": "", "throttle.standby_lag_bytes": "off", "throttle.standby_lag_s": 4})
        standby._ask("SELECT pg_wal_replay_pause()")
        fill(scene.database, 2 * ROWS)
        run_id = tick(scene)
        assert throttled(scene, run_id, "standby_lag")["error"].endswith(" s behind ([throttle] standby_lag_s 4)")
        assert scene.database.value("SELECT replay_lag IS NULL OR replay_lag < interval '4 s' FROM pg_stat_replication")
        assert scene.database.value("SELECT count(*) FROM scratch") > 0
        standby._ask("SELECT pg_wal_replay_resume()")
        row = wait_hurried(scene, run_id)
        assert (row["state"], row["attempts"], scene.database.value("SELECT count(*) FROM scratch")) == ("finished", 0, 0)
    finally:
        standby.kill()


@pytest.mark.check_all
@pytest.mark.parametrize("cause, threshold", [
    (old_transaction, "old_transaction_s"), (abandoned_slot, "slot_lag_bytes"), (waiting_session, "lock_waiters"), (maintenance, "lock_waiters")])
def test_a_threshold_that_is_off_delays_nothing(scene, cause, threshold):
    for daemon in scene.daemons:
        daemon.stop()
    fill(scene.database, 30)
    # Whoever holds a lock has a transaction, which grows old.
    off = {"http.listen": "", "throttle.old_transaction_s": "off", f"throttle.{threshold}": "off"}
    with cause(scene):
        reason = threshold.removesuffix("_s").removesuffix("_bytes")
        wait_until(lambda: reason in scene.run("status", "--json").json()[0]["throttle"]["passed"], 30, f"{reason} in status")
        assert reason not in scene.run("status", "--json", settings=off).json()[0]["throttle"]["passed"]
        daemon = scene.start(settings=off)
        row = wait_hurried(scene, tick(scene))
        assert (row["state"], result(row)["removed"]) == ("finished", 30)
        said = daemon.lines("Throttled; runs wait between pages")
        assert reason not in [line["reason"].partition(":")[0] for line in said]


@pytest.mark.check_all
def test_doctor_warns_of_standbys_that_this_role_may_not_see(scene, server):
    scene.database.execute(f"REVOKE pg_monitor FROM {ROLE}")
    standby = server.standby(server.folder.parent / "hidden standby")
    try:
        standby.catch_up()
        [found] = [f for f in scene.run("doctor", "--json").json() if f["check"] == "throttle"]
        assert not found["ok"] and f"there is 1 standby, and the daemons' role {ROLE} may not see how far behind" in found["detail"]
        assert f"GRANT pg_monitor TO {ROLE}" in found["remedy"]
    finally:
        standby.kill()
        scene.database.execute(f"GRANT pg_monitor TO {ROLE}")


@pytest.mark.check_all
def test_doctor_and_status_speak_of_what_the_daemons_may_see(scene, server):
    """The answer does not depend on what the role that asks may see."""
    scene.database.execute("CREATE ROLE looker LOGIN IN ROLE pg_monitor")
    scene.database.execute(f"REVOKE pg_monitor FROM {ROLE}")
    url = {"postgres.url": server.url(scene.database.name, "looker")}
    seen = "SELECT FROM pg_stat_activity WHERE application_name LIKE 'pruned run, clock %%' AND datname = current_database()"
    try:
        wait_until(lambda: scene.database.rows(seen), 30, "the daemon's session")
        scene.database.execute("GRANT USAGE ON SCHEMA pruned TO looker")
        scene.database.execute("GRANT SELECT ON ALL TABLES IN SCHEMA pruned TO looker")
        for settings in ({}, url):
            [found] = [f for f in scene.run("doctor", "--json", settings=settings).json() if f["check"] == "throttle" and "may not see" in f["detail"]]
            assert f"the daemons' role {ROLE} may not see" in found["detail"] and f"GRANT pg_monitor TO {ROLE}" in found["remedy"]
            shown = scene.run("status", "--json", settings=settings).json()[0]["throttle"]
            assert (shown["hidden"], shown["role"]) == (["standby_lag", "old_transaction", "min_free"], ROLE)
    finally:
        scene.database.execute(f"GRANT pg_monitor TO {ROLE}")


@pytest.mark.check_all
def test_a_disk_that_is_too_full(scene):
    """Known here: server, connection and daemon are on one machine."""
    for daemon in scene.daemons:
        daemon.stop()
    fill(scene.database, 5)
    # The first page may go before the first look at the thresholds.
    pages = {"http.listen": "", f"jobs.{JOB}.batch": 2, f"jobs.{JOB}.delay_ms": 3000}
    scene.start(settings=pages | {"throttle.min_free_bytes": 2**60})
    run_id = tick(scene)
    assert " MiB free " in throttled(scene, run_id, "min_free")["error"]
    scene.daemons[-1].stop()
    scene.start(settings=pages | {f"jobs.{JOB}.delay_ms": 0})
    assert wait_hurried(scene, run_id)["state"] == "finished"


@pytest.mark.check_all
def test_a_role_without_rights_waits_for_less(scene):
    for daemon in scene.daemons:
        daemon.stop()
    fill(scene.database, 5)
    scene.database.execute(f"REVOKE pg_monitor FROM {ROLE}")
    try:
        with old_transaction(scene):
            daemon = scene.start(settings={"http.listen": "", "throttle.min_free_bytes": 2**60})
            assert scene.wait_run(tick(scene))["state"] == "finished"
            said = daemon.wait_line("Thresholds are off, because this role may not see what they need")
            assert said["thresholds"] == "standby_lag, old_transaction, min_free" and "pg_monitor" in said["remedy"]
            [found] = [f for f in scene.run("doctor", "--json").json() if f["check"] == "throttle"]
            assert found["level"] == "warning" and f"GRANT pg_monitor TO {ROLE}" in found["remedy"] and "old_transaction" in found["detail"]
            assert scene.run("status", "--json").json()[0]["throttle"]["hidden"] == ["standby_lag", "old_transaction", "min_free"]
    finally:
        scene.database.execute(f"GRANT pg_monitor TO {ROLE}")
