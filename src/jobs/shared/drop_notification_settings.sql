-- Deletes the notification settings of removed members for the source they leave. Fast by (user_id, source_id, source_type),
-- whatever else the planner finds: the settings of these users are looked up first.
WITH doomed AS MATERIALIZED (
  SELECT s.id FROM unnest(:user_id::bigint[], :source_id::bigint[], :source_type::text[]) AS k (user_id, source_id, source_type),
  LATERAL (SELECT s.id FROM notification_settings s
           WHERE s.user_id = k.user_id AND s.source_id = k.source_id AND s.source_type = k.source_type OFFSET 0) AS s
)
DELETE FROM notification_settings s USING doomed d
WHERE s.id = d.id
RETURNING s.id AS key, to_jsonb(s) AS row
