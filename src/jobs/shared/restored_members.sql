-- Memberships are restored: asks for a refresh of what they give. Fast by primary key.
WITH asked AS (
  INSERT INTO pruned.dirty_users AS d (user_id, kind, due_at)
  SELECT DISTINCT m.user_id, 'authorizations', now() FROM members m
  WHERE m.id = ANY (:key::bigint[]) AND m.user_id IS NOT NULL ORDER BY 1
  ON CONFLICT (user_id, kind) DO UPDATE SET seq = d.seq + 1, due_at = least(d.due_at, excluded.due_at)
)
SELECT NULL::text AS key, NULL::text AS reason WHERE false
