"""A job `own` of SQL files over the table `scratch`, which may do something else than was
decided."""

import pytest

from .places import ROLE
from .scene import beside_jobs, fill, now, result, tick_id

JOB = "own"
CONF = """
[job]
starts = tick; event
capacity = 1
table = scratch
unique_key = own
arguments = cursor
batch = {batch}
{more}
"""
REMOVED = "[what removed]\ncounts_as_updated = true\n"
PAGE = "SELECT s.id AS key, s.id FROM scratch s WHERE s.id > :cursor.id::bigint ORDER BY s.id LIMIT :limit::int"
DECIDE = "SELECT k AS key, 'removed' AS what, NULL::text AS reason FROM unnest(:key::bigint[]) k"
OWN = "DELETE FROM scratch s USING unnest(:key::bigint[]) AS k (id) WHERE s.id = k.id RETURNING s.id AS key, to_jsonb(s) AS row"
ALL = "DELETE FROM scratch s WHERE cardinality(:key::bigint[]) > 0 RETURNING s.id AS key, to_jsonb(s) AS row"
NOTES = "DELETE FROM scratch_notes n USING unnest(:key::bigint[]) AS k (id) WHERE n.scratch_id = k.id RETURNING n.id AS key, to_jsonb(n) AS row"
KEPT = DECIDE.replace("'removed'", "'kept'")
FALLING = ("SELECT s.id AS key, s.id, s.day FROM scratch s WHERE s.id < CASE WHEN :cursor.id::bigint < 0 THEN 2000"
           " ELSE :cursor.id::bigint END ORDER BY s.id DESC LIMIT :limit::int")
HIDDEN = "SELECT h.key, h.row FROM hide(:key::bigint[]) AS h"


def write(folder, files, conf=REMOVED, batch=100, more=""):
    """A jobs_dir with the jobs of the tests and the job `own` of FILES."""
    beside_jobs(folder)
    for file, text in ({"page": PAGE} | files).items():
        path = folder / JOB / f"{file}.sql"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("-- A file of the tests.\n" + text)
    (folder / JOB / "job.conf").write_text(CONF.format(batch=batch, more=more or "cursor = id bigint") + conf)
    return folder


@pytest.fixture
def own(new_scene, tmp_path):
    """Makes a scene with the job `own` of these files; it has ROWS rows, each with two notes."""
    def make(files, rows=1000, settings=None, **job):
        folder = write(tmp_path / "jobs", files, **job)
        scene = new_scene({"run.jobs_dir": folder, "jobs.own.approve": "never"} | (settings or {}))
        fill(scene.database, rows)
        scene.database.connection.execute(f"""
            CREATE TABLE scratch_notes (id bigint PRIMARY KEY, scratch_id bigint REFERENCES scratch (id));
            INSERT INTO scratch_notes SELECT 2 * id + i, id FROM scratch, generate_series(0, 1) AS i;
            CREATE INDEX ON scratch_notes (scratch_id);
            GRANT SELECT, INSERT, UPDATE, DELETE ON scratch_notes, scratch TO {ROLE}""")
        return scene
    return make


def without_notes(scene):
    scene.database.connection.execute("DROP TABLE scratch_notes")
    return scene


def counts(scene, table="scratch"):
    return scene.database.value(f"SELECT count(*) FROM {table}")


def tick(scene):
    scene.topics.tick(JOB, at := now(minutes=-1))
    return tick_id(JOB, at)


def nothing_happened(scene):
    assert scene.database.value("SELECT count(*) FROM pruned.deletions") == 0
    assert scene.database.value("SELECT count(*) FROM pruned.quarantine") == 0


def assert_blocked(scene, run_id, *words):
    row = scene.run_row(run_id)
    assert (row["state"], result(row)["status"], row["attempts"]) == ("finished", "blocked", 0), row
    reason = result(row)["reason"]
    assert reason.startswith("guard: ") and all(word in reason for word in words), reason
    assert result(row)["removed"] == 0 and result(row).get("failed", 0) == 0 and result(row)["updated_rows"] == 0, row
    nothing_happened(scene)


def blocks(scene, *words, rows=1000):
    run_id = tick(scene)
    scene.run_until_idle()
    assert_blocked(scene, run_id, *words)
    assert counts(scene) == rows


def hide(scene, body):
    """A function that does more than it returns: of the rows that BODY changes, those whose key was
    asked for."""
    scene.database.connection.execute(f"""
        CREATE FUNCTION hide(asked bigint[]) RETURNS TABLE (key bigint, "row" jsonb) LANGUAGE sql AS $$
          WITH changed AS ({body} RETURNING *) SELECT id, to_jsonb(changed) FROM changed WHERE id = ANY (asked) $$""")


def goes_well(scene, left=0):
    run_id = tick(scene)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert (row["state"], result(row)["status"], counts(scene)) == ("finished", "completed", left), row
    return result(row)
