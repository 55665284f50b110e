-- Locks the groups and the roots above them by id: one step a hierarchy at a time. Fast by primary
-- key.
SELECT n.id FROM namespaces n
WHERE n.id IN (SELECT pg_catalog.unnest(g.traversal_ids[1:1] OPERATOR(pg_catalog.||) g.id) FROM namespaces g WHERE g.id = ANY (:key::bigint[]))
ORDER BY n.id FOR NO KEY UPDATE
