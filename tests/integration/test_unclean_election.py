"""A broker that lagged behind becomes the leader: Kafka has only a part of the messages that were
taken, and new messages, perhaps at the same offsets."""

import json
import shutil

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import NewPartitions

from stack.kafka_cluster import Cluster
from stack.pair import new_folder
from stack.process import wait_until
from support.scene import now, tick_id

JOB = "scratch.wide"
SAID = "Kafka lost or replaced messages that were read; re-reading from there"
# partitions, by what the new leader has; the last one begins at a later offset
LESS, AS_MUCH, MORE, SAME, CUT = range(5)
OTHERS = {LESS: 1, AS_MUCH: 3, MORE: 5}


@pytest.fixture
def scene(own_kafka, new_scene):
    """Four ticks in each partition: `1 .. 4`, `11 .. 14`, ... The topic `elsewhere` has the first
    of them unchanged, and others: `5, ...`. A session outlives the broker's absence: no partition
    is assigned again."""
    scene = new_scene({"kafka.session.timeout.ms": 240000}, bootstrap=own_kafka.bootstrap)
    scene.topics.admin.create_partitions([NewPartitions(scene.topics.full("ticks"), 5)])[scene.topics.full("ticks")].result(30)
    scene.topics.make("elsewhere", 4)
    scene.at, scene.sent_ms = now(minutes=-1), int(now(minutes=-1).timestamp() * 1000)
    for partition in range(5):
        send(scene, "ticks", partition, range(1, 5))
    for partition, n in OTHERS.items():
        send(scene, "elsewhere", partition, [1, *range(5, 5 + n)])
    return scene


def number(partition, n):
    return 10 * partition + n


def send(scene, topic, partition, numbers):
    """Sends ticks, each with its own time, the same wherever it is sent."""
    for n in numbers:
        value = {"job": JOB, "scheduled_at": scene.at.isoformat(), "args": {"n": number(partition, n)}}
        scene.topics.produce(topic, json.dumps(value).encode(), partition=partition, timestamp_ms=scene.sent_ms + number(partition, n))


def wait(scene, numbers):
    for n in numbers:
        assert scene.wait_run(tick_id(JOB, scene.at, f'{{"n":{n}}}'), deadline_s=60)["state"] == "finished"
    assert sorted(scene.database.column("SELECT id FROM scratch_log")) == sorted(numbers), "and each once"


def wait_places(scene, ends):
    scene.database.wait("SELECT array_agg(next_offset ORDER BY partition) FROM pruned.intake WHERE topic = %s",
                        [scene.topics.full("ticks")], until=ends)


def doctor(scene):
    return sorted(f["detail"] for f in scene.run("doctor", "--json").json() if f["check"] == "lost messages" and not f["ok"])


@pytest.mark.check_first(1)
@pytest.mark.parametrize("daemon", ["runs", "is started again", "is killed as it goes back"])
def test_messages_that_replace_taken_ones_are_taken(own_kafka, scene, daemon):
    """With a running daemon also where newer messages come first. Each loss is logged once, with
    the offsets; unchanged partitions are left alone."""
    running = scene.start()
    first = {number(p, n) for p in range(5) for n in range(1, 5)}
    wait(scene, first)
    assert doctor(scene) == []
    (cut,) = scene.topics.admin.delete_records([TopicPartition(scene.topics.full("ticks"), CUT, 3)]).values()
    assert cut.result().low_watermark == 3
    if daemon != "runs":
        assert running.stop() == 0
    own_kafka.kill()
    own_kafka.put_in_place(scene.topics.full("ticks"), scene.topics.full("elsewhere"), OTHERS)
    own_kafka.start()
    if daemon == "is killed as it goes back":
        killed = scene.with_faults().start(environment={"PRUNED_FAULT": "alone.before_commit=src/engine/work/sql/intake_go_back.sql:kill"})
        assert killed.wait(60) == -9
    if daemon != "runs":
        running = scene.start()

    others = {number(p, n) for p, more in OTHERS.items() for n in range(5, 5 + more)}
    wait(scene, first | others)
    wait_places(scene, [2, 4, 6, 4, 4])
    said = running.lines(SAID)
    begin = 1 if daemon == "runs" else 0  # otherwise only the last taken message is known
    assert sorted((line["partition"], line["first_offset"], line["next_offset"]) for line in said) == [
        (LESS, begin, 4), (AS_MUCH, begin, 4), (MORE, begin, 4)]
    assert {(line["level"], line["topic"]) for line in said} == {("error", scene.topics.full("ticks"))}
    named = doctor(scene)
    assert len(named) == 3 and all(f"from offset {begin} to 4" in detail for detail in named)

    for partition in range(5):
        send(scene, "ticks", partition, [10])
    wait(scene, first | others | {number(p, 10) for p in range(5)})
    wait_places(scene, [3, 5, 7, 5, 5])
    assert len(running.lines(level="error")) == 3 and not running.lines("PostgreSQL was set back; re-reading from its saved offsets")
    assert running.stop() == 0
    assert scene.run_until_idle().lines(level="error") == [], "it is said once"


