-- Deletes what users want to hear of these groups. Fast with an index on (source_type, source_id).
DELETE FROM notification_settings s
WHERE s.id IN (SELECT s.id FROM notification_settings s
               WHERE s.source_type = 'Namespace' AND s.source_id = ANY (:group::bigint[]) LIMIT :limit::int)
RETURNING s.id AS key, to_jsonb(s) AS row
