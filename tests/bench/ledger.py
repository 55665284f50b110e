"""Ended runs of ten days that are not in the archive yet: the speed of ticks meanwhile, and of
archiving them."""

import datetime
import json
import statistics
import time

from support.scene import tick_id

from cost import own_s
from throughput import EMPTY, ENDLESS, nothing

OLD = """
INSERT INTO pruned.runs (run_id, scheduled_at, due_at, created_at, changed_at, started_at, published_at, finished_at, step, state, job, result)
SELECT gen_random_uuid(), at, at, at, at, at, at, at, 1, 'finished', %s, '{"status": "completed"}'
FROM generate_series(1, %s) AS n, LATERAL (SELECT now() - interval '2 hours' - n %% 10 * interval '1 day' AS at) AS t"""
MOVED = "SELECT count(*) FROM pruned.runs_done"
STARTED = "SELECT extract(epoch FROM started_at - %s)::float8 * 1000 FROM pruned.runs WHERE run_id = %s AND started_at IS NOT NULL"


def tick_to_started(pruned):
    """In milliseconds, for ticks of yesterday, each with its own time."""
    asked = datetime.datetime.now(datetime.timezone.utc)
    at = asked - datetime.timedelta(days=1)
    pruned.topics.produce("ticks", json.dumps({"job": EMPTY, "scheduled_at": at.isoformat()}), key=EMPTY)
    return pruned.database.wait(STARTED, [asked, tick_id(EMPTY, at)])


def assert_joined(pruned, daemon):
    """The daemon has been a member since its start: it still takes a tick, and there was no further
    assignment."""
    tick_to_started(pruned)
    if len(daemon.lines("Partitions assigned")) != 1:
        raise RuntimeError("it has left its group meanwhile")


def ledger(stage, report, quick):
    number, seconds = (200_000, 5) if quick else (5_000_000, 30)
    report.say(f"{number} ended runs in pruned.runs")
    template = stage.template(nothing)
    with stage.installation(template) as pruned:
        pruned.database.execute(OLD, [ENDLESS, number])
        pruned.database.execute("VACUUM ANALYZE pruned.runs")
        daemon = pruned.start()
        daemon.wait_line("Partitions assigned")
        late = [tick_to_started(pruned) for _ in range(100)]
        before, used, began = pruned.database.value(MOVED), own_s(daemon.pid), time.monotonic()
        resident = report.memory(daemon.pid, "VmRSS")
        time.sleep(seconds)
        moved, took = pruned.database.value(MOVED) - before, time.monotonic() - began
        cpu = 100 * (own_s(daemon.pid) - used) / took
        if moved == 0 or pruned.database.value(MOVED) > number + len(late):
            raise RuntimeError(f"{moved} runs moved to the archive")
        report.add("c", f"tick to step started, {number:,} ended runs", statistics.median(late), "ms")
        report.add("f", "ended runs moved to the archive", moved / took, "rows/s", detail={"cpu_percent": cpu})
        report.add("d", "resident memory more, while they were moved", report.memory(daemon.pid, "VmRSS") - resident, "MB", at_most=4)
        assert_joined(pruned, daemon)
        report.add("d", f"resident memory at most, {number:,} ended runs", report.memory(daemon.pid, "VmHWM"), "MB", at_most=50)
    template.drop()
