-- Locks the members `:key` by id, so that what is decided about them still holds when it is done.
SELECT m.id FROM pg_catalog.unnest(:key::bigint[]) AS k (id) JOIN members m ON m.id = k.id ORDER BY m.id FOR UPDATE OF m
