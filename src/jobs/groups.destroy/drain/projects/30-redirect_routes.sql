-- Deletes the former paths of these projects. Fast with an index on (source_type, source_id).
DELETE FROM redirect_routes r
WHERE r.id IN (SELECT r.id FROM redirect_routes r
               WHERE r.source_type = 'Project' AND r.source_id = ANY (:project::bigint[]) LIMIT :limit::int)
RETURNING r.id AS key, to_jsonb(r) AS row
