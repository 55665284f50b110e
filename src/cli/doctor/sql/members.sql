-- The processes that have reported lately. `young`: one that has just begun may not be in the
-- consumer group yet.
SELECT p.id::text AS id, pg_catalog.format('%s on %s', p.pid, p.host) AS process, p.seen_at::text AS seen_at,
       p.started_at > now() - :seconds::int::float8 * interval '1 second' AS young
FROM pruned.processes p
WHERE p.seen_at > now() - :seconds::int::float8 * interval '1 second'
ORDER BY p.started_at, p.id
