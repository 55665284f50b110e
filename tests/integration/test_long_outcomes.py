"""An outcome has texts of a job's own columns, which can be longer than any topic takes: they are
cut, and said, and nothing waits for them."""

import struct
import uuid

import pytest

from support.messages import encode
from support.own_job import own, tick  # noqa: F401

CUT = "Outcome was too large for its topic, so its long texts were cut"
SAID = "[what kept]\noutcome = MemberKept\noutcome.source_type = Project\noutcome.source_id = 2\nentity = {entity}\n"
# Of these rows the reason, or the name, is too long for Kafka; of others it is not.
LONG = """SELECT k AS key, 'kept' AS what, k AS member_id, 'row ' || k || CASE WHEN k IN (1, 50) THEN repeat('n', 1500000) ELSE '' END AS name,
    repeat('r', CASE WHEN k IN (2, 50) THEN 3000000 ELSE 1 END) AS reason FROM unnest(:key::bigint[]) k"""
WIDE = "SELECT k AS key, 'kept' AS what, k AS member_id, repeat('r', CASE k WHEN 7 THEN 900 ELSE 60 END) AS reason FROM unnest(:key::bigint[]) k"


def said(scene, daemon, n):
    """The reasons of MemberKept by row, once there are N, and the rows named in error lines."""
    told = scene.topics.wait("outcomes", lambda m: m.schema.endswith(".MemberKept"), count=n)
    scene.database.wait("SELECT count(*) FROM pruned.unpublished", until=0)
    # those of OperatorAction name the topics that were made
    lines = daemon.lines(CUT, record="MemberKept")
    assert all((line["level"], line["job"]) == ("error", "own") for line in lines)
    return {m.value["member_id"]: m for m in told}, lines


@pytest.mark.check_all
def test_a_text_or_a_key_that_no_topic_takes_is_cut_and_the_lane_goes_on(own):  # noqa: F811
    scene = own({"decide": LONG}, rows=100, conf=SAID.format(entity="name"))
    daemon, run_id = scene.start(), tick(scene)
    scene.wait_run(run_id)
    told, lines = said(scene, daemon, 100)
    cut, name = "r" * 10000 + "... (2990000 bytes more)", "row {}" + "n" * 9995 + "... (1490005 bytes more)"
    assert {k: m.value["reason"] for k, m in told.items()} == {k: cut if k in (2, 50) else "r" for k in range(1, 101)}
    assert told[1].text_key == name.format(1) and told[2].text_key == "row 2"
    assert sorted(line["key"][:6] for line in lines) == ["row 1n", "row 2", "row 50"] and {line["run_id"] for line in lines} == {run_id}
    assert all(line["bytes"] > 1048576 and line["cut_to"] == 10000 and len(line["key"]) < 300 for line in lines)
    scene.wait_run(again := tick(scene))
    scene.topics.wait("outcomes", lambda m: m.text_key == again)


def test_what_is_refused_for_its_neighbours_is_sent_whole(own):  # noqa: F811
    """Together they are too large for this topic; of one the text is too long even alone."""
    scene = own({"decide": WIDE}, rows=40, conf=SAID.format(entity="key"))
    scene.topics.drop("outcomes")
    scene.topics.make("outcomes", max_message_bytes=1000)
    daemon = scene.start()
    scene.wait_run(tick(scene))
    told, lines = said(scene, daemon, 40)
    assert {k: m.value["reason"] for k, m in told.items() if k != 7} == {k: "r" * 60 for k in range(1, 41) if k != 7}
    assert told[7].value["reason"] == "r" * 100 + "... (800 bytes more)"
    assert [(line["key"], line["cut_to"]) for line in lines] == [("7", 100)]


def stored(topic, messages):
    """A row's bytes: of each message (key, record, content)."""
    def text(value):
        return struct.pack("<I", len(value) + 1) + value.encode() + b"\0"

    out = b"\x01" + struct.pack("<q", 1767225600000000)
    for key, record, content in messages:
        value = encode(f"pruned.outcomes.{record}", content)
        out += text(topic) + struct.pack("<q", -1) + text(key) + text(f"pruned.outcomes.{record}") + text(str(uuid.uuid4()))
        out += struct.pack("<I", len(value)) + value
    return out


def test_what_an_older_version_left_is_cut_and_sent_and_so_is_what_is_behind_it(own):  # noqa: F811
    scene = own({"decide": LONG}, rows=0, conf=SAID.format(entity="key"))
    runs = [str(uuid.uuid4()) for _ in range(2)]

    def kept(run_id, member, reason):
        return (str(member), "MemberKept", {"run_id": run_id, "step": 0, "member_id": member, "user_id": None, "source_type": "Project",
                                            "source_id": 2, "reason": reason})

    bundles = [[kept(runs[0], 1, "x" * 2000000), kept(runs[0], 2, "short")], [kept(runs[1], 3, "behind")]]
    for run_id, messages in zip(runs, bundles):
        scene.database.execute("INSERT INTO pruned.unpublished (run_id, step, messages, job, slot, at) VALUES (%s, 0, %s, 'own', 0, now() - interval '1 hour')",
                               [run_id, stored(scene.topics.full("outcomes"), messages)])
    daemon = scene.start()
    told, [line] = said(scene, daemon, 3)
    assert {k: m.value["reason"] for k, m in told.items()} == {1: "x" * 10000 + "... (1990000 bytes more)", 2: "short", 3: "behind"}
    assert (line["run_id"], line["key"]) == (runs[0], "1")
