"""Ticks and events that Kafka drops before they are read: they are logged with their offsets,
counted, and reported by doctor for a day."""

import contextlib
import json

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, Producer, TopicPartition

from stack.process import wait_until
from support.exposition import Listening
from support.scene import now, tick_id
from support.topics import rfc3339

JOB = "scratch.wide"
SAID = "Messages expired before they were read: what they asked for is not done"


@pytest.fixture
def read(new_scene):
    """A scene whose daemon has read one tick and is stopped; later ticks have numbers from 1 on."""
    scene = new_scene()
    scene.at = now(minutes=-1)
    scene.topics.tick(JOB, scene.at, {"n": 0})
    scene.run_until_idle()
    return scene


def ticks(scene, first, n):
    for i in range(first, first + n):
        scene.topics.tick(JOB, scene.at, {"n": i})


def drop_before(scene, offset):
    """Drops messages, like the topic's retention."""
    (dropped,) = scene.topics.admin.delete_records([TopicPartition(scene.topics.full("ticks"), 0, offset)]).values()
    assert dropped.result().low_watermark == offset


def lost_of(line):
    return line["level"], line["partition"], line["first_offset"], line["next_offset"], line["lost"]


def done(scene):
    return scene.database.column("SELECT (args ->> 'n')::int FROM pruned.runs ORDER BY 1")


def doctor(scene):
    return [f for f in scene.run("doctor", "--json").json() if f["check"] == "lost messages" and not f["ok"]]


@pytest.mark.check_all
@pytest.mark.parametrize("known", ["both", "kafka", "postgres"])
def test_messages_dropped_while_no_daemon_ran(read, known):
    """Whether Kafka or PostgreSQL has the position."""
    if known == "kafka":
        read.database.execute("DELETE FROM pruned.intake")
    if known == "postgres":
        read.topics.admin.delete_consumer_groups([read.topics.prefix])[read.topics.prefix].result()
    assert doctor(read) == []
    ticks(read, 1, 5)
    drop_before(read, 4)
    daemon = read.run_until_idle()
    (line,) = daemon.lines(SAID)
    assert line["topic"] == read.topics.full("ticks") and lost_of(line) == ("error", 0, 1, 4, 3)
    assert done(read) == [0, 4, 5]
    (found,) = doctor(read)
    assert "between offset 1 and 4" in found["detail"] and read.topics.full("ticks") in found["detail"]
    assert read.run_until_idle().lines(SAID) == [], "it is said once"
    read.database.execute("UPDATE pruned.lost_messages SET lost_at = lost_at - interval '25 h'")
    assert doctor(read) == []


@pytest.mark.check_all
def test_all_messages_dropped_and_none_after_them(read):
    ticks(read, 1, 5)
    drop_before(read, 6)
    (line,) = read.run_until_idle().lines(SAID)
    assert lost_of(line) == ("error", 0, 1, 6, 5)
    assert read.run_until_idle().lines(SAID) == []
    assert read.database.value("SELECT lost FROM pruned.lost_messages") == 5


@pytest.mark.check_all
def test_nothing_is_lost_that_was_read_or_never_expected(new_scene):
    """A new group on a topic that begins late; and messages that were read before they were
    dropped."""
    scene = new_scene()
    scene.at = now(minutes=-1)
    ticks(scene, 0, 3)
    drop_before(scene, 2)
    assert scene.run_until_idle().lines(SAID) == []
    drop_before(scene, 3)
    ticks(scene, 3, 1)
    assert scene.run_until_idle().lines(SAID) == [] and done(scene) == [2, 3]


@pytest.mark.check_all
def test_messages_dropped_under_a_stopped_daemon(read):
    """The metric exists before the first loss."""
    with contextlib.closing(Listening()) as http:
        daemon = read.start(settings={"http.listen": http.listen})
        daemon.wait_line("Partitions assigned")
        ticks(read, 1, 1)
        read.wait_run(tick_id(JOB, read.at, '{"n":1}'))
        before = http.metrics()
        assert before["pruned_lost_messages_total"] == 0 and before.kinds["pruned_lost_messages_total"] == "counter"
        daemon.freeze()
        ticks(read, 2, 6)
        drop_before(read, 7)
        daemon.thaw()
        read.wait_run(tick_id(JOB, read.at, '{"n":7}'))
        line = daemon.wait_line(SAID)
        # Messages that were on their way when it was stopped are not lost.
        first = line["first_offset"]
        assert lost_of(line) == ("error", 0, first, 7, 7 - first) and 2 <= first < 7
        assert done(read) == [*range(first), 7]
        after = http.metrics()
        assert after["pruned_lost_messages_total"] == 7 - first and after["pruned_lost_messages_timestamp_seconds"] > 0


def test_messages_dropped_under_a_stopped_daemon_and_none_after_them(read):
    daemon = read.start()
    daemon.wait_line("Partitions assigned")
    daemon.freeze()
    ticks(read, 1, 6)
    drop_before(read, 7)
    daemon.thaw()
    line = daemon.wait_line(SAID)
    assert lost_of(line) == ("error", 0, line["first_offset"], 7, 7 - line["first_offset"])
    assert done(read) == list(range(line["first_offset"]))


# --- offsets that are no messages

def transaction(scene, *numbers, aborted=False):
    """Sends ticks in a transaction, which ends with a marker."""
    producer = Producer({"bootstrap.servers": scene.topics.bootstrap, "transactional.id": scene.topics.prefix})
    producer.init_transactions(60)
    producer.begin_transaction()
    for n in numbers:
        value = {"job": JOB, "scheduled_at": rfc3339(scene.at), "args": {"n": n}}
        producer.produce(scene.topics.full("ticks"), json.dumps(value).encode(), partition=0)
    producer.flush(60)
    producer.abort_transaction(60) if aborted else producer.commit_transaction(60)


