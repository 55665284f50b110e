"""A daemon that is asked to end does so within seconds: its current work is finished or given back,
and nothing happens twice."""

import signal
import socket
import time

import pytest

from support.ending import end
from support.scene import fill, now, result, tick_id
from support.slow import hold_rows, let_held_rows_go, quick_rows, slow_rows, wait_in_flight

pytestmark = pytest.mark.built_in

JOB = "scratch.remove"
SIGNALS = [signal.SIGTERM, signal.SIGINT]
BACKLOG = 1200


def end_by_itself(daemon, number):
    """Checks that the daemon ended in order, not by its shutdown deadline."""
    end(daemon, 5, number)
    assert daemon.lines("Stopped")


def in_flight(scene, seconds=None, rows=25):
    """A daemon in the middle of a step. Each page of ten has one row that takes that long, or waits
    until it is released."""
    fill(scene.database, rows)
    if seconds is None:
        hold_rows(scene.database, "OLD.id % 10 = 6")
    else:
        slow_rows(scene.database, seconds, "OLD.id % 10 = 6")
    at = now(minutes=-1)
    scene.topics.tick(JOB, at)
    daemon = scene.start()
    wait_in_flight(scene.database)
    return daemon, tick_id(JOB, at)


def check_all_once(scene, run_id, rows=25):
    """Lets another daemon finish. Each row went once, and the audit has it once."""
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert (row["state"], row["attempts"], row["step"], result(row)["removed"]) == ("finished", 0, 3, rows)
    audit = scene.database.column("SELECT jsonb_array_elements(keys)::bigint FROM pruned.deletions WHERE run_id = %s", [run_id])
    assert sorted(audit) == list(range(1, rows + 1))
    assert [m.text_key for m in scene.topics.outcomes("RunFinished")] == [run_id]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("number", SIGNALS)
def test_while_idle_it_ends_at_once(scene, number):
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    end_by_itself(daemon, number)


def test_before_it_has_its_partitions_it_ends_too(scene):
    daemon = scene.start()
    daemon.wait_line("Started")
    end_by_itself(daemon, signal.SIGTERM)


@pytest.mark.check_all
@pytest.mark.parametrize("numbers", [[signal.SIGTERM], [signal.SIGTERM, signal.SIGTERM], [signal.SIGTERM, signal.SIGINT]])
def test_a_step_that_is_nearly_done_is_finished(scene, numbers):
    daemon, run_id = in_flight(scene)

    def let_go():
        daemon.wait_line("Stopping")
        let_held_rows_go(scene.database)

    end(daemon, 10, *numbers, meanwhile=let_go)
    row = scene.run_row(run_id)
    assert (row["state"], row["step"], row["attempts"]) == ("ready", 1, 0)
    assert scene.database.value("SELECT count(*) FROM scratch") == 15
    check_all_once(scene, run_id)


@pytest.mark.check_all
def test_a_step_that_takes_longer_is_given_back_and_not_charged(scene):
    daemon, run_id = in_flight(scene, 12)
    end(daemon, 10, signal.SIGTERM)
    row = scene.run_row(run_id)
    assert (row["state"], row["step"], row["attempts"], row["error"]) == ("ready", 0, 0, None)
    assert scene.database.value("SELECT count(*) FROM scratch") == 25
    assert not daemon.lines(level="error")
    quick_rows(scene.database)
    check_all_once(scene, run_id)


@pytest.mark.check_all
def test_its_partitions_are_free_at_once(new_scene):
    """No process waits for a session time-out, which is long here: the next one gets the partitions
    in a fraction of that."""
    session_s = 60
    scene = new_scene({"kafka.session.timeout.ms": session_s * 1000})
    daemon, run_id = in_flight(scene, 12)
    end(daemon, 10, signal.SIGTERM)
    quick_rows(scene.database)
    began = time.monotonic()
    scene.start().wait_line("Partitions assigned", deadline_s=2 * session_s)
    assert time.monotonic() - began < session_s / 3
    scene.wait_run(run_id)


