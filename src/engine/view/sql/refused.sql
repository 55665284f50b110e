-- What running processes refuse of the user's jobs, each reason once. A row of an older schema has
-- no such column.
SELECT r.job, r.place, r.reason, pg_catalog.min(p.host || ' ' || p.pid::text) AS process
FROM pruned.processes p
CROSS JOIN LATERAL (SELECT pg_catalog.to_jsonb(p.*) -> 'refused' AS list) AS l
CROSS JOIN LATERAL pg_catalog.jsonb_to_recordset(CASE WHEN pg_catalog.jsonb_typeof(l.list) = 'array' THEN l.list ELSE '[]' END)
  AS r (job text, place text, reason text)
WHERE p.seen_at > now() - :seconds::int::float8 * interval '1 second'
GROUP BY r.job, r.place, r.reason
ORDER BY r.job, r.place, r.reason
