-- Locks the groups that have an owner among the members `:key`, and the groups above, by id: two processes never take
-- away two owners at the same moment such that none is left. Who these owners are is handed on to the files that follow.
-- Fast because it is a look-up by primary key each; a page without owners locks nothing.
WITH owner AS MATERIALIZED (
  SELECT m.id, m.source_id
  FROM unnest(:key::bigint[]) AS k (id) JOIN members m ON m.id = k.id JOIN users u ON u.id = m.user_id
  WHERE
  -- include: owner_rule.sql
),
locked AS MATERIALIZED (
  SELECT n.id FROM namespaces n
  WHERE n.id IN (SELECT unnest(coalesce(g.traversal_ids, '{}') || o.source_id)
                 FROM owner o LEFT JOIN namespaces g ON g.id = o.source_id)
  ORDER BY n.id FOR NO KEY UPDATE
)
SELECT set_config('pruned.owners', ARRAY(SELECT id FROM owner)::text, true) AS owners, (SELECT count(*) FROM locked) AS groups
