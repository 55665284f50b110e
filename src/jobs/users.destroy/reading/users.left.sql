-- What says that a user who has gone is somewhere, and was there before the run began.
SELECT l.tab, l.key, 'is left, and its user has gone' AS wrong
FROM (
  SELECT 'members' AS tab, m.id::text AS key, m.xmin FROM members m WHERE m.user_id IN (SELECT (g.row).id FROM pruned_gone g)
  UNION ALL
  SELECT 'todos', t.id::text, t.xmin FROM todos t WHERE t.user_id IN (SELECT (g.row).id FROM pruned_gone g) OR t.author_id IN (SELECT (g.row).id FROM pruned_gone g)
  UNION ALL
  SELECT 'notification_settings', s.id::text, s.xmin FROM notification_settings s WHERE s.user_id IN (SELECT (g.row).id FROM pruned_gone g)
  UNION ALL
  SELECT 'project_authorizations', a.user_id || ',' || a.project_id, a.xmin FROM project_authorizations a WHERE a.user_id IN (SELECT (g.row).id FROM pruned_gone g)
  UNION ALL
  SELECT 'namespaces', n.id::text, n.xmin FROM namespaces n WHERE n.owner_id IN (SELECT (g.row).id FROM pruned_gone g) AND n.type = 'User') AS l
WHERE pg_catalog.age(l.xmin) > pg_catalog.age(:seen::text::xid8::xid)
