"""What the service still knows when a run is in the archive, a partition had no message yet, or
rows of other versions come first."""

import datetime

import pytest

from stack.process import wait_until
from support.instance import tenant  # noqa: F401
from support.scene import event_id, fill, now, refuse_rows, let_rows_go, result, tick_id
from test_throttle_first_look import held  # noqa: F401

pytestmark = pytest.mark.built_in

ONE, WIDE, EVENT = "scratch.one", "scratch.wide", "PlaceholderUserOrphaned"


def archive(scene):
    """As if an hour had passed."""
    scene.database.execute("UPDATE pruned.runs SET finished_at = now() - interval '2 hours' WHERE finished_at IS NOT NULL")


def start_and_archive(scene, run):
    scene.start()
    scene.wait_run(run)
    archive(scene)
    scene.database.wait("SELECT count(*) FROM pruned.runs_done WHERE run_id = %s", [run], until=1)


def send(scene, ce_id, placeholder=2, **more):
    scene.topics.event(EVENT, {"placeholder_user_id": placeholder}, ce_id=ce_id, ce_time=None, **more)
    return event_id("/test", ce_id, ONE)


def after(scene, n):
    """Waits until earlier messages were read."""
    at = now(minutes=-n)
    run = send(scene, f"after {n}", placeholder=9000 + n)
    scene.wait_run(run)
    return at


# --- what comes again after the archive

def test_a_tick_that_is_sent_again_after_the_archive_is_the_same_run(scene):
    at = now(minutes=-3)
    run = tick_id(WIDE, at, '{"n":1}')
    scene.topics.tick(WIDE, at, {"n": 1})
    start_and_archive(scene, run)
    scene.topics.tick(WIDE, at, {"n": 1})
    scene.topics.tick(WIDE, at, {"n": 2})
    scene.wait_run(tick_id(WIDE, at, '{"n":2}'))
    assert scene.database.column("SELECT job FROM pruned.runs WHERE run_id = %s", [run]) == []
    assert sorted(scene.database.column("SELECT id FROM scratch_log")) == [1, 2]


@pytest.mark.check_all
def test_an_event_that_is_sent_again_after_the_archive_is_the_same_run(scene):
    """Without ce_time: the second message has another T."""
    fill(scene.database, 3)
    run = send(scene, "the same")
    start_and_archive(scene, run)
    send(scene, "the same")
    after(scene, 1)
    assert scene.database.column("SELECT job FROM pruned.runs WHERE run_id = %s", [run]) == []
    assert scene.database.value("SELECT count(*) FROM pruned.runs_done WHERE run_id = %s", [run]) == 1


@pytest.mark.check_all
def test_an_event_that_is_sent_again_after_its_archive_went_is_the_same_run(scene):
    run = send(scene, "the same")
    start_and_archive(scene, run)
    scene.database.execute("DELETE FROM pruned.runs_done")
    send(scene, "the same")
    after(scene, 1)
    assert scene.run_row(run) is None
    lines = scene.run("replay", "--from", "-1h", "--topic", "events", "--job", ONE, "--json").ok().json()
    assert {line["verdict"] for line in lines if line["run_id"] == run} == {"done"}


def test_event_ids_are_deleted_once_neither_ledger_nor_topic_keeps_the_event(scene):
    scene.settings["runs.keep_days"] = 5
    scene.database.execute("INSERT INTO pruned.event_ids SELECT gen_random_uuid(), now() - a * interval '1 day' "
                           "FROM unnest(ARRAY[1, 4, 6, 400]) AS a, generate_series(1, 600)")
    scene.start()
    scene.database.wait("SELECT array_agg(DISTINCT now()::date - at::date) FROM pruned.event_ids",
                        until=lambda ages: sorted(ages) in ([1, 4], [1, 4, 6]))


def test_ids_stay_as_long_as_a_topic_of_an_application_keeps_messages(scene):
    """Intake has read it at some time; a topic that is no more keeps nothing."""
    scene.settings["runs.keep_days"] = 5
    scene.topics.make("app-users", retention_ms=400 * 86400 * 1000)
    scene.start().wait_line("Partitions assigned")
    scene.database.wait("SELECT count(*) FROM pruned.intake", until=2)
    assert scene.daemons[-1].stop() == 0
    scene.database.execute("INSERT INTO pruned.intake (cluster_id, topic, partition, next_offset) SELECT min(cluster_id), t, 0, 9 FROM pruned.intake, "
                           "unnest(%s::text[]) AS t GROUP BY t", [[scene.topics.full("app-users"), scene.topics.full("app-gone")]])
    scene.database.execute("INSERT INTO pruned.event_ids SELECT gen_random_uuid(), now() - a * interval '1 day' FROM unnest(ARRAY[300, 500]) AS a")
    scene.start()
    scene.database.wait("SELECT array_agg(now()::date - at::date) FROM pruned.event_ids", until=[300])


