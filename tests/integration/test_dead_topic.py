"""A message that cannot be handled goes to the dead topic unchanged, with the reason; the messages
after it are handled."""

import datetime
import json

import pytest

from support.messages import MARK, encode
from support.scene import now, tick_id

pytestmark = pytest.mark.built_in

JOB = "scratch.wide"


def tick(**fields):
    return json.dumps({"job": JOB, **fields}).encode()


def later(**delta):
    return now(**delta).isoformat().replace("+00:00", "Z")


# name: (value, headers, what the reason begins with); a value that depends on the time is made when
# it is sent
TICKS = {
    "unknown job": (b'{"job":"members.remove_expird"}', {}, "unknown job members.remove_expird"),
    "takes no ticks": (b'{"job":"scratch.one"}', {}, "job scratch.one takes no ticks"),
    "unknown argument": (b'{"job":"scratch.remove","args":{"cursr":1}}', {}, "unknown argument cursr"),
    "unknown field": (tick(schedule_at="2026-01-01T00:00:00Z"), {}, "unknown field schedule_at"),
    "broken time": (tick(scheduled_at="tomorrow"), {}, "undecodable: "),
    "time without a zone": (tick(scheduled_at="2026-11-20T10:00:00"), {}, "undecodable: "),
    "job that is no text": (b'{"job":7}', {}, "undecodable: "),
    "no job": (b'{"args":{}}', {}, "undecodable: "),
    "args that are a list": (tick(args=[1]), {}, "undecodable: "),
    "broken JSON": (b'{"job":', {}, "undecodable: "),
    "a key twice": (b'{"job":"scratch.wide","job":"scratch.remove"}', {}, "undecodable: "),
    "something behind": (tick() + b"{}", {}, "undecodable: "),
    "no UTF-8": (b'{"job":"\xff"}', {}, "undecodable: "),
    "a NUL": (b'{"job":"scratch.wide","args":{"a":"\\u0000"}}', {}, "undecodable: "),
    "neither JSON nor Avro": (b"hello", {}, "undecodable: "),
    "one byte": (b"\xc3", {}, "undecodable: "),
    "empty": (b"", {}, "empty value"),
    "tombstone": (None, {}, "empty value"),
    "1 MB": (b"x" * 1000000, {}, "undecodable: "),
    "1 MB of arguments that none of the jobs takes":
        (b'{"job":"scratch.remove","args":{"a":"' + b"x" * 999000 + b'"}}', {}, "unknown argument a"),
    "deep": (b'{"job":"scratch.wide","args":' + b'{"a":' * 5000 + b"1" + b"}" * 5001, {}, "undecodable: "),
    "foreign ce_type": (tick(), {"ce_type": "org.example.Other"}, "unknown type org.example.Other"),
    "type of another topic": (tick(), {"ce_type": "pruned.events.PlaceholderUserOrphaned"},
                              "unexpected type pruned.events.PlaceholderUserOrphaned"),
    "Avro of another topic": (encode("pruned.events.PlaceholderUserOrphaned", {"placeholder_user_id": 1}), {},
                              "unexpected type pruned.events.PlaceholderUserOrphaned"),
    "unknown content type": (tick(), {"content-type": "text/html"}, "unknown content-type text/html"),
    "contradicting content type": (tick(), {"content-type": "application/avro"},
                                   "undecodable: content-type application/avro, but the bytes are "),
    "unknown schema": (MARK + b"\1\2\3\4\5\6\7\x08rest", {}, "unknown schema "),
    "Avro cut off": (encode("pruned.Tick", {"job": JOB, "scheduled_at": None, "args": "{}"})[:-2], {}, "undecodable: "),
    "Avro with args that are no JSON": (encode("pruned.Tick", {"job": JOB, "scheduled_at": None, "args": "{"}), {},
                                        "undecodable: "),
    "framed for a registry": (b"\0\0\0\0\1rest", {}, "undecodable: no registry configured: the value begins with 00, the frame of a schema registry"),
    "future": (lambda: tick(scheduled_at=later(hours=24, minutes=30)), {}, "scheduled_at in the future"),
    "far future": (tick(scheduled_at="9999-12-31T23:59:59Z"), {}, "scheduled_at in the future"),
    "too old": (tick(scheduled_at=later(days=-35, minutes=-1)), {}, "too old"),
    "too old by far": (tick(scheduled_at="1970-01-01T00:00:00Z"), {}, "too old"),
    "before all time": (tick(scheduled_at="0001-01-01T00:00:00Z"), {}, "undecodable: "),
}

