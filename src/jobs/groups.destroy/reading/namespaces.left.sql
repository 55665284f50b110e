-- What points into the deleted tree, and was there before the run began: of its groups.
SELECT l.tab, l.key, 'is left, and the group that it names has gone' AS wrong
FROM (
  SELECT 'members' AS tab, m.id::text AS key, m.xmin FROM members m WHERE m.source_type = 'Namespace' AND m.source_id IN (SELECT (g.row).id FROM pruned_gone g)
  UNION ALL
  SELECT 'todos', t.id::text, t.xmin FROM todos t WHERE t.group_id IN (SELECT (g.row).id FROM pruned_gone g)
  UNION ALL
  SELECT 'notification_settings', s.id::text, s.xmin FROM notification_settings s WHERE s.source_type = 'Namespace' AND s.source_id IN (SELECT (g.row).id FROM pruned_gone g)
  UNION ALL
  SELECT 'routes', r.id::text, r.xmin FROM routes r WHERE r.source_type = 'Namespace' AND r.source_id IN (SELECT (g.row).id FROM pruned_gone g)
  UNION ALL
  SELECT 'redirect_routes', r.id::text, r.xmin FROM redirect_routes r WHERE r.source_type = 'Namespace' AND r.source_id IN (SELECT (g.row).id FROM pruned_gone g)
  UNION ALL
  SELECT 'project_group_links', p.id::text, p.xmin FROM project_group_links p WHERE p.group_id IN (SELECT (g.row).id FROM pruned_gone g)
  UNION ALL
  SELECT 'projects', p.id::text, p.xmin FROM projects p WHERE p.namespace_id IN (SELECT (g.row).id FROM pruned_gone g)) AS l
WHERE pg_catalog.age(l.xmin) > pg_catalog.age(:seen::text::xid8::xid)
