-- A row of the group, or of what is below it, that `pruned restore` has brought back and holds:
-- with it the group stays as a whole. Rows of other tables are found when they go. The mark of the
-- group itself is its item. Fast by the partial index of held items, which is empty unless rows are
-- held; then by primary keys.
SELECT h.job, h.item
FROM (
  SELECT q.job, q.item, pg_catalog.split_part(q.item, ':', 1) AS tab,
         pg_catalog.substring(q.item, ':([0-9]{1,18})$')::bigint AS id
  FROM pruned.quarantine q WHERE q.parked AND q.reason = 'restored' OFFSET 0) AS h
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
ORDER BY h.job, h.item
LIMIT 1
