-- A condition: detail `d` has used up its attempts, and user `u`, whose it is, is a placeholder
-- that no namespace claims. Fast by (placeholder_user_id).
d.namespace_id IS NULL AND d.deletion_attempts >= :setting.imports.placeholder_cleanup.item_attempts::int AND u.user_type = 15
  AND NOT EXISTS (SELECT FROM import_placeholder_user_details c WHERE c.placeholder_user_id = u.id AND c.namespace_id IS NOT NULL)
