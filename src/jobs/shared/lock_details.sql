-- Locks the user's details, so that no namespace claims one until this step has ended. Fast by
-- (placeholder_user_id).
SELECT d.id FROM import_placeholder_user_details d WHERE d.placeholder_user_id = :user::bigint ORDER BY d.id FOR SHARE
