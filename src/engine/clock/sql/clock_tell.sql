-- How far this process's clock is ahead of the server's, for whoever looks at pg_stat_activity: `pruned doctor` does.
SELECT pg_catalog.set_config('application_name', pg_catalog.format('pruned run, clock %s ms', :ahead_ms::bigint), false)
