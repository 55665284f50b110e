"""Two processes that work side by side: runs in four lanes, each with rows of its own, and with
rows that an application adds meanwhile."""

from .scene import send_tick, start

JOB, RUNS, SPACE = "scratch.named", 8, 1000
SETTINGS = {f"jobs.{JOB}.capacity": 4}
LONG_PAUSE = 3600000  # ms, behind each page; on() ends it
# Each step of a run, when its transaction began, and when it came to its end: the run's row is what
# it changes last.
STEPS = """
CREATE TABLE public.steps (began_at timestamptz, ended_at timestamptz);
CREATE FUNCTION public.note_step() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
  INSERT INTO public.steps VALUES (now(), clock_timestamp()); RETURN NULL; END $$;
CREATE TRIGGER steps AFTER UPDATE ON pruned.runs FOR EACH ROW WHEN (NEW.step > OLD.step) EXECUTE FUNCTION public.note_step();
"""


class Two:
    def __init__(self, scene, fault=None):
        self.scene, self.database = scene, scene.database
        self.added = [0] * RUNS
        self.daemons = start(scene, 2, fault)

    def add(self, rows, runs=range(RUNS)):
        """ROWS more rows for each of RUNS, behind those that it has."""
        for run in runs:
            first = run * SPACE + self.added[run] + 1
            self.database.execute("INSERT INTO scratch SELECT generate_series(%s::bigint, %s::bigint)", [first, first + rows - 1])
            self.added[run] += rows

    def send(self, runs=RUNS):
        """The ids of so many runs. The run N has the rows from N * 1000 + 1."""
        return [send_tick(self.scene, JOB, {"first": n * SPACE + 1, "last": (n + 1) * SPACE - 1}) for n in range(runs)]

    def wait(self, run_ids, *states, deadline_s=60):
        return [self.scene.wait_run(run_id, *states, deadline_s=deadline_s) for run_id in run_ids]

    def on(self):
        """Ends the pauses behind pages."""
        self.database.execute("UPDATE pruned.runs SET due_at = clock_timestamp() WHERE state = 'waiting' AND job = %s", [JOB])

    def count(self, state):
        return self.database.value("SELECT count(*) FROM pruned.runs WHERE state = %s AND job = %s", [state, JOB])

    def gone(self, run_ids):
        """How many rows of each run are gone: as the table has it. The audit says the same."""
        left = {row["run"]: row["n"] for row in self.database.rows(
            "SELECT id / %s AS run, count(*) AS n FROM scratch WHERE day < '2999-01-01' GROUP BY 1", [SPACE])}
        audited = {row["run_id"]: row["n"] for row in self.database.rows(
            "SELECT run_id::text, sum(jsonb_array_length(keys)) AS n FROM pruned.deletions WHERE table_name = 'scratch' GROUP BY 1")}
        gone = [self.added[n] - left.get(n, 0) for n in range(len(run_ids))]
        assert gone == [audited.get(run_id, 0) for run_id in run_ids]
        return gone
