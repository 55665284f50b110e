-- What points into the deleted tree, and was there before the run began: of its groups or of its
-- projects, by the table (`:table`) that they have gone from. Fast by the indexes on what names
-- them.
SELECT l.tab, l.key, 'is left, and the ' || CASE :table::text WHEN 'projects' THEN 'project' ELSE 'group' END || ' that it names has gone' AS wrong
FROM (
  SELECT 'members' AS tab, m.id::text AS key, m.xmin
  FROM members m WHERE m.source_type::text = CASE :table::text WHEN 'projects' THEN 'Project' ELSE 'Namespace' END AND m.source_id IN (SELECT (g.row).id FROM pruned_gone g)
  UNION ALL
  SELECT 'notification_settings', s.id::text, s.xmin
  FROM notification_settings s WHERE s.source_type::text = CASE :table::text WHEN 'projects' THEN 'Project' ELSE 'Namespace' END AND s.source_id IN (SELECT (g.row).id FROM pruned_gone g)
  UNION ALL
  SELECT 'routes', r.id::text, r.xmin
  FROM routes r WHERE r.source_type::text = CASE :table::text WHEN 'projects' THEN 'Project' ELSE 'Namespace' END AND r.source_id IN (SELECT (g.row).id FROM pruned_gone g)
  UNION ALL
  SELECT 'redirect_routes', r.id::text, r.xmin
  FROM redirect_routes r WHERE r.source_type::text = CASE :table::text WHEN 'projects' THEN 'Project' ELSE 'Namespace' END AND r.source_id IN (SELECT (g.row).id FROM pruned_gone g)
  UNION ALL
  SELECT 'todos', t.id::text, t.xmin FROM todos t WHERE t.group_id IN (SELECT (g.row).id FROM pruned_gone g WHERE :table::text <> 'projects')
  UNION ALL
  SELECT 'todos', t.id::text, t.xmin FROM todos t WHERE t.project_id IN (SELECT (g.row).id FROM pruned_gone g WHERE :table::text = 'projects')
  UNION ALL
  SELECT 'project_group_links', p.id::text, p.xmin FROM project_group_links p WHERE p.group_id IN (SELECT (g.row).id FROM pruned_gone g WHERE :table::text <> 'projects')
  UNION ALL
  SELECT 'project_group_links', p.id::text, p.xmin FROM project_group_links p WHERE p.project_id IN (SELECT (g.row).id FROM pruned_gone g WHERE :table::text = 'projects')
  UNION ALL
  SELECT 'projects', p.id::text, p.xmin FROM projects p WHERE p.namespace_id IN (SELECT (g.row).id FROM pruned_gone g WHERE :table::text <> 'projects')
  UNION ALL
  SELECT 'project_authorizations', a.user_id || ',' || a.project_id, a.xmin
  FROM project_authorizations a WHERE a.project_id IN (SELECT (g.row).id FROM pruned_gone g WHERE :table::text = 'projects')
  UNION ALL
  SELECT 'ci_job_artifacts', a.id::text, a.xmin FROM ci_job_artifacts a WHERE a.project_id IN (SELECT (g.row).id FROM pruned_gone g WHERE :table::text = 'projects')) AS l
WHERE pg_catalog.age(l.xmin) > pg_catalog.age(:seen::text::xid8::xid)
