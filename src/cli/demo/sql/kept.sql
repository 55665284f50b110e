-- Rows that are kept although they are due, with the reason and one example.
WITH expired AS (
  SELECT u.username || ' in ' || r.path AS name
  FROM members m JOIN users u ON u.id = m.user_id JOIN routes r ON (r.source_type, r.source_id) = (m.source_type, m.source_id)
  WHERE m.expires_at <= (now() AT TIME ZONE 'UTC')::date
    AND NOT EXISTS (SELECT FROM pruned.quarantine q WHERE q.item = 'members:' || m.id)),
placeholders AS (
  SELECT u.username AS name
  FROM import_placeholder_user_details d JOIN users u ON u.id = d.placeholder_user_id
  WHERE d.deletion_attempts > 0 AND d.last_deletion_attempt_at >= (SELECT pg_catalog.min(scheduled_at) FROM pruned.runs)),
groups AS (
  SELECT r.path AS name
  FROM group_deletion_schedules g JOIN routes r ON r.source_type = 'Namespace' AND r.source_id = g.group_id
  WHERE g.marked_for_deletion_on > (now() AT TIME ZONE 'UTC')::date - 30)
SELECT kept, why, rows, example
FROM (VALUES
    (1, 'memberships', 'last owner of the group', (SELECT count(*) FROM expired), (SELECT pg_catalog.min(name) FROM expired)),
    (2, 'placeholder users', 'wrote something that is still here', (SELECT count(*) FROM placeholders),
     (SELECT pg_catalog.min(name) FROM placeholders)),
    (3, 'groups marked for deletion', 'have some days left', (SELECT count(*) FROM groups), (SELECT pg_catalog.min(name) FROM groups))
) AS k (position, kept, why, rows, example)
WHERE rows > 0
ORDER BY position
