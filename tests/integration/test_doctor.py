"""`pruned doctor`: every finding has its remedy, warnings never hide an error, and it changes nothing."""

import re
import shutil
import time

import pytest
from psycopg import sql

from stack.kafka import Kafka
from stack.pair import new_folder
from stack.process import wait_until
from stack.s3 import S3
from support.database import connect
from support.places import ROLE, corrupts_its_memory_when_a_topic_is_made_anew, kafka_library
from support.topics import Topics

JOB = "members.remove_expired"
NOWHERE = {"kafka.bootstrap.servers": "127.0.0.1:9", "kafka.log_level": 0}


@pytest.fixture
def well(pruned):
    """An installation without findings: settings, indexes, rights, topics."""
    pruned.database.execute("INSERT INTO application_settings (deletion_adjourned_period) VALUES (7)")
    pruned.migrate("--indexes")
    return pruned


def findings(done):
    """The findings, without the one about librdkafka's version, which depends on this machine and has its own test."""
    lines = [line for line in done.json() if line["check"] != "librdkafka"]
    for line in lines:
        assert {"check", "ok", "detail", "remedy"} <= set(line), line
        assert line["detail"], line
        assert line["ok"] == (line["remedy"] is None), line
    return [line for line in lines if not line["ok"]]


def doctor(pruned, code, **options):
    done = pruned.run("doctor", "--json", **options)
    assert done.code == code, [line for line in done.json() if not line["ok"]] or done
    return findings(done)


def about(pruned, check, **options):
    """The findings about one thing only."""
    return [f for f in findings(pruned.run("doctor", "--json", **options)) if f["check"] == check]


def only(found, check):
    assert {f["check"] for f in found} == {check}, found
    return found


def test_a_healthy_installation(well):
    assert doctor(well, 0) == []


def test_a_library_with_a_known_fault_is_named(well):
    said = next(f for f in well.run("doctor", "--json").json() if f["check"] == "librdkafka")
    assert ".".join(map(str, kafka_library())) in said["detail"]
    faulty = corrupts_its_memory_when_a_topic_is_made_anew()
    assert said["ok"] == (not faulty)
    assert (said["remedy"] or "").startswith("install librdkafka 2.10") == faulty


def test_it_changes_nothing(well):
    def world():
        tables = well.database.column(
            "SELECT schemaname || '.' || relname FROM pg_stat_user_tables ORDER BY 1")
        return {t: well.database.value(f"SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM {t} t") for t in tables}

    before, topics = world(), well.topics.partitions()
    well.run("doctor").ok()
    assert world() == before
    assert well.topics.partitions() == topics


def test_a_terminal_gets_a_table_with_the_remedies_below(pruned):
    done = pruned.run("doctor")
    assert done.code == 6, done
    table, _, remedies = done.stdout.partition("What to do:")
    assert "indexes\terror\t" in table
    assert "schema\tok\t" in table
    assert "  pruned migrate --indexes\n" in remedies


def drop(pruned, *names):
    """Removes topics and waits until the broker no longer shows them."""
    pruned.topics.drop(*names)
    gone = {pruned.topics.full(name) for name in names}
    wait_until(lambda: gone == {t["topic"] for t in pruned.run("topics", "--json").json() if t["state"] == "missing"},
               30, f"{gone} gone")


# --- PostgreSQL

def test_postgresql_down_does_not_hide_kafka(well):
    drop(well, "dead")
    found = doctor(well, 3, settings={"postgres.url": "postgresql://nobody@127.0.0.1:9/none"})
    assert [f["check"] for f in found] == ["PostgreSQL", "topics"]


def test_a_schema_that_was_never_made(new_pruned, new_database, topics):
    found = doctor(new_pruned(new_database("app"), topics), 3)
    assert found[0]["check"] == "schema" and found[0]["remedy"] == "pruned migrate"