CLOUD = {"ce_specversion": "1.0", "ce_id": "1", "ce_source": "/test", "ce_type": "pruned.events.PlaceholderUserOrphaned"}


def cloud(**changes):
    changed = CLOUD | {k.replace("content_", "content-"): v for k, v in changes.items()}
    return {k: v for k, v in changed.items() if v is not None}


EVENTS = {
    "missing header": (b'{"placeholder_user_id":1}', cloud(ce_type=None), "missing header ce_type"),
    "unknown type": (b"{}", cloud(ce_type="pruned.events.Nothing"), "unknown type pruned.events.Nothing"),
    "a tick": (b'{"job":"scratch.wide"}', cloud(ce_type="pruned.Tick"), "unexpected type pruned.Tick"),
    "missing field": (b"{}", cloud(), "undecodable: "),
    "another field": (b'{"placeholder_id":1}', cloud(), "undecodable: missing field placeholder_user_id"),
    "framed for a registry": (b"\0\0\0\0\1\2", cloud(ce_type=None), "undecodable: no registry configured: "),
    "structured without data": (b'{"type":"PlaceholderUserOrphaned"}', {"content-type": "application/cloudevents+json"}, "undecodable: data is missing"),
    "broken ce_time": (b'{"placeholder_user_id":1}', cloud(ce_time="now"), "undecodable: "),
    "ce_time ahead": (b'{"placeholder_user_id":1}', cloud(ce_time="2999-01-01T00:00:00Z"), "scheduled_at in the future"),
    "too large an id": (b'{"placeholder_user_id":9223372036854775808}', cloud(), "undecodable: "),
}


def made(cases):
    return {name: (value() if callable(value) else value, *rest) for name, (value, *rest) in cases.items()}


def refused(scene, topic, cases):
    """Sends all CASES; the dead letters by name."""
    sent = {}
    for name, (value, headers, _) in cases.items():
        sent[name] = scene.topics.produce(topic, value, key=name, headers=headers)
    found = scene.topics.wait("dead", lambda m: m.headers["pruned_source_topic"] == scene.topics.full(topic),
                              count=len(cases), deadline_s=60)
    by_source = {(int(m.headers["pruned_source_partition"]), int(m.headers["pruned_source_offset"])): m for m in found}
    assert len(by_source) == len(cases)
    return {name: by_source[source] for name, source in sent.items()}


def check(letters, cases, source):
    wrong = []
    for name, (value, headers, reason) in cases.items():
        letter = letters[name]
        ours = {k: v for k, v in letter.headers.items() if k.startswith("pruned_")}
        theirs = [(k, v.decode()) for k, v in letter.header_list if not k.startswith("pruned_")]
        if not ours["pruned_reason"].startswith(reason):
            wrong.append(f"{name}: {ours['pruned_reason']!r}, wanted {reason!r}")
        assert letter.raw == value or (value == b"" and not letter.raw), name
        assert letter.text_key == name and theirs == list(headers.items())
        assert ours["pruned_attempts"] == "1" and ours["pruned_source_topic"] == source
        for when in ("pruned_first_seen", "pruned_last_seen"):
            assert datetime.datetime.fromisoformat(ours[when]).tzinfo is not None
    assert not wrong, "\n".join(wrong)


