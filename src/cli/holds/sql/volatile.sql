-- The first volatile function that a condition calls, NULL: there is none. `:schemas` and `:names`:
-- what is called, without a schema ''. Reads the catalogue only, by name.
SELECT pg_catalog.min(p.oid::regprocedure::text) AS name
FROM ROWS FROM (pg_catalog.unnest(:schemas::text[]), pg_catalog.unnest(:names::text[])) AS w (schema, name)
JOIN pg_proc p ON p.proname = w.name::name
JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE p.provolatile = 'v' AND p.prokind = 'f'
  AND CASE WHEN w.schema = '' THEN pg_catalog.pg_function_is_visible(p.oid) ELSE n.nspname = w.schema::name END
