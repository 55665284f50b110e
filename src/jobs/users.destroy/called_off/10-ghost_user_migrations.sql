-- Prevents the application from continuing the removal. Fast by user_id.
DELETE FROM ghost_user_migrations g WHERE g.user_id = :user_id::bigint
RETURNING g.id AS key, pg_catalog.to_jsonb(g.*) AS row
