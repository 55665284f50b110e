-- What is due for each user, and which request that was: a newer one (another seq) stays and comes again.
-- Fast by primary keys.
SELECT k.id AS key, CASE WHEN u.id IS NULL THEN 'gone' ELSE 'refreshed' END AS what, NULL::text AS reason,
       a.seq AS authorizations, t.seq AS todos
FROM unnest(:key::bigint[]) WITH ORDINALITY AS k (id, pos)
LEFT JOIN users u ON u.id = k.id
LEFT JOIN pruned.dirty_users a ON a.user_id = k.id AND a.kind = 'authorizations' AND a.due_at <= now()
LEFT JOIN pruned.dirty_users t ON t.user_id = k.id AND t.kind = 'todos' AND t.due_at <= now()
ORDER BY k.pos
