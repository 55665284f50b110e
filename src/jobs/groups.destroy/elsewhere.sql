-- Membership `m` belongs to a group or project that exists and is not below the group to be
-- deleted. Fast by primary keys.
CASE m.source_type::text
  WHEN 'Project' THEN EXISTS (SELECT FROM projects p LEFT JOIN namespaces n ON n.id = p.namespace_id
                              WHERE p.id = m.source_id AND (n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[:top::bigint]) IS NOT TRUE)
  ELSE EXISTS (SELECT FROM namespaces n WHERE n.id = m.source_id AND (n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[:top::bigint]) IS NOT TRUE) END
