-- Dead rows of the tables that change with every step, from the statistics, and the age of the
-- oldest open transaction, which can hold vacuum back.
SELECT 'pruned.' || s.relname::text AS name, s.n_dead_tup AS dead, s.n_live_tup AS live,
       pg_catalog.pg_size_pretty(pg_catalog.pg_total_relation_size(s.relid)) AS size,
       s.n_dead_tup > greatest(10000, 2 * s.n_live_tup) AS bloated,
       coalesce((SELECT pg_catalog.date_trunc('second', now() - pg_catalog.min(a.xact_start)) FROM pg_stat_activity a
                 WHERE a.pid <> pg_backend_pid()), interval '0')::text AS oldest
FROM pg_stat_user_tables s
WHERE s.schemaname = 'pruned' AND s.relname IN ('runs', 'unpublished')
ORDER BY s.relname
