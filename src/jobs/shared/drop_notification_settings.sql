-- Deletes the notification settings of removed members for the source they leave. Fast by (user_id, source_id, source_type).
DELETE FROM notification_settings s
USING unnest(:user_id::bigint[], :source_id::bigint[], :source_type::text[]) AS k (user_id, source_id, source_type)
WHERE s.user_id = k.user_id AND s.source_id = k.source_id AND s.source_type = k.source_type
RETURNING s.id AS key, to_jsonb(s) AS row
