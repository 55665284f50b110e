-- Locks the users, by id, and returns them with the ghost user that takes over: the one chosen
-- before (`:ghost_id`) if it still exists, else that of the user's organization, else the oldest.
-- Fast by primary key, and by users (id) of type 5.
SELECT u.id AS user_id, u.user_type, u.state::text IS NOT DISTINCT FROM 'blocked' AS blocked,
       coalesce((SELECT g.id FROM users g WHERE g.id = k.ghost_id AND g.user_type = 5),
                (SELECT g.id FROM users g WHERE g.user_type = 5 AND g.id <> u.id
                 ORDER BY g.organization_id IS NOT DISTINCT FROM u.organization_id DESC, g.id LIMIT 1)) AS ghost_id
FROM unnest(:user_id::bigint[], :ghost_id::bigint[]) AS k (user_id, ghost_id) JOIN users u ON u.id = k.user_id
ORDER BY u.id FOR NO KEY UPDATE OF u
