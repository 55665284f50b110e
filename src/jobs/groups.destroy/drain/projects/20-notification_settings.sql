-- Deletes what users want to hear of these projects. Fast with an index on (source_type, source_id).
-- One that has just been moved elsewhere stays.
-- `held`: where others go with them, just those that the step has locked (../../references.sql). In a table of partitions a place alone
-- says not which row.
WITH held AS (SELECT nullif(current_setting('pruned.held_notification_settings', true), '')::tid[] AS places),
doomed AS MATERIALIZED (
  SELECT s.id, s.source_id, s.source_type FROM notification_settings s
  WHERE s.ctid = ANY ((SELECT places FROM held)::tid[]) AND s.source_type = 'Project' AND s.source_id = ANY (:project::bigint[])
  UNION ALL
  SELECT s.id, s.source_id, s.source_type FROM notification_settings s
  WHERE s.source_type = 'Project' AND s.source_id = ANY (:project::bigint[]) AND (SELECT places FROM held) IS NULL
  LIMIT :limit::int
)
DELETE FROM notification_settings s USING doomed d
WHERE s.id = d.id AND (s.source_id, s.source_type) IS NOT DISTINCT FROM (d.source_id, d.source_type)
RETURNING s.id AS key, to_jsonb(s.*) AS row
