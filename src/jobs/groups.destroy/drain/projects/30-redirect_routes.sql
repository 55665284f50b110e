-- Deletes the former paths of these projects and their own namespaces, and others that name these:
-- only paths of removed namespaces (hold/30-strangers.sql). Fast with indexes on (source_type,
-- source_id) and (namespace_id).
-- `held`: where a key leads to these rows, only the rows that the step has locked
-- (../../references.sql). The ctid alone does not identify a row in a partitioned table, and a row
-- that has just been moved elsewhere must stay.
WITH held AS (SELECT nullif(pg_catalog.current_setting('pruned.held_redirect_routes', true), '')::tid[] AS places),
doomed AS MATERIALIZED (
  SELECT r.id, r.source_id, r.source_type, r.namespace_id FROM redirect_routes r
  WHERE r.ctid = ANY ((SELECT places FROM held)::tid[])
    AND (r.source_type::text = 'Project' AND r.source_id = ANY (:project::bigint[]) OR r.source_type::text = 'Namespace' AND r.source_id = ANY (:namespace::bigint[]))
  UNION ALL
  SELECT r.id, r.source_id, r.source_type, r.namespace_id FROM redirect_routes r
  WHERE r.source_type::text = 'Project' AND r.source_id = ANY (:project::bigint[]) AND (SELECT places FROM held) IS NULL
  UNION ALL
  SELECT r.id, r.source_id, r.source_type, r.namespace_id FROM redirect_routes r
  WHERE r.source_type::text = 'Namespace' AND r.source_id = ANY (:namespace::bigint[]) AND (SELECT places FROM held) IS NULL
  UNION ALL
  SELECT r.id, r.source_id, r.source_type, r.namespace_id FROM redirect_routes r
  WHERE r.namespace_id = ANY (:namespace::bigint[])
    AND NOT (r.source_type::text = 'Project' AND r.source_id = ANY (:project::bigint[]) OR r.source_type::text = 'Namespace' AND r.source_id = ANY (:namespace::bigint[]))
  LIMIT :limit::int
)
DELETE FROM redirect_routes r USING doomed d
WHERE r.id = d.id AND (r.source_id, r.source_type::text, r.namespace_id) IS NOT DISTINCT FROM (d.source_id, d.source_type::text, d.namespace_id)
RETURNING r.id AS key, pg_catalog.to_jsonb(r.*) AS row
