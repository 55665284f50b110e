-- Locks the projects that the missing authorizations are for: none is deleted meanwhile, as a
-- foreign key would ensure. Fast by primary key.
SELECT p.id FROM projects p
WHERE p.id = ANY (ARRAY(SELECT l.list[2][i] FROM (SELECT pg_catalog.current_setting('pruned.missing')::bigint[] AS list OFFSET 0) AS l, pg_catalog.generate_series(1, pg_catalog.array_length(l.list, 2)) AS i))
ORDER BY p.id FOR KEY SHARE
