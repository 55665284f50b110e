"""The reader of the daemon's log may stall: no step waits for it, and the process ends when
asked."""

import fcntl
import json
import os
import signal
import time

import pytest

from stack.process import spawn, wait_until
from support.exposition import Listening
from support.places import ROLE
from support.pruned import clean_environment
from support.scene import fill, now, result, tick_id

JOB = "scratch.remove"


class Stalled:
    """A daemon whose stderr is a full pipe without a reader."""

    def __init__(self, scene, **settings):
        self.read, write = os.pipe()
        fcntl.fcntl(write, fcntl.F_SETFL, os.O_NONBLOCK)
        try:
            while True:
                os.write(write, b" " * 4095 + b"\n")
        except BlockingIOError:
            fcntl.fcntl(write, fcntl.F_SETFL, 0)
        self.process = spawn(scene.argv("run", settings=settings), env=clean_environment(), stdout=write, stderr=write)
        os.close(write)

    def lines(self):
        """The log lines, once the pipe is read."""
        with os.fdopen(self.read, errors="replace") as pipe:
            for line in pipe:
                if line.strip():
                    yield json.loads(line)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def stalled(scene):
    made = []

    def make(**settings):
        made.append(Stalled(scene, **settings))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_steps_and_the_end_wait_for_no_reader(scene, stalled):
    fill(scene.database, 25)
    scene.topics.tick(JOB, at := now(minutes=-1))
    one = stalled()
    assert result(scene.wait_run(tick_id(JOB, at)))["removed"] == 25
    scene.database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                        "AND state = 'idle in transaction'", until=0)
    began = time.monotonic()
    one.process.send_signal(signal.SIGTERM)
    assert one.process.wait(20) == 0
    assert time.monotonic() - began < 10


def test_a_warning_about_a_job_before_the_start_waits_for_no_reader(scene, stalled):
    scene.database.execute(f"REVOKE INSERT ON scratch_log FROM {ROLE}")
    assert any(line["check"] == "rights" for line in scene.run("check", "scratch.wide", "--json").json())
    fill(scene.database, 25)
    scene.topics.tick(JOB, at := now(minutes=-1))
    stalled()
    assert result(scene.wait_run(tick_id(JOB, at)))["removed"] == 25


@pytest.mark.check_all
def test_lines_that_find_no_room_are_counted_and_reported(scene, stalled):
    http = Listening()
    one = stalled(**{"http.listen": http.listen, "log.level": "debug"})
    times = [now(minutes=-30, milliseconds=n) for n in range(2500)]
    scene.topics.produce_many("ticks", [("scratch.wide", (
        f'{{"job":"scratch.wide","scheduled_at":"{t.isoformat()}","args":{{"n":{n}}}}}').encode()) for n, t in enumerate(times)])
    scene.database.wait("SELECT count(*) FROM scratch_log", until=2500, deadline_s=120)
    dropped = wait_until(lambda: http.metrics()["pruned_log_lines_dropped_total"], 30, "dropped lines")
    told = 0
    for line in one.lines():
        told += int(line["lines"]) if line["message"] == "Log lines were dropped: stderr was not read in time" else 0
        if told >= dropped:
            break
    one.process.send_signal(signal.SIGTERM)
    assert one.process.wait(20) == 0
    http.close()
