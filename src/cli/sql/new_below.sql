-- About how many rows the tables `:tables` have, with their partitions: by their last ANALYZE, or,
-- without one, as many small rows as fit into their files. Reads the catalogue only.
WITH parts AS (
  SELECT pg_catalog.to_regclass(t.name)::oid AS rel FROM pg_catalog.unnest(:tables::text[]) AS t (name)
  UNION
  SELECT p.relid FROM pg_catalog.unnest(:tables::text[]) AS t (name), LATERAL pg_catalog.pg_partition_tree(pg_catalog.to_regclass(t.name)) AS p
)
SELECT coalesce(pg_catalog.sum(CASE WHEN c.reltuples < 0::real THEN pg_catalog.pg_relation_size(c.oid) / 32 ELSE c.reltuples END), 0)::bigint AS rows
FROM parts p JOIN pg_class c ON c.oid = p.rel WHERE c.relkind <> 'p'
