-- Locks the groups of `owner`, the groups above, and `further`, by id, so that two processes never
-- remove a group's two last owners at the same time. The owners are passed on to the following
-- files in settings of the transaction. The statement has before this:
--   owner (id, source_id)  owners (owner_rule.sql) to be removed; without any, nothing is locked
--   idle (user_id)         users of owners to be removed who do not count, because they are not active or not human
--   further (id)           namespaces that the job locks besides
locked AS MATERIALIZED (
  SELECT n.id FROM namespaces n
  WHERE n.id IN (SELECT pg_catalog.unnest(coalesce(g.traversal_ids, '{}') OPERATOR(pg_catalog.||) o.source_id)
                 FROM owner o LEFT JOIN namespaces g ON g.id = o.source_id
                 UNION ALL SELECT id FROM further)
  ORDER BY n.id FOR NO KEY UPDATE
)
SELECT pg_catalog.set_config('pruned.owners', ARRAY(SELECT id FROM owner)::text, true) AS owners,
       pg_catalog.set_config('pruned.idle_owners', ARRAY(SELECT user_id FROM idle)::text, true) AS idle_owners, (SELECT count(*) FROM locked) AS locked
