"""`pruned dead`: letters are listed, shown, sent again unchanged, settled; nothing is done
twice."""

import base64
import json
import shutil
import threading

import pytest

from stack.process import wait_until
from support.messages import encode
from support.places import ROLE
from support.scene import JOBS, now, tick_id

pytestmark = pytest.mark.built_in

JOB = "scratch.wide"
KEYS = {"id", "reason", "source_topic", "source_partition", "source_offset", "attempts", "first_seen", "last_seen", "verdict"}


@pytest.fixture
def bury(scene, tmp_path):
    """Handles the topics' messages like a version of the service that does not know the job yet."""
    folder = tmp_path / "older"
    shutil.copytree(JOBS, folder, ignore=shutil.ignore_patterns(JOB))
    older = {"run.jobs_dir": folder} | {k: None for k in scene.settings if k.startswith(f"jobs.{JOB}.")}

    def of():
        scene.run_until_idle(settings=older)
        return scene

    return of


def letters(scene, *arguments):
    return scene.run("dead", *arguments, "--json").ok().json()


def runs(scene):
    return {str(r["run_id"]): r["state"] for r in scene.database.rows("SELECT run_id, state FROM pruned.runs")}


def refused(done, code, *words):
    assert done.code == code, done
    for word in words:
        assert word in done.stderr, done
    return done


def make_dead_anew(scene, **config):
    scene.topics.drop("dead")
    wait_until(lambda: "dead" not in scene.topics.partitions(), 30, "topic is gone")
    refused(scene.run("dead"), 4, "there is no topic", "pruned topics --apply")
    scene.topics.make("dead", **config)


@pytest.mark.check_all
def test_a_letter_says_where_it_is_where_it_came_from_and_why(scene, bury):
    partition, offset = scene.topics.produce("ticks", b'{"job":"scratch.wide"}', key="k")
    sent = scene.topics.read("ticks")[0]
    bury()
    [letter] = letters(scene)
    [seen] = scene.topics.read("dead")
    assert KEYS <= letter.keys()
    assert (letter["id"], letter["verdict"], letter["attempts"]) == (f"{seen.partition}:{seen.offset}", None, 1)
    assert letter["reason"] == seen.headers["pruned_reason"] and letter["reason"].startswith(f"unknown job {JOB}: ")
    assert (letter["source_topic"], letter["source_partition"], letter["source_offset"]) == \
        (scene.topics.full("ticks"), partition, offset)
    assert letter["last_seen"] == seen.headers["pruned_last_seen"]
    shown = letters(scene, "show", letter["id"])[0]
    assert letter.items() <= shown.items()
    assert (shown["key"], shown["framing"], shown["value"], shown["bytes"]) == ("k", "json", {"job": JOB}, len(sent.raw))
    assert ["pruned_reason", letter["reason"]] in shown["headers"]
    assert scene.run("status", "--json").ok().json()[0]["dead"] == 1


@pytest.mark.check_all
def test_a_retried_message_is_the_same_in_every_byte_and_is_sent_once(scene, bury):
    """That includes its headers, even those with names of ours, and its time, from which a tick
    without a time takes its T."""
    headers = {"ce_id": "7", "pruned_reason": "theirs", "none": None, "bytes": b"\xff\x00"}
    scene.topics.produce("ticks", b'{"job":"scratch.wide"}', key=b"\xfe", headers=headers, timestamp_ms=1000 * int(
        now(days=-3).timestamp()))
    [sent] = scene.topics.read("ticks")
    bury()
    [letter] = letters(scene)
    assert letter["reason"].startswith(f"unknown job {JOB}: ")
    [answer] = letters(scene, "retry", letter["id"])
    assert (answer["id"], answer["verdict"]) == (letter["id"], "retried")
    again = scene.topics.read("ticks")[1]
    assert (again.key, again.raw, again.header_list, again.timestamp_ms, again.partition) == \
        (sent.key, sent.raw, sent.header_list, sent.timestamp_ms, sent.partition)
    assert letters(scene) == [] and [x["verdict"] for x in letters(scene, "list", "--all")] == ["retried"]
    assert scene.run("status", "--json").ok().json()[0]["dead"] == 0
    refused(scene.run("dead", "retry", letter["id"]), 1, letter["id"], "was retried at")
    refused(scene.run("dead", "drop", letter["id"]), 1, "was retried at")
    assert letters(scene, "retry") == []
    assert len(scene.topics.read("ticks")) == 2
    scene.run_until_idle()
    assert runs(scene) == {tick_id(JOB, sent.timestamp_ms * 1000): "finished"}


