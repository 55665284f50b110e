"""Two databases on one Kafka with the same prefix: the topics belong to the first. The other one
neither takes a message there nor sends one, and what it has sent all the same starts nothing."""

import contextlib
import json
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from confluent_kafka import Consumer

from support.database import Database
from support.scene import fill, send_tick

JOB = "scratch.remove"
WORK = {"job": JOB, "step": 0, "attempt": 0, "scheduled_at": "2026-01-01T00:00:00Z", "due_at": "2026-01-01T00:00:00Z", "args": {}}


MIGRATE = ("migrate",)
SENDING = [("run", "--until-idle"), ("tick", JOB), ("emit", "MemberExpirySet", "member_id=1", "expires_at=2026-12-31"),
           ("topics", "--apply"), ("replay", "--from", "-1h"), ("dead", "retry")]


@pytest.fixture
def scene(scene):
    """Its topics are its database's."""
    scene.run("topics", "--apply").ok()
    return scene


def identity(database):
    return str(database.value("SELECT database FROM pruned.identity"))


def refuses(scene, settings, commands, *words):
    with ThreadPoolExecutor(4) as pool:
        for done in pool.map(lambda command: scene.run(*command, settings=settings), commands):
            assert done.code == 2, done
            assert all(word in done.stderr for word in words), (words, done)


@pytest.fixture
def copied(scene):
    """The scene, whose database has an identity bound to its place, and a copy of it."""
    scene.migrate("--identity", "keep")
    scene.database.close()
    copy = Database(scene.database.server_url, scene.database.name, label="copy")
    yield copy
    copy.drop()


def test_a_second_database_is_refused_and_both_are_named(scene, copied):
    theirs = {"postgres.url": copied.url}
    # A copy from a dump or a template has to be told which of the two it is.
    refuses(scene, theirs, [SENDING[0], ("topics", "--apply"), MIGRATE], "is a copy, or has moved", copied.name, "--identity new", "--identity keep")
    assert "is a copy, or has moved" in scene.run("doctor", settings=theirs).stdout
    scene.run("migrate", "--identity", "new", settings=theirs).ok()
    both = (scene.database.name, identity(scene.database), copied.name, identity(copied))
    assert len(set(both)) == 4
    refuses(scene, theirs, SENDING, "belong to another database", *both)
    done = scene.run("doctor", settings=theirs)
    assert done.code == 2 and "belong to another database" in done.stdout, done
    # A run that a command makes ready is sent by nobody but a daemon, and there is none.
    run_id = str(uuid.uuid4())
    copied.execute("INSERT INTO pruned.runs (run_id, job, state, slot, scheduled_at, due_at, changed_at) VALUES (%s, %s, 'dead', 0, now(), now(), now())", [run_id, JOB])
    done = scene.run("retry", run_id, settings=theirs).ok()
    assert "belong to another database" in done.stderr, done
    assert [scene.topics.read(name) for name in ("ticks", "events", f"work.{JOB}")] == [[], [], []]

    # On purpose, and not while the others run.
    daemon = scene.start()
    scene.database.wait("SELECT count(*) FROM pruned.processes WHERE partitions > 0", until=1)
    refuses(scene, theirs, [("topics", "--take")], "still run", "end them first")
    assert daemon.stop() == 0
    scene.run("topics", "--take", settings=theirs).ok()
    scene.run("topics", settings=theirs).ok()
    refuses(scene, {}, SENDING[:1], "belong to another database", *both)
    assert copied.value("SELECT count(*) FROM pruned.journal WHERE command = 'topics --take'") == 1


