-- Memberships that no schedule names, or that may not go: of bots, and of the last owner of a group
-- who is an active person. A schedule names the memberships of its user in all of the hierarchy of
-- its root; it goes with the last of them, and is then in the audit. Groups, projects, users and
-- owners are read as they are now, which is sure only soon after the run. The rights of who has set
-- the schedule are asked only as far as they cannot have gone with this run: they must be active,
-- and have a level somewhere that would do here, or be administrators, or owners of the place.
WITH scheduled AS MATERIALIZED (
  SELECT s.user_id, s.namespace_id, s.scheduled_by_id FROM members_deletion_schedules s
  WHERE s.user_id IN (SELECT (g.row).user_id FROM pruned_gone g)
  UNION ALL
  SELECT (e.json ->> 'user_id')::bigint, (e.json ->> 'namespace_id')::bigint, (e.json ->> 'scheduled_by_id')::bigint
  FROM pruned.deletions d CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(d.rows) AS e (json)
  WHERE d.run_id = :run_id::uuid AND d.table_name = 'members_deletion_schedules' AND d.action = 'deleted'
),
placed AS MATERIALIZED (
  SELECT g.n, g.at, (g.row).user_id, (g.row).source_id, (g.row).source_type::text AS source_type, (g.row).access_level, (g.row).requested_at, (g.row).state,
         CASE (g.row).source_type WHEN 'Project' THEN (SELECT n.traversal_ids FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = (g.row).source_id)
                                  ELSE (SELECT n.traversal_ids FROM namespaces n WHERE n.id = (g.row).source_id) END AS line
  FROM pruned_gone g
),
owner AS MATERIALIZED (
  SELECT p.* FROM placed p JOIN users u ON u.id = p.user_id AND u.state = 'active' AND u.user_type = 0
  WHERE p.source_type = 'Namespace' AND p.access_level = 50 AND p.requested_at IS NULL AND coalesce(p.state, 0) = 0 AND p.line IS NOT NULL
),
standing AS MATERIALIZED (
  SELECT o.n, m.user_id
  FROM owner o
  JOIN members m ON m.source_type = 'Namespace' AND m.type IN ('GroupMember', 'ProjectMember') AND m.source_id = ANY (o.line)
  JOIN users u ON u.id = m.user_id
  WHERE m.access_level = 50 AND m.requested_at IS NULL AND coalesce(m.state, 0) = 0 AND u.state = 'active' AND u.user_type = 0
),
named AS MATERIALIZED (
  SELECT p.n, s.scheduled_by_id, s.scheduled_by_id = p.user_id AS own
  FROM placed p JOIN scheduled s ON s.user_id = p.user_id JOIN namespaces n ON n.id = s.namespace_id
  WHERE n.traversal_ids[1] = p.line[1]
)
SELECT p.n, 'no scheduled deletion of its user names a group of this hierarchy' AS wrong, :soon::boolean AS sure
FROM placed p WHERE NOT EXISTS (SELECT FROM named x WHERE x.n = p.n)
UNION ALL
SELECT p.n, 'it is the membership of a project bot', true
FROM placed p JOIN users u ON u.id = p.user_id WHERE u.user_type = 6
UNION ALL
SELECT o.n, pg_catalog.format('group %s has no owner left who is an active person', o.source_id), :soon::boolean
FROM owner o WHERE NOT EXISTS (SELECT FROM standing s WHERE s.n = o.n)
UNION ALL
SELECT p.n, 'whoever has scheduled it is not active, or has no right to it', :soon::boolean
FROM placed p
WHERE EXISTS (SELECT FROM named x WHERE x.n = p.n) AND NOT EXISTS (
  SELECT FROM named x JOIN users a ON a.id = x.scheduled_by_id
  WHERE x.n = p.n AND a.state = 'active'
    AND (x.own OR a.admin
         OR EXISTS (SELECT FROM members m WHERE m.user_id = a.id AND m.requested_at IS NULL AND coalesce(m.state, 0) = 0
                    AND m.access_level >= CASE WHEN p.source_type = 'Project' AND p.access_level < 50 THEN 40 ELSE 50 END)
         OR EXISTS (SELECT FROM pruned.deletions d WHERE d.run_id = :run_id::uuid AND d.table_name = 'members'
                    AND d.rows @> pg_catalog.jsonb_build_array(pg_catalog.jsonb_build_object('user_id', a.id)))
         OR EXISTS (SELECT FROM namespaces n JOIN projects q ON q.namespace_id = n.id WHERE n.owner_id = a.id AND q.id = p.source_id AND p.source_type = 'Project')))
