-- Deletes the users. Fast by primary key.
DELETE FROM users u WHERE u.id = ANY (:user_id::bigint[])
RETURNING u.id AS key, pg_catalog.to_jsonb(u.*) AS row
