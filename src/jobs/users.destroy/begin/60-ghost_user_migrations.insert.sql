-- Records that the migration of the users' records to the ghost user has begun; an existing row
-- stays. Fast by user_id.
INSERT INTO ghost_user_migrations (user_id, initiator_user_id)
SELECT k.user_id, (SELECT u.id FROM users u WHERE u.id = k.initiator_id)
FROM unnest(:user_id::bigint[], :initiator_id::bigint[]) AS k (user_id, initiator_id) ORDER BY k.user_id
ON CONFLICT (user_id) DO NOTHING
RETURNING user_id AS key
