-- Whether `pruned migrate` has ever run. Reads the catalogue, which needs no privileges.
SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
               WHERE n.nspname = 'pruned' AND c.relname = 'schema_version') AS there