def test_a_tick_that_is_none_is_dead_with_the_reason_and_the_next_one_runs(busy_scene):
    scene = busy_scene
    written = "SELECT count(*) FROM pruned.runs WHERE job <> 'scratch.one'"
    before = scene.database.value(written)
    ticks = made(TICKS)
    letters = refused(scene, "ticks", ticks)
    at = now(hours=-1)
    scene.topics.tick(JOB, at)
    scene.wait_run(tick_id(JOB, at))
    check(letters, ticks, scene.topics.full("ticks"))
    assert scene.database.value(written) == before + 1
    lines = scene.daemons[0].lines("Message went to the dead topic")
    assert len(lines) >= len(TICKS) and all(line["level"] == "warning" and line["reason"] for line in lines)


def test_an_event_that_is_none_is_dead_with_the_reason_and_the_next_one_runs(busy_scene):
    scene = busy_scene
    letters = refused(scene, "events", EVENTS)
    scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": 5})
    scene.database.wait("SELECT state = 'finished' FROM pruned.runs WHERE job = 'scratch.one'")
    check(letters, EVENTS, scene.topics.full("events"))


def test_work_that_is_none_is_dead_and_the_partition_goes_on(busy_scene):
    scene = busy_scene
    name = "work.scratch.remove"
    scene.topics.produce(name, b"nothing", key="k", headers={"h": "v"})
    scene.topics.produce(name, None, key="tombstone")
    letters = scene.topics.wait("dead", lambda m: m.headers["pruned_source_topic"] == scene.topics.full(name), count=2)
    assert (letters[0].raw, letters[0].text_key, letters[0].headers["h"]) == (b"nothing", "k", "v")
    assert letters[0].headers["pruned_reason"].startswith("undecodable: ")
    assert letters[1].raw is None and letters[1].headers["pruned_reason"] == "empty value"
    at = now(hours=-1)
    scene.topics.tick("scratch.remove", at)
    scene.wait_run(tick_id("scratch.remove", at))


@pytest.mark.parametrize("encoded", [False, True])
def test_work_for_a_run_that_is_not_there_is_dropped_and_counted_not_buried(busy_scene, encoded):
    scene, at = busy_scene, now(hours=-1, minutes=-encoded)
    gone = tick_id(JOB, at)
    work = {"run_id": gone, "job": "scratch.remove", "step": 0, "attempt": 0, "scheduled_at": at, "due_at": at,
            "args": "{}", "cursor": None}
    as_json = json.dumps(work | {"args": {}, "scheduled_at": later(hours=-1), "due_at": later(hours=-1)}).encode()
    scene.topics.produce("work.scratch.remove", encode("pruned.Work", work) if encoded else as_json,
                         headers={} if encoded else {"ce_type": "pruned.Work"})
    scene.topics.tick("scratch.remove", at)
    scene.wait_run(tick_id("scratch.remove", at))
    assert not [m for m in scene.topics.read("dead") if m.headers["pruned_source_topic"].endswith("work.scratch.remove")
                and gone.encode() in (m.raw or b"")]
    assert scene.run_row(gone) is None


def test_the_largest_message_that_a_broker_takes_can_be_buried(busy_scene):
    """A dead letter is larger than its message, because of the headers with the reason."""
    scene = busy_scene
    scene.topics.produce("ticks", b"y" * 1048400, key="largest")
    [letter] = scene.topics.wait("dead", lambda m: m.text_key == "largest", deadline_s=60)
    assert letter.headers["pruned_reason"].startswith("undecodable: ")


def test_arguments_that_postgres_refuses_bury_their_own_message_only(busy_scene):
    """A unique key of 3000 characters is too long for the index: PostgreSQL says so only when the
    row is written."""
    scene, first, last = busy_scene, now(minutes=-3), now(minutes=-1)
    scene.topics.tick(JOB, first)
    scene.topics.tick("scratch.keyed", now(minutes=-2), {"key": "".join(chr(0x4e00 + i * 7919 % 20000) for i in range(3000))})
    scene.topics.tick(JOB, last)
    scene.wait_run(tick_id(JOB, first))
    scene.wait_run(tick_id(JOB, last))
    [letter] = scene.topics.wait("dead", lambda m: b"scratch.keyed" in (m.raw or b""))
    assert letter.headers["pruned_reason"].startswith("undecodable: ")
