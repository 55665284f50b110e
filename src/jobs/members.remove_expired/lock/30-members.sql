-- Locks the memberships of the owners among the keys by id: what is decided about them still holds when it is done. The others
-- need no lock, since whether they go depends on nobody else: apply asks again whether they are what they were decided on.
-- Those of which it said no are held when the page is tried again.
SELECT m.id FROM (SELECT pg_catalog.unnest(pg_catalog.current_setting('pruned.owners')::bigint[]) UNION SELECT pg_catalog.unnest(:held::bigint[])) AS k (id)
JOIN members m ON m.id = k.id
ORDER BY m.id FOR UPDATE OF m
