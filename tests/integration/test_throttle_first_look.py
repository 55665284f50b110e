"""The first look at the thresholds hangs: no step begins before its answer, or before the time to
wait for it is over."""

import asyncio
import datetime
import time

import pytest

from stack.process import wait_until
from stack.proxy import Proxy
from support.scene import fill, now, result, tick_id

JOB = "scratch.remove"
LOOK = b"pg_stat_replication"
BOUND_S = 3


class Holding(Proxy):
    """Holds back what asks for the thresholds, and what follows on its connection, until
    `let_go`."""

    def __init__(self, port):
        self.asked_at, self.let_go = None, False
        super().__init__(port)

    async def _forward(self, reader, writer, delay_s):
        try:
            while data := await reader.read(65536):
                if LOOK in data and not self.let_go:
                    self.asked_at = self.asked_at or datetime.datetime.now(datetime.timezone.utc)
                    while not self.let_go:
                        await asyncio.sleep(0.05)
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.close()


@pytest.fixture
def held(scene, shared):
    fill(scene.database, 10)
    proxy = Holding(int(shared.postgres_url.rpartition(":")[2].partition("/")[0]))
    scene.settings["postgres.url"] = scene.database.role_url.replace(f":{proxy.to}/", f":{proxy.port}/")
    yield scene, proxy
    proxy.let_go = True


def began(daemon):
    return datetime.datetime.fromisoformat(daemon.wait_line("Started", job=JOB)["time"])


@pytest.mark.check_all
def test_a_look_that_hangs_delays_steps_for_its_time_and_no_longer(held):
    scene, proxy = held
    scene.topics.tick(JOB, at := now(minutes=-1))
    daemon = scene.start()
    row = scene.wait_run(tick_id(JOB, at))
    assert result(row)["removed"] == 10 and not proxy.let_go
    assigned = datetime.datetime.fromisoformat(daemon.wait_line("Partitions assigned")["time"])
    assert (began(daemon) - assigned).total_seconds() >= BOUND_S
    # Only the first look is waited for.
    begun = time.monotonic()
    scene.topics.tick(JOB, at := now(minutes=-2))
    scene.wait_run(tick_id(JOB, at))
    assert time.monotonic() - begun < BOUND_S
    proxy.let_go = True
    assert daemon.stop() == 0


def test_steps_begin_once_the_look_is_answered(held):
    scene, proxy = held
    scene.topics.tick(JOB, at := now(minutes=-1))
    daemon = scene.start()
    wait_until(lambda: proxy.asked_at, 30, "the first look")
    time.sleep(1)
    assert not daemon.lines("Started", job=JOB)
    answered = datetime.datetime.now(datetime.timezone.utc)
    proxy.let_go = True
    assert result(scene.wait_run(tick_id(JOB, at)))["removed"] == 10
    assert answered <= began(daemon) < proxy.asked_at + datetime.timedelta(seconds=BOUND_S)
    assert daemon.stop() == 0
