-- Schema `pruned`, step 19: the version of its job that a run has begun with, and `pruned reload`.
-- compatible_from: 15

-- job_version: a digest of the job's section, or of its files. Null: no step of the run has ended
-- yet.
ALTER TABLE pruned.runs ADD COLUMN job_version text;
ALTER TABLE pruned.runs_done ADD COLUMN job_version text;

-- One row: when somebody last asked all processes to read jobs and settings again.
CREATE TABLE pruned.reload (
    one      boolean PRIMARY KEY DEFAULT true CHECK (one),
    asked_at timestamptz
);
INSERT INTO pruned.reload DEFAULT VALUES;

-- versions: {job: version}, of the jobs of the user. reloaded_at: the request that the process has
-- answered; reloaded: its answer {changed, added, removed, refused, error}.
ALTER TABLE pruned.processes ADD COLUMN versions jsonb, ADD COLUMN reloaded_at timestamptz, ADD COLUMN reloaded jsonb;

SELECT pruned.give_daemons(ARRAY['reload: SELECT, INSERT, UPDATE']);
