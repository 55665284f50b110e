-- How many rows this transaction has deleted, updated and inserted in each of the tables `:tab`,
-- with all their partitions, in the order of the list; `parted`: it has some, and an update that
-- moves a row from one to another counts as a deletion and an insertion. Fast because the counts
-- are in this session's memory, and partitions are found by the index of the catalogue.
WITH RECURSIVE tree (pos, oid) AS (
  SELECT t.pos, coalesce(pg_catalog.to_regclass(t.tab), pg_catalog.to_regclass(pg_catalog.quote_ident(t.tab)))::oid
  FROM pg_catalog.unnest(:tab::text[]) WITH ORDINALITY AS t (tab, pos)
  UNION
  SELECT tree.pos, below.oid FROM tree CROSS JOIN LATERAL (
    SELECT i.inhrelid AS oid FROM pg_catalog.pg_inherits i WHERE i.inhparent = tree.oid OFFSET 0) AS below
)
SELECT coalesce(pg_catalog.sum(pg_catalog.pg_stat_get_xact_tuples_deleted(tree.oid)), 0)::bigint AS deleted,
       coalesce(pg_catalog.sum(pg_catalog.pg_stat_get_xact_tuples_updated(tree.oid)), 0)::bigint AS updated,
       coalesce(pg_catalog.sum(pg_catalog.pg_stat_get_xact_tuples_inserted(tree.oid)), 0)::bigint AS inserted,
       pg_catalog.count(*) > 1 AS parted
FROM tree GROUP BY tree.pos ORDER BY tree.pos
