-- Daemons on this database, and how far their clocks are ahead of it, as they measured it within
-- the last ten minutes.
SELECT a.pid, coalesce(pg_catalog.host(a.client_addr), 'this server') AS place, pg_catalog.abs(c.ms)::numeric / 1000.0 AS seconds, c.ms > 0 AS ahead,
       pg_catalog.abs(c.ms) > :most_ms::bigint AS off
FROM pg_stat_activity a, LATERAL (SELECT substring(a.application_name FROM '^pruned run, clock (-?\d+) ms$')::bigint AS ms) AS c
WHERE a.datname = current_database() AND c.ms IS NOT NULL
ORDER BY pg_catalog.abs(c.ms) DESC, a.pid
