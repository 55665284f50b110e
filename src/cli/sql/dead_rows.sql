-- Dead rows of the tables that jobs delete from, and of all their partitions, from the statistics.
-- `remedy`: autovacuum is off for the table, does not come to its end, or begins too late.
WITH RECURSIVE tree (nspname, oid) AS (
  SELECT n.nspname, r.oid
  FROM pg_catalog.unnest(:relation::text[]) AS t (relation)
  CROSS JOIN LATERAL pg_catalog.parse_ident(t.relation) AS i (parts)
  JOIN pg_namespace n ON n.nspname = CASE WHEN pg_catalog.cardinality(i.parts) > 1 THEN i.parts[1] ELSE :app_schema::text END
  JOIN pg_class r ON r.relnamespace = n.oid AND r.relname = i.parts[pg_catalog.cardinality(i.parts)]
  UNION
  SELECT t.nspname, i.inhrelid FROM tree t JOIN pg_inherits i ON i.inhparent = t.oid),
tables AS MATERIALIZED (
  SELECT t.nspname, c.oid, c.relname, c.reltuples, c.reloptions FROM tree t JOIN pg_class c ON c.oid = t.oid AND c.relkind = 'r'),
options AS MATERIALIZED (
  SELECT t.oid,
         coalesce((SELECT o.option_value::bool FROM pg_catalog.pg_options_to_table(t.reloptions) o WHERE o.option_name = 'autovacuum_enabled'), true) AS enabled,
         coalesce((SELECT o.option_value::float8 FROM pg_catalog.pg_options_to_table(t.reloptions) o WHERE o.option_name = 'autovacuum_vacuum_threshold'),
                  pg_catalog.current_setting('autovacuum_vacuum_threshold')::float8) AS least,
         coalesce((SELECT o.option_value::float8 FROM pg_catalog.pg_options_to_table(t.reloptions) o WHERE o.option_name = 'autovacuum_vacuum_scale_factor'),
                  pg_catalog.current_setting('autovacuum_vacuum_scale_factor')::float8) AS share
  FROM tables t)
SELECT CASE WHEN t.nspname = :app_schema::text THEN t.relname::text ELSE pg_catalog.format('%s.%s', t.nspname, t.relname) END AS table,
       s.n_dead_tup AS dead, s.n_live_tup AS live, greatest(s.last_vacuum, s.last_autovacuum) AS last_vacuum,
       (o.least + o.share * greatest(t.reltuples, 0))::bigint AS begins_at,
       CASE WHEN s.n_dead_tup < 10000 THEN NULL
            WHEN NOT pg_catalog.current_setting('autovacuum')::bool THEN 'ALTER SYSTEM SET autovacuum = on; SELECT pg_catalog.pg_reload_conf()'
            WHEN NOT o.enabled THEN pg_catalog.format('ALTER TABLE %I.%I RESET (autovacuum_enabled)', t.nspname, t.relname)
            WHEN s.n_dead_tup::float8 > 2::float8 * (o.least + o.share * greatest(t.reltuples, 0))
              THEN pg_catalog.format('ALTER TABLE %I.%I SET (autovacuum_vacuum_cost_delay = 0)', t.nspname, t.relname)
            WHEN s.n_dead_tup > 1000000 AND o.share > 0.01::float8
              THEN pg_catalog.format('ALTER TABLE %I.%I SET (autovacuum_vacuum_scale_factor = 0.01)', t.nspname, t.relname) END AS remedy
FROM tables t
JOIN options o ON o.oid = t.oid
JOIN pg_stat_user_tables s ON s.relid = t.oid
ORDER BY s.n_dead_tup DESC, t.relname
