"""How soon an idle system starts a run that has become due, or a tick that has just been sent."""

import datetime
import json
import time

import one_row
from throughput import EMPTY, nothing, ticks

LATE = """SELECT percentile_cont(%s) WITHIN GROUP (ORDER BY extract(epoch FROM started_at - due_at) * 1000)::float8
    FROM pruned.runs WHERE job = %s AND due_at > %s"""


def _now():
    return datetime.datetime.now(datetime.timezone.utc)


def _finished(pruned, number):
    pruned.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'finished'", until=number, deadline_s=120)


def _percentiles(pruned, number, since):
    _finished(pruned, number)
    return [pruned.database.value(LATE, [p, EMPTY, since]) for p in (0.5, 0.99)]


def _warm(pruned):
    """The topics are new; the first tick waits until the broker knows them. Returns when its run
    has ended."""
    pruned.topics.produce("ticks", json.dumps({"job": EMPTY}), key=EMPTY)
    _finished(pruned, 1)
    return pruned.database.value("SELECT due_at FROM pruned.runs")


def _warm_lanes(pruned, number):
    """A lane that was just assigned is careful for two seconds from its first message on."""
    for n in range(8 * number):
        pruned.topics.produce("ticks", json.dumps({"job": one_row.JOB, "scheduled_at": _now().isoformat(), "args": {"id": 0}}), key=str(n))
    _finished(pruned, 1 + 8 * number)


def due_to_started(stage, report, quick):
    number = 100 if quick else 500
    report.say(f"{number} runs that become due one after the other")
    template = stage.template(nothing)
    with stage.installation(template) as pruned:
        daemon = pruned.start()
        daemon.wait_line("Partitions assigned")
        since = _warm(pruned)
        first = _now() + datetime.timedelta(seconds=3)
        for n in range(number):  # an uneven interval, so that it cannot coincide with a timer
            at = first + datetime.timedelta(milliseconds=n * 47)
            pruned.topics.produce("ticks", json.dumps({"job": EMPTY, "scheduled_at": at.isoformat()}), key=EMPTY)
        p50, p99 = _percentiles(pruned, number + 1, since)
    template.drop()
    report.add("c", "due to started, p50", p50, "ms", at_most=4)
    report.add("c", "due to started, p99", p99, "ms", at_most=12, aim=12)


BACKLOG = "SELECT min(started_at) AS began, max(finished_at) AS ended, count(*) AS n FROM pruned.runs WHERE job = %s AND state = 'finished'"


def due_in_backlog(stage, report, quick):
    """Runs of one job become due while a backlog of another job is worked off. Only those that are
    due meanwhile count."""
    number, backlog = (100, 20_000) if quick else (300, 100_000)
    report.say(f"{number} runs that become due while {backlog} others are worked off")
    template = stage.template(one_row.filler(1000))
    with stage.installation(template, {"topics.partitions": 8}) as pruned:
        daemon = pruned.start()
        daemon.wait_line("Partitions assigned")
        _warm(pruned)
        _warm_lanes(pruned, 8)
        first = _now() + datetime.timedelta(seconds=15)
        for n in range(number):
            at = first + datetime.timedelta(milliseconds=n * 23)
            pruned.topics.produce("ticks", json.dumps({"job": one_row.JOB, "scheduled_at": at.isoformat(), "args": {"id": 0}}), key=str(n))
        pruned.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'waiting'", until=number, deadline_s=60)
        pruned.database.wait("SELECT now() > %s - interval '2 seconds'", [first], until=True, deadline_s=60)
        pruned.topics.produce_many("ticks", ticks(EMPTY, backlog))
        pruned.database.wait("SELECT count(*) FROM pruned.runs WHERE state = 'finished'", until=1 + 64 + backlog + number, deadline_s=600)
        of = pruned.database.row(BACKLOG, [EMPTY])
        late = pruned.database.column("SELECT extract(epoch FROM started_at - due_at)::float8 * 1000 FROM pruned.runs"
                                      " WHERE job = %s AND due_at BETWEEN %s AND %s ORDER BY 1", [one_row.JOB, first, of["ended"]])
        if len(late) < number // 4:
            raise RuntimeError(f"only {len(late)} of {number} runs were due before the backlog's end")
    template.drop()
    for name, at, most in (("p50", len(late) // 2, None), ("p99", len(late) * 99 // 100, 20)):
        report.add("c", f"due to started, with a backlog, {name}", late[at], "ms", at_most=most, detail={"runs": len(late), "backlog": backlog})


def tick_to_started(stage, report, quick):
    """Measured twice: a broker that was just started still compiles its code."""
    number = 100 if quick else 500
    template = stage.template(nothing)
    with stage.installation(template) as pruned:
        daemon = pruned.start()
        daemon.wait_line("Partitions assigned")
        since, done, took = _warm(pruned), 1, []
        for _ in range(2):
            report.say(f"{number} ticks one after the other")
            # The tick's time is Kafka's, truncated to milliseconds.
            for _ in range(number):
                pruned.topics.produce("ticks", json.dumps({"job": EMPTY}), key=EMPTY)
                time.sleep(0.047)
            done += number
            took.append(_percentiles(pruned, done, since))
            since = pruned.database.value("SELECT max(due_at) FROM pruned.runs")
    template.drop()
    for name, at_most, before, ms in zip(("p50", "p99"), (4, 12), *took):
        report.add("c", f"tick produced to step started, {name}", ms, "ms", at_most=at_most, aim=at_most,
                   detail={"before_it_was_warm": before})
