-- Whether `pruned migrate` has ever been here. The catalogue is asked, so that nobody needs rights to see it.
SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
               WHERE n.nspname = 'pruned' AND c.relname = 'schema_version') AS there
