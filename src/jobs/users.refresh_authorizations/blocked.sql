-- Rights that row-level security hides from this role would be removed. Only the catalogue is read.
SELECT pg_catalog.format('row-level security hides rows of %s from this role: give it BYPASSRLS', pg_catalog.string_agg(t.tab, ', ' ORDER BY t.tab)) AS reason
FROM unnest(ARRAY['members', 'namespaces', 'projects', 'group_group_links', 'project_group_links', 'users']) AS t (tab)
WHERE pg_catalog.to_regclass(t.tab) IS NOT NULL AND pg_catalog.row_security_active(pg_catalog.to_regclass(t.tab)::oid)
HAVING count(*) > 0
