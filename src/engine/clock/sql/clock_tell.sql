-- How far this process's clock is ahead of the server's, shown in pg_stat_activity; `pruned doctor`
-- reads it there.
SELECT pg_catalog.set_config('application_name', pg_catalog.format('pruned run, clock %s ms', :ahead_ms::bigint), false)
