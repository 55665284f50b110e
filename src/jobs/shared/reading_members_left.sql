-- What belongs to a membership that has gone, and was there before the run began: settings of its
-- user there, and their open requests for access. Not where another membership of theirs stands.
SELECT l.tab, l.key, 'is left, and the membership that it belongs to has gone' AS wrong
FROM (
  SELECT 'notification_settings' AS tab, s.id::text AS key, (g.row).user_id, (g.row).source_id, (g.row).source_type::text AS source_type
  FROM pruned_gone g JOIN notification_settings s ON s.user_id = (g.row).user_id AND s.source_id = (g.row).source_id AND s.source_type::text = (g.row).source_type::text
  WHERE pg_catalog.age(s.xmin) > pg_catalog.age(:seen::text::xid8::xid)
  UNION ALL
  SELECT 'todos', t.id::text, (g.row).user_id, (g.row).source_id, (g.row).source_type::text
  FROM pruned_gone g JOIN todos t ON t.author_id = (g.row).user_id
    AND (g.row).source_id = CASE (g.row).source_type WHEN 'Project' THEN t.project_id WHEN 'Namespace' THEN t.group_id END
  WHERE t.action = 10 AND t.state = 'pending' AND pg_catalog.age(t.xmin) > pg_catalog.age(:seen::text::xid8::xid)) AS l
WHERE NOT EXISTS (SELECT FROM members m WHERE m.user_id = l.user_id AND m.source_id = l.source_id AND m.source_type::text = l.source_type)
