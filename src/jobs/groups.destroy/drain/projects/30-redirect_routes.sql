-- Deletes the former paths of these projects. Fast with an index on (source_type, source_id).
-- One that has just been moved elsewhere stays.
WITH doomed AS MATERIALIZED (
  SELECT r.id, r.source_id, r.source_type FROM redirect_routes r
  WHERE r.source_type = 'Project' AND r.source_id = ANY (:project::bigint[]) LIMIT :limit::int
)
DELETE FROM redirect_routes r USING doomed d
WHERE r.id = d.id AND (r.source_id, r.source_type) IS NOT DISTINCT FROM (d.source_id, d.source_type)
RETURNING r.id AS key, to_jsonb(r.*) AS row
