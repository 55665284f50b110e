-- As hold.sql, for several users.
SELECT u.id FROM users u WHERE u.id = ANY (:user_id::bigint[]) ORDER BY u.id FOR UPDATE
