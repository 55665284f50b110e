-- The names of tables as SQL writes them, in their order; one that is not there stays as it is.
-- Reads the catalogue only.
SELECT coalesce(r.rel::regclass::text, n.tab) AS name
FROM pg_catalog.unnest(:tables::text[]) WITH ORDINALITY AS n (tab, pos)
CROSS JOIN LATERAL (SELECT
-- include: ../../../step/sql/relation_named.sql
AS rel) AS r
ORDER BY n.pos
