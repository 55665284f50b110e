-- Records that the migration of the user's records to the ghost user has begun; an existing row
-- stays. Fast by user_id.
INSERT INTO ghost_user_migrations (user_id, initiator_user_id)
VALUES (:user_id::bigint, (SELECT id FROM users WHERE id = (:args::jsonb ->> 'initiator_id')::bigint))
ON CONFLICT (user_id) DO NOTHING
RETURNING user_id AS key
