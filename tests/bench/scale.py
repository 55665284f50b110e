"""The same work by one, two and four processes, and with a table of a tenth of the size: what
scales, and what does not."""

import statistics

import data
import one_row
import removal
from cost import Cost
from throughput import EMPTY, nothing, once_through, ticks, wait_outcomes

PROCESSES = (1, 2, 4)
ROUNDS = 3


class Costs:
    """The CPU of several daemons; that of the servers is counted once."""

    def __init__(self, stage, daemons):
        self._costs = [Cost(stage, daemon.pid) for daemon in daemons]

    def each(self, number):
        all_of_them = [cost.each(number) for cost in self._costs]
        callers = sum(one["caller"] for one in all_of_them)
        return all_of_them[0] | {"caller": callers, "sum": all_of_them[0]["sum"] - all_of_them[0]["caller"] + callers}


def worked_off(stage, template, messages, number, processes):
    """Runs a second from the first row of the ledger to the last end, and microseconds of CPU a
    run."""
    with stage.installation(template, {"topics.partitions": 8}) as pruned:
        for _ in range(processes):
            pruned.start().wait_line("Partitions assigned")
        cost = Costs(stage, pruned.daemons)
        pruned.topics.produce_many("ticks", messages(number))
        wait_outcomes(pruned, number)
        each = cost.each(number)
        seconds = pruned.database.value("SELECT extract(epoch FROM max(finished_at) - min(created_at))::float8 FROM pruned.runs")
        return number / seconds, each


def processes(stage, report, quick):
    number = 5_000 if quick else 40_000
    for words, fill, messages in (("empty runs", nothing, lambda n: ticks(EMPTY, n)), ("runs that remove one row", one_row.fill, one_row.ticks)):
        report.say(f"{number} {words}, by {', '.join(map(str, PROCESSES))} processes")
        template = stage.template(fill)
        try:
            speeds = {n: [] for n in PROCESSES}
            for _ in range(ROUNDS):
                for n in PROCESSES:
                    speed, each = worked_off(stage, template, messages, number, n)
                    speeds[n].append((speed, each))
        finally:
            template.drop()
        for n in PROCESSES:
            report.add("s", f"{words}, processes: {n}", statistics.median(s for s, _ in speeds[n]), "runs/s",
                       detail={"all": [round(s) for s, _ in speeds[n]], "cpu_us_each": speeds[n][-1][1]})


def growth(stage, report, quick):
    """Expired members: CPU of a row with the table at full size, and at a tenth of it."""
    members = 100_000 if quick else 1_000_000
    cpu = {}
    for number in (members // 10, members):
        report.say(f"remove_expired of {number} members")
        template = stage.template(data.filler(number, data.SPREAD))
        try:
            runs = [removal.by_pruned(stage, template) for _ in range(ROUNDS)]
        finally:
            template.drop()
        cpu[number] = statistics.median(run.cpu_us for run in runs)
    add_growth(report, "remove_expired, by the members", cpu)


def add_growth(report, name, cpu):
    """CPU: microseconds of a run, or a row, by a size and by ten times that."""
    small, large = sorted(cpu)
    report.add("s", f"{name}: CPU each, all / a tenth", cpu[large] / cpu[small], "ratio", at_most=1.3, detail={"cpu_us_each": cpu})


def cpu_of_runs(stage, report, template, number):
    """Without the broker's: most of that is its own start-up."""
    of = [once_through(stage, report, template, number)[1] for _ in range(ROUNDS)]
    return statistics.median(each["caller"] + each["postgres"] for each in of)


def growth_of_backlog(stage, report, quick):
    number = 100_000 if quick else 300_000
    template, cpu = stage.template(nothing), {}
    try:
        for backlog in (number // 10, number):
            report.say(f"a backlog of {backlog} empty runs")
            cpu[backlog] = cpu_of_runs(stage, report, template, backlog)
    finally:
        template.drop()
    add_growth(report, "empty runs, by the backlog", cpu)


# Too young for the archive, so that its work is not measured.
ENDED = """
INSERT INTO pruned.runs (run_id, scheduled_at, due_at, started_at, published_at, finished_at, step, state, job, result)
SELECT gen_random_uuid(), now() - interval '1 day', now(), now(), now(), now(), 1, 'finished', %s, '{"status": "completed"}'
FROM generate_series(1, %s)"""


def growth_of_ledger(stage, report, quick):
    number, runs, cpu = 200_000 if quick else 2_000_000, 20_000, {}
    for ended in (number // 10, number):
        report.say(f"{runs} empty runs in a ledger of {ended}")
        template = stage.template(lambda database, ended=ended: database.execute(ENDED, [EMPTY, ended]))
        try:
            cpu[ended] = cpu_of_runs(stage, report, template, runs)
        finally:
            template.drop()
    add_growth(report, "empty runs, by the ledger", cpu)


def scale(stage, report, quick):
    processes(stage, report, quick)
    growth(stage, report, quick)
    growth_of_backlog(stage, report, quick)
    growth_of_ledger(stage, report, quick)
