"""A server accepts connections and never answers, at the worst moment: the process stays alive,
reports its health, and ends when asked."""

import contextlib
import os
import pathlib
import signal
import threading

import pytest
from confluent_kafka import Consumer

from stack.process import wait_until
from support.ending import end
from support.exposition import Listening
from support.scene import fill, now, result, tick_id
from support.slow import quick_rows, slow_rows, wait_in_flight

JOB = "scratch.remove"


@pytest.fixture
def http():
    one = Listening()
    yield one
    one.close()


@contextlib.contextmanager
def member(topics):
    """Another member of the daemon's group. It asks for partitions, and gets some once the daemon
    has given up its own."""
    one = Consumer({"bootstrap.servers": topics.bootstrap, "group.id": topics.prefix, "partition.assignment.strategy": "roundrobin",
                    "session.timeout.ms": 6000, "heartbeat.interval.ms": 500, "enable.auto.commit": False})
    over, got = threading.Event(), threading.Event()
    one.subscribe([f"{topics.prefix}.ticks", f"{topics.prefix}.work.{JOB}"], on_assign=lambda _, partitions: got.set())

    def poll():
        while not over.is_set():
            one.poll(0.1)

    thread = threading.Thread(target=poll)
    thread.start()
    try:
        yield got
    finally:
        over.set()
        thread.join()
        one.close()


def in_a_step(scene, http):
    fill(scene.database, 10)
    slow_rows(scene.database, 14, "OLD.id = 6")
    scene.settings["http.listen"] = http.listen
    scene.topics.tick(JOB, at := now(minutes=-1))
    daemon = scene.start()
    wait_in_flight(scene.database)
    return daemon, tick_id(JOB, at)


def test_partitions_are_released_while_postgres_hangs(own_postgres, new_scene, http):
    """The step cannot be cancelled, because the server does not read the request. The thread that
    sends the cancel blocks no other."""
    scene = new_scene(server=own_postgres)
    daemon, run_id = in_a_step(scene, http)
    own_postgres.freeze_all()
    with member(scene.topics) as other:
        wait_until(other.is_set, 20, "partitions of the other member")
        assert http.ask("/healthz", within_s=5).status_code == 200
        assert "pruned_running_step_seconds" in http.ask("/metrics", within_s=10).text
        assert http.ask("/readyz", within_s=10).status_code == 503
        end(daemon, 10, signal.SIGTERM)
    own_postgres.thaw_all()
    scene.database.wait("SELECT count(*) FROM pg_locks WHERE relation = 'scratch'::regclass AND pid <> pg_backend_pid()", until=0)
    quick_rows(scene.database)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert (row["state"], row["attempts"], result(row)["removed"]) == ("finished", 0, 10)


@pytest.mark.check_all
def test_a_process_asked_to_end_while_it_gives_partitions_up_does(own_postgres, new_scene, http):
    scene = new_scene(server=own_postgres)
    daemon, _ = in_a_step(scene, http)
    own_postgres.freeze_all()
    with member(scene.topics):
        wait_until(lambda: "pruned_ready 0" in http.ask("/metrics", within_s=10).text, 20, "partitions being given up")
        end(daemon, 10, signal.SIGTERM)


@pytest.mark.check_all
def test_a_process_that_cannot_begin_because_postgres_hangs_ends_when_it_is_asked(own_postgres, new_scene):
    scene = new_scene(server=own_postgres)
    own_postgres.freeze_all()
    daemon = scene.start()
    wait_until(lambda: has_socket(daemon), 20, "a connection of a process that begins")
    daemon.send(signal.SIGTERM)
    assert daemon.wait(12) in (0, 3, -signal.SIGTERM)


def has_socket(daemon):
    return any(is_socket(open_file) for open_file in pathlib.Path(f"/proc/{daemon.pid}/fd").iterdir())


def is_socket(open_file):
    """False, too, if it has just been closed."""
    try:
        return os.readlink(open_file).startswith("socket:")
    except FileNotFoundError:
        return False


@pytest.mark.check_all
def test_a_late_cancel_stops_no_other_work(scene):
    """A step is cancelled because its partition is revoked; the worker's next work is not."""
    fill(scene.database, 10)
    slow_rows(scene.database, 12, "OLD.id = 6")
    scene.topics.tick(JOB, at := now(minutes=-1))
    daemon = scene.start()
    wait_in_flight(scene.database)
    with member(scene.topics) as other:
        wait_until(other.is_set, 30, "partitions of the other member")
    quick_rows(scene.database)
    assert result(scene.wait_run(tick_id(JOB, at), deadline_s=60))["removed"] == 10
    assert scene.run_row(tick_id(JOB, at))["attempts"] == 0
    assert not daemon.lines(level="error")


@pytest.mark.check_all
def test_a_hanging_poll_thread_is_reported_as_unhealthy(scene, preload, http, tmp_path):
    library = preload("stalled_poll")
    if library is None:
        pytest.skip("a sanitizer must be loaded first")
    scene.settings["http.listen"] = http.listen
    daemon = scene.start(environment={"LD_PRELOAD": library, "STALLED_POLL": tmp_path / "stall"})
    daemon.wait_line("Partitions assigned")
    assert http.ask("/healthz").status_code == 200
    (tmp_path / "stall").touch()
    wait_until(lambda: http.ask("/healthz").status_code == 503, 40, "a liveness that fails")
    assert http.ask("/readyz").status_code == 503
    daemon.wait_line("The poll thread hangs: this process is not healthy")
    (tmp_path / "stall").unlink()
    wait_until(lambda: http.ask("/healthz").status_code == 200, 30, "a liveness that is well again")
    (tmp_path / "stall").touch()
    end(daemon, 10, signal.SIGTERM)


def test_a_poll_thread_that_stays_stuck_ends_the_process(scene, preload, tmp_path):
    """After minutes, which pass quickly for the thread that watches it."""
    library = preload("stalled_poll")
    if library is None:
        pytest.skip("a sanitizer must be loaded first")
    daemon = scene.start(environment={"LD_PRELOAD": library, "STALLED_POLL": tmp_path / "stall", "HURRIED_WATCHDOG": tmp_path / "stall"})
    daemon.wait_line("Partitions assigned")
    (tmp_path / "stall").touch()
    assert daemon.wait(30) == 70
    [said] = daemon.lines("The poll thread hangs: this process is not healthy")
    assert said["level"] == "error" and daemon.lines("Shutdown deadline reached; exiting")
