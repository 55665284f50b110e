-- The deepest groups of the hierarchy, without this group itself: all of one depth, so none is
-- above another.
WITH below AS MATERIALIZED (
  SELECT n.id, pg_catalog.cardinality(n.traversal_ids) AS depth FROM namespaces n
  WHERE n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[:group::bigint] AND n.type::text = 'Group' AND n.id <> :group::bigint
)
SELECT id FROM below WHERE depth = (SELECT pg_catalog.max(depth) FROM below) ORDER BY id LIMIT 500