def test_a_right_that_is_missing_is_named(well):
    well.database.execute(sql.SQL("REVOKE DELETE ON members FROM {}").format(sql.Identifier(ROLE)))
    well.database.execute(sql.SQL("REVOKE SELECT ON namespaces FROM {}").format(sql.Identifier(ROLE)))
    found = only(doctor(well, 3), "rights")
    assert "DELETE on members" in found[0]["detail"]
    assert "SELECT on namespaces" in found[1]["detail"]
    assert all("pruned grants" in f["remedy"] for f in found)


def test_a_right_on_our_own_tables(well):
    well.database.execute(sql.SQL("REVOKE INSERT ON pruned.deletions FROM {}").format(sql.Identifier(ROLE)))
    assert "INSERT on pruned.deletions" in only(doctor(well, 3), "rights")[0]["detail"]


def test_a_table_that_only_an_enabled_job_needs(well):
    well.database.execute("ALTER TABLE ci_deleted_objects RENAME COLUMN pick_up_at TO later")
    found = only(doctor(well, 6), "tables")
    assert any("ci_deleted_objects.pick_up_at" in f["detail"] for f in found)
    assert all(f["remedy"].startswith("pruned ") for f in found)
    assert doctor(well, 0, settings={f"jobs.{j}.enabled": False for j in (
        "ci.delete_objects", "ci.schedule_delete_objects", "groups.destroy")}) == []


def test_a_row_of_settings_that_is_missing(well):
    well.database.execute("DELETE FROM application_settings")
    assert "deletion_adjourned_period" in only(doctor(well, 6), "settings")[0]["detail"]


def test_an_index_that_a_cursor_needs(well):
    well.database.execute("DROP INDEX pruned_members_expires_at_id")
    found = only(doctor(well, 6), "indexes")
    assert JOB in found[0]["detail"] and found[0]["remedy"] == "pruned migrate --indexes"
    well.migrate("--indexes")
    assert doctor(well, 0) == []


@pytest.fixture
def wrong_clock(preload):
    """The environment for a process whose clock is so many seconds ahead."""
    library = preload("shifted_clock")
    if library is None:
        pytest.skip("a sanitizer must be loaded first")
    return lambda seconds: {"LD_PRELOAD": library, "SHIFTED_CLOCK_S": seconds}


@pytest.mark.parametrize("seconds, words", [(30, r"the database's clock is (\d+)\.\d s behind"), (-30, r"the database's clock is (\d+)\.\d s ahead")])
def test_a_clock_that_is_not_the_databases(well, wrong_clock, seconds, words):
    began = time.monotonic()
    [found] = about(well, "clock", environment=wrong_clock(seconds))
    asked_s = time.monotonic() - began
    off_s = int(re.search(words, found["detail"])[1])
    assert abs(off_s - 30) <= 1 + asked_s / 2 and found["remedy"] == "timedatectl set-ntp true"


def test_the_clock_of_a_daemon_elsewhere(well, wrong_clock):
    for name, seconds in (("right", 0), ("ahead", 30), ("behind", -30)):
        well.start(name=name, environment=wrong_clock(seconds))
    well.database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'pruned run, clock %%'",
                       until=3)
    found = about(well, "daemons' clocks")
    assert sorted(re.search(r"is (\d+)\.\d s (ahead of|behind)", f["detail"]).group(2) for f in found) == ["ahead of", "behind"]


def test_the_clock_of_a_daemon_is_told_again_as_soon_as_it_has_a_new_connection(well, wrong_clock):
    said = ("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'pruned run, clock %%'")
    well.start(environment=wrong_clock(30))
    before = well.database.wait(said)
    well.database.execute("SELECT pg_terminate_backend(%s)", [before])
    well.database.wait(said, until=lambda pid: pid not in (None, before))
    [found] = about(well, "daemons' clocks")
    assert "ahead of" in found["detail"]


