"""What 300 jobs without work cost, compared with none: the start, and memory and CPU of the idle
daemon."""

import statistics
import time

from cost import own_s, with_children_s
from support.places import ROLE

JOBS = 300
TABLE = "CREATE TABLE kept_{n} (id uuid PRIMARY KEY, note text, expires_at timestamptz NOT NULL)"
SENTENCE = """[retention kept.days_{n}]
table = kept_{n}
where = expires_at < :T - interval '30 days'
schedule = 30 3 1 1 *
"""


def fill(database):
    for n in range(JOBS):
        database.execute(TABLE.format(n=n))
    database.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO " + ROLE)


def written(stage, number):
    """A folder with NUMBER sentences, each in a file of its own."""
    folder = stage.folder / f"sentences-{number}"
    folder.mkdir()
    for n in range(number):
        (folder / f"kept.days_{n}.conf").write_text(SENTENCE.format(n=n))
    return folder


def measure(stage, report, template, jobs_dir, seconds):
    """Megabytes, and CPU as a percentage of a core, ten seconds after the start; the start in
    seconds, and its CPU (the checks are PostgreSQL's, for the most part)."""
    with stage.installation(template, {"run.jobs": "none", "run.jobs_dir": jobs_dir}, defaults=True) as pruned:
        postgres, asked = with_children_s(stage.postgres.process.pid), time.monotonic()
        daemon = pruned.start()
        daemon.wait_line("Partitions assigned")
        start, start_cpu = time.monotonic() - asked, with_children_s(daemon.pid) + with_children_s(stage.postgres.process.pid) - postgres
        time.sleep(10)
        before, began = own_s(daemon.pid), time.monotonic()
        time.sleep(seconds)
        used = 100 * (own_s(daemon.pid) - before) / (time.monotonic() - began)
        return report.memory(daemon.pid, "VmRSS"), used, start, start_cpu


def many(stage, report, quick):
    rounds, seconds = (1, 10) if quick else (3, 20)
    folders, found = [written(stage, number) for number in (0, JOBS)], ([], [])
    template = stage.template(fill)
    try:
        for n in range(rounds):
            report.say(f"no sentence and {JOBS}, idle, round {n + 1} of {rounds}")
            for folder, measured in zip(folders, found):
                measured.append(measure(stage, report, template, folder, seconds))
    finally:
        template.drop()
    for n, (what, unit, most) in enumerate((("resident memory", "MB", 10), ("CPU when idle", "% of a core", 0.2),
                                            ("seconds of start", "s", 3), ("CPU of start", "s", 2))):
        none, all_ = [one[n] for one in found[0]], [one[n] for one in found[1]]
        report.add("h", f"{what} that {JOBS} sentences add", statistics.median(all_) - statistics.median(none), unit, at_most=most,
                   detail={"none": none, f"{JOBS}": all_})
