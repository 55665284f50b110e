-- Whether the schema has a journal. Reads the catalogue, which needs no privileges.
SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
               WHERE n.nspname = 'pruned' AND c.relname = 'journal') AS there
