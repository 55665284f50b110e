-- Locks the user, so that no row can be inserted that refers to them by a foreign key, until this
-- step has ended: it waits for transactions that have inserted one. Fast by primary key.
SELECT u.id FROM users u WHERE u.id = :user::bigint FOR UPDATE
