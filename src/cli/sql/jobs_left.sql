-- Jobs that the database knows, whether this command line has them or not: those that are paused,
-- that have runs which have not ended, and that running processes have.
SELECT c.job FROM pruned.controls c WHERE c.paused AND coalesce(c.paused_until > now(), true)
UNION
SELECT r.job FROM pruned.runs r WHERE r.state IN ('waiting', 'ready', 'held')
UNION
SELECT k.job FROM pruned.processes p CROSS JOIN LATERAL pg_catalog.jsonb_object_keys(p.jobs) AS k (job)
WHERE p.seen_at > now() - :seconds::bigint::float8 * interval '1 s'
ORDER BY job
