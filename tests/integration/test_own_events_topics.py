"""An [event] section cannot read a topic of pruned or of Kafka itself: it is refused alone. Which
topics these are: unit/engine/job/test_job_own_events.c."""

import pytest

from support.command_line import says
from support.own_events import ERASE, PEOPLE, at, erased, say_event, send, topics  # noqa: F401
from support.sentences import house  # noqa: F401

TABLES = PEOPLE + "; CREATE TABLE q (id int PRIMARY KEY, dead boolean); INSERT INTO q VALUES (1, true), (2, false)"
WORDS = "one of pruned's own"


@pytest.fixture
def wrong(house, topics):  # noqa: F811
    """Says a job that is right and one whose event comes from the topic NAME."""
    house.sql(TABLES)
    house.say("q", "table = q\nwhere = dead")

    def say(name):
        house.say("people.erase", f"table = people\non = E1\nset = email = NULL\n[event E1]\ntopic = {name}\nkey = id\nmatch = any")
        return house

    return say


def own(house, name):  # noqa: F811
    return f"{house.pruned.topics.prefix}.{name}"


@pytest.mark.check_all
def test_all_others_go_on_and_a_reload_refuses_it(house, wrong):  # noqa: F811
    wrong("user-events")
    house.pruned.run("topics", "--apply").ok()
    daemon = house.pruned.start()
    daemon.wait_line("Partitions assigned")
    house.database.wait("SELECT count(*) FROM pruned.processes", until=1)
    wrong(own(house, "ticks"))
    assert WORDS in says(house.pruned.run("reload"), 2).stdout
    done = says(house.pruned.run("check", "people.erase"), 2)
    assert WORDS in done.stdout and "people.erase.conf:6: topic" in done.stdout
    house.pruned.run("tick", "q", "--at", at(minutes=-1).isoformat(), "--wait").ok()
    assert daemon.stop() == 0
    again = house.pruned.start()
    again.wait_line("Partitions assigned")
    house.sql("INSERT INTO q VALUES (3, true)")
    house.pruned.run("tick", "q", "--at", at().isoformat(), "--wait").ok()
    assert house.rows("q") == [(2, False)]


@pytest.mark.check_all
def test_a_topic_that_is_made_later(house, topics):  # noqa: F811
    house.sql(PEOPLE)
    house.say("people.erase", ERASE)
    say_event(house, "UserErasureRequested", "app-users", "key = id")
    house.start()
    assert "app-users" not in topics.partitions()
    finding = [line for line in house.pruned.run("doctor", "--json").json() if line["check"] == "event topics"]
    assert [line["level"] for line in finding] == ["warning"] and "there is no topic" in finding[0]["detail"], finding
    daemon = house.pruned.start()
    daemon.wait_line("Topic of an application's events is missing: it is read once it is there")
    topics.make("app-users", 2)
    send(house, {"id": 1})
    topics.wait("outcomes", lambda m: m.schema == "pruned.outcomes.RowProcessed", deadline_s=60)
    assert erased(house) == [1]
    assert not daemon.lines("Kafka degraded; continuing where possible")
    assert daemon.stop() == 0
