-- Locks the memberships that can give this user the right to delete the group: as an owner of it or
-- of a group above, or of a group that one of these is shared with. They stay until this step has
-- ended. Fast by (user_id, access_level) and the shares of the invited groups.
SELECT m.id FROM members m
WHERE m.id IN (
  SELECT x.id FROM group_deletion_schedules s JOIN namespaces g ON g.id = s.group_id
  CROSS JOIN LATERAL (
    SELECT m.id, m.source_id FROM members m
    WHERE m.user_id = s.user_id AND m.requested_at IS NULL AND m.access_level >= 50 AND m.source_type::text = 'Namespace' OFFSET 0) AS x
  WHERE s.group_id = :top::bigint
    AND (x.source_id = ANY (g.traversal_ids)
         OR EXISTS (SELECT FROM group_group_links l WHERE l.shared_with_group_id = x.source_id AND l.shared_group_id = ANY (g.traversal_ids))))
ORDER BY m.id FOR SHARE
