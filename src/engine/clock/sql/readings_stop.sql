-- The job is paused until somebody resumes it; a pause that stands gets this reason, and no end.
INSERT INTO pruned.controls AS c (job, paused, reason)
SELECT u.job, true, :reason::text FROM pg_catalog.unnest(:job::text[]) AS u (job)
ON CONFLICT (job) DO UPDATE SET paused = true, paused_until = NULL, reason = excluded.reason, changed_at = now()
RETURNING job
