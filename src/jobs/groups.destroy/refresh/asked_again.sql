-- The end of a statement that has `place (id)` before it: asks for a refresh of the direct members
-- of these groups.
who AS (
  SELECT DISTINCT m.user_id FROM place p, LATERAL (
    SELECT m.user_id FROM members m
    WHERE m.source_id = p.id AND m.source_type::text = 'Namespace' AND m.user_id IS NOT NULL AND m.requested_at IS NULL OFFSET 0) AS m
),
asked AS (
  INSERT INTO pruned.dirty_users AS d (user_id, kind, due_at)
  SELECT user_id, 'authorizations', now() FROM who ORDER BY user_id
  ON CONFLICT (user_id, kind) DO UPDATE SET seq = d.seq + 1, due_at = least(d.due_at, excluded.due_at)
)
SELECT NULL::text AS key, NULL::text AS reason WHERE false
