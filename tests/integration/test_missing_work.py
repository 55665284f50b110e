"""A run whose work message is lost gets a new one; a slow run does not."""

import contextlib
import datetime
import json
import uuid

import pytest

from stack.process import wait_until
from support.scene import fill, now, result, tick_id
from support.topics import rfc3339

JOB = "scratch.remove"
SENT_AGAIN = "Work message was missing and is sent again"


def insert_ready(scene, job=JOB, n=1, slot=0, ago_s=3):
    """Inserts runs as if intake had died between commit and publish, AGO_S ago: after two seconds
    their messages count as missing."""
    ids = [str(uuid.uuid4()) for _ in range(n)]
    scene.database.executemany(
        "INSERT INTO pruned.runs (run_id, job, state, slot, scheduled_at, due_at, published_at, changed_at) SELECT %s, %s, 'ready', %s, "
        "now(), now(), t, t FROM (SELECT now() - %s * interval '1 s') AS x (t)", [(i, job, slot, ago_s) for i in ids])
    return ids


def taken_for_lost(scene, daemon, job):
    """Runs whose message was sent again although the first one was sent in time. A message counts
    as missing after two seconds; a process that is stopped between commit and sending exceeds
    them."""
    first = {}
    for message in scene.topics.read(f"work.{job}"):
        first.setdefault(message.text_key, message.timestamp_ms / 1000)
    again = {line["run_id"] for line in daemon.lines(SENT_AGAIN)}
    return {run_id for run_id in again if first[run_id] < scene.run_row(run_id)["created_at"].timestamp() + 2}


def send_work(scene, run_id, job=JOB, args=None):
    scene.topics.produce(f"work.{job}", json.dumps({"run_id": run_id, "job": job, "step": 0, "attempt": 0, "scheduled_at": rfc3339(now()), "due_at": rfc3339(now()), "args": args or {}}),
                         key=run_id, partition=0, headers={"ce_type": "pruned.Work", "content-type": "application/json"})


@contextlib.contextmanager
def locked(scene, run_id):
    """Locks the run, like a dispatcher that was too late to claim it, or intake that met an
    overlapping tick."""
    with scene.database.connect() as other, other.transaction():
        other.execute("SELECT FROM pruned.runs WHERE run_id = %s FOR UPDATE", [run_id])
        yield


def start_and_meet_the_lock(scene, ids):
    """Starts a daemon with the messages of these runs of scratch.wide, one of which waits for the
    lock. Returns the daemon and when the wait began."""
    for id_ in ids:
        send_work(scene, id_, "scratch.wide")
    daemon = scene.start(settings={"log.level": "debug"})
    line = daemon.wait_line("Run is locked by another transaction; its message waits", level="debug", job="scratch.wide")
    return daemon, datetime.datetime.fromisoformat(line["time"])


@pytest.mark.check_first(1)
@pytest.mark.parametrize("others", [0, 3])
def test_a_message_waits_while_its_run_is_locked_for_a_moment(scene, others):
    """For a single message, and in a batch."""
    run_id, *ids = insert_ready(scene, "scratch.wide", 1 + others, ago_s=0)
    with locked(scene, run_id):
        daemon, began = start_and_meet_the_lock(scene, [run_id, *ids])
        for id_ in ids:
            scene.wait_run(id_)
    had_it_for_s = (now() - began).total_seconds()
    assert scene.wait_run(run_id)["state"] == "finished"
    assert had_it_for_s > 1 or not daemon.lines(SENT_AGAIN)


@pytest.mark.check_all
@pytest.mark.parametrize("others", [0, 3])
def test_killed_while_a_message_waits_for_a_lock_on_its_run(scene, others):
    """The lane's next owner reads the message again."""
    scene.run_at_once(1)
    ids = insert_ready(scene, "scratch.wide", 1 + others, ago_s=0)
    with locked(scene, ids[0]):
        daemon, _ = start_and_meet_the_lock(scene, ids)
        daemon.kill()
    daemon = scene.start()
    assert [scene.wait_run(id_)["state"] for id_ in ids] == ["finished"] * len(ids)
    daemon.wait_line("Finished", run_id=ids[0])
    assert len(daemon.lines("Finished", run_id=ids[0])) == 1
    assert not daemon.lines(SENT_AGAIN)


