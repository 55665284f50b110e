-- Locks the memberships of the owners among the keys by id, so that the decision about them still
-- holds when it is applied. The others need no lock, because their removal depends on no other row:
-- apply checks again whether they are unchanged. Those that have changed are locked when the page
-- is retried.
SELECT m.id FROM (SELECT pg_catalog.unnest(pg_catalog.current_setting('pruned.owners')::bigint[]) UNION SELECT pg_catalog.unnest(:held::bigint[])) AS k (id)
JOIN members m ON m.id = k.id
ORDER BY m.id FOR UPDATE OF m