def test_a_topic_made_anew_is_noticed_by_whoever_gets_the_partition(own_kafka, scene):
    """As a process leaves it that went on where it stood, in a topic that was made anew, and ended
    before it compared: what it took last is what Kafka has. `1 .. 4` are not."""
    running = scene.start()
    first = {number(p, n) for p in range(5) for n in range(1, 5)}
    wait(scene, first)
    send(scene, "ticks", LESS, range(5, 9))
    wait(scene, first | {5, 6, 7, 8})
    scene.topics.make("anew", 1)
    send(scene, "anew", LESS, [*range(61, 65), *range(5, 9)])
    assert running.stop() == 0
    own_kafka.kill()
    own_kafka.put_in_place(scene.topics.full("ticks"), scene.topics.full("anew"), [LESS])
    own_kafka.start()
    running = scene.start()
    wait(scene, first | {5, 6, 7, 8, 61, 62, 63, 64})
    (line,) = running.lines(SAID)
    assert (line["partition"], line["first_offset"]) == (LESS, 0) and line["next_offset"] <= 5
    assert running.stop() == 0
    assert scene.run_until_idle().lines(level="error") == [], "it is said once"


# --- two real brokers

@pytest.fixture
def cluster():
    folder = new_folder("pruned-cluster-")
    one = Cluster(folder / "cluster").start()
    yield one
    one.kill()
    shutil.rmtree(folder, ignore_errors=True)


def in_sync(scene, broker, wanted):
    """Waits until BROKER is, or is not, an in-sync replica of the topic of ticks, and another one
    or it leads."""

    def seen():
        (partition,) = scene.topics.admin.list_topics(scene.topics.full("ticks"), timeout=30).topics[
            scene.topics.full("ticks")].partitions.values()
        return (broker.node in partition.isrs) == wanted and partition.leader > 0

    wait_until(seen, 60, f"broker {broker.node} {'in' if wanted else 'out of'} the in-sync replicas")


@pytest.mark.check_all
def test_a_broker_that_was_away_becomes_the_leader(new_scene, cluster):
    """It lacks `5 .. 8`, which were taken from the other one; `21 .. 23` get their offsets. The
    daemon runs throughout."""
    first, second = cluster.brokers
    scene = new_scene({"kafka.session.timeout.ms": 240000}, bootstrap=cluster.bootstrap)
    scene.at, scene.sent_ms = now(minutes=-1), int(now(minutes=-1).timestamp() * 1000)
    in_sync(scene, second, True)
    running = scene.start()
    send(scene, "ticks", 0, range(1, 5))
    wait(scene, {1, 2, 3, 4})

    second.kill()
    in_sync(scene, second, False)
    send(scene, "ticks", 0, range(5, 9))
    wait(scene, set(range(1, 9)))
    wait_places(scene, [8])
    first.kill()
    second.start()
    in_sync(scene, second, True)
    send(scene, "ticks", 0, range(21, 24))
    wait(scene, {*range(1, 9), 21, 22, 23})
    wait_places(scene, [7])
    (line,) = running.lines(SAID)
    assert (line["partition"], line["first_offset"], line["next_offset"]) == (0, 4, 8)

    first.start()
    in_sync(scene, first, True)
    send(scene, "ticks", 0, [30])
    wait(scene, {*range(1, 9), 21, 22, 23, 30})
    wait_places(scene, [8])
    assert len(running.lines(SAID)) == 1
    assert running.stop() == 0
