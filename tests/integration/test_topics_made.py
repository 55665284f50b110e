"""`pruned topics --apply` where the broker does not create a topic: it refuses, or does not manage
it in time."""

import pytest

from support.played_kafka import POLICY_VIOLATION, REQUEST_TIMED_OUT, PlayedKafka

KAFKA = 4


def apply(bare, topic, error):
    """The result of the command if only TOPIC is missing."""
    name = bare.topics.full(topic)
    with PlayedKafka(missing=[name], refused={name: error}) as played:
        done = bare.run("topics", "--apply", settings={"kafka.bootstrap.servers": played.bootstrap})
    assert played.asked == [name]
    return done


def test_all_goes_on_without_the_clocks_topic_where_it_is_refused(bare):
    lines = apply(bare, "clock", POLICY_VIOLATION).ok().stdout.splitlines()
    assert [line.split("\t")[0] for line in lines if line.endswith("\trefused")] == [bare.topics.full("clock")]


@pytest.mark.parametrize("topic", ["clock", "ticks"])
def test_a_topic_that_was_not_made_in_time_is_an_error_and_not_refused(bare, topic):
    """This also holds for an optional topic: nobody knows whether it is there, and the next try can
    make it."""
    done = apply(bare, topic, REQUEST_TIMED_OUT)
    assert done.code == KAFKA
    assert bare.topics.full(topic) in done.stderr and "the reason" in done.stderr
    assert "refused" not in done.stdout


def test_what_is_made_is_said(bare):
    """The played broker is one."""
    assert "made" in apply(bare, "clock", 0).ok().stdout
