"""Rows that go by their age: whole partitions beside the rows of the same partitions, by two
sentences."""

import statistics

from one_run import run_once
from support.places import ROLE

DAYS, KEPT = 40, 9  # a day has a partition
ROWS = {"whole partitions": "drop_partitions_older_than = 9 days", "its rows": "where = at < (date_trunc('day', :T::timestamp) - interval '9 days')::timestamptz\nranges = 1"}
FILL = f"""
CREATE TABLE lines (id bigint, at timestamptz NOT NULL, data text NOT NULL, PRIMARY KEY (at, id)) PARTITION BY RANGE (at);
ALTER TABLE lines OWNER TO {ROLE};
DO $$ BEGIN
  FOR day IN 1 .. {DAYS} LOOP
    EXECUTE format('CREATE TABLE lines_%s PARTITION OF lines FOR VALUES FROM (%L) TO (%L)', day,
                   date_trunc('day', now()) - day * interval '1 day', date_trunc('day', now()) - (day - 1) * interval '1 day');
    EXECUTE format('ALTER TABLE lines_%s OWNER TO {ROLE}', day);
  END LOOP;
END $$;
INSERT INTO lines SELECT i, date_trunc('day', now()) - (1 + mod(i, {DAYS})) * interval '1 day' + mod(i, 80000) * interval '1 s', repeat(md5(i::text), 3)
FROM generate_series(1, %(number)s) i;
ANALYZE lines
"""
LEFT = "SELECT count(*) AS rows, coalesce(sum(id), 0)::text AS which FROM lines"


def filler(number):
    return lambda database: database.execute(FILL.replace("%(number)s", str(number)))


def measure(stage, template, name, rule):
    """(seconds of its run, rows that are left)."""
    job = f"lines.{name.split()[-1]}"
    folder = stage.folder / job
    folder.mkdir(exist_ok=True)
    (folder / f"{job}.conf").write_text(f"[retention {job}]\ntable = lines\n{rule}\n")
    with stage.installation(template, {"run.jobs": "none", "run.jobs_dir": folder}) as pruned:
        row, _ = run_once(stage, pruned, job)
        return row["seconds"], pruned.database.row(LEFT)


def partitions(stage, report, quick):
    number, rounds = (80_000, 2) if quick else (800_000, 3)
    template = stage.template(filler(number))
    try:
        found = {name: [measure(stage, template, name, rule) for _ in range(rounds)] for name, rule in ROWS.items()}
    finally:
        template.drop()
    if len({str(left) for measured in found.values() for _, left in measured}) != 1:
        raise RuntimeError(f"not the same rows are left: {found}")
    gone = number - next(iter(found.values()))[0][1]["rows"]
    speed = {name: gone / statistics.median(seconds for seconds, _ in measured) for name, measured in found.items()}
    for name, value in speed.items():
        report.add("h", f"rows that go by their age, {name}", value, "rows/s",
                   detail={"rows": gone, "partitions": DAYS - KEPT, "seconds": [round(seconds, 3) for seconds, _ in found[name]]})
    whole, rows = speed.values()
    report.add("h", "whole partitions / its rows", whole / rows, "ratio", at_least=1)
