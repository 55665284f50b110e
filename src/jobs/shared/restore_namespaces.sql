-- Restores the groups' names and paths. Fast by primary key.
WITH was AS MATERIALIZED (
  SELECT n.id, k.name, k.path, pg_catalog.to_jsonb(n.*) AS row
  FROM unnest(:key::bigint[], :name::text[], :path::text[]) AS k (id, name, path) JOIN namespaces n ON n.id = k.id
  WHERE (n.name::text, n.path::text) <> (k.name, k.path)
)
UPDATE namespaces n SET name = was.name, path = was.path, updated_at = now()
FROM was WHERE n.id = was.id
RETURNING n.id AS key, was.row
