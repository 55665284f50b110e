"""Refusals of PostgreSQL and Kafka are reported with the place and the remedy, and never with a
wrong cause."""

import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from stack.kafka import Kafka
from stack.pair import new_folder
from stack.process import wait_until
from support.scene import due_now, fill, let_rows_go, now, refuse_rows, start, tick_id

JOB = "scratch.remove"


def tick(scene):
    scene.topics.tick(JOB, at := now(minutes=-1))
    return tick_id(JOB, at)


def error_of(scene, run_id):
    return wait_until(lambda: (scene.run_row(run_id) or {"error": None})["error"], 60, "an error")


@pytest.mark.check_all
def test_a_lock_time_out_names_the_lock_and_the_table(scene):
    fill(scene.database, 5)
    start(scene)
    with scene.database.connect() as other:
        other.autocommit = False
        other.execute("SELECT FROM scratch WHERE id = 3 FOR UPDATE")
        error = error_of(scene, run := tick(scene))
        other.rollback()
    assert 'while deleting tuple (0,3) in relation "scratch"' in error and "[55P03] in " in error
    assert "scratch.remove/apply/removed/10-scratch.sql" in error
    due_now(scene.database, run)
    assert scene.wait_run(run, deadline_s=60)["state"] == "finished"


@pytest.mark.check_all
def test_a_lock_of_a_whole_table_names_it_too(scene):
    fill(scene.database, 5)
    start(scene)  # without the lock: it checks its jobs
    with scene.database.connect() as other:
        other.autocommit = False
        other.execute("LOCK TABLE scratch IN ACCESS EXCLUSIVE MODE")
        error = error_of(scene, run := tick(scene))
        other.rollback()
    assert "while locking relation scratch" in error and "[55P03] in " in error
    assert error.endswith("scratch.remove/page.sql")
    due_now(scene.database, run)
    assert scene.wait_run(run, deadline_s=60)["state"] == "finished"


def test_an_error_of_a_value_names_file_and_job(scene):
    fill(scene.database, 5)
    refuse_rows(scene.database, "OLD.id = 3", "PERFORM 1 / (OLD.id - 3)")
    scene.wait_run(tick(scene)) if scene.start() else None
    reason = scene.database.value("SELECT reason FROM pruned.quarantine WHERE job = %s", [JOB])
    assert "[22012] in " in reason and "scratch.remove/apply/removed/10-scratch.sql" in reason
    let_rows_go(scene.database)


def test_altering_a_table_charges_no_attempt(new_scene):
    """A prepared statement of the session gives other columns than before."""
    scene = new_scene({"run.workers": 2})
    fill(scene.database, 5)
    daemon = scene.start()
    scene.wait_run(tick(scene))
    scene.database.execute("ALTER TABLE scratch ALTER id TYPE int, ALTER day TYPE timestamp")
    fill(scene.database, 5)
    row = scene.wait_run(tick(scene), deadline_s=60)
    assert (row["state"], row["attempts"], row["error"]) == ("finished", 0, None)
    assert scene.database.value("SELECT count(*) FROM scratch") == 0
    assert not daemon.lines(level="error")


@pytest.mark.check_first(1)
@pytest.mark.parametrize("url, said", [
    ("postgresql://asked_for_password:wrong@127.0.0.1:{port}/postgres", "password authentication failed"),
    ("postgresql://postgres@127.0.0.1:{port}/no_such_database", "no_such_database"),
    ("postgresql://no_such_role@127.0.0.1:{port}/postgres", "no_such_role")])
def test_a_refused_login_is_not_reported_as_an_outage(scene, url, said):
    port = scene.database.role_url.rpartition("/")[0].rpartition(":")[2]
    for command in ("status", "runs", "doctor"):
        done = scene.run(command, settings={"postgres.url": url.format(port=port)})
        words = done.stdout + done.stderr
        assert said in words and "that PostgreSQL is up" not in words
        assert command == "status" or "PostgreSQL is up: check role, password and database in [postgres] url" in words


def test_a_server_that_is_down_is_reported_as_an_outage(scene):
    done = scene.run("runs", settings={"postgres.url": "postgresql://127.0.0.1:1/postgres"})
    assert done.code == 3 and "that PostgreSQL is up" in done.stderr


@pytest.fixture
def strict_kafka():
    """A broker that requires a name and a password."""
    folder = new_folder("pruned-kafka-")
    server = Kafka(folder / "kafka", sasl={"daemon": "right"}).start()
    yield server
    server.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.check_all
def test_a_wrong_password_for_kafka_is_named_as_the_cause(new_pruned, database, new_topics, strict_kafka):
    pruned = new_pruned(database, new_topics(strict_kafka.bootstrap), settings={
        "kafka.bootstrap.servers": strict_kafka.strict, "kafka.security.protocol": "SASL_PLAINTEXT", "kafka.sasl.mechanism": "PLAIN",
        "kafka.sasl.username": "daemon", "kafka.sasl.password": "wrong"})
    pruned.environment = {}
    with ThreadPoolExecutor(2) as pool:  # each waits for some seconds
        done, refused = pool.map(lambda words: pruned.run(*words), [("doctor", "--json"), ("run",)])
    (found,) = [line for line in done.json() if line["check"] == "Kafka"]
    assert done.code == 4 and "refused to authenticate" in found["detail"] and "uthentication failed" in found["detail"]
    assert "sasl.password" in found["detail"] and "wrong" not in done.stdout + done.stderr
    assert refused.code == 4 and "refused to authenticate" in refused.stderr
    assert pruned.run("topics", "--apply", settings={"kafka.sasl.password": "right"}).code == 0
