-- Parts of housekeeping that have failed several times in a running process, for ten seconds or
-- longer. `alive`: processes that say how their housekeeping goes. Without such a part one row, of
-- which all else is null.
WITH alive AS (
  SELECT p.host, p.pid, p.started_at, p.housekeeping FROM pruned.processes p
  WHERE p.seen_at > now() - :seconds::int::float8 * interval '1 second' AND p.housekeeping IS NOT NULL),
failing AS (
  SELECT a.host, a.pid, f.part, f.error, f.failures, coalesce(pg_catalog.to_timestamp(f.well_at), a.started_at) AS since
  FROM alive a CROSS JOIN LATERAL pg_catalog.jsonb_to_recordset(a.housekeeping) AS f (part text, well_at bigint, failures integer, error text)
  WHERE f.failures >= 3 AND coalesce(pg_catalog.to_timestamp(f.well_at), a.started_at) < now() - interval '10 seconds')
SELECT n.alive, f.host, f.pid, f.part, f.error, f.failures, pg_catalog.date_trunc('second', now() - f.since)::text AS age
FROM (SELECT pg_catalog.count(*) AS alive FROM alive) AS n LEFT JOIN failing f ON true
ORDER BY f.since, f.part, f.host, f.pid
