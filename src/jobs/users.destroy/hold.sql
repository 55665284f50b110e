-- Holds the user so that no row that refers to him by a foreign key comes any more. Fast by primary key.
SELECT u.id FROM users u WHERE u.id = :user_id::bigint FOR UPDATE
