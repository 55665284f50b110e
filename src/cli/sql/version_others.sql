-- How many processes have this version, and each that has another one. Those that were killed some
-- minutes ago are not refreshed, and are left out. Reads a row for each process.
WITH seen AS MATERIALIZED (
  SELECT p.host, p.pid, p.version, p.started_at FROM pruned.processes p WHERE p.seen_at > now() - :seconds::bigint::float8 * interval '1 s'
)
SELECT 'ok' AS level, pg_catalog.format('%s of %s that run have this version', pg_catalog.count(*) FILTER (WHERE s.version = :version::text), pg_catalog.count(*)) AS detail
FROM seen s
UNION ALL
(SELECT 'warning', pg_catalog.format('%s, process %s, has version %s since %s: restart it', s.host, s.pid, s.version, pg_catalog.to_char(s.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"'))
 FROM seen s WHERE s.version IS DISTINCT FROM :version::text
 ORDER BY s.started_at, s.host, s.pid)
