-- A row that belongs elsewhere, and that only a key of the namespaces to be deleted (ON DELETE
-- CASCADE) would remove: another project whose own namespace lies here, or a path of something that
-- stays. And a namespace below them that nothing of the group removes, so that the key forbids to
-- delete them. Fast by projects (project_namespace_id), namespaces (parent_id) and the indexes on
-- namespace_id (indexes.sql).
WITH place (id) AS (SELECT pg_catalog.unnest(:namespace::bigint[] OPERATOR(pg_catalog.||) :group::bigint[])),
path (tab, id, source_type, source_id) AS (
  SELECT 'routes', r.id, r.source_type, r.source_id FROM routes r WHERE r.namespace_id IN (SELECT id FROM place)
  UNION ALL
  SELECT 'redirect_routes', r.id, r.source_type, r.source_id FROM redirect_routes r WHERE r.namespace_id IN (SELECT id FROM place)
)
SELECT 'projects' AS tab, p.id FROM projects p
WHERE p.project_namespace_id IN (SELECT id FROM place) AND p.id <> ALL (:project::bigint[])
UNION ALL
SELECT 'namespaces', c.id FROM namespaces c
WHERE c.parent_id = ANY (:group::bigint[]) AND (c.type::text IN ('Group', 'Project')) IS NOT TRUE OR c.parent_id = ANY (:namespace::bigint[])
UNION ALL
SELECT r.tab, r.id FROM path r
WHERE CASE r.source_type::text
        WHEN 'Project' THEN r.source_id <> ALL (:project::bigint[]) AND EXISTS (SELECT FROM projects p WHERE p.id = r.source_id)
        ELSE r.source_id NOT IN (SELECT id FROM place) AND EXISTS (SELECT FROM namespaces n WHERE n.id = r.source_id) END
LIMIT 1
