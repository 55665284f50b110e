"""members.remove_expired: beside the same effects written by hand, and through a backlog of one
date."""

import dataclasses
import os
import statistics

from baseline_remove_expired import remove_expired
import data
from cost import Cost
from one_run import run_once

JOB = "members.remove_expired"
# Both must leave the same rows.
LEFT = """SELECT (SELECT count(*) FROM members) AS members,
    (SELECT coalesce(sum(hashint8extended(id, 1) / 1024), 0)::text FROM members) AS which,
    (SELECT count(*) FROM notification_settings) AS notification_settings,
    (SELECT count(*) FROM todos WHERE state = 'pending') AS pending_todos,
    (SELECT count(*) FROM pruned.dirty_users) AS dirty_users"""
AUDIT = """SELECT table_name, action, sum(jsonb_array_length(keys))::int AS rows, sum(jsonb_array_length(rows))::int AS texts
    FROM {} GROUP BY 1, 2 ORDER BY 1, 2"""


def settings(page=1000):
    return {f"jobs.{JOB}.delay_ms": 0, f"jobs.{JOB}.batch": page}


@dataclasses.dataclass
class Measured:
    speed: float
    cpu_us_each: dict
    left: dict
    audit: list
    result: dict = None

    @property
    def cpu_us(self):
        """Without the broker's CPU: most of that is its own start-up."""
        return self.cpu_us_each["caller"] + self.cpu_us_each["postgres"]


def by_hand(stage, template, audited=True):
    database = stage.copy(template)
    try:
        cost = Cost(stage, os.getpid())
        rows, seconds = remove_expired(database.url, data.TODAY.isoformat(), audited=audited)
        return Measured(rows / seconds, cost.each(rows), database.row(LEFT), database.rows(AUDIT.format("baseline_deletions")))
    finally:
        database.drop()


def by_pruned(stage, template, ranges=1, others=None, **more):
    """OTHERS: settings that are not the job's."""
    more = {f"jobs.{JOB}.{key}": value for key, value in more.items()} | {f"jobs.{JOB}.ranges": ranges}
    with stage.installation(template, settings() | more | (others or {})) as pruned:
        row, _ = run_once(stage, pruned, JOB, ranges=ranges)
        return Measured(row["speed"], row["cpu_us_each"], pruned.database.row(LEFT),
                        pruned.database.rows(AUDIT.format("pruned.deletions")), row["result"])


HAND, BARE, OURS, DIVIDED = ("remove_expired by hand in SQL", "remove_expired by hand in SQL without audit",
                             "remove_expired by pruned", "remove_expired in two ranges")
RATIOS = {
    "pruned / by hand": (OURS, HAND, {"at_least": 0.8}),
    "pruned / by hand without audit": (OURS, BARE, {"aim": 0.65}),
    "pruned in two ranges / by hand": (DIVIDED, HAND, {"at_least": 0.9}),
    "pruned in two ranges / by hand without audit": (DIVIDED, BARE, {"aim": 0.9}),
}


def check(found):
    """All must have the same effects. Of several owners another one may stay in two ranges: it
    depends on the order."""
    hand = found[HAND]
    if not ((found[OURS].left, found[OURS].audit) == (hand.left, hand.audit) and (found[BARE].left, found[BARE].audit) == (hand.left, [])
            and found[DIVIDED].left["members"] == hand.left["members"]):
        raise RuntimeError(f"not the same effects: {found}")


def against_by_hand(stage, report, quick):
    """Each way once a round, in an order that turns round with each; a ratio is of two speeds of
    one round."""
    members, rounds = (100_000, 2) if quick else (1_000_000, 3)
    template = stage.template(data.filler(members, data.SPREAD))
    ways = {HAND: lambda: by_hand(stage, template), BARE: lambda: by_hand(stage, template, audited=False),
            OURS: lambda: by_pruned(stage, template), DIVIDED: lambda: by_pruned(stage, template, ranges=2)}
    found = []
    try:
        for number in range(rounds):
            report.say(f"remove_expired, round {number + 1} of {rounds}")
            found.append({name: ways[name]() for name in (reversed(ways) if number % 2 else ways)})
            check(found[-1])
    finally:
        template.drop()
    last = found[-1]
    for name in ways:
        speeds = [one[name].speed for one in found]
        report.add("a", name, statistics.median(speeds), "rows/s", detail={
            "all": speeds, "members": members, "removed": last[OURS].result["removed"], "kept": last[OURS].result["kept"],
            "cpu_us_each": last[name].cpu_us_each})
    for name, (ours, theirs, wanted) in RATIOS.items():
        ratios = [one[ours].speed / one[theirs].speed for one in found]
        report.add("a", name, statistics.median(ratios), "ratio", **wanted, detail={"all": [round(ratio, 3) for ratio in ratios]})