READ_TO = "SELECT read_to FROM pruned.intake WHERE topic = %s"


@pytest.mark.check_all
@pytest.mark.parametrize("running", [True, False])
def test_markers_and_aborted_messages_are_no_loss(new_scene, running):
    scene = new_scene()
    scene.at = now(minutes=-1)
    daemon = scene.start() if running else None
    transaction(scene, 1, 2)
    transaction(scene, 8, 9, aborted=True)
    if not running:
        scene.run_until_idle()
    scene.database.wait(READ_TO, [scene.topics.full("ticks")], until=6)
    drop_before(scene, 6)
    ticks(scene, 3, 1)
    daemon = daemon or scene.run_until_idle()
    scene.wait_run(tick_id(JOB, scene.at, '{"n":3}'))
    assert daemon.lines(SAID) == [] and done(scene) == [1, 2, 3]
    assert scene.database.value("SELECT count(*) FROM pruned.lost_messages") == 0


@pytest.mark.check_all
def test_a_process_that_dies_with_its_last_message_leaves_no_marker_that_counts_as_lost(new_scene):
    """What is behind the message is stored with it: here nothing can be stored later."""
    scene = new_scene().run_at_once(1)
    scene.at = now(minutes=-1)
    scene.database.execute("""
        CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'too late'; END $$;
        CREATE TRIGGER late BEFORE UPDATE ON pruned.intake FOR EACH ROW WHEN (old.next_offset = new.next_offset)
            EXECUTE FUNCTION public.refuse()""")
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    transaction(scene, 1, 2)
    scene.wait_run(tick_id(JOB, scene.at, '{"n":2}'))
    daemon.kill()
    scene.database.execute("DROP TRIGGER late ON pruned.intake")
    drop_before(scene, 3)
    assert scene.run_until_idle().lines(SAID) == [] and doctor(scene) == []
    ticks(scene, 3, 4)
    drop_before(scene, 5)
    assert [lost_of(line) for line in scene.run_until_idle().lines(SAID)] == [("error", 0, 3, 5, 2)]
    assert done(scene) == [1, 2, 5, 6]


@pytest.mark.check_all
def test_messages_behind_a_marker_are_lost_as_any_other(new_scene):
    scene = new_scene()
    scene.at = now(minutes=-1)
    transaction(scene, 0)
    scene.run_until_idle()
    ticks(scene, 1, 5)
    drop_before(scene, 4)
    daemon = scene.run_until_idle()
    assert [lost_of(line) for line in daemon.lines(SAID)] == [("error", 0, 2, 4, 2)]
    assert done(scene) == [0, 3, 4, 5]


# --- transactions that are aborted while the daemon is idle

@pytest.fixture
def idle(read):
    """READ with a daemon that has read a second tick."""
    daemon = read.run_at_once(1).start()
    daemon.wait_line("Partitions assigned")
    ticks(read, 1, 1)
    read.wait_run(tick_id(JOB, read.at, '{"n":1}'))
    read.daemon = daemon
    return read


def committed(scene):
    (found,) = scene.topics.admin.list_consumer_group_offsets(
        [ConsumerGroupTopicPartitions(scene.topics.prefix, [TopicPartition(scene.topics.full("ticks"), 0)])]).values()
    return found.result().topic_partitions[0].offset


@pytest.mark.check_all
def test_what_is_read_while_idle_is_stored_without_housekeeping(idle):
    """So a process that dies soon after has stored it."""
    with idle.database.connect() as blocker, blocker.transaction():
        blocker.execute("LOCK TABLE pruned.unpublished")
        idle.database.wait("SELECT count(*) > 0 FROM pg_locks WHERE relation = 'pruned.unpublished'::regclass AND NOT granted")
        transaction(idle, 8, 9, aborted=True)
        idle.database.wait(READ_TO, [idle.topics.full("ticks")], until=5)
        idle.daemon.kill()
    drop_before(idle, 5)
    daemon = idle.run_until_idle()
    assert daemon.lines(SAID) == [] and doctor(idle) == []
    ticks(idle, 2, 4)
    drop_before(idle, 7)
    assert [lost_of(line) for line in idle.run_until_idle().lines(SAID)] == [("error", 0, 5, 7, 2)]
    assert done(idle) == [0, 1, 4, 5]


@pytest.mark.check_all
def test_what_postgresql_could_not_store_is_remembered(idle):
    idle.database.execute("""
        CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not now'; END $$;
        CREATE TRIGGER later BEFORE UPDATE ON pruned.intake FOR EACH ROW WHEN (old.next_offset = new.next_offset)
            EXECUTE FUNCTION public.refuse()""")
    transaction(idle, 8, 9, aborted=True)
    wait_until(lambda: committed(idle) == 5, 30, "the end is committed")
    drop_before(idle, 5)
    idle.daemon.freeze()
    ticks(idle, 2, 4)
    drop_before(idle, 7)
    idle.daemon.thaw()
    idle.database.execute("DROP TRIGGER later ON pruned.intake")
    idle.wait_run(tick_id(JOB, idle.at, '{"n":5}'))
    (line,) = idle.daemon.lines(SAID)
    first = line["first_offset"]  # messages that were on their way when it was stopped are not lost
    assert lost_of(line) == ("error", 0, first, 7, 7 - first) and 5 <= first < 7
    assert done(idle) == [0, 1, *range(2, first - 3), 4, 5]