@pytest.mark.parametrize("kept", [{"retention_ms": -1}], ids=["no retention"])
def test_ids_stay_for_ever_if_the_topic_keeps_its_messages_for_ever(scene, kept):
    """So an event that is sent again years later is the same run. Archiving is the last work of the
    janitor's pass, so an archived run shows that the pass is over."""
    scene.settings["runs.keep_days"] = 5
    scene.topics.configure("events", **kept)
    run = event_id("/test", "years ago", ONE)
    scene.database.execute("INSERT INTO pruned.event_ids VALUES (%s, now() - interval '4000 days'), "
                           "(gen_random_uuid(), now() - interval '10 days')", [run])
    scene.database.execute("INSERT INTO pruned.timers (unique_key, run_id, scheduled_at) "
                           "VALUES ('old', gen_random_uuid(), now() - interval '400 days')")
    scene.database.execute("INSERT INTO pruned.runs (run_id, job, state, scheduled_at, due_at, finished_at) VALUES (gen_random_uuid(), "
                           "%s, 'finished', now(), now(), now() - interval '2 hours')", [WIDE])
    scene.start()
    scene.database.wait("SELECT count(*) FROM pruned.runs_done WHERE job = %s", [WIDE], until=1)
    assert scene.database.value("SELECT count(*) FROM pruned.timers") == 0
    assert scene.database.value("SELECT count(*) FROM pruned.event_ids WHERE at < now() - interval '9 days'") == 2
    assert send(scene, "years ago") == run
    after(scene, 1)
    assert scene.run_row(run) is None


# --- the positions of intake

def intake(scene, topic):
    return scene.database.row("SELECT next_offset, last_timestamp FROM pruned.intake WHERE topic = %s", [scene.topics.full(topic)])


def test_a_partition_has_its_row_before_its_first_message_and_a_database_set_back_to_then_reads_it_again(scene):
    scene.start()
    scene.database.wait("SELECT count(*) FROM pruned.intake", until=2)
    assert intake(scene, "ticks") == {"next_offset": 0, "last_timestamp": None}
    at = now(minutes=-1)
    scene.topics.tick(WIDE, at, {"n": 1})
    scene.wait_run(tick_id(WIDE, at, '{"n":1}'))
    wait_until(lambda: scene.topics.committed("ticks") == {0: 1}, 30, "the offset")
    scene.database.execute("WITH lost AS (DELETE FROM pruned.runs), undone AS (DELETE FROM scratch_log) "
                           "UPDATE pruned.intake SET next_offset = 0, last_timestamp = NULL WHERE topic = %s", [scene.topics.full("ticks")])
    assert scene.wait_run(tick_id(WIDE, at, '{"n":1}'))["state"] == "finished"
    assert scene.database.value("SELECT count(*) FROM scratch_log") == 1


@pytest.mark.check_all
def test_intake_alone_notices_that_a_database_was_set_back(held):  # noqa: F811
    """The dispatcher, which checks the positions, hangs in its first look at the thresholds."""
    scene, proxy = held
    first, second = now(minutes=-2), now(minutes=-1)
    daemon = scene.start()
    scene.topics.tick(WIDE, first, {"n": 1})
    scene.wait_run(tick_id(WIDE, first, '{"n":1}'))
    scene.database.execute("WITH lost AS (DELETE FROM pruned.runs), undone AS (DELETE FROM scratch_log) "
                           "UPDATE pruned.intake SET next_offset = 0, last_timestamp = NULL WHERE topic = %s", [scene.topics.full("ticks")])
    scene.topics.tick(WIDE, second, {"n": 2})
    for n, at in enumerate((first, second), 1):
        assert scene.wait_run(tick_id(WIDE, at, f'{{"n":{n}}}'))["state"] == "finished"
    assert sorted(scene.database.column("SELECT id FROM scratch_log")) == [1, 2]
    [line] = daemon.lines("PostgreSQL was set back; re-reading from its saved offsets")
    assert line["topic"] == scene.topics.full("ticks") and not proxy.let_go
    proxy.let_go = True
    assert daemon.stop() == 0


