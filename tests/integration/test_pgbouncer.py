"""The real PgBouncer in transaction mode: everything works with prepared statements off. If they
are on and PgBouncer does not keep them, the daemon says so."""

import shutil

import pytest

from stack.pair import new_folder
from stack.pgbouncer import PgBouncer, tracks_statements
from stack.process import wait_until
from support.places import ROLE
from support.scene import fill, now, result, tick_id

JOB, TICKS = "scratch.remove", 200
ADVICE = "set [postgres] prepare = off"
kept = pytest.mark.skipif("not tracks_statements()", reason="this PgBouncer keeps no prepared statements")


@pytest.fixture
def behind(scene, shared, request):
    """An installation whose daemons open more connections than PgBouncer has to the server."""
    folder = new_folder("pruned-pgbouncer-")
    server = PgBouncer(folder / "pgbouncer", shared.postgres_url, [ROLE], statements=getattr(request, "param", 0)).start()
    scene.settings |= {"postgres.url": server.url(scene.database.role_url), "run.workers": 6}
    yield scene
    server.kill()
    shutil.rmtree(folder, ignore_errors=True)


def tick_many(scene):
    times = [now(minutes=-30, milliseconds=n) for n in range(TICKS)]
    scene.topics.produce_many("ticks", [("scratch.wide", (
        f'{{"job":"scratch.wide","scheduled_at":"{t.isoformat()}","args":{{"n":{n}}}}}').encode()) for n, t in enumerate(times)])


def all_once(scene):
    assert scene.database.value("SELECT count(*) FROM scratch_log") == TICKS
    assert scene.database.rows("SELECT state, sum(attempts) AS attempts FROM pruned.runs WHERE job = 'scratch.wide' GROUP BY 1") == [
        {"state": "finished", "attempts": 0}]


def all_is_as_ever(behind, prepare):
    fill(behind.database, 95)
    tick_many(behind)
    behind.topics.tick(JOB, at := now(minutes=-1))
    daemon = behind.run_until_idle(settings={"postgres.prepare": prepare}, deadline_s=120)
    all_once(behind)
    assert result(behind.run_row(tick_id(JOB, at)))["removed"] == 95
    assert not daemon.lines(level="error") and not daemon.lines("A dependency is down; the lane waits")


def test_without_prepared_statements_everything_works(behind):
    all_is_as_ever(behind, False)


@kept
@pytest.mark.parametrize("behind", [200, 5], indirect=True, ids=["as-many-as-there-are", "fewer-than-there-are"])
def test_prepared_statements_work_where_they_are_kept(behind):
    all_is_as_ever(behind, True)


@kept
@pytest.mark.parametrize("behind", [200], indirect=True)
def test_a_statement_that_could_not_be_prepared_is_repeated_over_the_same_connection(behind):
    """PgBouncer ends a client's connection when it prepares a second statement of the same name.
    There are more runs than workers, so one worker does so."""
    fill(behind.database, 3)
    behind.database.execute("ALTER TABLE scratch RENAME TO scratched")
    times = [now(minutes=-n) for n in (5, 4, 3, 2, 1)]
    daemon = behind.start(settings={"run.workers": 2})
    for at in times:
        behind.topics.tick(JOB, at)
        assert result(behind.wait_run(tick_id(JOB, at)))["status"] == "blocked"
    assert not daemon.lines("A dependency is down; the lane waits")


@pytest.mark.check_all
def test_prepared_statements_are_recognised_and_reported_and_no_attempt_charged(behind):
    tick_many(behind)
    daemon = behind.start()
    wait_until(lambda: any(ADVICE in line.get("detail", "") for line in daemon.lines(level="warning")), 60, "the advice")
    assert daemon.stop() == 0
    behind.run_until_idle(settings={"postgres.prepare": False}, deadline_s=120)
    all_once(behind)
