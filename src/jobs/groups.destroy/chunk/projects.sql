-- The next projects of these groups, with their own namespaces; null if that is no namespace of a
-- project, which stays. Fast by (namespace_id), which OFFSET 0 enforces. Deleted projects are not
-- found again, so there is no cursor.
SELECT p.id, (SELECT n.id FROM namespaces n WHERE n.id = p.project_namespace_id AND n.type::text = 'Project') AS project_namespace_id
FROM pg_catalog.unnest(:group::bigint[]) AS g (id), LATERAL (
  SELECT p.id, p.project_namespace_id FROM projects p WHERE p.namespace_id = g.id LIMIT :limit::int) AS p
LIMIT :limit::int