def test_a_database_that_stands_where_the_daemon_does_but_by_another_message_is_noticed(scene):
    daemon = scene.start()
    at = now(minutes=-1)
    scene.topics.tick(WIDE, at)
    scene.wait_run(tick_id(WIDE, at))
    scene.database.execute("WITH lost AS (DELETE FROM pruned.runs), undone AS (DELETE FROM scratch_log) "
                           "UPDATE pruned.intake SET last_timestamp = now() - interval '1 day' WHERE topic = %s", [scene.topics.full("ticks")])
    daemon.wait_line("PostgreSQL was set back; re-reading from its saved offsets")
    assert scene.wait_run(tick_id(WIDE, at))["state"] == "finished"


# --- rows of unknown jobs

@pytest.mark.check_all
def test_rows_of_unknown_jobs_delay_no_others(scene):
    # 150 rows of a job that only a later version knows, and as many that no version can read
    scene.database.execute("INSERT INTO pruned.unpublished (run_id, step, messages, job, slot, at) SELECT gen_random_uuid(), 0, '\\x00', "
                           "CASE WHEN n <= 150 THEN 'of.tomorrow' ELSE 'scratch.remove' END, 0, now() - interval '1 hour' "
                           "FROM generate_series(1, 300) AS n")
    scene.database.execute("INSERT INTO pruned.runs (run_id, job, state, scheduled_at, due_at) VALUES "
                           "(gen_random_uuid(), 'of.tomorrow', 'waiting', now(), now() - interval '1 minute')")
    at = now(minutes=-1)
    scene.topics.tick("scratch.remove", at)
    first = scene.run_at_once(1).start()
    scene.wait_run(tick_id("scratch.remove", at))
    first.kill()
    [left] = scene.database.column("INSERT INTO pruned.unpublished (run_id, step, messages, job, slot) "
                                   "SELECT run_id, 99, '\\x01' || decode(repeat('00', 8), 'hex'), job, slot FROM pruned.runs "
                                   "WHERE run_id = %s RETURNING run_id", [tick_id("scratch.remove", at)])
    daemon = scene.start()
    daemon.wait_line("Sent messages that a crash had left", run_id=str(left), deadline_s=60)
    assert scene.database.value("SELECT state FROM pruned.runs WHERE job = 'of.tomorrow'") == "waiting"


# --- retried runs

def test_a_dead_run_that_is_retried_has_its_message_at_once(new_scene):
    scene = new_scene({"jobs.scratch.remove.batch": 25, "jobs.scratch.remove.max_attempts": 0})
    fill(scene.database, 25)
    refuse_rows(scene.database, "true")
    at = now(minutes=-1)
    scene.topics.tick("scratch.remove", at)
    run = tick_id("scratch.remove", at)
    daemon = scene.start()
    assert scene.wait_run(run)["state"] == "dead"
    let_rows_go(scene.database)
    before = len(scene.topics.read("work.scratch.remove"))
    scene.run("retry", run).ok()
    assert len(scene.topics.read("work.scratch.remove")) > before
    assert result(scene.wait_run(run, "finished"))["removed"] == 25
    assert daemon.lines("Work message was missing and is sent again") == []


# --- children that back off

@pytest.mark.check_all
def test_a_child_that_backs_off_is_due_with_its_parents_next_tick(tenant):  # noqa: F811
    parent, child = "members.schedule_prune_deletions", "members.prune_deletions"
    top = tenant.group()
    tenant.owner(admin := tenant.user(admin=True), top)
    tenant.leave(top, tenant.user(), admin)
    tenant.database.execute("ALTER TABLE members_deletion_schedules RENAME COLUMN scheduled_by_id TO who")
    tenant.tick(parent)
    [run] = tenant.runs(child)
    assert run["state"] == "waiting" and run["error"]
    tenant.database.execute("UPDATE pruned.runs SET due_at = now() + interval '4 days' WHERE run_id = %s", [run["run_id"]])
    tenant.database.execute("ALTER TABLE members_deletion_schedules RENAME COLUMN who TO scheduled_by_id")
    ended = tenant.tick(parent, tenant.at + datetime.timedelta(seconds=1))
    assert result(ended)["revived"] == 1
    assert tenant.pruned.run_row(run["run_id"])["state"] == "finished" and tenant.ids("members_deletion_schedules") == []