@pytest.mark.check_all
def test_a_run_that_is_locked_for_long_delays_no_other(scene):
    """The message is dropped; when the lock is released the run is found without a message."""
    run_id, other_id = insert_ready(scene, "scratch.wide", 2, ago_s=0)
    with locked(scene, run_id):
        send_work(scene, run_id, "scratch.wide")
        daemon = scene.start()
        scene.wait_run(other_id)
        daemon.wait_line(SENT_AGAIN, run_id=other_id)
    assert scene.wait_run(run_id)["state"] == "finished"
    daemon.wait_line(SENT_AGAIN, run_id=run_id)
    assert not [line for line in daemon.lines("Dispatcher round failed; will retry") if "lock timeout" in line["detail"]]


@pytest.mark.check_all
def test_each_step_whose_message_is_gone_is_sent_again_as_soon_as_the_first(scene):
    """A chain may lose a message today and another one next week."""
    scene.start()
    [run_id] = insert_ready(scene, "scratch.wide")
    for step in range(1, 7):
        scene.wait_run(run_id, "finished", deadline_s=10)
        scene.database.execute("UPDATE pruned.runs SET state = 'ready', step = %s, finished_at = NULL, published_at = now() - interval '3 s', "
                               "changed_at = now() - interval '3 s' WHERE run_id = %s", [step, run_id])
    scene.wait_run(run_id, "finished", deadline_s=10)


@pytest.mark.check_all
def test_a_run_without_a_message_is_found_and_sent_again(scene):
    fill(scene.database, 3)
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    [run_id] = insert_ready(scene)
    row = scene.wait_run(run_id)
    assert (row["state"], result(row)["removed"]) == ("finished", 3)
    [line] = daemon.lines(SENT_AGAIN)
    assert (line["job"], line["run_id"]) == (JOB, run_id)


@pytest.mark.check_all
def test_runs_without_messages_on_all_lanes_are_found(scene):
    scene.start()
    ids = [run_id for slot in range(8) for run_id in insert_ready(scene, "scratch.wide", 5, slot)]
    for run_id in ids:
        assert scene.wait_run(run_id, deadline_s=60)["state"] == "finished"


@pytest.mark.check_all
def test_runs_of_slots_beyond_the_capacity_are_found(scene):
    """The capacity was higher before, or the arguments name the slots."""
    scene.start()
    ids = [run_id for slot in (8, 13, 47) for run_id in insert_ready(scene, "scratch.wide", 2, slot)]
    for run_id in ids:
        assert scene.wait_run(run_id, deadline_s=60)["state"] == "finished"


@pytest.mark.check_all
def test_until_idle_waits_for_what_is_missing(scene):
    [run_id] = insert_ready(scene)
    scene.run_until_idle()
    assert scene.run_row(run_id)["state"] == "finished"


@pytest.mark.check_all
def test_a_work_topic_made_anew_loses_no_run(new_scene):
    scene = new_scene()
    fill(scene.database, 3)
    ids = insert_ready(scene, "scratch.wide", 3) + insert_ready(scene)
    scene.topics.drop("work.scratch.remove", "work.scratch.wide")
    scene.run("topics", "--apply").ok()
    scene.run_until_idle()
    assert {scene.run_row(run_id)["state"] for run_id in ids} == {"finished"}


@pytest.mark.check_all
def test_a_topic_that_vanishes_is_reported_and_a_new_one_is_used(new_scene):
    scene = new_scene()
    fill(scene.database, 3)
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    scene.topics.drop("work.scratch.remove")
    [run_id] = insert_ready(scene)
    trouble = daemon.wait_line("Kafka degraded; continuing where possible")
    assert scene.topics.full("work.scratch.remove") in trouble["detail"] and "topics --apply" in trouble["remedy"]
    scene.run("topics", "--apply").ok()
    assert scene.wait_run(run_id, deadline_s=60)["state"] == "finished"
    daemon.wait_line("Kafka works again")


@pytest.fixture
def narrow(new_scene):
    """A scene whose work topic takes small messages only."""
    scene = new_scene()
    fill(scene.database, 3)
    scene.topics.drop("work.scratch.wide")
    scene.topics.make("work.scratch.wide", partitions=8, max_message_bytes=1050)
    scene.daemon = scene.start()
    scene.daemon.wait_line("Partitions assigned")
    return scene


def wide(scene, n, at, note):
    """Sends a tick with NOTE in its arguments, which its work message repeats. Returns the run's
    id."""
    scene.topics.tick("scratch.wide", at, {"n": n, "note": note})
    return tick_id("scratch.wide", at, '{"n":%d,"note":"%s"}' % (n, note))


