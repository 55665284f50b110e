"""What `pruned doctor` finds in Kafka and in the stores of objects."""

import shutil

import pytest

from stack.kafka import Kafka
from stack.pair import new_folder
from stack.process import wait_until
from stack.s3 import S3
from support.doctors import JOB, doctor, drop, only, well  # noqa: F401
from support.topics import Topics


# --- Kafka

NOWHERE = {"kafka.bootstrap.servers": "127.0.0.1:9", "kafka.log_level": 0}


@pytest.mark.check_all
def test_kafka_down_does_not_hide_what_is_missing(well):  # noqa: F811
    well.database.execute("DELETE FROM application_settings")
    found = doctor(well, 4, settings=NOWHERE)
    assert [f["check"] for f in found] == ["Kafka", "settings"]


@pytest.fixture
def far_kafka():
    """A broker behind a slow network."""
    folder = new_folder("pruned-kafka-")
    server = Kafka(folder / "kafka", doors=1).start()
    yield server
    server.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.check_all
def test_a_slow_kafka_is_not_reported_as_down(new_pruned, new_database, far_kafka):
    """Each answer takes a second. The group has never read or committed anything."""
    pruned = new_pruned(new_database(), Topics(far_kafka.bootstrap, "far"))
    pruned.database.execute("INSERT INTO application_settings (deletion_adjourned_period) VALUES (7)")
    pruned.migrate("--indexes")
    pruned.run("topics", "--apply").ok()
    far_kafka.doors[0].delay_s = 1
    settings = {"kafka.bootstrap.servers": f"127.0.0.1:{far_kafka.doors[0].port}"}
    assert doctor(pruned, 0, settings=settings, deadline_s=180) == []


def test_no_kafka_is_named(well):  # noqa: F811
    assert only(doctor(well, 2, settings={"kafka.bootstrap.servers": ""}), "Kafka")


@pytest.mark.check_all
@pytest.mark.parametrize("settings, check, words", [
    ({"kafka.group.id": ""}, "Kafka", "setting kafka.group.id: it is empty; without it the group is "),
    ({"kafka.heartbeat.interval.ms": 10000}, "Kafka", "setting kafka.heartbeat.interval.ms: it is 10000, but session.timeout.ms is 6000"),
    ({"kafka.session.timeout.ms": 400000}, "Kafka", "Kafka client: `max.poll.interval.ms`must be >= `session.timeout.ms`"),
    ({"kafka.max.in.flight": 7}, "Kafka", "Kafka client: `max.in.flight` must be set <= 5"),
    ({"http.listen": "x"}, "http", "[http] listen: 'x' is not host:port")])
def test_what_run_refuses_is_named_in_its_words(well, settings, check, words):  # noqa: F811
    found = only(doctor(well, 2, settings=settings), check)
    assert len(found) == 1 and found[0]["detail"].startswith(words), found
    refused = well.run("run", "--until-idle", settings=settings)
    assert refused.code == 2 and found[0]["detail"] in refused.stderr, refused


def test_a_topic_that_is_missing_and_one_that_is_too_small(well):  # noqa: F811
    drop(well, f"work.{JOB}")
    found = only(doctor(well, 6, settings={"jobs.users.destroy.capacity": 21}), "topics")
    assert [f["remedy"] for f in found] == ["pruned topics --apply"] * 2
    assert any("no topic" in f["detail"] and JOB in f["detail"] for f in found)
    assert any("20 partitions instead of 21" in f["detail"] for f in found)


@pytest.mark.check_all
def test_messages_that_outlive_the_ledger(well):  # noqa: F811
    found = only(doctor(well, 0, settings={"runs.keep_days": 7}), "retention")
    assert len(found) == 3 and all("retention.ms=518400000" in f["remedy"] for f in found), found
    [dead] = only(doctor(well, 0, settings={"runs.keep_days": 8}), "retention")
    assert well.topics.full("dead") in dead["detail"] and "listed again" in dead["detail"]
    assert doctor(well, 0, settings={"runs.keep_days": 31}) == []


@pytest.mark.check_all
def test_members_of_another_version(well):  # noqa: F811
    well.start(name="same")
    well.start(name="other", settings={"kafka.client.id": "pruned-0.0.1"})

    def warned():
        found = doctor(well, 0)
        return found and found[0]["check"] == "group" and found[0]

    found = wait_until(warned, 60, "a member of another version")
    assert "pruned-0.0.1" in found["detail"]


@pytest.mark.check_all
def test_dead_letters_wait(well):  # noqa: F811
    partition, offset = well.topics.produce("dead", b"x", headers={"pruned_reason": b"unknown job x"})
    assert "1 message " in only(doctor(well, 0), "dead letters")[0]["detail"]
    well.database.execute("""INSERT INTO pruned.dead_verdicts (topic, partition, "offset", verdict) VALUES (%s, %s, %s, 'dropped')""",
                          [well.topics.full("dead"), partition, offset])
    assert doctor(well, 0) == []


# --- stores

@pytest.mark.check_all
def test_a_store_that_is_missing(well, tmp_path):  # noqa: F811
    assert doctor(well, 0, settings={"store.local.root": tmp_path}) == []
    found = only(doctor(well, 5, settings={"store.local.root": tmp_path / "none"}), "local store")
    assert "No such file" in found[0]["detail"]
    only(doctor(well, 5, settings={"store.object.endpoint": "http://127.0.0.1:9", "store.object.bucket": "b"}), "object store")


@pytest.mark.check_all
def test_an_object_store_and_a_bucket_that_is_not_there(well):  # noqa: F811
    folder = new_folder("pruned-doctor-s3-")
    gateway = S3(folder / "s3").start()
    try:
        gateway.client().create_bucket(Bucket="there")
        settings = {"store.object.endpoint": gateway.endpoint, "store.object.access_key": gateway.access_key,
                    "store.object.secret_key": gateway.secret_key}
        assert doctor(well, 0, settings=settings | {"store.object.bucket": "there"}) == []
        found = only(doctor(well, 5, settings=settings | {"store.object.bucket": "elsewhere"}), "object store")
        assert "NoSuchBucket" in found[0]["detail"]
        wrong = {"store.object.bucket": "there", "store.object.secret_key": "wrong"}
        only(doctor(well, 5, settings=settings | wrong), "object store")
        assert gateway.client().list_objects_v2(Bucket="there")["KeyCount"] == 0
    finally:
        gateway.kill()
        shutil.rmtree(folder, ignore_errors=True)


def test_objects_that_wait_for_a_store_that_is_not_set(well):  # noqa: F811
    well.database.execute("INSERT INTO ci_deleted_objects (file_store, store_dir, file) VALUES (1, 'a', 'b')")
    assert "not set" in only(doctor(well, 5), "local store")[0]["detail"]
