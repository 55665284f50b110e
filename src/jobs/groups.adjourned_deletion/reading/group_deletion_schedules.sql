-- Marks that were taken off a group although it was not due, or although whoever has set it may
-- delete it: a direct owner of the group or of one above, or an administrator, is enough. Rights
-- are read as they are now, which is sure only soon after the run.
SELECT g.n, 'its period was not over' AS wrong, :soon::boolean AS sure
FROM pruned_gone g
WHERE (g.row).marked_for_deletion_on > (:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date
      - (SELECT s.deletion_adjourned_period FROM application_settings s ORDER BY s.id DESC LIMIT 1)
UNION ALL
SELECT g.n, 'whoever has set it may delete the group', :soon::boolean
FROM pruned_gone g JOIN users u ON u.id = (g.row).user_id AND u.state = 'active' JOIN namespaces n ON n.id = (g.row).group_id
WHERE u.admin OR EXISTS (
  SELECT FROM members m WHERE m.user_id = u.id AND m.source_type = 'Namespace' AND m.source_id = ANY (n.traversal_ids)
    AND m.access_level = 50 AND m.requested_at IS NULL AND coalesce(m.state, 0) = 0 AND m.type = 'GroupMember')
