-- The next groups of the hierarchy by id, this group included: 500 at a time (fewer if that took
-- too long). The index on traversal_ids always reads the whole hierarchy, so it is used a few times
-- a run and not at every step.
WITH below AS MATERIALIZED (
  SELECT n.id FROM namespaces n WHERE n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[:group::bigint] AND n.type::text = 'Group'
)
SELECT id FROM below WHERE id > :after::bigint ORDER BY id LIMIT least(:limit::bigint, 500)
