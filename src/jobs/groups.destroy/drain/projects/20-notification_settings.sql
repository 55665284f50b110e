-- Deletes what users want to hear of these projects. Fast with an index on (source_type, source_id).
-- `held`: where others go with them, just those that the step has locked (../../references.sql). Rows are found once and then deleted
-- where they stand. In a table of partitions a place alone says not which row, and one that has just been moved elsewhere stays: so what
-- it belongs to is asked again.
WITH held AS (SELECT nullif(pg_catalog.current_setting('pruned.held_notification_settings', true), '')::tid[] AS places),
doomed AS (
  SELECT pg_catalog.unnest(places) AS place FROM held
  UNION ALL
  SELECT s.ctid FROM notification_settings s
  WHERE s.source_type = 'Project' AND s.source_id = ANY (:project::bigint[]) AND (SELECT places FROM held) IS NULL
  LIMIT :limit::int
)
DELETE FROM notification_settings s
WHERE s.ctid = ANY (ARRAY(SELECT place FROM doomed)) AND s.source_type = 'Project' AND s.source_id = ANY (:project::bigint[])
RETURNING s.id AS key, pg_catalog.to_jsonb(s.*) AS row
