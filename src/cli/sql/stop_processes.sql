-- The processes that run, whether each has seen this stop, and the runs whose step it still has
-- under way.
SELECT p.id, p.host, p.pid, p.stopped_at IS NOT DISTINCT FROM :since::timestamptz AS stopped,
       pg_catalog.to_json(CASE WHEN p.stopped_at = :since::timestamptz THEN p.running END) AS running
FROM pruned.processes p
WHERE p.seen_at > now() - :seconds::bigint::float8 * interval '1 s'
ORDER BY p.started_at, p.id
