-- Memberships that `pruned reapply` takes again: asks for a refresh of what their users may see,
-- which the restored database still gives them. Fast by primary key.
INSERT INTO pruned.dirty_users AS d (user_id, kind, due_at)
SELECT u.id, k.kind, now()
FROM (SELECT DISTINCT m.user_id AS id FROM members m WHERE m.id = ANY (:key::bigint[]) AND m.user_id IS NOT NULL) AS u,
     (VALUES ('authorizations'), ('todos')) AS k (kind)
ORDER BY u.id, k.kind
ON CONFLICT (user_id, kind) DO UPDATE SET seq = d.seq + 1, due_at = least(d.due_at, excluded.due_at)