def takes_large(scene):
    """Whether the topic takes a large message. This one is for no run, and is dropped."""
    try:
        send_work(scene, str(uuid.uuid4()), "scratch.wide", {"note": "x" * 5000})
    except RuntimeError:
        return False
    return True


@pytest.mark.check_first(1)
@pytest.mark.parametrize("seconds", [-60, 4])
def test_a_run_whose_message_the_topic_rejects_is_dead_with_the_reason(narrow, seconds):
    """Whether intake or the dispatcher sends it: the other runs are done, this one is reported, and
    a retry succeeds once the topic takes the message."""
    at = now(seconds=seconds)
    large = wide(narrow, 1, at, "x" * 2000)
    # refused together, accepted one by one
    small = [wide(narrow, n, at, "x" * 600) for n in range(2, 30)]
    row = narrow.wait_run(large, deadline_s=60)
    topic = narrow.topics.full("work.scratch.wide")
    assert (row["state"], row["attempts"]) == ("dead", 1)
    assert row["error"].startswith(f"topic {topic} rejected its work message of 2") and "max.message.bytes" in row["error"]
    line = narrow.daemon.wait_line("Run is dead", level="error", job="scratch.wide", run_id=large)
    assert line["error"] == row["error"] and len(narrow.daemon.lines("Run is dead")) == 1
    [said] = narrow.topics.wait("outcomes", lambda m: m.text_key == large)
    assert (said.value["state"], said.value["error"]) == ("dead", row["error"])
    for run_id in small:
        assert narrow.wait_run(run_id, deadline_s=60)["state"] == "finished"
    narrow.topics.tick(JOB, at := now(minutes=-1))
    assert result(narrow.wait_run(tick_id(JOB, at)))["removed"] == 3
    narrow.topics.configure("work.scratch.wide", max_message_bytes=100000)
    wait_until(lambda: takes_large(narrow), 30, "a topic that takes large messages")
    narrow.run("retry", large).ok()
    row = narrow.wait_run(large, "finished", deadline_s=60)
    assert (row["attempts"], row["error"]) == (0, None)
    assert narrow.database.column("SELECT id FROM scratch_log ORDER BY id") == list(range(1, 30))


@pytest.mark.check_all
def test_an_unreadable_row_in_the_outbox_delays_no_others(scene):
    scene.database.execute("INSERT INTO pruned.unpublished (run_id, step, messages, job, slot, at) "
                           "VALUES (gen_random_uuid(), 0, '\\x00', %s, 0, now() - interval '1 hour')", [JOB])
    daemon = scene.start()
    daemon.wait_line("Messages in pruned.unpublished cannot be sent")
    [run_id] = insert_ready(scene)
    assert scene.wait_run(run_id)["state"] == "finished"
    assert scene.database.value("SELECT count(*) FROM pruned.unpublished WHERE messages = '\\x00'") == 1


@pytest.mark.check_all
def test_a_message_for_a_topic_that_is_not_there_delays_no_others(scene):
    """As after a change of the prefix: the stored message about the change is for a topic of the
    old prefix."""
    scene.run("pause", "scratch.wide", settings={"topics.prefix": f"{scene.topics.prefix}.old"})
    assert scene.database.value("SELECT count(*) FROM pruned.unpublished") > 0
    daemon = scene.start()
    line = daemon.wait_line("Messages in pruned.unpublished cannot be sent")
    assert f"topic {scene.topics.prefix}.old.outcomes" in line["detail"]
    [run_id] = insert_ready(scene)
    assert scene.wait_run(run_id)["state"] == "finished"
    assert scene.database.value("SELECT count(*) FROM pruned.unpublished") > 0, "it waits for its topic"
    assert daemon.lines("Dispatcher round failed; will retry") == []


