"""The service's own tables do not grow with the work done."""

import pytest

from support.scene import event_id, fill, now, tick_id

pytestmark = pytest.mark.built_in

JOB, ONE = "scratch.remove", "scratch.one"
# Rows of these go by age: tests/integration/test_retention.py, test_remembered.py.
BY_AGE = {"runs", "runs_done", "deletions", "event_ids", "timers", "dead_verdicts", "journal", "readings"}
# One row a job with a deadline (and day), from the first look at it on.
BY_JOB = {"overdue", "overdue_days"}
TABLES = "SELECT relname FROM pg_class WHERE relnamespace = 'pruned'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition"
LEFT = {
    "a tick that was blocked, of a run that the archive has dropped": (
        "blocked", "INSERT INTO pruned.blocked (job, key, run_id, scheduled_at, args, reason, next_try_at) "
        "VALUES ('scratch.remove', 'x', gen_random_uuid(), now() - interval '40 days', '{}', 'x', now() + interval '1 day')"),
    "a process that was killed": (
        "processes", "INSERT INTO pruned.processes (id, host, pid, version, started_at, seen_at, settings, jobs) "
        "VALUES (gen_random_uuid(), 'elsewhere', 1, '0', now(), now() - interval '1 hour', 'x', '{}')"),
    "messages that were counted before they were handled": (
        "suspects", "INSERT INTO pruned.suspects (topic, partition, \"offset\", deaths) VALUES (%(ticks)s, 0, 0, 1)"),
    "an item whose row is gone": (
        "quarantine", "INSERT INTO pruned.quarantine (job, item, reason, parked) VALUES ('scratch.remove', 'scratch:4711', 'x', true)"),
    "a timer whose event is refused by now": (
        "timers", "INSERT INTO pruned.timers VALUES ('x', gen_random_uuid(), now() - interval '400 days')"),
    "a verdict on a message that is gone": (
        "dead_verdicts", "INSERT INTO pruned.dead_verdicts (topic, partition, \"offset\", verdict, at) "
        "VALUES ('x', 0, 0, 'dropped', now() - interval '400 days')"),
    "an id of an event that Kafka keeps no more": (
        "event_ids", "INSERT INTO pruned.event_ids VALUES (gen_random_uuid(), now() - interval '400 days')"),
}


def sizes(scene):
    return {name: scene.database.value(f"SELECT count(*) FROM pruned.{name}") for name in scene.database.column(TABLES) if name not in BY_AGE | BY_JOB}


def work(scene, n, first):
    """Sends that many ticks and as many events, each about another row."""
    fill(scene.database, n, "2999-01-01", first)
    fill(scene.database, n, first=first + n)
    times = [now(minutes=-30, milliseconds=first + i) for i in range(n)]
    for i, at in enumerate(times):
        scene.topics.tick(JOB, at)
        scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": first + i}, ce_id=f"{first + i}", ce_time=None)
    scene.run_until_idle(deadline_s=90)
    assert scene.run_row(tick_id(JOB, times[-1])) and scene.run_row(event_id("/test", f"{first + n - 1}", ONE))


def test_no_table_has_more_rows_after_more_work(scene):
    work(scene, 2, 1)
    before = sizes(scene)
    work(scene, 30, 1001)
    assert sizes(scene) == before
    assert before["intake"] > 0  # the test looked at the right tables


@pytest.mark.check_all
def test_rows_of_no_more_use_go(scene):
    work(scene, 1, 1)
    before = {what: scene.database.value(f"SELECT count(*) FROM pruned.{table}") for what, (table, _) in LEFT.items()}
    for _, statement in LEFT.values():
        scene.database.execute(statement, {"ticks": scene.topics.full("ticks")})
    daemon = scene.start()
    for what, (table, _) in LEFT.items():
        own = int(table == "processes")
        scene.database.wait(f"SELECT count(*) FROM pruned.{table}", until=before[what] + own, deadline_s=60)
    assert daemon.stop() == 0
    assert scene.database.value("SELECT count(*) FROM pruned.processes") == 0
