-- Locks the members `:key` by id, so that the decision about them still holds when it is applied.
SELECT m.id FROM pg_catalog.unnest(:key::bigint[]) AS k (id) JOIN members m ON m.id = k.id ORDER BY m.id FOR UPDATE OF m