def test_messages_of_a_backlog_are_not_sent_again(new_scene):
    """One lane, 40 runs of 0.15 s: the last waits far longer than the two seconds after which a
    message counts as missing."""
    scene = new_scene({"jobs.scratch.wide.capacity": 1})
    scene.database.execute("CREATE OR REPLACE FUNCTION scratch_ended() RETURNS timestamptz LANGUAGE plpgsql AS "
                           "$$ BEGIN PERFORM pg_sleep(0.15); RETURN clock_timestamp(); END $$")
    for n in range(40):
        scene.topics.tick("scratch.wide", now(minutes=-n - 1), {"n": n + 1})
    daemon = scene.run_until_idle(deadline_s=120)
    assert scene.database.value("SELECT count(*) FROM scratch_log") == 40
    assert scene.database.value("SELECT max(started_at - created_at) > interval '4 s' FROM pruned.runs")
    assert taken_for_lost(scene, daemon, "scratch.wide") == set()
    assert len(scene.topics.read("work.scratch.wide")) == 40 + len(daemon.lines(SENT_AGAIN))


@pytest.mark.check_all
def test_what_was_sent_is_not_sent_again_while_the_next_step_takes_long(new_scene):
    """The row of the outbox is deleted by the transaction of a later step."""
    scene = new_scene({"jobs.scratch.wide.capacity": 1})
    scene.database.execute("CREATE OR REPLACE FUNCTION scratch_ended() RETURNS timestamptz LANGUAGE plpgsql AS "
                           "$$ BEGIN PERFORM pg_sleep(3); RETURN clock_timestamp(); END $$")
    for n in range(2):
        scene.topics.tick("scratch.wide", now(minutes=-n - 1), {"n": n + 1})
    daemon = scene.run_until_idle()
    assert not daemon.lines("Sent messages that a crash had left")
    assert len(scene.topics.outcomes("RunFinished")) == 2


@pytest.mark.check_all
def test_a_step_that_takes_long_is_not_taken_for_lost(scene):
    fill(scene.database, 1)
    scene.database.execute("CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS "
                           "$$ BEGIN PERFORM pg_sleep(4); RETURN OLD; END $$;"
                           "CREATE TRIGGER slow BEFORE DELETE ON scratch FOR EACH ROW EXECUTE FUNCTION slow()")
    at = now(minutes=-1)
    scene.topics.tick(JOB, at)
    daemon = scene.run_until_idle()
    assert result(scene.run_row(tick_id(JOB, at)))["removed"] == 1
    assert taken_for_lost(scene, daemon, JOB) == set()
    assert len(scene.topics.read("work.scratch.remove")) == 1 + len(daemon.lines(SENT_AGAIN))


def test_what_a_crash_left_in_the_outbox_is_sent_by_whoever_has_the_lane(scene):
    """The stored, unsent message is made from the row of a finished run."""
    fill(scene.database, 1)
    at = now(minutes=-1)
    scene.topics.tick(JOB, at)
    scene.database.execute("CREATE TABLE kept AS SELECT * FROM pruned.unpublished")
    scene.database.execute("CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS "
                           "$$ BEGIN INSERT INTO public.kept SELECT NEW.*; RETURN NEW; END $$;"
                           "CREATE TRIGGER keep AFTER INSERT ON pruned.unpublished FOR EACH ROW EXECUTE FUNCTION keep()")
    scene.run_until_idle()
    [first] = scene.topics.outcomes("RunFinished")
    scene.database.execute("DROP TRIGGER keep ON pruned.unpublished; "
                           "INSERT INTO pruned.unpublished SELECT * FROM kept; UPDATE pruned.unpublished SET at = now() - interval '1 hour'")
    daemon = scene.run_until_idle()
    assert scene.database.value("SELECT count(*) FROM pruned.unpublished") == 0
    one, two = scene.topics.outcomes("RunFinished")
    assert (one.raw, one.headers, one.key) == (two.raw, two.headers, two.key) == (first.raw, first.headers, first.key)
    assert daemon.lines("Sent messages that a crash had left")


@pytest.mark.check_all
def test_messages_that_the_dispatcher_is_still_sending_are_not_looked_for(scene_with_faults):
    """More runs than begin before their messages become due at once, and the dispatcher is slow to
    send."""
    scene, wide = scene_with_faults, "scratch.wide"
    daemon = scene.start(environment={"PRUNED_FAULT": "dispatcher.before_send:sleep=5000"})
    daemon.wait_line("Partitions assigned")
    at = now(seconds=3)
    for n in range(1, 7):
        scene.topics.tick(wide, at, {"n": n})
    for n in range(1, 7):
        assert scene.wait_run(tick_id(wide, at, f'{{"n":{n}}}'))["state"] == "finished"
    assert daemon.lines(SENT_AGAIN) == []
    assert len(scene.topics.read(f"work.{wide}")) == 6
