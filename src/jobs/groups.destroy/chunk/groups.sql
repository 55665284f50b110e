-- The next groups of the hierarchy by id, this group included: 500 at a time, so that the index on traversal_ids, which
-- gives all of them at once, is asked a few times a run and not at every step; fewer if to look at them took too long.
WITH below AS MATERIALIZED (
  SELECT n.id FROM namespaces n WHERE n.traversal_ids @> ARRAY[:group::bigint] AND n.type = 'Group'
)
SELECT id FROM below WHERE id > :after::bigint ORDER BY id LIMIT least(:limit::bigint, 500)
