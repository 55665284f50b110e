-- Locks the user, so that no row can be inserted that refers to them by a foreign key. Fast by
-- primary key.
SELECT u.id FROM users u WHERE u.id = :user_id::bigint FOR UPDATE
