-- A row of the group, or of what is below it, that somebody holds: with it the group stays as a
-- whole. Rows of other tables are found when they go. The mark of the group itself is its item.
-- Fast by the primary key of holds, which is empty unless rows are held; then by primary keys.
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
ORDER BY h.item
LIMIT 1
