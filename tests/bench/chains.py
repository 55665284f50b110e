"""Steps of one row: chains over eight lanes, each of which removes its rows one by one."""

import datetime
import json

import one_row
from cost import Cost
from throughput import BEGAN, wait_outcomes

JOB, LANES = "bench.chain", 8


def ticks(chains):
    for owner in range(chains):
        at = BEGAN + datetime.timedelta(milliseconds=owner)
        yield str(owner), json.dumps({"job": JOB, "scheduled_at": at.isoformat(), "args": {"owner": owner}})


def fill(chains, each):
    def build(database):
        one_row.filler(chains * each)(database)
        database.execute(f"UPDATE bench_rows SET owner = id % {chains}")
        database.execute("CREATE INDEX ON bench_rows (owner, id)")
    return build


def once_through(stage, template, chains, each):
    with stage.installation(template, {"topics.partitions": LANES}) as pruned:
        pruned.topics.produce_many("ticks", ticks(chains))
        daemon = pruned.start()
        cost = Cost(stage, daemon.pid)
        wait_outcomes(pruned, chains * each + chains)  # RowProcessed and RunFinished
        cpu = cost.each(chains * each)
        if pruned.database.value("SELECT count(*) FROM bench_rows") != 0:
            raise RuntimeError("rows are left")
        row = pruned.database.row("SELECT sum(step)::bigint AS steps, extract(epoch FROM max(finished_at) - min(started_at))::float8 AS seconds"
                                  " FROM pruned.runs")
        return row["steps"] / row["seconds"], cpu


def chains(stage, report, quick):
    number, each = (64, 40) if quick else (64, 400)
    report.say(f"{number} chains of {each} rows, one row a step, over {LANES} lanes")
    template = stage.template(fill(number, each))
    # a broker that was just started still compiles its code
    once_through(stage, template, number, each)
    speed, cpu = once_through(stage, template, number, each)
    template.drop()
    report.add("b", "steps of one row, a chain each", speed, "steps/s", aim=3_000, detail={"chains": number, "cpu_us_each": cpu})
