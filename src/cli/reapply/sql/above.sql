-- How many of these tables refer to each of them by foreign keys, at any distance: rows of a table
-- go before those that they refer to. Only the catalogue is read.
WITH RECURSIVE given AS MATERIALIZED (
  SELECT t.pos, coalesce(pg_catalog.to_regclass(t.name), pg_catalog.to_regclass(pg_catalog.quote_ident(t.name)))::oid AS rel
  FROM pg_catalog.unnest(:table::text[]) WITH ORDINALITY AS t (name, pos)
),
refers (above, below) AS (
  SELECT g.rel, c.conrelid FROM given g JOIN pg_constraint c ON c.confrelid = g.rel AND c.contype = 'f'
  UNION
  SELECT r.above, c.conrelid FROM refers r JOIN pg_constraint c ON c.confrelid = r.below AND c.contype = 'f'
)
SELECT g.pos, (SELECT count(*) FROM refers r WHERE r.above = g.rel AND r.below <> g.rel AND r.below IN (SELECT rel FROM given)) AS n
FROM given g WHERE g.rel IS NOT NULL
