-- Of new runs that end blocked because their job is refused: the latest of each job and arguments
-- is tried again once the job is loaded.
INSERT INTO pruned.blocked AS b (job, key, run_id, scheduled_at, args, reason, next_try_at)
SELECT DISTINCT ON (r.job, pg_catalog.md5(r.args::text))
       r.job, pg_catalog.md5(r.args::text), r.run_id, r.scheduled_at, r.args, r.error, now()
FROM pruned.runs r WHERE r.run_id = ANY (:run_id::uuid[])
ORDER BY r.job, pg_catalog.md5(r.args::text), r.scheduled_at DESC
ON CONFLICT (job, key) DO UPDATE
SET run_id = excluded.run_id, scheduled_at = excluded.scheduled_at, reason = excluded.reason, at = now(), tries = 0,
    next_try_at = excluded.next_try_at
