-- Removes the groups' marks, if they still exist, and the groups are now called and in use as
-- restored: the mark stays where a trigger or a rule keeps what they were called. Fast by primary
-- and unique keys.
DELETE FROM group_deletion_schedules s
USING unnest(:key::bigint[], :name::text[], :path::text[], :full_path::text[]) AS k (id, name, path, full_path)
WHERE s.group_id = k.id
  AND EXISTS (SELECT FROM namespaces n WHERE n.id = k.id AND (n.name::text, n.path::text) = (k.name, k.path))
  AND NOT EXISTS (SELECT FROM routes r WHERE r.source_type::text = 'Namespace' AND r.source_id = k.id AND r.path::text <> k.full_path)
  AND NOT EXISTS (SELECT FROM namespace_details d WHERE d.namespace_id = k.id AND d.deleted_at IS NOT NULL)
RETURNING s.group_id AS key, pg_catalog.to_jsonb(s.*) AS row
