-- A common table expression: the owners among the keys (lock_groups.sql), each with their group and
-- those above it.
owner AS MATERIALIZED (
  SELECT m.id, m.user_id, coalesce(n.traversal_ids, '{}') OPERATOR(pg_catalog.||) m.source_id AS groups
  FROM pg_catalog.unnest(pg_catalog.current_setting('pruned.owners')::bigint[]) AS k (id)
  JOIN members m ON m.id = k.id LEFT JOIN namespaces n ON n.id = m.source_id
)
