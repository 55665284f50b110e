-- Removes the groups' marks, if they still exist, and the groups are now called and in use as
-- restored, and nothing below them has its former path: the mark stays where a trigger or a rule
-- keeps what they were called. Fast by primary and unique keys, and the index on traversal_ids.
WITH back AS MATERIALIZED (
  SELECT * FROM unnest(:key::bigint[], :name::text[], :path::text[], :was_path::text[], :full_path::text[], :was_name::text[], :full_name::text[])
    AS k (id, name, path, was_path, full_path, was_name, full_name)
),
renamed AS (
  SELECT b.*, n.id AS group_id FROM back b, LATERAL (
    SELECT n.id FROM namespaces n WHERE n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[b.id] AND n.type::text = 'Group' OFFSET 0) AS n
  WHERE b.was_path <> b.full_path OR b.was_name <> b.full_name
),
source AS (
  SELECT 'Namespace' AS type, r.group_id AS source_id, r.* FROM renamed r
  UNION ALL
  SELECT 'Project', p.id, r.* FROM renamed r, LATERAL (SELECT p.id FROM projects p WHERE p.namespace_id = r.group_id OFFSET 0) AS p
),
kept AS MATERIALIZED (
  SELECT s.id FROM source s, LATERAL (
    SELECT r.path::text, r.name::text FROM routes r WHERE r.source_type::text = s.type AND r.source_id = s.source_id OFFSET 0) AS r
  WHERE s.was_path <> s.full_path AND pg_catalog.starts_with(r.path || '/', s.was_path || '/')
     OR s.was_name <> s.full_name AND pg_catalog.starts_with(r.name || ' / ', s.was_name || ' / ')
)
DELETE FROM group_deletion_schedules s
USING back k
WHERE s.group_id = k.id
  AND EXISTS (SELECT FROM namespaces n WHERE n.id = k.id AND (n.name::text, n.path::text) = (k.name, k.path))
  AND NOT EXISTS (SELECT FROM routes r WHERE r.source_type::text = 'Namespace' AND r.source_id = k.id AND r.path::text <> k.full_path)
  AND NOT EXISTS (SELECT FROM namespace_details d WHERE d.namespace_id = k.id AND d.deleted_at IS NOT NULL)
  AND k.id NOT IN (SELECT id FROM kept)
RETURNING s.group_id AS key, pg_catalog.to_jsonb(s.*) AS row