@pytest.mark.check_all
def test_in_the_middle_of_a_backlog_nothing_is_lost_or_done_twice(scene):
    """Each run takes a fiftieth of a second, four at a time: the backlog lasts for seconds."""
    times = [now(minutes=-30, milliseconds=n) for n in range(BACKLOG)]
    scene.topics.produce_many("ticks", [("scratch.wide", (
        f'{{"job":"scratch.wide","scheduled_at":"{t.isoformat()}","args":{{"n":{n}}}}}').encode()) for n, t in enumerate(times)])
    daemon = scene.start()
    scene.database.wait("SELECT count(*) FROM scratch_log", until=lambda n: n >= 20)
    end(daemon, 10, signal.SIGTERM)
    assert scene.database.value("SELECT count(*) FROM scratch_log") < BACKLOG
    scene.run_until_idle(deadline_s=120)
    assert scene.database.value("SELECT count(*) FROM scratch_log") == BACKLOG
    assert scene.database.rows("SELECT state, count(*) AS n FROM pruned.runs GROUP BY 1") == [{"state": "finished", "n": BACKLOG}]
    assert scene.database.value("SELECT count(*) FROM pruned.suspects WHERE topic LIKE %s", [f"{scene.topics.prefix}.%"]) == 0


@pytest.mark.check_all
def test_an_offset_is_not_stored_before_its_messages_are_published(scene):
    """The step is committed, but its outcome has no topic: the next daemon sends it, and only then
    the message's offset is committed."""
    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    scene.topics.drop("outcomes")
    scene.topics.tick(JOB, at := now(minutes=-1))
    daemon.wait_line("Publishing waits for Kafka")
    end(daemon, 10, signal.SIGTERM)
    assert scene.run_row(tick_id(JOB, at))["state"] == "finished"
    assert scene.topics.committed("ticks") == {0: 1} and scene.topics.committed("work.scratch.remove").get(0, 0) == 0
    scene.run("topics", "--apply").ok()
    scene.run_until_idle()
    assert [m.text_key for m in scene.topics.outcomes("RunFinished")] == [tick_id(JOB, at)]
    assert scene.topics.committed("work.scratch.remove") == {0: 1}


@pytest.fixture
def silent_store():
    """Accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def test_objects_under_way_are_given_back_with_their_age(scene, silent_store):
    scene.settings |= {"store.object.endpoint": silent_store, "store.object.bucket": "b", "store.object.access_key": "a",
                       "store.object.secret_key": "s", "store.object.region": "r"}
    due = scene.database.value("INSERT INTO ci_deleted_objects (file_store, store_dir, file, pick_up_at) "
                               "VALUES (2, 'a', 'b', now() - interval '1 h') RETURNING pick_up_at")
    scene.topics.tick("ci.schedule_delete_objects", now(minutes=-1))
    daemon = scene.start()
    scene.database.wait("SELECT pick_up_at > now() FROM ci_deleted_objects")
    end_by_itself(daemon, signal.SIGTERM)
    assert scene.database.column("SELECT pick_up_at FROM ci_deleted_objects") == [due]
    row = scene.database.row("SELECT * FROM pruned.runs WHERE job = 'ci.delete_objects'")
    assert row["state"] in ("ready", "waiting") and row["attempts"] == 0
    assert scene.database.value("SELECT count(*) FROM pruned.quarantine") == 0


@pytest.mark.check_all
def test_a_postgres_that_takes_no_connections_does_not_delay_the_end(own_postgres, new_scene):
    """The step cannot even be cancelled; its transaction ends with the connection."""
    scene = new_scene(server=own_postgres)
    daemon, run_id = in_flight(scene, 14)
    own_postgres.freeze()
    end(daemon, 10, signal.SIGTERM)
    own_postgres.thaw()
    scene.database.wait("SELECT count(*) FROM pg_locks WHERE relation = 'scratch'::regclass AND pid <> pg_backend_pid()", until=0)
    quick_rows(scene.database)
    check_all_once(scene, run_id)


@pytest.mark.check_all
def test_a_broker_that_does_not_answer_does_not_delay_the_end(own_kafka, new_scene):
    scene = new_scene(bootstrap=own_kafka.bootstrap)
    daemon, run_id = in_flight(scene, 1.5)
    own_kafka.freeze()
    end(daemon, 10, signal.SIGTERM)
    own_kafka.thaw()
    check_all_once(scene, run_id)
