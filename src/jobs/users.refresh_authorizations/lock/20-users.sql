-- Locks the users by id: no other run refreshes them meanwhile. Fast by primary key.
SELECT id FROM users WHERE id = ANY (:key::bigint[]) ORDER BY id FOR NO KEY UPDATE