NO_THRESHOLDS = {f"throttle.{name}": "off" for name in (
    "standby_lag_bytes", "standby_lag_s", "slot_lag_bytes", "wal_bytes_per_s", "wal_unarchived_files", "old_transaction_s", "lock_waiters",
    "min_free_bytes")}


def in_pairs(stage, report, quick, what, with_it, without):
    """WITH_IT and WITHOUT: settings of the job, and others. The ratios of each pair, in turn one of
    them first. The CPU (of the daemon and PostgreSQL) beside the time, because on a shared machine
    it varies less."""
    members, pairs = (100_000, 3) if quick else (300_000, 9)
    template = stage.template(data.filler(members, data.SPREAD))
    found = []
    try:
        for number in range(pairs):
            report.say(f"remove_expired with and without {what}, pair {number + 1} of {pairs}")
            ways = [(1, without), (0, with_it)]
            pair = dict((at, by_pruned(stage, template, others=others, **own)) for at, (own, others) in (ways[::-1] if number % 2 else ways))
            found.append((pair[0], pair[1]))
            if (pair[0].left, pair[0].audit) != (pair[1].left, pair[1].audit):
                raise RuntimeError(f"{what}: not the same is left")
    finally:
        template.drop()
    return [w.speed / o.speed for w, o in found], [o.cpu_us / w.cpu_us for w, o in found]


def brakes(stage, report, quick):
    """Runs with limits, which are counted, and with thresholds, and runs without both."""
    speeds, cpu = in_pairs(stage, report, quick, "limits", ({"approve": "above"}, None), ({"approve": "never"}, NO_THRESHOLDS))
    for name, ratios in (("speed with limits / without", speeds), ("CPU without limits / with", cpu)):
        report.add("a", name, statistics.median(ratios), "ratio", at_least=0.97, detail={"all": [round(r, 3) for r in ratios]})


def told(stage, report, quick):
    """Runs whose rows are all told, and runs of which no event has named a row."""
    speeds, cpu = in_pairs(stage, report, quick, "outcomes of all rows", ({"outcomes": "all"}, None), ({"outcomes": "events"}, None))
    for name, ratios in (("speed with outcomes = all / events", speeds), ("CPU with outcomes = events / all", cpu)):
        report.add("a", name, statistics.median(ratios), "ratio", at_least=0.87, detail={"all": [round(r, 3) for r in ratios]})
    speeds, cpu = in_pairs(stage, report, quick, "answers to events", ({"outcomes": "events"}, None), ({"outcomes": "none"}, None))
    for name, ratios in (("speed with outcomes = events / none", speeds), ("CPU with outcomes = none / events", cpu)):
        report.add("a", name, statistics.median(ratios), "ratio", at_least=0.97, detail={"all": [round(r, 3) for r in ratios]})


def one_date(stage, report, quick):
    members = 100_000 if quick else 1_000_000
    report.say(f"backlog of {members} expired members of one date")
    template = stage.template(data.filler(members, data.ONE_DATE))
    try:
        with stage.installation(template, settings()) as pruned:
            row, daemon = run_once(stage, pruned, JOB, 3600)
            pages = [line["duration_s"] for line in daemon.lines("Finished", job=JOB)]
            most = report.memory(daemon.pid, "VmHWM")
    finally:
        template.drop()
    tenth = max(len(pages) // 10, 1)
    first, last, slowest = (statistics.median(some) for some in (pages[:tenth], pages[-tenth:], sorted(pages)[-tenth:]))
    report.add("f", "backlog of one date", row["result"]["removed"] / row["seconds"], "rows/s",
               detail={"members": members, "pages": len(pages), "first_tenth_s": first, "slowest_tenth_s": slowest,
                       "last_tenth_s": last})
    report.add("f", "last tenth of pages / first tenth", last / first, "ratio", at_most=1.3)
    report.add("f", "slowest tenth of pages / first tenth", slowest / first, "ratio", at_most=3)
    report.add("f", "resident memory meanwhile", most, "MB", at_most=50)
