"""What the topic of outcomes will never take goes to the dead topic, is said, and nothing waits for
it. A broker's other refusals: unit/engine/outbox/test_refused.c."""

import pytest

from support.exposition import Listening
from support.own_job import own, tick  # noqa: F401

BURIED = "Outcome was refused by its topic and went to the dead topic"
SAID = "[what kept]\noutcome = MemberKept\noutcome.source_type = Project\noutcome.source_id = 2\nentity = key\n"
# The short ones fit into the topic, the others do not, though none has a text that could be cut.
MIXED = "SELECT k AS key, 'kept' AS what, k AS member_id, repeat('r', CASE k % 3 WHEN 0 THEN 90 ELSE 1 END) AS reason FROM unnest(:key::bigint[]) k"
MIDDLE = 390  # bytes
LARGE = """SELECT k AS key, 'kept' AS what, k AS member_id, repeat('r', CASE k WHEN 2 THEN 2000000 ELSE 1 END) AS reason
    FROM unnest(:key::bigint[]) k"""


def topic_of_outcomes(scene, **config):
    scene.topics.drop("outcomes")
    scene.topics.make("outcomes", **config)


def kept(messages):
    return {m.value["member_id"]: m for m in messages if m.schema == "pruned.outcomes.MemberKept"}


def all_sent(scene):
    """Of runs: what tells of operators (step -1) is alone in its transaction, and waits for a topic
    that takes nothing of so few bytes."""
    scene.database.wait("SELECT count(*) FROM pruned.unpublished WHERE step >= 0", until=0)


@pytest.mark.check_all
def test_only_what_is_refused_goes_there_and_can_be_sent_again(own):  # noqa: F811
    http = Listening()
    scene = own({"decide": MIXED}, rows=40, conf=SAID, settings={"http.listen": http.listen})
    topic_of_outcomes(scene, max_message_bytes=MIDDLE)
    daemon = scene.start()
    scene.wait_run(tick(scene))
    all_sent(scene)
    for letter in scene.topics.read("dead"):
        assert letter.headers["pruned_source_topic"] == scene.topics.full("outcomes")
        assert letter.headers["pruned_reason"].startswith("refused: ") and "too large" in letter.headers["pruned_reason"]
    for line in daemon.lines(BURIED, record="MemberKept"):
        assert (line["level"], line["topic"]) == ("error", scene.topics.full("outcomes")) and "too large" in line["error"]
    assert http.metrics()["pruned_dead_messages_total"] >= 13
    http.close()
    large = {n for n in range(1, 41) if n % 3 == 0}
    assert kept(scene.topics.read("outcomes")).keys() == set(range(1, 41)) - large
    dead = kept(scene.topics.read("dead"))
    assert dead.keys() == large and len(daemon.lines(BURIED, record="MemberKept")) == len(large)
    found = scene.run("doctor", "--json").json()
    assert [(one["level"], "without a verdict" in one["detail"]) for one in found if one["check"] == "dead letters"] == [("warning", True)]
    # Once the topic is as it should be, they are sent as they were.
    scene.topics.configure("outcomes", max_message_bytes=1048588)
    scene.run("dead", "retry").ok()
    told = kept(scene.topics.read("outcomes"))
    assert told.keys() == set(range(1, 41))
    assert all((told[n].headers["ce_id"], told[n].raw, told[n].text_key) == (dead[n].headers["ce_id"], dead[n].raw, str(n)) for n in large)


def test_what_is_larger_than_a_segment_of_its_topic_is_cut(own):  # noqa: F811
    """RECORD_LIST_TOO_LARGE: the topic's own limit of a message is no help."""
    scene = own({"decide": LARGE}, rows=5, conf=SAID)
    topic_of_outcomes(scene, max_message_bytes=5000000, segment_bytes=1048576)
    scene.start()
    scene.wait_run(tick(scene))
    all_sent(scene)
    told = kept(scene.topics.read("outcomes"))
    assert {n: len(m.value["reason"]) for n, m in told.items()} == {1: 1, 2: 10000 + len("... (1990000 bytes more)"), 3: 1, 4: 1, 5: 1}
