-- Deletes the notification settings of removed members for the source they leave. Fast by (user_id,
-- source_id, source_type): the settings of these users are looked up first, whatever the planner
-- prefers. A row that has changed its user stays.
WITH doomed AS MATERIALIZED (
  SELECT s.* FROM unnest(:user_id::bigint[], :source_id::bigint[], :source_type::text[]) AS k (user_id, source_id, source_type),
  LATERAL (SELECT s.id, s.user_id, s.source_id, s.source_type FROM notification_settings s
           WHERE s.user_id = k.user_id AND s.source_id = k.source_id AND s.source_type::text = k.source_type::text OFFSET 0) AS s
)
DELETE FROM notification_settings s USING doomed d
WHERE s.id = d.id AND (s.user_id, s.source_id, s.source_type::text) IS NOT DISTINCT FROM (d.user_id, d.source_id, d.source_type::text)
RETURNING s.id AS key, pg_catalog.to_jsonb(s.*) AS row
