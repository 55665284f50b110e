-- Says that the user's records are on their way to the ghost user; a row that is there already stays. Fast by user_id.
INSERT INTO ghost_user_migrations (user_id, initiator_user_id)
VALUES (:user_id::bigint, (SELECT id FROM users WHERE id = (:args::jsonb ->> 'initiator_id')::bigint))
ON CONFLICT (user_id) DO NOTHING
RETURNING user_id AS key
