"""Settings of topics that are there: `pruned topics` names those that the service cannot do with,
`--apply` sets them, and keeps what else somebody has set."""

import pytest
from confluent_kafka.admin import ConfigResource

from stack.process import wait_until

ROOMY = "10485760"


def settings(topics, name):
    (said,) = topics.admin.describe_configs([ConfigResource(ConfigResource.Type.TOPIC, topics.full(name))]).values()
    return {entry.name: entry.value for entry in said.result(30).values()}


def states(done, topics):
    return {line["topic"].removeprefix(f"{topics.prefix}."): line["state"] for line in done.json()}


@pytest.mark.check_all
@pytest.mark.parametrize("name, wrong, needed, word", [
    ("clock", {"cleanup_policy": "delete", "message_timestamp_type": "CreateTime"},
     {"cleanup.policy": "compact", "message.timestamp.type": "LogAppendTime"}, "cleanup.policy=delete instead of compact"),
    ("ticks", {"cleanup_policy": "compact"}, {"cleanup.policy": "delete"}, "cleanup.policy=compact instead of delete"),
    ("dead", {"max_message_bytes": 1000000}, {"max.message.bytes": ROOMY}, "max.message.bytes=1000000 instead of " + ROOMY)])
def test_what_the_service_needs_is_named_and_set_in_each_topic_alike(pruned, name, wrong, needed, word):
    pruned.run("topics", "--apply").ok()
    pruned.topics.configure(name, retention_ms=123456789, **wrong)
    seen = pruned.run("topics", "--json")
    assert seen.code == 6 and word in states(seen, pruned.topics)[name], seen
    assert states(pruned.run("topics", "--apply", "--json").ok(), pruned.topics)[name] == "settings changed"
    # The controller has it; the broker shows it a moment later.
    wait_until(lambda: settings(pruned.topics, name).items() >= (needed | {"retention.ms": "123456789"}).items(), 30,
               lambda: settings(pruned.topics, name))
    assert set(states(pruned.run("topics", "--json").ok(), pruned.topics).values()) == {"ok"}


def test_how_long_messages_are_kept_and_more_room_are_the_operators(pruned):
    pruned.run("topics", "--apply").ok()
    pruned.topics.configure("ticks", retention_ms=1000000, segment_ms=500000)
    pruned.topics.configure("dead", max_message_bytes=20000000)
    assert set(states(pruned.run("topics", "--json").ok(), pruned.topics).values()) == {"ok"}


def test_doctor_names_the_command_that_sets_them(pruned):
    """And none of Kafka's own, which sets one of them and may be somewhere else."""
    pruned.run("topics", "--apply").ok()
    pruned.run("topics", "--take").ok()
    pruned.topics.configure("clock", cleanup_policy="delete", message_timestamp_type="CreateTime")
    found = {line["check"]: line for line in pruned.run("doctor", "--json").json()}
    assert {name: (found[name]["level"], found[name]["remedy"]) for name in ("Kafka's clock", "owner")} \
        == {name: ("warning", "pruned topics --apply") for name in ("Kafka's clock", "owner")}, found
