"""`[topics] create = on`: the daemon makes the topics that are missing, at its start and at a
reload."""

import signal

import pytest

from support.scene import now
from support.sentences import house  # noqa: F401

JOB, OTHER = "items.purge", "items.other"
SENTENCE = "table = items\nwhere = note < :T\napprove = never\n"
ON = {"topics.create": "on", "topics.partitions": 3}
REFUSED = "Topics could not be created"


@pytest.fixture
def items(house):  # noqa: F811
    house.sql("CREATE TABLE items (id bigint PRIMARY KEY, note timestamptz NOT NULL);"
              "INSERT INTO items SELECT i, '2020-01-01' FROM generate_series(1, 10) i")
    house.say(JOB, SENTENCE + "capacity = 2\n")
    house.pruned.settings |= {"run.jobs": "none"} | ON
    return house


def start(house):  # noqa: F811
    daemon = house.pruned.start()
    daemon.wait_line("Partitions assigned")
    return daemon


def removed(house, job, minutes=1):  # noqa: F811
    run = house.pruned.run("tick", job, "--at", now(minutes=-minutes).isoformat()).ok().stdout.strip()
    return house.pruned.wait_run(run)["result"]["removed"]


def hang_up(daemon, count=1):
    daemon.send(signal.SIGHUP)
    return daemon.wait_line("reloaded", count=count)


def collide(house, job):  # noqa: F811
    """The broker refuses the job's topic: `.` and `_` are the same in the names of its metrics."""
    house.pruned.topics.make(f"work.{job.replace('.', '_')}")


def test_at_the_start(items):
    daemon = start(items)
    assert items.pruned.topics.partitions() == {"ticks": 3, "events": 3, "outcomes": 3, "dead": 3, "clock": 1, f"work.{JOB}": 2}
    made = ", ".join(line["topics"] for line in daemon.lines("Topics created"))
    assert set(made.split(", ")) == {items.pruned.topics.full(name) for name in items.pruned.topics.partitions()}
    assert removed(items, JOB) == 10
    assert daemon.stop() == 0
    assert items.pruned.run("topics").ok().stdout.count("\tok") == 6
    assert start(items).lines("Topics created") == []


def test_of_a_job_that_a_reload_adds(items):
    daemon = start(items)
    items.say(OTHER, SENTENCE)
    hang_up(daemon)
    assert daemon.lines("Topics created")[-1]["topics"] == items.pruned.topics.full(f"work.{OTHER}")
    assert {line["message"] for line in daemon.lines(level="warning")} <= {"The Kafka library has a known fault"}
    assert removed(items, OTHER) == 10


@pytest.mark.check_all
def test_the_topic_of_an_event_is_never_made(items):
    """Not at the start, by a reload or the command. It is read once somebody has made it."""
    (items.folder / "event-Gone.conf").write_text(f"[event Gone]\ntopic = {items.pruned.topics.full('app-items')}\nkey = id\nmatch = any\n")
    items.say(OTHER, "table = items\non = Gone\n")
    daemon = start(items)
    items.say("items.third", "table = items\non = Gone\nwhere = id < 0\n")
    hang_up(daemon)
    items.pruned.run("topics", "--apply")
    assert {f"work.{OTHER}", "work.items.third"} <= set(items.pruned.topics.partitions())
    assert "app-items" not in items.pruned.topics.partitions()
    items.pruned.topics.make("app-items")
    items.pruned.topics.produce("app-items", b'{"id": 3}')
    items.database.wait("SELECT count(*) FROM items", until=9)


@pytest.mark.check_all
def test_off_makes_none(items):
    items.pruned.settings["topics.create"] = None
    daemon = items.pruned.start()
    assert daemon.wait() == 4 and "missing topic" in daemon.text()
    assert items.pruned.topics.partitions() == {}
    items.pruned.run("topics", "--apply").ok()
    daemon = start(items)
    items.say(OTHER, SENTENCE)
    hang_up(daemon)
    daemon.wait_line("Topic of a new job is missing: its runs begin once it is there")
    assert f"work.{OTHER}" not in items.pruned.topics.partitions()


@pytest.mark.parametrize("off", ["enabled = false\n", "mode = off\n"])
def test_the_topic_of_a_job_that_is_off_ends_no_start(items, off):
    """It is named, other jobs go on, and the job begins once it is on and its topic is there."""
    items.pruned.settings["topics.create"] = None
    items.pruned.run("topics", "--apply").ok()
    items.say(OTHER, SENTENCE + off)
    daemon = start(items)
    missing = f"work.{OTHER}"
    [warning] = daemon.lines("Topic of a job that is off is missing: its runs begin once the job is on and the topic is there")
    assert (warning["topic"], warning["remedy"]) == (items.pruned.topics.full(missing), "pruned topics --apply")
    assert removed(items, JOB) == 10 and missing not in items.pruned.topics.partitions()
    items.pruned.run("topics", "--apply").ok()
    items.sql("INSERT INTO items VALUES (11, '2020-01-01')")
    items.say(OTHER, SENTENCE)
    hang_up(daemon)
    assert removed(items, OTHER) == 1


def test_the_setting_itself_is_taken_over_by_a_reload(items):
    items.pruned.settings["topics.create"] = None
    items.pruned.run("topics", "--apply").ok()
    daemon = start(items)
    items.say(OTHER, SENTENCE)
    items.pruned.configuration.write_text("[topics]\ncreate = on\n")
    hang_up(daemon)
    assert removed(items, OTHER) == 10


@pytest.mark.check_all
def test_a_topic_that_the_broker_refuses_at_a_reload(items):
    """The job waits for its topic, and the others go on."""
    daemon = start(items)
    collide(items, OTHER)
    items.say(OTHER, SENTENCE)
    items.say("items.third", SENTENCE)
    hang_up(daemon)
    [warning] = daemon.lines(REFUSED)
    assert items.pruned.topics.full(f"work.{OTHER}") in warning["detail"] and "collides" in warning["detail"]
    assert "pruned topics --apply" in warning["remedy"]
    daemon.wait_line("Topic of a new job is missing: its runs begin once it is there", topic=items.pruned.topics.full(f"work.{OTHER}"))
    assert removed(items, "items.third") == 10
    run = items.pruned.run("tick", OTHER, "--at", now(minutes=-2).isoformat()).ok().stdout.strip()
    items.pruned.topics.drop(f"work.{OTHER.replace('.', '_')}")
    hang_up(daemon, 2)
    assert items.pruned.wait_run(run)["result"]["status"] == "completed"
    assert len(daemon.lines(REFUSED)) == 1


def test_a_topic_that_the_broker_refuses_at_the_start(items):
    collide(items, JOB)
    daemon = items.pruned.start()
    assert daemon.wait() == 4
    [warning] = daemon.lines(REFUSED)
    assert "collides" in warning["detail"] and "pruned topics --apply" in warning["remedy"]
    assert f"missing topic {items.pruned.topics.full('work.' + JOB)}" in daemon.text()


def test_several_processes_at_once(items):
    daemons = [items.pruned.start(name=f"daemon {n}") for n in range(3)]
    for daemon in daemons:
        daemon.wait_line("Partitions assigned")
        assert daemon.lines(REFUSED) == []
    assert removed(items, JOB) == 10
