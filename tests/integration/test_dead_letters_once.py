"""A message has one letter on the dead topic, however often its topic is read; `pruned dead list
--by-reason` says of many letters why they are there."""

import json

import pytest

from support.own_events import dead, erasure, runs, say_event, send, topics  # noqa: F401
from support.scene import now, tick_id
from support.sentences import house  # noqa: F401


def letters(scene):
    return [(m.headers["pruned_source_topic"], m.headers["pruned_source_partition"], m.headers["pruned_source_offset"])
            for m in scene.topics.read("dead")]


@pytest.mark.built_in
def test_a_topic_that_is_read_again_adds_no_letter(scene):
    for n in range(5):
        scene.topics.produce("ticks", b"garbage %d" % n)
    at = now(hours=-1)
    scene.topics.tick("scratch.wide", at)
    scene.run_until_idle()
    before = letters(scene)
    assert len(before) == 5 and len(set(before)) == 5
    scene.database.execute("UPDATE pruned.intake SET next_offset = 0, last_timestamp = NULL, read_to = NULL")
    scene.topics.produce("ticks", b"a new one")
    scene.run_until_idle()
    after = letters(scene)
    assert len(after) == 6 and len(set(after)) == 6, "each message once"
    assert scene.run_row(tick_id("scratch.wide", at))["state"] == "finished"


@pytest.mark.built_in
def test_a_row_that_the_database_refuses_adds_no_letter_of_those_beside_it(scene):
    """The batch is halved until the row is alone, and each half is read again."""
    for n in range(3):
        scene.topics.produce("ticks", b"garbage %d" % n)
    scene.topics.tick("scratch.keyed", now(minutes=-2), {"key": "".join(chr(0x4e00 + i * 7919 % 20000) for i in range(3000))})
    scene.run_until_idle()
    found = letters(scene)
    assert len(found) == 4 and len(set(found)) == 4


@pytest.mark.built_in
@pytest.mark.check_all
def test_a_topic_that_was_made_anew_has_other_messages(scene):
    scene.topics.produce("ticks", b"garbage")
    scene.run_until_idle()
    scene.topics.drop("ticks")
    scene.topics.make("ticks")
    scene.topics.produce("ticks", b"other garbage")
    scene.database.execute("DELETE FROM pruned.intake")
    scene.run_until_idle()
    assert [m.raw for m in scene.topics.read("dead")] == [b"garbage", b"other garbage"]


@pytest.mark.built_in
@pytest.mark.check_all
def test_a_dead_topic_that_was_made_anew_gets_the_letters_again(scene):
    """It has fewer messages than letters are known. Without the check nothing would tell of these
    messages, for as long as runs are kept."""
    for n in range(3):
        scene.topics.produce("ticks", b"garbage %d" % n)
    scene.run_until_idle()
    before = letters(scene)
    scene.run("dead", "drop", "--yes").ok()
    scene.topics.drop("dead")
    scene.topics.make("dead", 1)
    assert scene.database.value("SELECT count(*) FROM pruned.dead_verdicts") == 3
    scene.run_until_idle()
    assert scene.database.value("SELECT count(*) FROM pruned.dead_verdicts") == 0, "they would count as those of new letters"
    again = "UPDATE pruned.intake SET next_offset = 0, last_timestamp = NULL, read_to = NULL"
    for _ in range(2):
        scene.database.execute(again)
        scene.topics.produce("ticks", b"a new one")
        scene.run_until_idle()
    after = letters(scene)
    assert len(before) == 3 and set(before) < set(after) and len(after) == len(set(after)) == 5
    assert scene.database.value("SELECT count(*) FROM pruned.dead_letters") == 5


def test_letters_are_counted_by_their_reasons(erasure):  # noqa: F811
    """Numbers and quoted values do not make two reasons of one."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = person.id")
    for key in ("a1", "b22", "c3", None, {"x": 1}):
        send(erasure, {"person": {"id": key}})
    erasure.work()
    assert len(dead(erasure)) == 5 and runs(erasure) == []
    whole = erasure.pruned.run("dead", "list", "--json").ok().json()
    assert len(whole) == 5 and "letters" not in whole[0]
    found = erasure.pruned.run("dead", "list", "--by-reason", "--json").ok().json()
    assert [line["letters"] for line in found] == [3, 1, 1], json.dumps(found)
    assert found[0].keys() == {"letters", "source_topic", "first", "last", "last_seen", "reason"}
    assert found[0]["source_topic"] == erasure.pruned.topics.full("app-users")
    by_id = {line["id"]: line for line in whole}
    assert found[0]["reason"] == by_id[found[0]["first"]]["reason"] and found[0]["last_seen"] == by_id[found[0]["last"]]["last_seen"]
    erasure.pruned.run("dead", "drop", found[0]["first"]).ok()
    left = erasure.pruned.run("dead", "--by-reason", "--json").ok().json()
    assert [line["letters"] for line in left] == [2, 1, 1]
    assert erasure.pruned.run("dead", "list", "--by-reason", "--all", "--json").ok().json() == found
    assert erasure.pruned.run("dead", "drop", "--by-reason", "--yes").code == 1
