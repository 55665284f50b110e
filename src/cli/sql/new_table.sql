-- The indexes of the table `:table` and of its partitions, how many rows it has by its last ANALYZE
-- (-1: not known), and the size of its files. One row without index if there is none. Reads the
-- catalogue only.
WITH parts AS (
  SELECT pg_catalog.to_regclass(:table::text)::oid AS rel
  UNION SELECT p.relid FROM pg_catalog.pg_partition_tree(pg_catalog.to_regclass(:table::text)) p
),
leaves AS (
  SELECT c.oid, c.reltuples FROM parts p JOIN pg_class c ON c.oid = p.rel WHERE c.relkind <> 'p'
)
SELECT (SELECT CASE WHEN count(*) = 0 OR pg_catalog.bool_or(l.reltuples < 0::real) THEN -1 ELSE pg_catalog.sum(l.reltuples)::bigint END FROM leaves l) AS rows,
       (SELECT coalesce(pg_catalog.sum(pg_catalog.pg_relation_size(l.oid)), 0)::bigint FROM leaves l) AS bytes,
       i.relname AS index, coalesce(x.indpred IS NOT NULL, false) AS partial
FROM (SELECT) AS one
LEFT JOIN parts p ON true
LEFT JOIN pg_index x ON x.indrelid = p.rel AND x.indisvalid
LEFT JOIN pg_class i ON i.oid = x.indexrelid
