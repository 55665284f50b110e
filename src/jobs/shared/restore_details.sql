-- The groups are in use again. Fast by primary key.
WITH was AS MATERIALIZED (
  SELECT d.namespace_id, pg_catalog.to_jsonb(d.*) AS row FROM namespace_details d
  WHERE d.namespace_id = ANY (:key::bigint[]) AND d.deleted_at IS NOT NULL
  ORDER BY d.namespace_id FOR UPDATE
)
UPDATE namespace_details d SET deleted_at = NULL, updated_at = now()
FROM was WHERE d.namespace_id = was.namespace_id
RETURNING d.namespace_id AS key, was.row
