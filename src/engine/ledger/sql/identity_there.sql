-- Whether this role can read the database's identity. Reads the catalogue, which needs no
-- privileges.
SELECT pg_catalog.has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE')
       AND EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                   WHERE n.nspname = 'pruned' AND c.relname = 'identity' AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
                     AND pg_catalog.has_table_privilege(c.oid, 'SELECT')) AS there
