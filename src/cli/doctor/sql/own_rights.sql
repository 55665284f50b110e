-- Rights on our own tables that a daemon's role needs (deploy/grants.sql) and this role lacks. Reads the catalogue only.
SELECT p.name || ' on pruned.' || c.relname AS missing
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'pruned'
CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS p (name)
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND (p.name = 'SELECT' OR c.relname NOT IN ('schema_version', 'keeping', 'mode'))
  AND (p.name <> 'UPDATE' OR c.relname NOT IN ('deletions', 'unpublished', 'event_ids', 'journal', 'plans', 'approved_versions'))
  AND (p.name <> 'DELETE' OR c.relname NOT IN ('deletions', 'intake', 'controls', 'stop', 'lost_messages', 'job_states', 'journal', 'approved_versions'))
  AND NOT pg_catalog.has_table_privilege(c.oid, p.name)
UNION ALL
SELECT 'USAGE on schema pruned' WHERE NOT pg_catalog.has_schema_privilege('pruned', 'USAGE')
ORDER BY missing
