-- Locks the groups of `owner`, and the groups above, and `further`, by id: two processes never take away two owners at the
-- same moment such that none is left. Who the owners are is handed on, in a setting of the transaction, to the
-- files that follow. The statement has before this:
--   owner (id, source_id)  owners (owner_rule.sql) on their way out; none of them: nothing is locked
--   further (id)           namespaces that the job locks besides
locked AS MATERIALIZED (
  SELECT n.id FROM namespaces n
  WHERE n.id IN (SELECT pg_catalog.unnest(coalesce(g.traversal_ids, '{}') || o.source_id)
                 FROM owner o LEFT JOIN namespaces g ON g.id = o.source_id
                 UNION ALL SELECT id FROM further)
  ORDER BY n.id FOR NO KEY UPDATE
)
SELECT pg_catalog.set_config('pruned.owners', ARRAY(SELECT id FROM owner)::text, true) AS owners, (SELECT count(*) FROM locked) AS locked
