-- Schema `pruned`, step 51: the newest runs of the archive are found by an index.
-- compatible_from: 41

-- The newest of one job, and of all: lists of runs begin with these.
CREATE INDEX runs_done_job_created ON pruned.runs_done (job, created_at DESC, run_id DESC);
CREATE INDEX runs_done_created ON pruned.runs_done (created_at DESC, run_id DESC);
