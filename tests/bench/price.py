"""What a removed row costs PostgreSQL by what hangs on it: CPU and write-ahead log with few and
many indexes, with the audit and without, for the removal itself and for the vacuum behind it."""

import statistics

from cost import with_children_s
from one_run import run_once
from support.places import ROLE

JOB = "priced.expired"
INDEXES = (0, 4, 8)  # beside the primary key, and the index that the condition reads
FILL = f"""
CREATE TABLE priced (id bigint PRIMARY KEY, expires_at timestamptz NOT NULL, note text NOT NULL,
    {", ".join(f"c{n} bigint NOT NULL" for n in range(max(INDEXES)))});
INSERT INTO priced
SELECT i, now() + CASE mod(i, 5) WHEN 0 THEN - interval '2 days' - i * interval '1 s' ELSE i * interval '1 s' END, repeat(md5(i::text), 3),
    {", ".join(f"hashint8extended(i, {n})" for n in range(max(INDEXES)))}
FROM generate_series(1, %(number)s) i;
CREATE INDEX ON priced (expires_at);
GRANT SELECT, UPDATE, DELETE ON priced TO {ROLE}"""


def filler(number, indexes):
    def fill(database):
        database.execute(FILL.replace("%(number)s", str(number)))
        for n in range(indexes):
            database.execute(f"CREATE INDEX ON priced (c{n})")
    return fill


def settings(stage, audit):
    folder = stage.folder / f"priced-{audit}"
    folder.mkdir(exist_ok=True)
    (folder / f"{JOB}.conf").write_text(f"[retention {JOB}]\ntable = priced\nwhere = expires_at < :T - interval '1 day'\naudit = {audit}\nranges = 1\n")
    return {"run.jobs": "none", "run.jobs_dir": folder}


def log_bytes(database):
    return int(database.value("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')"))


def removed(stage, template, audit):
    """For each removed row: microseconds of PostgreSQL's CPU and bytes of its log, for the removal,
    then for the vacuum."""
    with stage.installation(template, settings(stage, audit)) as pruned:
        database = pruned.database
        database.execute("ALTER TABLE priced SET (autovacuum_enabled = off)")
        before = log_bytes(database)
        row, daemon = run_once(stage, pruned, JOB)
        daemon.stop()
        rows, written = row["result"]["removed"], log_bytes(database)
        cpu = with_children_s(stage.postgres.process.pid)
        database.execute("VACUUM (INDEX_CLEANUP ON, PARALLEL 0) priced")
        database.close()  # the time of a session counts once it has ended, too
        vacuumed_s = with_children_s(stage.postgres.process.pid) - cpu
        return row["cpu_us_each"]["postgres"], (written - before) / rows, vacuumed_s * 1e6 / rows, (log_bytes(database) - written) / rows


def price(stage, report, quick):
    number, rounds = (100_000, 1) if quick else (1_000_000, 3)
    found = {}
    for indexes in INDEXES:
        template = stage.template(filler(number, indexes))
        try:
            for audit in ("full", "off"):
                report.say(f"{number // 5} of {number} rows, {indexes} further indexes, audit {audit}")
                of = [removed(stage, template, audit) for _ in range(rounds)]
                found[indexes, audit] = [statistics.median(one) for one in zip(*of)]
        finally:
            template.drop()
    names = ("CPU of the removal", "us"), ("log of the removal", "bytes"), ("CPU of the vacuum", "us"), ("log of the vacuum", "bytes")
    for (indexes, audit), values in found.items():
        for (name, unit), value in zip(names, values):
            report.add("p", f"a row with {indexes} further indexes, audit {audit}: {name}", value, unit)
