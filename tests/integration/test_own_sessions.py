"""Sessions of this service are not taken for strangers, whatever name `[postgres] url` gives
them."""

import contextlib
import threading

import pytest

from stack.process import wait_until
from support.database import connect
from support.scene import fill, now, tick_id

pytestmark = pytest.mark.built_in

JOB = "scratch.remove"
# More pages than one between two looks at the thresholds.
PAGES = {f"jobs.{JOB}.batch": 10, f"jobs.{JOB}.delay_ms": 700}


def named(scene, name):
    return f"{scene.database.role_url}?application_name={name}"


@contextlib.contextmanager
def waiting(scene, name):
    """A session of the daemon's role, with this name, waits for a row of the job's table."""
    scene.database.execute("INSERT INTO scratch VALUES (1000, '3000-01-01')")
    with scene.database.connect() as holder, connect(named(scene, name)) as waiter:
        holder.autocommit = False
        holder.execute("UPDATE scratch SET note = 'a' WHERE id = 1000")
        thread = threading.Thread(target=waiter.execute, args=["UPDATE scratch SET note = 'b' WHERE id = 1000"])
        thread.start()
        scene.database.wait("SELECT count(*) FROM pg_locks WHERE pid = %s AND NOT granted AND waitstart < clock_timestamp() - interval '1 s'",
                            [waiter.info.backend_pid], until=1)
        try:
            yield
        finally:
            holder.commit()
            thread.join()


def passed(scene, **settings):
    return scene.run("status", "--json", settings=settings).json()[0]["throttle"]["passed"]


@pytest.mark.check_all
@pytest.mark.parametrize("name, is_own", [("mine", True), ("other", False)])
def test_a_worker_that_waits_for_a_row_lock_does_not_throttle_its_own_job(scene, name, is_own):
    fill(scene.database, 100)
    scene.settings["postgres.url"] = named(scene, "mine")
    with waiting(scene, name):
        assert ("lock_waiters" in passed(scene)) == (not is_own)
        daemon = scene.start(settings=PAGES)
        # The session that looks has another name from then on.
        scene.database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'pruned run, clock %%'", until=1)
        scene.topics.tick(JOB, at := now(minutes=-1))
        if is_own:
            assert scene.wait_run(tick_id(JOB, at))["state"] == "finished"
            assert not daemon.lines("Throttled; runs wait between pages")
        else:
            wait_until(lambda: (scene.run_row(tick_id(JOB, at)) or {"error": None})["error"], 30, "a wait")
            assert scene.run_row(tick_id(JOB, at))["error"].startswith("throttled: lock_waiters: ")


def test_the_same_name_of_another_role_is_a_stranger(scene):
    with scene.database.connect() as holder, scene.database.connect() as waiter:
        fill(scene.database, 1)
        waiter.execute("SET application_name = 'mine'")
        holder.autocommit = False
        holder.execute("UPDATE scratch SET note = 'a'")
        thread = threading.Thread(target=waiter.execute, args=["UPDATE scratch SET note = 'b'"])
        thread.start()
        wait_until(lambda: "lock_waiters" in passed(scene, **{"postgres.url": named(scene, "mine")}), 30, "a stranger")
        holder.commit()
        thread.join()


@pytest.mark.check_all
def test_doctor_does_not_take_them_for_the_applications_workers(scene):
    fill(scene.database, 1)
    scene.settings["postgres.url"] = named(scene, "my_worker")
    for name, is_own in (("my_worker", True), ("their_worker", False)):
        with connect(named(scene, name)) as session:
            session.execute("DELETE FROM members WHERE id = 0")
            found = [f for f in scene.run("doctor", "--json").json() if "a worker that writes to members" in f["detail"]]
            assert bool(found) == (not is_own), found
