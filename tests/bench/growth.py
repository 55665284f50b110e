"""A job at full size and at a tenth of it: does a row cost more when the tables are larger?"""

import dataclasses
import statistics

from stack.process import wait_until
from support.places import ROLE

from cost import Cost
from one_run import ended

AUDIT = """SELECT table_name, sum(jsonb_array_length(keys))::int AS rows, sum(jsonb_array_length(rows))::int AS texts
    FROM {} WHERE action = 'deleted' GROUP BY 1 ORDER BY 1"""


@dataclasses.dataclass
class Measured:
    rows: int
    seconds: float
    pages: int
    buffers: int
    cpu_us_each: dict
    left: object
    deleted: object

    @property
    def speed(self):
        return self.rows / self.seconds

    @property
    def cpu_us(self):
        """Without the broker's CPU: most of that is its own start-up."""
        return self.cpu_us_each["caller"] + self.cpu_us_each["postgres"]

    def detail(self):
        return {"rows": self.rows, "pages": self.pages, "buffers_per_page": round(self.buffers / self.pages),
                "buffers_per_row": round(self.buffers / self.rows, 1), "cpu_us_each": self.cpu_us_each}


def buffers(database):
    """Buffers that the daemon's statements in DATABASE have read since forget_statements."""
    return int(database.value("SELECT sum(shared_blks_hit + shared_blks_read) FROM pg_stat_statements"
                              " WHERE userid = %s::regrole AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())",
                              [ROLE]))


def by_pruned(stage, template, tick, job, counter, left, paused=()):
    """Sends TICK and waits for the run of JOB (the tick's own run, or its child). COUNTER of the
    result is the number of rows."""
    with stage.installation(template) as pruned:
        for other in paused:
            pruned.run("pause", other).ok()
        pruned.database.execute("CREATE EXTENSION pg_stat_statements")
        daemon = pruned.start()
        daemon.wait_line("Partitions assigned")
        stage.forget_statements()
        cost = Cost(stage, daemon.pid)
        pruned.topics.tick(tick)
        run_id = pruned.database.wait("SELECT run_id FROM pruned.runs WHERE job = %s", [job])
        row = wait_until(lambda: ended(pruned, run_id), 3600, f"end of {job}", poll_s=0.2)
        if row["state"] != "finished" or row["result"]["status"] != "completed":
            raise RuntimeError(f"{job} ended as {row}")
        rows = row["result"][counter]
        return Measured(rows, (row["finished_at"] - row["started_at"]).total_seconds(), row["step"],
                        buffers(pruned.database), cost.each(rows), pruned.database.row(left),
                        pruned.database.rows(AUDIT.format("pruned.deletions")))


def by_hand(stage, template, remove, left):
    """Runs REMOVE(url) -> (rows, seconds), which audits into baseline_deletions. Returns the speed,
    and what must be equal in both."""
    database = stage.copy(template)
    try:
        rows, seconds = remove(database.url)
        return rows / seconds, database.row(left), database.rows(AUDIT.format("baseline_deletions"))
    finally:
        database.drop()


AIMS = {"users.destroy": 600, "users.refresh_authorizations": 2_000}


def add(report, part, name, unit, tenth, whole):
    """Adds the figures of both sizes, and the ratio of the costs of a row."""
    report.add(part, name, whole.speed, unit, aim=AIMS.get(name), detail=whole.detail())
    report.add(part, f"{name}, a tenth of everything", tenth.speed, unit, detail=tenth.detail())
    report.add(part, f"{name}: CPU a row, all / a tenth", whole.cpu_us / tenth.cpu_us, "ratio", at_most=1.3)
    # Buffers have no limit: a small table is read as a whole, which takes fewer buffers but not
    # less work.
    report.add(part, f"{name}: buffers a row, all / a tenth",
               (whole.buffers / whole.rows) / (tenth.buffers / tenth.rows), "ratio")


def against_by_hand(stage, report, part, name, unit, fill, remove, left, shares, rounds, ask):
    """FILL(share) fills a database; ASK = (tick, job, counter). `pruned` does both sizes; the full
    size is also done by hand."""
    small, large, hand = [], [], []
    for share, found in zip(shares, (small, large)):
        template = stage.template(fill(share))
        try:
            for number in range(rounds):
                report.say(f"{name}, {share:g} of everything, round {number + 1} of {rounds}")
                found.append(by_pruned(stage, template, *ask, left))
                if found is large:
                    speed, *wanted = by_hand(stage, template, remove, left)
                    hand.append(speed)
                    if [found[-1].left, found[-1].deleted] != wanted:
                        raise RuntimeError(f"not the same effects:\nby hand {wanted}\npruned  {[found[-1].left, found[-1].deleted]}")
        finally:
            template.drop()
    middle = [sorted(found, key=lambda m: m.speed)[len(found) // 2] for found in (small, large)]
    add(report, part, name, unit, *middle)
    report.add(part, f"{name} by hand in SQL", statistics.median(hand), unit, detail={"all": hand})
    report.add(part, f"{name}: pruned / by hand", statistics.median(m.speed / h for m, h in zip(large, hand)), "ratio", at_least=0.5)
