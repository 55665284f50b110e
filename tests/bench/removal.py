"""members.remove_expired: beside the same effects written by hand, and through a backlog of one date."""

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


def by_hand(stage, template):
    database = stage.copy(template)
    try:
        cost = Cost(stage, os.getpid())
        rows, seconds = remove_expired(database.url, data.TODAY.isoformat())
        return rows / seconds, cost.each(rows), (database.row(LEFT), database.rows(AUDIT.format("baseline_deletions")))
    finally:
        database.drop()


def by_pruned(stage, template, **more):
    with stage.installation(template, settings() | {f"jobs.{JOB}.{key}": value for key, value in more.items()}) as pruned:
        row, _ = run_once(stage, pruned, JOB)
        left = pruned.database.row(LEFT), pruned.database.rows(AUDIT.format("pruned.deletions"))
        return row["speed"], row["cpu_us_each"], left, row["result"]


def against_by_hand(stage, report, quick):
    members, rounds = (100_000, 2) if quick else (1_000_000, 3)
    template = stage.template(data.filler(members, data.SPREAD))
    hand, ours, divided = [], [], []
    try:
        for number in range(rounds):
            report.say(f"remove_expired, round {number + 1} of {rounds}")
            speed, cpu_by_hand, wanted = by_hand(stage, template)
            hand.append(speed)
            speed, cpu, found, result = by_pruned(stage, template)
            ours.append(speed)
            if found != wanted:
                raise RuntimeError(f"not the same effects:\nby hand {wanted}\npruned  {found}")
            speed, cpu_divided, found, _ = by_pruned(stage, template, ranges=2)
            divided.append(speed)
            if found[0]["members"] != wanted[0]["members"]:  # which of several owners stays depends on the order
                raise RuntimeError(f"not the same effects:\nby hand {wanted}\nin two ranges {found}")
    finally:
        template.drop()
    report.add("a", "remove_expired by hand in SQL", statistics.median(hand), "rows/s",
               detail={"all": hand, "members": members, "removed": result["removed"], "kept": result["kept"],
                       "cpu_us_each": cpu_by_hand})
    report.add("a", "remove_expired by pruned", statistics.median(ours), "rows/s", detail={"all": ours, "cpu_us_each": cpu})
    report.add("a", "pruned / by hand", statistics.median(o / h for o, h in zip(ours, hand)), "ratio", at_least=0.8)
    report.add("a", "remove_expired in two ranges", statistics.median(divided), "rows/s", detail={"all": divided, "cpu_us_each": cpu_divided})
    report.add("a", "pruned in two ranges / by hand", statistics.median(o / h for o, h in zip(divided, hand)), "ratio", at_least=0.9)


def brakes(stage, report, quick):
    """Runs with limits, which are counted, and runs without, in pairs; the one that is first changes from pair to pair. The CPU (of the
    daemon and PostgreSQL) beside the time, because on a shared machine it varies less."""
    members, pairs = (100_000, 3) if quick else (300_000, 9)
    template = stage.template(data.filler(members, data.SPREAD))
    both = {"above": [], "never": []}
    try:
        for number in range(pairs):
            report.say(f"remove_expired with and without limits, pair {number + 1} of {pairs}")
            for approve in sorted(both, reverse=number % 2 == 1):
                speed, cpu, left, _ = by_pruned(stage, template, approve=approve)
                both[approve].append((speed, cpu["caller"] + cpu["postgres"], left))
            if both["above"][-1][2] != both["never"][-1][2]:
                raise RuntimeError("limits that hold nothing change what is left")
    finally:
        template.drop()
    pairs_of = list(zip(both["above"], both["never"]))
    for name, ratios in (("speed with limits / without", [w[0] / o[0] for w, o in pairs_of]),
                         ("CPU without limits / with", [o[1] / w[1] for w, o in pairs_of])):
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
    first, slowest = statistics.median(pages[:tenth]), statistics.median(sorted(pages)[-tenth:])
    report.add("f", "backlog of one date", row["result"]["removed"] / row["seconds"], "rows/s",
               detail={"members": members, "pages": len(pages), "first_tenth_s": first, "slowest_tenth_s": slowest,
                       "last_tenth_s": statistics.median(pages[-tenth:])})
    report.add("f", "slowest tenth of pages / first tenth", slowest / first, "ratio", at_most=3)
    report.add("f", "resident memory meanwhile", most, "MB", at_most=50)
