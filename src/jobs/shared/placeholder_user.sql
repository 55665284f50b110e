-- The user, and whether a namespace has claimed them again: asked behind the locks. Fast by primary
-- key and (placeholder_user_id).
SELECT u.username, u.user_type = 15 AS placeholder,
       EXISTS (SELECT FROM import_placeholder_user_details d
               WHERE d.placeholder_user_id = u.id AND d.namespace_id IS NOT NULL) AS claimed
FROM users u
WHERE u.id = :user::bigint
