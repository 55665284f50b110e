-- Locks the users, so that no row can be inserted that refers to them by a foreign key. Fast by
-- primary key.
SELECT u.id FROM users u WHERE u.id = ANY (:user_id::bigint[]) ORDER BY u.id FOR UPDATE
