-- A tick found its job blocked. AGAIN: this was a retry, and the outcome was published before.
INSERT INTO pruned.blocked AS b (job, key, run_id, scheduled_at, args, reason, next_try_at)
SELECT r.job, pg_catalog.md5(r.args::text), r.run_id, r.scheduled_at, r.args, :reason::text, now() + interval '10 seconds'
FROM pruned.runs r WHERE r.run_id = :run_id::uuid
ON CONFLICT (job, key) DO UPDATE
SET run_id = excluded.run_id, scheduled_at = excluded.scheduled_at, reason = excluded.reason, at = now(),
    tries = CASE WHEN b.run_id = excluded.run_id THEN b.tries ELSE 0 END,
    next_try_at = CASE WHEN b.run_id = excluded.run_id THEN b.next_try_at ELSE excluded.next_try_at END
RETURNING tries > 0 AS again
