-- Locks the user; who he is, and the ghost user that takes over from him: the one chosen before if he is still there, else that of
-- the user's organization, else the oldest. Fast by primary key, and by users (id) of type 5.
SELECT u.user_type, u.state IS NOT DISTINCT FROM 'blocked' AS blocked,
       coalesce((SELECT g.id FROM users g WHERE g.id = :ghost_id::bigint AND g.user_type = 5),
                (SELECT g.id FROM users g WHERE g.user_type = 5 AND g.id <> u.id
                 ORDER BY g.organization_id IS NOT DISTINCT FROM u.organization_id DESC, g.id LIMIT 1)) AS ghost_id
FROM users u
WHERE u.id = :user_id::bigint
FOR NO KEY UPDATE
