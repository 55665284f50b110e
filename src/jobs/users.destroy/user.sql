-- Locks the user and returns them with the ghost user that takes over: the one chosen before if it
-- still exists, else that of the user's organization, else the oldest. Fast by primary key, and by
-- users (id) of type 5.
SELECT u.user_type, u.state::text IS NOT DISTINCT FROM 'blocked' AS blocked,
       coalesce((SELECT g.id FROM users g WHERE g.id = :ghost_id::bigint AND g.user_type = 5),
                (SELECT g.id FROM users g WHERE g.user_type = 5 AND g.id <> u.id
                 ORDER BY g.organization_id IS NOT DISTINCT FROM u.organization_id DESC, g.id LIMIT 1)) AS ghost_id
FROM users u
WHERE u.id = :user_id::bigint
FOR NO KEY UPDATE
