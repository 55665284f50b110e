"""What has ended goes to the archive after an hour; days of the archive and of the audit go when
their time is over."""

import pytest

from support.scene import fill, now, tick_id

JOB = "scratch.remove"


@pytest.fixture
def one_day(scene):
    """Waits until the current day has more than a minute left."""
    scene.database.wait("SELECT (now() + interval '1 minute')::date = now()::date", deadline_s=90)


def days(scene, table):
    """The ages in days of the days with a partition; tomorrow is -1."""
    return scene.database.column(
        "SELECT (now() AT TIME ZONE 'UTC')::date - right(relid::text, 8)::date FROM pg_partition_tree(%s::regclass) "
        r"WHERE relid::text ~ '_\d{8}$' ORDER BY 1", [f"pruned.{table}"])


def add_days(scene, table, *ages):
    for age in ages:
        scene.database.execute("SELECT pruned.ensure_day(%s, (now() AT TIME ZONE 'UTC')::date - %s::int)", [table, age])


def ended(scene, state, minutes_ago, **delta):
    """Adds a run that ended at that time, with T = now + DELTA."""
    return str(scene.database.value(
        "INSERT INTO pruned.runs (run_id, job, state, scheduled_at, due_at, finished_at, result) VALUES (gen_random_uuid(), %s, %s, %s, "
        "now(), now() - %s * interval '1 minute', '{\"removed\": 3}') RETURNING run_id", [JOB, state, now(**delta), minutes_ago]))


def test_an_hour_after_its_end_a_run_is_in_the_archive_and_found_there(scene):
    old = {ended(scene, state, 61, days=-n) for n, state in enumerate(("finished", "skipped"), 1)}
    young, dead = ended(scene, "finished", 58), ended(scene, "dead", 600)
    scene.start()
    scene.database.wait("SELECT count(*) FROM pruned.runs_done", until=2)
    assert {str(id) for id in scene.database.column("SELECT run_id FROM pruned.runs_done")} == old
    assert {str(id) for id in scene.database.column("SELECT run_id FROM pruned.runs")} == {young, dead}
    assert {run["run_id"] for run in scene.run("runs", "--json").ok().json()} == old | {young, dead}


def test_a_tick_whose_run_is_in_the_archive_does_nothing(scene):
    fill(scene.database, 3)
    at = now(days=-2)
    scene.topics.tick(JOB, at)
    scene.run_until_idle()
    scene.database.execute("UPDATE pruned.runs SET finished_at = now() - interval '2 hours'")
    scene.start()
    scene.database.wait("SELECT count(*) FROM pruned.runs_done")
    fill(scene.database, 3)
    scene.topics.tick(JOB, at)
    scene.topics.tick(JOB, later := now(days=-1))
    scene.wait_run(tick_id(JOB, later))
    assert scene.database.column("SELECT run_id::text FROM pruned.runs") == [tick_id(JOB, later)]


def test_a_tick_that_comes_while_its_run_goes_to_the_archive_does_nothing(scene):
    """However recently the run ended: a clock that jumps archives runs that ended seconds ago."""
    fill(scene.database, 3)
    at = now(minutes=-2)
    run = tick_id(JOB, at)
    scene.topics.tick(JOB, at)
    scene.run_until_idle()
    fill(scene.database, 3)
    with scene.database.connect() as archive:
        archive.execute("SELECT pruned.ensure_day('runs_done', (%s::timestamptz AT TIME ZONE 'UTC')::date)", [at])
        with archive.transaction():
            archive.execute("INSERT INTO pruned.runs_done SELECT (jsonb_populate_record(NULL::pruned.runs_done, to_jsonb(r))).* "
                            "FROM pruned.runs r WHERE r.run_id = %s", [run])
            archive.execute("DELETE FROM pruned.runs WHERE run_id = %s", [run])
            scene.start()
            scene.topics.tick(JOB, at)
            scene.database.wait("SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' "
                                "AND query LIKE '%%INSERT INTO pruned.runs%%'", until=True)
    scene.topics.tick(JOB, later := now(minutes=-1))
    scene.wait_run(tick_id(JOB, later), "finished")
    assert scene.database.column("SELECT run_id::text FROM pruned.runs") == [tick_id(JOB, later)]


@pytest.mark.usefixtures("one_day")
def test_days_go_when_they_are_older_than_they_are_kept_for_and_no_earlier(scene):
    scene.settings |= {"audit.keep_days": 30, "runs.keep_days": 35}
    add_days(scene, "deletions", 29, 30, 31, 400)
    add_days(scene, "runs_done", 30, 36, 37, 400)
    scene.run_until_idle()
    assert days(scene, "deletions") == [-1, 0, 29, 30]
    assert days(scene, "runs_done") == [30, 36]


@pytest.mark.usefixtures("one_day")
def test_a_day_that_began_without_its_partition_does_not_keep_the_others(scene):
    """Records from before the day's partition existed still go with their day."""
    add_days(scene, "deletions", 32)
    for age in (0, 29, 31, 400):
        scene.database.execute("INSERT INTO pruned.deletions_default (run_id, step, table_name, action, keys, at) VALUES "
                               "(gen_random_uuid(), 0, 'members', 'deleted', '[1]', now() - %s * interval '1 day')", [age])
    scene.run_until_idle()
    assert days(scene, "deletions") == [-1]
    assert scene.database.column("SELECT (now()::date - at::date) FROM pruned.deletions ORDER BY 1") == [0, 29]


def test_by_default_the_audit_stays_a_month_and_runs_longer_than_their_messages(scene):
    known = {line["key"]: line["value"] for line in scene.run("config", "--json").ok().json()}
    assert (known["audit.keep_days"], known["runs.keep_days"], known["audit.rows"]) == ("30", "35", "full")


@pytest.mark.check_all
def test_many_ended_runs_go_page_by_page(scene):
    """The runs are days apart, so that each page needs its own partition; two processes take
    turns."""
    scene.database.execute("""
        INSERT INTO pruned.runs (run_id, scheduled_at, due_at, finished_at, state, job)
        SELECT gen_random_uuid(), at, at, at, 'finished', 'scratch.one'
        FROM generate_series(1, 12000) AS n, LATERAL (SELECT now() - interval '1 day' - n / 1200 * interval '1 day' AS at) AS t""")
    scene.start(), scene.start()
    scene.database.wait("SELECT count(*) FROM pruned.runs_done", until=12000, deadline_s=60)
    assert scene.database.value("SELECT count(*) FROM pruned.runs") == 0
    waits = [line["detail"] for daemon in scene.daemons for line in daemon.lines("Dispatcher round failed; will retry")]
    # a process that stands still within a page delays the other
    assert not [detail for detail in waits if "lock timeout" not in detail]


def test_verdicts_on_messages_go_when_the_dead_topic_has_them_no_more(scene):
    scene.settings["runs.keep_days"] = 35
    for offset, age in enumerate((0, 34, 35, 37, 400)):
        scene.database.execute("INSERT INTO pruned.dead_verdicts (topic, partition, \"offset\", verdict, at) VALUES "
                               "('a topic', 0, %s, 'dropped', now() - %s * interval '1 day')", [offset, age])
    scene.run_until_idle()
    assert scene.database.column("SELECT \"offset\" FROM pruned.dead_verdicts ORDER BY 1") == [0, 1, 2]
