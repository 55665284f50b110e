"""An application that goes mad: again and again it makes nine in ten rows of a table due at once,
and then undoes that. An operator discards what is held, so that each tick begins a run of its
own."""

import shutil
from itertools import pairwise

from fault.neighbour import Application
from stack.found import PROJECT
from support.places import ROLE
from support.scene import JOBS

JOB, MAX_ROWS = "scratch.mad", 20  # as in its job.conf
ROWS, FEW = 1000, 12
MAD_S, SANE_S = 8, 20
OVER, FAR = "2026-01-01", "2099-01-01"
# The phases are written with what makes them, in one transaction: the rows that the phase before
# has left, and those that are there now.
TABLES = f"""
CREATE TABLE mad (id bigint PRIMARY KEY, day date NOT NULL);
CREATE TABLE mad_phases (id bigserial PRIMARY KEY, mad boolean, left_over int, there int);
INSERT INTO mad SELECT i, CASE WHEN i <= {FEW} THEN '{OVER}'::date ELSE '{FAR}' END FROM generate_series(1, {ROWS}) i;
GRANT SELECT, UPDATE, DELETE ON mad TO {ROLE};
"""


def add_job(scene):
    """Adds the job and its table to a scene."""
    folder = scene.folder / "jobs"
    shutil.copytree(JOBS, folder)
    shutil.copytree(PROJECT / "tests/fault/jobs" / JOB, folder / JOB)
    scene.settings |= {"run.jobs_dir": folder, f"jobs.{JOB}.todos_delay_ms": 0, f"jobs.{JOB}.refresh_delay_ms": 0}
    scene.database.connection.execute(TABLES)
    scene.run("topics", "--apply").ok()


class MadApplication(Application):
    """Goes mad while a run is under way: it waits for the first rows to go."""

    def __init__(self, scene):
        super().__init__(scene.database)
        self.scene, self.mad = scene, True

    def _write(self, connection):
        self.mad = not self.mad
        self._begin(connection, self.mad)
        self.written += 1
        if self.mad:
            self.stopping.wait(MAD_S)
        else:
            self._wait_for_a_run(connection)
        self._discard((0, 3, 6))  # 3: PostgreSQL is away

    def _wait_for_a_run(self, connection):
        for _ in range(SANE_S * 10):
            if self.stopping.wait(0.1) or connection.execute("SELECT count(*) AS n FROM mad").fetchone()["n"] < ROWS:
                return

    @staticmethod
    def _begin(connection, mad):
        with connection.transaction():
            connection.execute("INSERT INTO mad_phases (mad, left_over) SELECT %s, count(*) FROM mad", [mad])
            if mad:
                connection.execute("UPDATE mad SET day = %s WHERE id %% 10 <> 0", [OVER])
            else:
                connection.execute("INSERT INTO mad SELECT i, %s FROM generate_series(1, %s) i ON CONFLICT DO NOTHING", [FAR, ROWS])
                connection.execute("UPDATE mad SET day = CASE WHEN id <= %s THEN %s::date ELSE %s END", [FEW, OVER, FAR])
            connection.execute("UPDATE mad_phases SET there = (SELECT count(*) FROM mad) WHERE id = (SELECT max(id) FROM mad_phases)")

    def _discard(self, codes):
        done = self.scene.run("discard", "--job", JOB, "--state", "held", "--yes")
        assert done.code in codes, done

    def leave(self):
        super().leave()
        daemon = self._once_more(True, f"SELECT count(*) FROM pruned.runs WHERE job = '{JOB}' AND state = 'held'")
        assert daemon.stop() == 0
        self._discard((0, 6))  # else the next tick would be skipped
        daemon = self._once_more(False, f"SELECT {ROWS} - count(*) FROM mad")
        assert daemon.stop() == 0
        with self.database.connect() as connection:
            self._begin(connection, mad=False)
        self._discard((0, 6))
        self._check()

    def _once_more(self, mad, seen):
        """After the storm, which may have left no time for a run in such a phase: waits until the
        count SEEN is above 0."""
        with self.database.connect() as connection:
            self._begin(connection, mad)
        self.scene.topics.tick(JOB)
        daemon = self.scene.start()
        self.database.wait(seen, until=lambda n: n > 0, deadline_s=120)
        return daemon

    def _check(self):
        """While it was mad, no more rows went than the limit allows, and no run took more."""
        phases = self.database.rows("SELECT mad, left_over, there FROM mad_phases ORDER BY id")
        gone = [one["there"] - other["left_over"] for one, other in pairwise(phases) if one["mad"]]
        assert gone and max(gone) <= MAX_ROWS, f"rows that went while the application was mad: {gone}"
        by_run = self.database.column("SELECT sum(jsonb_array_length(keys)) FROM pruned.deletions WHERE table_name = 'mad' GROUP BY run_id")
        assert by_run and max(by_run) <= MAX_ROWS, f"rows by run: {by_run}"
        held = {m.value["run_id"] for m in self.scene.topics.outcomes("RunHeld")}
        assert held, "no run was held"
        print(f"the mad application: {len(gone)} times, {gone} rows went while it was mad, {len(held)} runs held", flush=True)