def test_by_how_much_clocks_may_differ_is_one_setting(well, wrong_clock):
    """Also for daemons: a difference for which ticks of cron do not wait is no finding."""
    well.start(environment=wrong_clock(4))
    well.database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'pruned run, clock %%'",
                       until=1)
    clocks = {"clock", "daemons' clocks", "Kafka's clock"}

    def amiss(**options):
        return {f["check"] for f in findings(well.run("doctor", "--json", **options))} & clocks

    assert amiss(environment=wrong_clock(3)) == set()
    assert amiss(environment=wrong_clock(3), settings={"clock.max_skew_s": 1}) == clocks


def test_what_restore_needs_is_a_warning(well):
    well.database.execute(sql.SQL("REVOKE INSERT ON members FROM {}").format(sql.Identifier(ROLE)))
    [found] = only(doctor(well, 0), "restore")
    assert "INSERT on members" in found["detail"] and "pruned grants" in found["remedy"]


def test_bloat_is_a_warning(well):
    well.database.execute("ALTER TABLE pruned.runs SET (autovacuum_enabled = off)")
    well.database.execute("""INSERT INTO pruned.runs (run_id, job, state, scheduled_at, due_at, finished_at)
        SELECT gen_random_uuid(), %s, 'finished', now(), now(), now() FROM generate_series(1, 10100)""", [JOB])
    well.database.execute("DELETE FROM pruned.runs")
    well.database.wait("SELECT n_dead_tup > 10000 FROM pg_stat_user_tables WHERE schemaname = 'pruned' AND relname = 'runs'")
    found = only(doctor(well, 0), "bloat")
    assert "VACUUM (ANALYZE) pruned.runs" in found[0]["remedy"]


# --- Kafka

def test_kafka_down_does_not_hide_what_is_missing(well):
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


def test_a_slow_kafka_is_not_reported_as_down(new_pruned, new_database, far_kafka):
    """Each answer takes a second. The group has never read or committed anything."""
    pruned = new_pruned(new_database(), Topics(far_kafka.bootstrap, "far"))
    pruned.database.execute("INSERT INTO application_settings (deletion_adjourned_period) VALUES (7)")
    pruned.migrate("--indexes")
    pruned.run("topics", "--apply").ok()
    far_kafka.doors[0].delay_s = 1
    settings = {"kafka.bootstrap.servers": f"127.0.0.1:{far_kafka.doors[0].port}"}
    assert doctor(pruned, 0, settings=settings) == []


def test_no_kafka_is_named(well):
    assert only(doctor(well, 2, settings={"kafka.bootstrap.servers": ""}), "Kafka")


def test_a_topic_that_is_missing_and_one_that_is_too_small(well):
    drop(well, f"work.{JOB}")
    found = only(doctor(well, 6, settings={"jobs.users.destroy.capacity": 21}), "topics")
    assert [f["remedy"] for f in found] == ["pruned topics --apply"] * 2
    assert any("no topic" in f["detail"] and JOB in f["detail"] for f in found)
    assert any("20 partitions instead of 21" in f["detail"] for f in found)


def test_messages_that_outlive_the_ledger(well):
    found = only(doctor(well, 0, settings={"runs.keep_days": 7}), "retention")
    assert len(found) == 3 and all("retention.ms=518400000" in f["remedy"] for f in found), found
    [dead] = only(doctor(well, 0, settings={"runs.keep_days": 8}), "retention")
    assert well.topics.full("dead") in dead["detail"] and "listed again" in dead["detail"]
    assert doctor(well, 0, settings={"runs.keep_days": 31}) == []


def test_members_of_another_version(well):
    well.start(name="same")
    well.start(name="other", settings={"kafka.client.id": "pruned-0.0.1"})

    def warned():
        found = doctor(well, 0)
        return found and found[0]["check"] == "group" and found[0]

    found = wait_until(warned, 60, "a member of another version")
    assert "pruned-0.0.1" in found["detail"]


