"""Three processes replaced one after the other under load: no step is lost or done twice, and
processes that stay keep working."""

import datetime
import itertools
import json

import pytest

from stack.process import patient, wait_until
from support.scene import now, tick_id
from support.topics import rfc3339

CHAIN, WIDE = "scratch.endless", "scratch.wide"
CHAINS, LANES, PROCESSES, EACH = 12, 6, 3, 40
# A process that left without notice, or did not notice a new member, would stop all others for the
# length of a session.
SESSION_S, PAUSE_S = 60, 6
SETTINGS = {f"jobs.{CHAIN}.capacity": LANES, f"jobs.{CHAIN}.delay_ms": 50, "kafka.session.timeout.ms": SESSION_S * 1000}


def spread_over_lanes():
    """{n: time} of the chains, equally many for each lane, so that every process has work."""
    lanes = [[] for _ in range(LANES)]
    for minutes in itertools.count(2):
        at = now(minutes=-minutes)
        lane = lanes[int(tick_id(CHAIN, at)[:8], 16) % LANES]
        if len(lane) < CHAINS // LANES:
            lane.append(at)
        if sum(map(len, lanes)) == CHAINS:
            return dict(enumerate(itertools.chain(*lanes)))


def send(scene, job, ats, args=lambda n: {}):
    scene.topics.produce_many("ticks", [(job, json.dumps({"job": job, "scheduled_at": rfc3339(at), "args": args(n)}).encode())
                                        for n, at in ats.items()])


def worked_since_assigned(daemon):
    assigned, finished = daemon.lines("Partitions assigned"), daemon.lines("Finished", job=CHAIN)
    return assigned and finished and finished[-1]["time"] > assigned[-1]["time"]


def settle(daemons):
    """Waits until every process has a part of the work."""
    wait_until(lambda: all(worked_since_assigned(d) for d in daemons), 60, "work for every process")


def steps_of(daemons):
    """{run: [(step, when, by whom), ...]}"""
    lines = sorted((line["run_id"], line["step"], datetime.datetime.fromisoformat(line["time"]), daemon.name)
                   for daemon in daemons for line in daemon.lines("Finished", job=CHAIN))
    return {run_id: [line[1:] for line in group] for run_id, group in itertools.groupby(lines, key=lambda line: line[0])}


@pytest.mark.check_all
@pytest.mark.timeout(400)
def test_three_processes_are_replaced_under_load_and_no_step_is_lost(new_scene):
    scene = new_scene(SETTINGS)
    chains = spread_over_lanes()
    send(scene, CHAIN, chains)
    daemons = [scene.start() for _ in range(PROCESSES)]
    settle(daemons)
    wide = {}
    for number in range(PROCESSES):
        more = {n: now(minutes=-2, milliseconds=n) for n in range(number * EACH + 1, number * EACH + EACH + 1)}
        send(scene, WIDE, more, lambda n: {"n": n})
        wide |= more
        assert daemons[number].stop() == 0
        daemons[number] = scene.start()
        settle(daemons)
    scene.database.wait("SELECT count(*) FROM pruned.runs WHERE job = %s AND state = 'finished'", [WIDE], until=len(wide), deadline_s=120)
    for daemon in daemons:
        assert daemon.stop() == 0

    assert scene.database.column("SELECT id FROM scratch_log ORDER BY id") == sorted(wide)
    assert scene.database.value("SELECT max(attempts) FROM pruned.runs") == 0
    assert not any(daemon.lines(level="error") for daemon in scene.daemons)
    steps = steps_of(scene.daemons)
    assert set(steps) == {tick_id(CHAIN, at) for at in chains.values()}
    for run_id, done in steps.items():
        assert [step for step, *_ in done] == list(range(scene.run_row(run_id)["step"])), "each step once"

    pairs = [pair for done in steps.values() for pair in itertools.pairwise(done)]
    stayed = [(after[1] - before[1]).total_seconds() for before, after in pairs if before[2] == after[2]]
    moves = len(pairs) - len(stayed)
    assert moves >= CHAINS, "everybody has been replaced: each chain has moved"
    assert max(stayed) < patient(PAUSE_S), f"the longest pauses of those that stayed: {sorted(stayed)[-5:]}"
