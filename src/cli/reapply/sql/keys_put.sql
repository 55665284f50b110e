-- The rows that the run takes, and when each went.
INSERT INTO pruned.reapply (run_id, key, erased_at)
SELECT :run_id::uuid, u.key, pg_catalog.max(u.erased_at)
FROM unnest(:key::text[], :erased_at::timestamptz[]) AS u (key, erased_at)
GROUP BY u.key
