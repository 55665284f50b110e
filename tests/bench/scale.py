"""The same work by one, two and four processes, and with a table of a tenth of the size: what scales, and what does not."""

import statistics

import data
import one_row
import removal
from cost import Cost
from throughput import EMPTY, nothing, ticks, wait_outcomes

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
    """Runs a second from the first row of the ledger to the last end, and microseconds of CPU a run."""
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
    report.add("s", "remove_expired: CPU a row, all / a tenth of the members", cpu[members] / cpu[members // 10], "ratio", at_most=1.3,
               detail={"cpu_us_each": cpu})


def scale(stage, report, quick):
    processes(stage, report, quick)
    growth(stage, report, quick)
