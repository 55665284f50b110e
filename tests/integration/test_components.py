"""The stack itself: facts that the other tests rely on."""

import psycopg
import pytest

from stack.ports import HeldPort
from support.messages import decode


def test_a_test_database_has_the_applications_tables(new_database):
    database = new_database("app")
    database.execute("INSERT INTO users (username) VALUES ('somebody')")
    assert database.column("SELECT username FROM users") == ["somebody"]
    assert new_database("app").value("SELECT count(*) FROM users") == 0


def test_a_message_comes_back_as_it_was_sent(topics):
    topics.make("ticks", partitions=3)
    sent = [topics.produce("ticks", f'{{"n": {n}}}'.encode(), key=str(n), headers={"h": "v"})
            for n in range(20)]
    read = topics.read("ticks")
    assert sorted((m.partition, m.offset) for m in read) == sorted(sent)
    assert sorted(m.value["n"] for m in read) == list(range(20))
    assert {m.headers["h"] for m in read} == {"v"}
    assert topics.wait("ticks", lambda m: m.text_key == "7")[0].value == {"n": 7}


def test_topics_of_another_test_are_not_seen(new_topics):
    one, other = new_topics(), new_topics()
    one.make("ticks")
    assert one.partitions() == {"ticks": 1} and other.partitions() == {}


def test_a_held_port_is_refused_to_others_and_free_for_its_server():
    import socket

    held = HeldPort()
    with socket.socket() as stranger, pytest.raises(OSError):
        stranger.bind(("127.0.0.1", held.number))
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("127.0.0.1", held.number))
        server.listen()
    held.release()


@pytest.mark.check_all
def test_a_killed_postgres_keeps_what_was_committed(own_postgres, new_database):
    database = new_database("app", own_postgres)
    database.execute("INSERT INTO users (username) VALUES ('somebody')")
    own_postgres.kill()
    with pytest.raises(psycopg.OperationalError):
        database.connect()
    own_postgres.start()
    with database.connect() as connection:
        assert connection.execute("SELECT username FROM users").fetchall() == [{"username": "somebody"}]


@pytest.mark.check_all
def test_a_killed_broker_keeps_what_was_acknowledged(own_kafka, new_topics):
    topics = new_topics(own_kafka.bootstrap)
    topics.make("ticks")
    topics.produce("ticks", b"{}")
    own_kafka.kill()
    own_kafka.start()
    assert [m.value for m in topics.read("ticks")] == [{}]


def test_bytes_that_are_no_message_are_left_as_they_are():
    assert decode(b"\x00garbage") == (None, b"\x00garbage")
    assert decode(b"{broken") == (None, b"{broken")
    assert decode(None) == (None, None)