def test_messages_of_another_database_start_nothing_and_say_why(scene):
    """As another version has sent them, or a tool that copies topics."""
    ours, theirs = identity(scene.database), str(uuid.uuid4())
    foreign = {"pruned_database": theirs}
    fill(scene.database, 5)
    scene.topics.tick(JOB, headers=foreign)
    scene.topics.event("MemberExpirySet", {"member_id": 1, "expires_at": "2026-12-31"}, headers=foreign)
    scene.topics.produce(f"work.{JOB}", json.dumps(WORK | {"run_id": str(uuid.uuid4())}).encode(), headers={"ce_type": "pruned.Work"} | foreign)
    scene.run_until_idle()
    letters = scene.topics.read("dead")
    assert len(letters) == 3 and scene.database.value("SELECT count(*) FROM scratch") == 5
    for letter in letters:
        reason = letter.headers["pruned_reason"]
        assert reason.startswith("of another database") and theirs in reason and ours in reason
    done = scene.run("dead", "retry")
    assert done.code == 1 and "of another database" in done.stderr, done

    # Its own messages name it; those of other producers, without the header, are taken.
    scene.run("tick", JOB).ok()
    assert scene.topics.read("ticks")[-1].headers["pruned_database"] == ours
    scene.run_until_idle()
    assert scene.database.value("SELECT count(*) FROM scratch") == 0 and len(scene.topics.read("dead")) == 3
    assert {m.headers.get("pruned_database") for m in scene.topics.read(f"work.{JOB}")} == {ours, theirs}
    fill(scene.database, 5)
    send_tick(scene)
    scene.run_until_idle()
    assert scene.database.value("SELECT count(*) FROM scratch") == 0


def test_a_database_that_has_moved_stays_the_same_one(scene, copied):
    theirs = {"postgres.url": copied.url}
    scene.run("migrate", "--dry-run", "--identity", "keep", settings=theirs).ok()
    refuses(scene, theirs, [MIGRATE], "is a copy, or has moved")
    scene.run("migrate", "--identity", "keep", settings=theirs).ok()
    scene.run("migrate", settings=theirs).ok()
    assert identity(copied) == identity(scene.database)
    scene.run("topics", settings=theirs).ok()
    scene.run("tick", JOB, settings=theirs).ok()
    assert scene.run("migrate", "--identity", "both", settings=theirs).code == 1


@pytest.mark.check_all
def test_in_a_copy_that_cannot_be_told_apart_the_younger_process_takes_no_partition(scene, new_database):
    """As from a snapshot of the disk: the templates of the tests are not bound to a place."""
    copy = new_database("migrated")
    theirs = {"postgres.url": copy.role_url}
    assert identity(copy) == identity(scene.database)
    daemon = scene.start()
    scene.database.wait("SELECT count(*) FROM pruned.processes WHERE partitions > 0", until=1)
    done = scene.run("doctor", settings=theirs)
    assert done.code == 4 and "does not know" in done.stdout and "--identity new" in done.stdout, done
    younger = scene.start(settings=theirs)
    assert younger.wait() == 2
    assert "takes no partition" in younger.text() and not younger.lines("Started")
    assert copy.value("SELECT count(*) FROM pruned.processes") == 0
    # A killed one is in the group for a while; the database knows it.
    daemon.kill()
    second = scene.start()
    second.wait_line("Started")
    assert second.stop() == 0


@contextlib.contextmanager
def member(scene, id):
    """Somebody else's process in the consumer group, which began by ID before or after all
    others."""
    one = Consumer({"bootstrap.servers": scene.topics.bootstrap, "group.id": scene.topics.prefix, "client.id": f"pruned-1/{id}",
                    "session.timeout.ms": 30000, "heartbeat.interval.ms": 200, "partition.assignment.strategy": "roundrobin"})
    ended = threading.Event()

    def stay():
        one.subscribe([scene.topics.full("ticks")])
        while not ended.is_set():
            one.poll(0.05)
        one.close()

    with ThreadPoolExecutor(1) as pool:
        staying = pool.submit(stay)
        yield
        ended.set()
        staying.result()


@pytest.mark.check_all
def test_of_two_that_have_joined_at_the_same_time_the_younger_one_leaves(scene):
    """Before it joins neither sees the other."""
    settings = {"kafka.session.timeout.ms": 6000}
    daemon = scene.start(settings=settings)
    daemon.wait_line("Partitions assigned")
    with member(scene, "ffffffff-ffff-7fff-bfff-ffffffffffff"):
        scene.database.wait("SELECT housekeeping::text LIKE '%is the elder%' FROM pruned.processes", deadline_s=60)
        done = scene.run("doctor")
        assert done.code == 4 and "does not know" in done.stdout, done
        assert daemon.running
    scene.database.wait("SELECT housekeeping::text LIKE '%is the elder%' FROM pruned.processes", until=False, deadline_s=60)
    with member(scene, "00000000-0000-7000-8000-000000000000"):
        assert daemon.wait() == 2
    assert "takes no partition" in daemon.text()
    assert scene.database.value("SELECT count(*) FROM pruned.processes") == 0
