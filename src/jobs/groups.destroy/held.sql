-- A row of the group, or of what is below it, that somebody holds: with it the group stays as a
-- whole. So does a row of any table that a foreign key would delete or empty with one of its groups
-- and projects. The mark of the group itself is its item. Fast by the primary key of holds, which
-- is empty unless rows are held; then by primary keys, and by the indexes of foreign keys that lead
-- to tables with held rows.
SELECT f.item, f.kind FROM (
SELECT h.item, h.kind
FROM (
  SELECT pg_catalog.concat(t.tab, ':', h.key) AS item, h.kind, t.tab, pg_catalog.substring(h.key, '^[0-9]{1,18}$')::bigint AS id
  FROM unnest(ARRAY['namespaces', 'group_deletion_schedules', 'projects', 'members', 'ci_job_artifacts']) AS t (tab)
  JOIN pruned.holds h ON h.tab = pruned.held_table(t.tab) AND
-- include: ../../engine/job/sql/held_now.sql
  OFFSET 0) AS h
CROSS JOIN LATERAL (
  SELECT h.id AS place WHERE h.tab = 'namespaces' OR h.tab = 'group_deletion_schedules' AND h.id <> :group::bigint
  UNION ALL
  SELECT p.namespace_id FROM projects p WHERE h.tab = 'projects' AND p.id = h.id
  UNION ALL
  SELECT CASE m.source_type::text WHEN 'Project' THEN (SELECT p.namespace_id FROM projects p WHERE p.id = m.source_id) ELSE m.source_id END
  FROM members m WHERE h.tab = 'members' AND m.id = h.id
  UNION ALL
  SELECT p.namespace_id FROM ci_job_artifacts a JOIN projects p ON p.id = a.project_id WHERE h.tab = 'ci_job_artifacts' AND a.id = h.id) AS w
JOIN namespaces n ON n.id = w.place AND n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[:group::bigint]
UNION ALL
SELECT pg_catalog.concat(b.rel::regclass::text, ':', b.key), b.kind
FROM (SELECT ARRAY(SELECT n.id::text FROM namespaces n WHERE n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[:group::bigint]) AS keys WHERE EXISTS (SELECT FROM pruned.holds)) AS g
CROSS JOIN LATERAL pruned.held_below('namespaces'::regclass, g.keys, '{}', false, false) AS b
WHERE b.owner IS NOT NULL
UNION ALL
SELECT pg_catalog.concat(b.rel::regclass::text, ':', b.key), b.kind
FROM (SELECT ARRAY(SELECT p.id::text FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[:group::bigint]) AS keys WHERE EXISTS (SELECT FROM pruned.holds)) AS g
CROSS JOIN LATERAL pruned.held_below('projects'::regclass, g.keys, '{}', false, false) AS b
WHERE b.owner IS NOT NULL) AS f
ORDER BY f.item
LIMIT 1
