-- The names of all tables of applications, as SQL writes them. Reads the catalogue only.
SELECT c.oid::regclass::text AS name
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pruned') AND n.nspname::text !~ '^pg_'
ORDER BY 1