def test_dead_letters_wait(well):
    partition, offset = well.topics.produce("dead", b"x", headers={"pruned_reason": b"unknown job x"})
    assert "1 message " in only(doctor(well, 0), "dead letters")[0]["detail"]
    well.database.execute("""INSERT INTO pruned.dead_verdicts (topic, partition, "offset", verdict) VALUES (%s, %s, %s, 'dropped')""",
                          [well.topics.full("dead"), partition, offset])
    assert doctor(well, 0) == []


# --- stores

def test_a_store_that_is_missing(well, tmp_path):
    assert doctor(well, 0, settings={"store.local.root": tmp_path}) == []
    found = only(doctor(well, 5, settings={"store.local.root": tmp_path / "none"}), "local store")
    assert "No such file" in found[0]["detail"]
    only(doctor(well, 5, settings={"store.object.endpoint": "http://127.0.0.1:9", "store.object.bucket": "b"}), "object store")


def test_an_object_store_and_a_bucket_that_is_not_there(well):
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


def test_objects_that_wait_for_a_store_that_is_not_set(well):
    well.database.execute("INSERT INTO ci_deleted_objects (file_store, store_dir, file) VALUES (1, 'a', 'b')")
    assert "not set" in only(doctor(well, 5), "local store")[0]["detail"]


# --- work

def test_work_that_waits_for_an_operator(well):
    well.database.execute("""INSERT INTO pruned.runs (run_id, job, state, scheduled_at, due_at) VALUES
        (gen_random_uuid(), %s, 'waiting', now(), now() - interval '1 hour'), (gen_random_uuid(), %s, 'dead', now(), now())""",
                          [JOB, JOB])
    well.database.execute("INSERT INTO pruned.quarantine (job, item, reason, parked) VALUES (%s, 'members:1', 'refused', true)", [JOB])
    found = {f["check"]: f for f in doctor(well, 0)}
    assert set(found) == {"runs overdue", "dead runs", "quarantine"}
    assert JOB in found["runs overdue"]["detail"]
    well.run("pause", JOB).ok()
    found = {f["check"]: f for f in doctor(well, 0)}
    assert set(found) == {"paused", "dead runs", "quarantine"} and found["paused"]["remedy"] == f"pruned resume {JOB}"


def test_who_may_create_in_the_applications_schema_is_named(well):
    """Functions and operators that another role creates there for the application's types would run with the daemon's rights."""
    well.database.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
    found = only(doctor(well, 0), "creators")
    assert "PUBLIC" in found[0]["detail"] and "-c 'REVOKE CREATE ON SCHEMA public FROM PUBLIC'" in found[0]["remedy"]
    assert well.database.name in found[0]["remedy"].partition(" -c ")[0]
    well.database.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    assert doctor(well, 0) == []


def test_a_warning_does_not_hide_an_error(well):
    well.database.execute("INSERT INTO pruned.quarantine (job, item, reason, parked) VALUES (%s, 'members:1', 'refused', true)", [JOB])
    drop(well, "outcomes")
    assert {f["check"] for f in doctor(well, 6)} == {"topics", "quarantine"}


@pytest.mark.parametrize("name, statement", [
    ("sidekiq 7.2", "DELETE FROM \"members\" WHERE \"members\".\"id\" = 1"),
    ("puma", "SELECT 1 /*application:sidekiq,endpoint_id:RemoveExpiredMembersWorker*/"),
])
def test_the_applications_own_worker_is_seen(well, name, statement):
    with connect(well.database.role_url) as application:
        application.execute("SELECT set_config('application_name', %s, false)", [name])
        application.execute(statement)
        found = only(doctor(well, 0), "application's workers")
    assert name in found[0]["detail"] and "RemoveExpiredMembersWorker" in found[0]["remedy"]
    well.database.wait("SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = current_database() AND application_name = %s", [name])
    assert doctor(well, 0) == []
