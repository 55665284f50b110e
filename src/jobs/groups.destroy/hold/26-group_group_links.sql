-- Locks the shares by which these memberships give the right. Fast by the shares of the invited
-- groups.
SELECT l.shared_group_id FROM group_deletion_schedules s JOIN namespaces g ON g.id = s.group_id
CROSS JOIN LATERAL (
  SELECT DISTINCT m.source_id FROM members m
  WHERE m.user_id = s.user_id AND m.requested_at IS NULL AND m.access_level >= 50 AND m.source_type::text = 'Namespace' OFFSET 0) AS x
JOIN group_group_links l ON l.shared_with_group_id = x.source_id
WHERE s.group_id = :top::bigint AND l.shared_group_id = ANY (g.traversal_ids) AND l.group_access >= 50
ORDER BY l.shared_group_id, l.shared_with_group_id FOR SHARE OF l
