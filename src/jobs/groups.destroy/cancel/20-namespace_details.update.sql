-- The deletion is called off. Fast by primary key.
WITH was AS MATERIALIZED (
  SELECT d.namespace_id, pg_catalog.to_jsonb(d.*) AS row FROM namespace_details d
  WHERE d.namespace_id = :group::bigint AND d.deleted_at IS NOT NULL FOR UPDATE
)
UPDATE namespace_details d SET deleted_at = NULL, updated_at = now()
FROM was WHERE d.namespace_id = was.namespace_id
RETURNING d.namespace_id AS key, was.row
