"""A message may have any Kafka timestamp that its topic takes, such as nanoseconds instead of
milliseconds: it is judged like one of the year 9999, and the messages behind it go on."""

import datetime
import time

import pytest

from support.scene import now, tick_id

pytestmark = pytest.mark.built_in

JOB = "scratch.wide"
TICK = b'{"job":"scratch.wide"}'
EVENT = b'{"placeholder_user_id":5}'
ABSURD = [int(time.time() * 1e6), int(time.time() * 1e9), 10**16, 2**62, 9224318016000000, 9223372036854775, 2**63 - 1]
FUTURE, OLD = "scheduled_at in the future", "too old"


@pytest.fixture
def lax(scene):
    """Its topics take each timestamp."""
    for topic in ("ticks", "events"):
        scene.topics.configure(topic, message_timestamp_after_max_ms=2**63 - 1)
    return scene


def letters(scene, count):
    return scene.topics.wait("dead", count=count, deadline_s=60)


def trouble(daemon):
    """What is said but the dead letters themselves, and what is said of the installation."""
    expected = ("Message went to the dead topic", "The Kafka library has a known fault")
    return [line["message"] for level in ("warning", "error") for line in daemon.lines(level=level)
            if line["message"] not in expected and not line["message"].startswith("An index ")]


def runs_a_tick(scene):
    scene.topics.produce("ticks", TICK, partition=0, timestamp_ms=int((at := now()).timestamp() * 1000))
    scene.wait_run(tick_id(JOB, at.replace(microsecond=at.microsecond // 1000 * 1000)), deadline_s=60)


@pytest.mark.check_all
@pytest.mark.parametrize("topic", ["ticks", "events"])
def test_each_is_buried_once_and_the_partition_goes_on(lax, topic):
    value, headers = (TICK, None) if topic == "ticks" else (EVENT, {"ce_type": "pruned.events.PlaceholderUserOrphaned"})
    daemon = lax.start()
    for n, at in enumerate([*ABSURD, -1000, -(2**62)], 1):
        try:
            lax.topics.produce(topic, value, headers=headers, partition=0, timestamp_ms=at)
        except RuntimeError:  # the broker has no time before 1970
            assert at < 0
            continue
        found = letters(lax, n)
        assert len(found) == n and found[-1].headers["pruned_reason"].startswith(FUTURE if at > 0 else OLD)
        first_seen = datetime.datetime.fromisoformat(found[-1].headers["pruned_first_seen"])
        assert first_seen.year == (9999 if at > 0 else 1969)
    sent = len(found)
    daemon.stop()
    lax.start()
    runs_a_tick(lax)
    assert len(letters(lax, sent)) == sent and [trouble(d) for d in lax.daemons] == [[]] * len(lax.daemons)


def test_replay_leaves_them_where_their_time_is(lax):
    lax.topics.produce("ticks", TICK, timestamp_ms=2**62)
    rows = lax.run("replay", "--dry-run", "--topic", "ticks", "--from", "-1d", "--json").ok().json()
    assert [(row["verdict"], row["reason"].partition(":")[0]) for row in rows] == [("refused", FUTURE)]
    soon = now(hours=1).isoformat().replace("+00:00", "Z")
    assert lax.run("replay", "--dry-run", "--topic", "ticks", "--from", "-1d", "--to", soon, "--json").ok().json() == []


def test_a_retry_sends_one_with_the_time_of_now(lax):
    lax.start()
    lax.topics.produce("ticks", TICK, timestamp_ms=2**62)
    [letter] = letters(lax, 1)
    lax.run("dead", "retry", f"{letter.partition}:{letter.offset}").ok()
    lax.database.wait("SELECT count(*) = 1 FROM pruned.runs WHERE job = %s AND state = 'finished'", [JOB])


@pytest.mark.check_all
def test_a_position_with_such_a_time_that_an_older_version_kept_is_the_same_message(lax):
    """It kept times up to the year 294246, as they were."""
    daemon = lax.start()
    micros = ABSURD[0]
    lax.topics.produce("ticks", TICK, partition=0, timestamp_ms=micros)
    letters(lax, 1)
    lax.database.wait("SELECT next_offset = 1 FROM pruned.intake WHERE topic LIKE '%%ticks' AND partition = 0")
    daemon.stop()
    lax.database.connection.execute(
        "UPDATE pruned.intake SET last_timestamp = to_timestamp(%s::numeric / 1000) WHERE topic LIKE '%%ticks' AND partition = 0", [micros])
    daemon = lax.start()
    runs_a_tick(lax)
    assert len(letters(lax, 1)) == 1 and trouble(daemon) == []