@pytest.mark.check_all
def test_a_retry_that_was_cut_short_before_its_verdict_is_repeated_and_is_one_run(scene, bury):
    scene.topics.produce("ticks", b'{"job":"scratch.wide"}')
    bury()
    [letter] = letters(scene)
    letters(scene, "retry", letter["id"], letter["id"])
    # as if the process had died before it was written
    scene.database.execute("DELETE FROM pruned.dead_verdicts")
    [open_still] = letters(scene)
    assert open_still["id"] == letter["id"]
    letters(scene, "retry", letter["id"])
    assert len(scene.topics.read("ticks")) == 3
    scene.run_until_idle()
    assert list(runs(scene).values()) == ["finished"]


@pytest.mark.check_all
def test_all_letters_are_retried_once_and_what_dies_again_is_a_new_letter(scene, bury):
    n = 1200
    times = [now(hours=-1, milliseconds=i) for i in range(n)]
    scene.topics.produce_many("ticks", [("k", json.dumps(
        {"job": JOB, "scheduled_at": at.isoformat().replace("+00:00", "Z")}).encode()) for at in times])
    scene.topics.produce("ticks", b"garbage", key="g")
    scene.topics.produce("ticks", None, key="tombstone")
    bury()
    assert len(letters(scene)) == n + 2
    assert {x["verdict"] for x in letters(scene, "retry")} == {"retried"}
    assert letters(scene) == [] and len(scene.topics.read("ticks")) == 2 * (n + 2)
    scene.run_until_idle()
    assert runs(scene) == {tick_id(JOB, at): "finished" for at in times}
    again = {x["reason"]: x for x in letters(scene)}
    assert len(again) == 2 and "empty value" in again
    assert all(int(x["id"].split(":")[1]) >= n + 2 for x in again.values())
    shown = letters(scene, "show", again["empty value"]["id"])[0]
    assert (shown["value"], shown["framing"], shown["bytes"]) == (None, None, None)


@pytest.mark.check_all
def test_a_dropped_letter_is_settled_and_can_still_be_retried(scene, bury):
    scene.topics.tick(JOB, now(hours=-1))
    scene.topics.tick(JOB, now(hours=-2))
    bury()
    first, second = letters(scene)
    assert [x["verdict"] for x in letters(scene, "drop", first["id"])] == ["dropped"]
    assert [x["id"] for x in letters(scene)] == [second["id"]]
    assert scene.run("status", "--json").ok().json()[0]["dead"] == 1
    refused(scene.run("dead", "drop", first["id"]), 1, "was dropped at")
    assert [x["id"] for x in letters(scene, "drop", "--yes")] == [second["id"]]
    assert letters(scene, "retry") == [] and len(scene.topics.read("ticks")) == 2
    assert [x["verdict"] for x in letters(scene, "retry", first["id"])] == ["retried"]
    assert {x["id"]: x["verdict"] for x in letters(scene, "list", "--all")} == {
        first["id"]: "retried", second["id"]: "dropped"}


@pytest.mark.check_all
def test_a_letter_without_its_value_is_not_retried_and_says_where_the_message_was(scene, bury):
    make_dead_anew(scene, max_message_bytes=50000)
    _, offset = scene.topics.produce("ticks", b"x" * 100000, headers={"pruned_attempts": "theirs"})
    scene.topics.tick(JOB, now(hours=-1))
    bury()
    short, whole = sorted(letters(scene), key=lambda x: x["source_offset"])
    assert short["attempts"] == 1 and short["reason"].startswith("undecodable")
    shown = letters(scene, "show", short["id"])[0]
    assert (shown["value"], shown["bytes"]) == (None, None) and shown["omitted"].startswith("100000 bytes")
    said = refused(scene.run("dead", "retry", "--json"), 1, short["id"], "100000 bytes", scene.topics.full("ticks"), f"offset {offset}")
    assert [x["id"] for x in said.json()] == [whole["id"]], "the others go on"
    assert [x["id"] for x in letters(scene)] == [short["id"]]
    refused(scene.run("dead", "retry", short["id"]), 1, "left out")
    assert [m.raw for m in scene.topics.read("ticks")][2:] == [scene.topics.read("ticks")[1].raw]


def test_each_letter_that_kafka_refuses_says_why_itself(scene, bury):
    """One is too large for the topic by now, one too old; a third one goes."""
    scene.topics.produce("ticks", b"x" * 100000)
    scene.topics.produce("ticks", b"old", timestamp_ms=1000 * int(now(days=-2).timestamp()))
    scene.topics.produce("ticks", b"good")
    bury()
    large, old, good = sorted(letters(scene), key=lambda x: x["source_offset"])
    scene.topics.configure("ticks", **{"max.message.bytes": 50000, "message.timestamp.before.max.ms": 3600000})
    said = refused(scene.run("dead", "retry", "--json"), 1, "2 letters cannot be retried")
    assert [x["id"] for x in said.json()] == [good["id"]]
    reasons = {text.split(": ")[0]: text for text in said.stderr.split("cannot be retried: ")[1].split("; ")}
    assert "size" in reasons[large["id"]] and "timestamp" in reasons[old["id"]], reasons


