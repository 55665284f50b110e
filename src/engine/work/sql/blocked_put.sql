-- A tick found its job blocked. AGAIN: this was a retry, and the outcome was published before.
-- What a guard has stopped locks its rows again with each try, so it is tried once an hour
-- (../../clock/sql/blocked_claim.sql).
INSERT INTO pruned.blocked AS b (job, key, run_id, scheduled_at, args, reason, next_try_at)
SELECT r.job, pg_catalog.md5(r.args::text), r.run_id, r.scheduled_at, r.args, :reason::text, now() + CASE WHEN :reason::text LIKE 'guard: %' THEN interval '1 hour' ELSE interval '10 seconds' END
FROM pruned.runs r WHERE r.run_id = :run_id::uuid
ON CONFLICT (job, key) DO UPDATE
SET run_id = excluded.run_id, scheduled_at = excluded.scheduled_at, reason = excluded.reason, at = now(),
    tries = CASE WHEN b.run_id = excluded.run_id THEN b.tries ELSE 0 END,
    next_try_at = CASE WHEN b.run_id = excluded.run_id THEN b.next_try_at ELSE excluded.next_try_at END
RETURNING tries > 0 AS again
