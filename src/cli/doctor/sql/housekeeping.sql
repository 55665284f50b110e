-- Parts of housekeeping that have failed several times in a running process, for ten seconds or
-- longer, and those that take ten seconds or longer (`error` is null). `alive`: processes that say
-- how their housekeeping goes. Without such a part one row, of which all else is null.
WITH alive AS (
  SELECT p.host, p.pid, p.started_at, p.housekeeping FROM pruned.processes p
  WHERE p.seen_at > now() - :seconds::int::float8 * interval '1 second' AND p.housekeeping IS NOT NULL),
part AS (
  SELECT a.host, a.pid, f.part, f.error, f.failures, f.seconds, coalesce(pg_catalog.to_timestamp(f.well_at), a.started_at) AS since
  FROM alive a CROSS JOIN LATERAL pg_catalog.jsonb_to_recordset(a.housekeeping) AS f (part text, well_at bigint, failures integer, error text, seconds bigint)),
ailing AS (
  SELECT * FROM part f WHERE f.failures >= 3 AND f.since < now() - interval '10 seconds' OR f.error IS NULL)
SELECT n.alive, f.host, f.pid, f.part, f.error, f.failures, f.seconds, pg_catalog.date_trunc('second', now() - f.since)::text AS age
FROM (SELECT pg_catalog.count(*) AS alive FROM alive) AS n LEFT JOIN ailing f ON true
ORDER BY f.error IS NULL, f.since, f.part, f.host, f.pid
