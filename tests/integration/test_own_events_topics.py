"""An [event] section cannot read a topic of pruned or of Kafka itself: it is refused alone."""

import pytest

from support.command_line import says
from support.own_events import PEOPLE, at, topics  # noqa: F401
from support.sentences import house  # noqa: F401

TABLES = PEOPLE + "; CREATE TABLE q (id int PRIMARY KEY, dead boolean); INSERT INTO q VALUES (1, true), (2, false)"
WORDS = "one of pruned's own"


@pytest.fixture
def wrong(house, topics):  # noqa: F811
    """Says a job that is right and one whose event comes from the topic NAME."""
    house.sql(TABLES)
    house.say("q", "table = q\nwhere = dead")

    def say(name):
        house.say("people.erase", f"table = people\non = E1\nset = email = NULL\n[event E1]\ntopic = {name}\nkey = id")
        return house

    return say


def own(house, name):  # noqa: F811
    return f"{house.pruned.topics.prefix}.{name}"


@pytest.mark.parametrize("name", ["ticks", "events", "clock", "dead", "work.q", "work.no.such"])
def test_a_topic_of_pruned_is_refused_with_its_line(house, wrong, name):  # noqa: F811
    wrong(own(house, name))
    done = says(house.pruned.run("check", "people.erase"), 2)
    assert WORDS in done.stdout and "people.erase.conf:6: topic" in done.stdout


def test_a_topic_of_kafka_is_refused(house, wrong):  # noqa: F811
    wrong("__consumer_offsets")
    assert "one of Kafka's own" in says(house.pruned.run("check", "people.erase"), 2).stdout


@pytest.mark.parametrize("name", ["outcomes", "ticksy", "workers"])
def test_another_topic_is_none_of_them(house, wrong, name):  # noqa: F811
    wrong(own(house, name))
    assert WORDS not in house.pruned.run("check", "people.erase").stdout


def test_the_prefix_decides(house, wrong):  # noqa: F811
    wrong("pruned.ticks")
    assert WORDS not in house.pruned.run("check", "people.erase").stdout
    assert WORDS in house.pruned.run("check", "people.erase", settings={"topics.prefix": "pruned"}).stdout


@pytest.mark.parametrize("name", ["ticks", "dead"])
def test_all_others_go_on_and_a_reload_refuses_it(house, wrong, name):  # noqa: F811
    wrong("user-events")
    house.pruned.run("topics", "--apply").ok()
    daemon = house.pruned.start()
    daemon.wait_line("Partitions assigned")
    house.database.wait("SELECT count(*) FROM pruned.processes", until=1)
    wrong(own(house, name))
    assert WORDS in says(house.pruned.run("reload"), 2).stdout
    house.pruned.run("tick", "q", "--at", at(minutes=-1).isoformat(), "--wait").ok()
    assert daemon.stop() == 0
    again = house.pruned.start()
    again.wait_line("Partitions assigned")
    house.sql("INSERT INTO q VALUES (3, true)")
    house.pruned.run("tick", "q", "--at", at().isoformat(), "--wait").ok()
    assert house.rows("q") == [(2, False)]
