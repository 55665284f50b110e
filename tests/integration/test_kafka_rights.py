"""Kafka's ACLs: `pruned grants --kafka` prints what is needed and no more, and `pruned doctor`
names each right that is denied, with the command that grants it."""

import shutil

import pytest
from confluent_kafka import Consumer, Producer

from stack.kafka import Kafka
from stack.pair import new_folder
from support.acls import Acls
from support.own_events import ERASE, PEOPLE, say_event
from support.sentences import house  # noqa: F401

CHECK = "Kafka's rights"
NAMES = ("daemon", "sender", "reader")


@pytest.fixture(scope="module")
def strict_kafka():
    """A broker where a user has the rights that it was given."""
    folder = new_folder("pruned-kafka-")
    server = Kafka(folder / "kafka", sasl={name: f"of {name}" for name in NAMES}, acls=True).start()
    yield server
    server.kill()
    shutil.rmtree(folder, ignore_errors=True)


def login(kafka, name):
    return {"bootstrap.servers": kafka.strict, "security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN",
            "sasl.username": name, "sasl.password": f"of {name}"}


def as_daemon(kafka):
    return {f"kafka.{key}": value for key, value in login(kafka, "daemon").items()}


@pytest.fixture
def guarded(house, new_topics, new_pruned, strict_kafka):  # noqa: F811
    """A job that an application's events start, on that broker, with the rights that are
    printed."""
    plain = new_topics(strict_kafka.bootstrap)
    where = {"topics.prefix": plain.prefix, "kafka.bootstrap.servers": plain.bootstrap}
    house.pruned = new_pruned(house.database, plain, settings=house.pruned.settings | where)
    house.sql(PEOPLE)
    house.say("people.erase", ERASE)
    say_event(house, "UserErasureRequested", "app-users", "key = person")
    plain.make("app-users")
    house.pruned.run("topics", "--apply").ok()
    house.pruned.settings |= as_daemon(strict_kafka)
    house.acls = Acls(strict_kafka.bootstrap)
    house.lines = house.pruned.run("grants", "--kafka").ok().stdout.splitlines()
    house.acls.add(*house.lines)
    return house


def denied(house, code):  # noqa: F811
    done = house.pruned.run("doctor", "--json")
    assert done.code == code, [line for line in done.json() if not line["ok"]]
    return [(line["detail"], line["remedy"]) for line in done.json() if line["check"] == CHECK and not line["ok"]]


def line_of(house, *words):  # noqa: F811
    """The printed line that has all these words."""
    (found,) = [line for line in house.lines if set(words) <= set(line.split())]
    return found


@pytest.mark.check_all
def test_what_is_printed_is_enough_for_daemon_sender_and_reader(guarded, strict_kafka):
    """The sender's and the reader's rights are printed for them by their principals."""
    pruned, prefix = guarded.pruned, guarded.pruned.topics.prefix
    for role, name in (("--producer", "sender"), ("--reader", "reader")):
        guarded.acls.add(*pruned.run("grants", "--kafka", role, "--principal", name).ok().stdout.splitlines())
    sender = Producer(login(strict_kafka, "sender") | {"partitioner": "murmur2_random", "log_level": 2})
    failed = []
    sender.produce(f"{prefix}.ticks", b'{"job":"people.unknown"}', on_delivery=lambda error, _: failed.append(error))
    assert sender.flush(30) == 0 and failed == [None]
    pruned.topics.produce("app-users", b'{"person":1}')
    pruned.run_until_idle()
    assert len(pruned.topics.read("dead")) == 1
    reader = Consumer(login(strict_kafka, "reader") | {"group.id": "reader-of-ours", "auto.offset.reset": "earliest", "log_level": 2})
    reader.subscribe([f"{prefix}.outcomes"])
    try:
        message = reader.poll(60)
        assert message is not None and message.error() is None
    finally:
        reader.close()
    assert denied(guarded, 0) == []


@pytest.mark.parametrize("words", [
    pytest.param([("Read", "{prefix}.ticks"), ("Write", "{prefix}.outcomes")], id="in and out"),
    pytest.param([], id="each", marks=pytest.mark.check_all)])
def test_each_right_that_is_revoked_is_named_with_its_line(guarded, words):
    """And with this line alone: doctor asks for each right, and changes nothing."""
    prefix = guarded.pruned.topics.prefix
    before = {name: len(guarded.pruned.topics.read(name)) for name in guarded.pruned.topics.partitions() if name != "clock"}
    lines = [line_of(guarded, *(word.format(prefix=prefix) for word in some)) for some in words] or guarded.lines
    for line in lines:
        guarded.acls.revoke(line)
        found = denied(guarded, 4)
        assert [remedy for _, remedy in found] == [line], line
        word = line.split()
        assert word[word.index("--operation") + 1] in found[0][0] and word[-1] in found[0][0]
        guarded.acls.add(line)
    assert denied(guarded, 0) == []
    assert before == {name: len(guarded.pruned.topics.read(name)) for name in before}


def test_what_is_printed_names_the_topics_of_the_jobs_in_force(guarded):
    prefix = guarded.pruned.topics.prefix
    assert all("--allow-principal User:daemon" in line for line in guarded.lines)
    assert line_of(guarded, "Read", f"{prefix}.app-users") and line_of(guarded, "Read", "--group", prefix)
    assert "prefixed" in line_of(guarded, "Write", f"{prefix}.work.").split()
    assert len(guarded.lines) == len(set(guarded.lines))
    told = guarded.pruned.run("grants", "--kafka", "--reader", "--principal", "User:CN=them", "--json").ok().json()
    assert all("User:CN=them" in line["command"] for line in told) and any("--group CN=them" in line["command"].replace("'", "") for line in told)
    for wrong in (["--producer"], ["--kafka", "--producer", "--reader"]):
        assert guarded.pruned.run("grants", *wrong).code == 1
