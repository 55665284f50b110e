"""Tables of the tests' own, and jobs over them that are sentences: sections of a file instead of
SQL."""

import json

import pytest

from .instance import HELD_UP, built_in
from .places import ROLE
from .scene import BESIDE, now, tick_id


class House:
    """An installation whose jobs are sentences."""

    def __init__(self, pruned, folder):
        self.pruned, self.database, self.folder = pruned, pruned.database, folder
        self.daemons, self.made = [], False

    def sql(self, statements):
        self.database.connection.execute(statements)
        self.database.connection.execute(f"""GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {ROLE}""")

    def say(self, name, text):
        """Replaces the file as a whole: a daemon that reads it at this moment must not find half of
        it."""
        written = self.folder.parent / f"{name}.written"
        written.write_text(f"[retention {name}]\n{text}\n")
        written.replace(self.folder / f"{name}.conf")

    def start(self):
        if not self.made:
            self.pruned.make_topics()
            self.made = True

    def tick(self, *jobs, at=None, **settings):
        """Ticks JOBS and does what is due. Returns their runs."""
        self.start()
        at = at or now(minutes=-1)
        for job in jobs:
            self.pruned.topics.tick(job, at)
        self.work(**settings)
        return [self.pruned.run_row(tick_id(job, at)) for job in jobs]

    def run(self, job, **options):
        (row,) = self.tick(job, **options)
        return row

    def work(self, **settings):
        self.start()
        self.daemons.append(self.pruned.run_until_idle(settings=settings))
        while self.database.execute(HELD_UP).rowcount:
            self.daemons.append(self.pruned.run_until_idle(settings=settings))

    def done(self, job, **options):
        """The counters of a run that must have done its work, without those that are 0, and without
        what changed in other tables (test_rows_beside.py). Of one of which all rows failed, the
        status is among them."""
        row = self.run(job, **options)
        assert row["state"] == "finished" and row["result"]["status"] in ("completed", "failed"), (row, self.daemons[-1].text()[-3000:])
        return {k: v for k, v in row["result"].items() if v not in (0, "completed") and k not in BESIDE}, row["run_id"]

    def rows(self, table, columns="*", order="1"):
        return [tuple(r.values()) for r in self.database.rows(f"SELECT {columns} FROM {table} ORDER BY {order}")]

    def audit(self, run_id):
        """(table, action, key, row) of each recorded row, in the order of the statements."""
        return [(r["table_name"], r["action"], r["key"], r["row"]) for r in self.database.rows("""
            SELECT d.table_name, d.action, v.key, v.row FROM pruned.deletions d
            CROSS JOIN LATERAL ROWS FROM (jsonb_array_elements(d.keys), jsonb_array_elements(d.rows)) WITH ORDINALITY AS v (key, row, n)
            WHERE d.run_id = %s ORDER BY d.step, d.cmin::text::int, v.n""", [run_id])]

    def keys(self, run_id):
        return [(t, a, k if not isinstance(k, dict) else json.dumps(k)) for t, a, k, _ in self.audit(run_id)]

    def plan(self, job, *more):
        lines = self.pruned.run("plan", job, "--rows", "--json", *more).ok().json()
        return [(line["table"], line["key"], line["action"], line["reason"]) for line in lines if "key" in line]

    def restore(self, run_id, *more, code=0):
        done = self.pruned.run("restore", str(run_id), "--json", *more)
        assert done.code == code, done
        return done.json() if code == 0 else done


@pytest.fixture
def house(new_database, new_topics, new_pruned, scene_settings, chosen, tmp_path):
    folder = tmp_path / "jobs.d"
    folder.mkdir()
    settings = {k: v for k, v in scene_settings.items() if built_in(k)} | chosen | {"run.jobs_dir": folder, "topics.create": "on"}
    return House(new_pruned(new_database("migrated"), new_topics(), settings=settings), folder)
