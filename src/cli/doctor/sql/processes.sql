-- The number of running processes and of different settings, which settings of no job differ, and
-- the processes that have not reported lately.
WITH seen AS (
  SELECT host, pid, settings, shared, seen_at > now() - :seconds::int::float8 * interval '1 second' AS alive FROM pruned.processes),
differing AS (
  SELECT s.key, pg_catalog.jsonb_agg(DISTINCT s.value) AS values FROM seen p, pg_catalog.jsonb_each(p.shared) AS s WHERE p.alive
  GROUP BY s.key
  HAVING pg_catalog.count(DISTINCT s.value) > 1 OR pg_catalog.count(*) < (SELECT pg_catalog.count(a.shared) FROM seen a WHERE a.alive))
SELECT count(*) FILTER (WHERE p.alive) AS alive, pg_catalog.count(DISTINCT p.settings) FILTER (WHERE p.alive) AS settings,
       (SELECT pg_catalog.string_agg(pg_catalog.format('%s %s', d.key, d.values), ', ' ORDER BY d.key) FROM differing d) AS differing,
       pg_catalog.string_agg(pg_catalog.format('%s on %s', p.pid, p.host), ', ') FILTER (WHERE NOT p.alive) AS silent
FROM seen p
