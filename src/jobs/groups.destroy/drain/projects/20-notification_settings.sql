-- Deletes the users' notification settings for these projects and their own namespaces. Fast with
-- an index on (source_type, source_id).
-- `held`: where a key leads to these rows, only the rows that the step has locked
-- (../../references.sql). Rows are found once and deleted where they stand. The ctid alone does not
-- identify a row in a partitioned table, and a row that has just been moved elsewhere must stay: so
-- its parent is checked again.
WITH held AS (SELECT nullif(pg_catalog.current_setting('pruned.held_notification_settings', true), '')::tid[] AS places),
doomed AS (
  SELECT pg_catalog.unnest(places) AS place FROM held
  UNION ALL
  SELECT s.ctid FROM notification_settings s
  WHERE s.source_type::text = 'Project' AND s.source_id = ANY (:project::bigint[]) AND (SELECT places FROM held) IS NULL
  UNION ALL
  SELECT s.ctid FROM notification_settings s
  WHERE s.source_type::text = 'Namespace' AND s.source_id = ANY (:namespace::bigint[]) AND (SELECT places FROM held) IS NULL
  LIMIT :limit::int
)
DELETE FROM notification_settings s
WHERE s.ctid = ANY (ARRAY(SELECT place FROM doomed))
  AND (s.source_type::text = 'Project' AND s.source_id = ANY (:project::bigint[]) OR s.source_type::text = 'Namespace' AND s.source_id = ANY (:namespace::bigint[]))
RETURNING s.id AS key, pg_catalog.to_jsonb(s.*) AS row
