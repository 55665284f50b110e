-- The first function that a condition calls and that may change rows or something else, NULL: there
-- is none. `:schemas` and `:names`: what is called, without a schema ''. What PostgreSQL has itself
-- and is volatile counts only if it does more than answer. Reads the catalogue only, by name.
SELECT pg_catalog.min(p.oid::regprocedure::text) AS name
FROM ROWS FROM (pg_catalog.unnest(:schemas::text[]), pg_catalog.unnest(:names::text[])) AS w (schema, name)
JOIN pg_proc p ON p.proname = w.name::name
JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE p.provolatile = 'v' AND p.prokind = 'f'
  AND CASE WHEN w.schema = '' THEN pg_catalog.pg_function_is_visible(p.oid) ELSE n.nspname = w.schema::name END
  AND (n.nspname <> 'pg_catalog'
       OR p.proname::text ~ '^nextval|^setval|^set_config|^setseed|^lowrite|^query_to_xml|^brin_|^gin_clean|^lo_|^pg_advisory_lock|^pg_advisory_unlock|^pg_try_advisory_lock|^pg_backup|^pg_cancel|^pg_clear|^pg_create|^pg_drop|^pg_import|^pg_log|^pg_notify|^pg_promote|^pg_reload|^pg_replication|^pg_rotate|^pg_stat_clear|^pg_stat_reset|^pg_switch|^pg_sync|^pg_terminate|^pg_wal_replay')
