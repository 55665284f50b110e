-- The number of running processes and of different settings, and the processes that have not
-- reported lately.
SELECT count(*) FILTER (WHERE p.alive) AS alive, pg_catalog.count(DISTINCT p.settings) FILTER (WHERE p.alive) AS settings,
       pg_catalog.string_agg(pg_catalog.format('%s on %s', p.pid, p.host), ', ') FILTER (WHERE NOT p.alive) AS silent
FROM (SELECT host, pid, settings, seen_at > now() - :seconds::int::float8 * interval '1 second' AS alive FROM pruned.processes) AS p
