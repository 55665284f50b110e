"""A message that removes one row: from the tick until the row is gone, audited and announced;
compared with a hand-written consumer."""

import datetime
import json
import os
import statistics

from support.places import ROLE
from support.topics import Topics

from baseline_one_row import consume
from cost import Cost
from throughput import BEGAN, wait_outcomes

JOB, ROWS, BATCH = "bench.one", 1_000_000, 500
FILL = f"""
CREATE TABLE bench_rows (id bigint PRIMARY KEY, owner bigint NOT NULL, note text NOT NULL, at timestamptz NOT NULL DEFAULT now());
GRANT SELECT, DELETE ON bench_rows TO {ROLE};
INSERT INTO bench_rows (id, owner, note) SELECT i, i % 1000, md5(i::text) FROM generate_series(1, {ROWS}) i;
CREATE INDEX ON bench_rows (owner)"""


def filler(rows):
    return lambda database: database.connection.execute(FILL.replace(str(ROWS), str(rows)))


fill = filler(ROWS)


def ticks(number):
    """Each names another row; the rows are spread over the table."""
    for n in range(number):
        at = BEGAN + datetime.timedelta(milliseconds=n)
        yield str(n), json.dumps({"job": JOB, "scheduled_at": at.isoformat(), "args": {"id": n * (ROWS // number) + 1}})


def check(database, number, audit):
    gone = ROWS - database.value("SELECT count(*) FROM bench_rows")
    audited = database.value(f"SELECT sum(jsonb_array_length(keys)) FROM {audit}")
    if gone != number or audited != number:
        raise RuntimeError(f"{number} messages, {gone} rows gone, {audited} audited")


def by_hand(stage, template, number, batch):
    """Messages a second, microseconds of CPU a message."""
    database, topics = stage.copy(template), Topics(stage.kafka.bootstrap, f"bench-{os.getpid()}-hand")
    try:
        for name in ("ticks", "outcomes"):
            topics.make(name, 8)
        topics.produce_many("ticks", ticks(number))
        cost = Cost(stage, os.getpid())
        speed = consume(database.url, topics.bootstrap, topics.full("ticks"), topics.full("outcomes"), number, batch)
        each = cost.each(number)
        check(database, number, "baseline_deletions")
        return speed, each
    finally:
        topics.remove()
        database.drop()


def by_pruned(stage, template, number, **settings):
    """Runs a second from the first row of the ledger to the last end, microseconds of CPU a run."""
    with stage.installation(template, {"topics.partitions": 8} | settings) as pruned:
        pruned.topics.produce_many("ticks", ticks(number))
        daemon = pruned.start()
        cost = Cost(stage, daemon.pid)
        wait_outcomes(pruned, 2 * number)  # RowProcessed and RunFinished
        each = cost.each(number)
        check(pruned.database, number, "pruned.deletions")
        seconds = pruned.database.value("SELECT extract(epoch FROM max(finished_at) - min(created_at))::float8 FROM pruned.runs")
        return number / seconds, each


def one_row(stage, report, quick):
    number, rounds = (5_000, 1) if quick else (20_000, 3)
    report.say(f"{number} messages that remove one row each, of {ROWS} rows")
    template = stage.template(fill)
    ways = {"by hand, one a transaction": lambda: by_hand(stage, template, number, 1),
            f"by hand, batches of {BATCH}": lambda: by_hand(stage, template, number, BATCH),
            "by pruned": lambda: by_pruned(stage, template, number)}
    speeds, costs = {way: [] for way in ways}, {}
    try:
        by_pruned(stage, template, number)  # a broker that was just started still compiles its code
        for _ in range(rounds):
            for way, go in ways.items():
                speed, costs[way] = go()
                speeds[way].append(speed)
    finally:
        template.drop()
    ours = speeds["by pruned"]
    for way, theirs in speeds.items():
        report.add("b", f"a message that removes one row, {way}", statistics.median(theirs), "messages/s",
                   aim=5_000 if theirs is ours else None, detail={"all": theirs, "cpu_us_each": costs[way]})
        if theirs is not ours:
            report.add("b", f"a message that removes one row, by pruned / {way}", statistics.median(a / b for a, b in zip(ours, theirs)), "ratio")
    report.add("b", "a message that removes one row, by pruned: CPU of PostgreSQL", costs["by pruned"]["postgres"] / 1000, "ms", at_most=0.35)