def test_a_letter_that_was_retried_meanwhile_is_not_dropped(scene):
    """A drop has found it without a verdict; before it writes its own, somebody else's retry has
    sent the message."""
    scene.topics.produce("dead", b"first")
    scene.topics.produce("dead", b"second")
    first, second = letters(scene)
    scene.database.connection.execute(f"""
        CREATE FUNCTION meanwhile() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          WHILE current_user = '{ROLE}' AND NOT EXISTS (SELECT FROM pruned.dead_verdicts) LOOP PERFORM pg_sleep(0.02); END LOOP;
          RETURN NULL; END $$;
        CREATE TRIGGER meanwhile BEFORE INSERT ON pruned.dead_verdicts EXECUTE FUNCTION meanwhile()""")
    answers = []
    dropping = threading.Thread(target=lambda: answers.append(scene.run("dead", "drop", "--yes", "--json")))
    dropping.start()
    scene.database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'", until=1)
    partition, offset = first["id"].split(":")
    scene.database.execute("INSERT INTO pruned.dead_verdicts (topic, partition, \"offset\", verdict, at) VALUES (%s, %s, %s, 'retried', clock_timestamp())",
                           [scene.topics.full("dead"), partition, offset])
    dropping.join()
    assert {x["id"]: x["verdict"] for x in answers[0].ok().json()} == {first["id"]: "retried", second["id"]: "dropped"}
    assert {x["id"]: x["verdict"] for x in letters(scene, "list", "--all")} == {first["id"]: "retried", second["id"]: "dropped"}
    assert scene.database.column("SELECT object FROM pruned.journal WHERE command = 'dead drop'") == [second["id"]]


def test_a_letter_of_another_program_is_shown_and_never_sent(scene):
    scene.topics.produce("dead", b"\xc3\x28 hello", key="k")
    forged = {"pruned_reason": "r", "pruned_source_topic": scene.topics.full("outcomes"), "pruned_source_partition": "0",
              "pruned_source_offset": "0", "pruned_attempts": "1", "pruned_first_seen": "x", "pruned_last_seen": "y"}
    scene.topics.produce("dead", b"{}", headers=forged)
    scene.topics.produce("dead", b"{}", headers=forged | {"pruned_source_topic": scene.topics.full("work.gone")})
    foreign, elsewhere, gone = letters(scene)
    assert foreign["reason"] is None and foreign["source_topic"] is None
    shown = letters(scene, "show", foreign["id"])[0]
    assert (shown["framing"], shown["value"], shown["base64"]) == ("bytes", "\\xc3( hello", "wyggaGVsbG8=")
    refused(scene.run("dead", "retry"), 1, "3 letters", foreign["id"], "does not say where it came from",
            "does not read", "no topic")
    assert scene.topics.outcomes() == [] and len(letters(scene)) == 3
    assert len(letters(scene, "drop", "--yes")) == 3


def test_an_avro_body_can_be_read(scene, bury):
    at = now(hours=-1)
    scene.topics.tick(JOB, at, {"a": 1}, avro=True)
    scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": 5}, avro=True, ce_time="2999-01-01T00:00:00Z")
    bury()
    by_topic = {x["source_topic"]: letters(scene, "show", x["id"])[0] for x in letters(scene)}
    tick, event = by_topic[scene.topics.full("ticks")], by_topic[scene.topics.full("events")]
    assert tick["framing"] == event["framing"] == "avro"
    assert (tick["value"]["job"], tick["value"]["args"]) == (JOB, {"a": 1})
    assert event["value"] == {"placeholder_user_id": 5}
    assert base64.b64decode(event["base64"]) == encode("pruned.events.PlaceholderUserOrphaned", {"placeholder_user_id": 5})


def test_verdicts_are_not_those_of_a_topic_that_was_made_anew(scene):
    scene.topics.produce("dead", b"old")
    letters(scene, "drop", "--yes")
    make_dead_anew(scene)
    scene.topics.produce("dead", b"new")
    [letter] = letters(scene)
    assert letter["verdict"] is None


@pytest.mark.check_all
def test_wrong_arguments_are_refused(scene):
    refused(scene.run("dead", "show", "0:7"), 6, "0:7", scene.topics.full("dead"))
    refused(scene.run("dead", "retry", "9:0"), 6, "9:0")
    for wrong in ("7", "a:1", "0:-1", "0:1:2", ":", "0:99999999999999999999"):
        refused(scene.run("dead", "drop", wrong), 1, wrong, "PARTITION:OFFSET")
    refused(scene.run("dead", "show"), 1, "an ID is missing")
    refused(scene.run("dead", "bury"), 1, "unknown command 'bury'")
    refused(scene.run("dead", settings={"postgres.url": "postgresql://127.0.0.1:1/x"}), 3)
