"""The plans of a step's statements on a million rows, as PostgreSQL ran them: pages of a thousand
members, and messages that remove one row each."""

import re

import one_row
import removal
import data
from one_run import run_once
from support.database import connect
from throughput import wait_outcomes

ROWS, MESSAGES = 1_000_000, 500
EXPLAIN = {"log_min_duration": "0", "log_analyze": "on", "log_buffers": "on", "log_timing": "off"}
# what is shown: a part of its text that no other statement has
OF_A_PAGE = {"the search for a page": r"^\s*SELECT.*FROM members.*ORDER BY", "the DELETE with its audit record": r"DELETE FROM members"}
OF_A_MESSAGE = {"the DELETE with its audit records": r"DELETE FROM bench_rows"}
OF_A_STEP = {"the fence": r"AS range_goes.*FOR NO KEY UPDATE SKIP LOCKED", "the advance": r"UPDATE pruned\.runs r\s+SET step = u\.step", "the outbox": r"INSERT INTO pruned\.unpublished"}
ENTRY = re.compile(r"LOG:  duration: [0-9.]+ ms  plan:\n\tQuery Text: (.*?)(?=^\S)", re.S | re.M)
NODE = re.compile(r"^\t(\w[^\n]*\((?:cost|actual)[^\n]*)$", re.M)
WIDTH = 150
LEDGER = f"""INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job)
SELECT gen_random_uuid(), now(), now() + interval '1 day' + n * interval '1 ms', 'waiting', 'ci.delete_objects' FROM generate_series(1, {ROWS}) n"""


def with_ledger(fill):
    def both(database):
        fill(database)
        database.execute(LEDGER)
    return both


def explain(database):
    for name, value in EXPLAIN.items():
        database.execute(f"ALTER DATABASE {database.name} SET auto_explain.{name} = {value}")


def plans(log):
    """(the statement's text, its plan), in their order."""
    for entry in ENTRY.finditer(log):
        node = NODE.search(entry.group(1))
        if node is not None:
            yield entry.group(1)[:node.start()], entry.group(1)[node.start():]


def show(report, title, log, wanted):
    """The last plan of each: PostgreSQL has decided by then whether it keeps one."""
    found = {}
    for text, plan in plans(log):
        for what, part in wanted.items():
            if re.search(part, text, re.S):
                found[what] = plan
    if missing := wanted.keys() - found.keys():
        raise RuntimeError(f"{title}: no plan of {missing}")
    for what in wanted:
        lines = [line.strip("\n\t")[:WIDTH] for line in found[what].splitlines() if line.strip()]
        report.say(f"{title}: {what}\n" + "\n".join(lines))


def of_page(stage, report, rows):
    template = stage.template(with_ledger(data.filler(rows, data.SPREAD)))
    with stage.installation(template, removal.settings()) as pruned:
        explain(pruned.database)
        start = stage.postgres.log.stat().st_size
        run_once(stage, pruned, removal.JOB)
        show(report, "a page of 1,000 members", text_from(stage, start), OF_A_PAGE | OF_A_STEP)
    template.drop()


def of_messages(stage, report):
    template = stage.template(with_ledger(one_row.fill))
    with stage.installation(template, {"topics.partitions": 8}) as pruned:
        explain(pruned.database)
        start = stage.postgres.log.stat().st_size
        pruned.topics.produce_many("ticks", one_row.ticks(MESSAGES))
        pruned.start()
        wait_outcomes(pruned, 2 * MESSAGES)
        show(report, "messages that remove one row", text_from(stage, start), OF_A_MESSAGE | OF_A_STEP)
    template.drop()


def text_from(stage, start):
    with open(stage.postgres.log, errors="replace") as log:
        log.seek(start)
        return log.read()


def step_plans(stage, report, quick):
    of_page(stage, report, 100_000 if quick else ROWS)
    of_messages(stage, report)
