-- A table whose holds have not followed it yet: it has another name or key, became a partition, or
-- is one no longer. `:after`: only one in which this transaction has deleted or changed rows. No
-- row: there is none. Reads the catalogue, held_tables, and from holds the first row of each table.
WITH RECURSIVE name (tab) AS (
  (SELECT h.tab FROM pruned.holds h ORDER BY h.tab LIMIT 1)
  UNION ALL
  SELECT (SELECT h.tab FROM pruned.holds h WHERE h.tab > n.tab ORDER BY h.tab LIMIT 1) FROM name n WHERE n.tab IS NOT NULL
),
tree (tab, rel, part) AS (
  SELECT t.tab, t.rel, t.rel FROM pruned.held_tables t WHERE t.within IS NULL
  UNION
  SELECT t.tab, t.rel, i.inhrelid FROM tree t JOIN pg_catalog.pg_inherits i ON i.inhparent = t.part
),
known AS (
  SELECT n.tab, t.rel, t.within, t.sign, t.cols,
-- include: relation_named.sql
         AS there,
         pg_catalog.has_table_privilege(t.rel, 'SELECT') AND NOT pg_catalog.row_security_active(t.rel) AS seen
  FROM (SELECT n.tab FROM name n WHERE n.tab IS NOT NULL UNION SELECT t.tab FROM pruned.held_tables t) AS n
  LEFT JOIN pruned.held_tables t ON t.tab = n.tab
)
SELECT k.tab
FROM known k LEFT JOIN pg_catalog.pg_class c ON c.oid = k.rel
WHERE CASE WHEN k.within IS NOT NULL
           THEN k.seen AND pruned.held_key(k.rel) IS NOT NULL AND CASE WHEN c.relispartition THEN pg_catalog.pg_partition_root(c.oid)::oid ELSE c.oid END
                           IS DISTINCT FROM (SELECT
-- include: relation_named.sql
                                             FROM (SELECT k.within AS tab) AS n)
           ELSE k.there IS DISTINCT FROM k.rel AND (pruned.held_sign(k.there) IS NOT NULL OR c.oid IS NOT NULL AND (k.there IS NULL OR NOT :after::boolean))
                OR c.relispartition
                OR k.seen AND k.cols IS NOT NULL AND k.there = k.rel AND pruned.held_sign(k.rel) <> k.sign
                OR NOT :after::boolean AND c.relkind = 'p' AND EXISTS (
                  SELECT FROM tree x WHERE x.tab = k.tab AND x.part <> x.rel AND pruned.held_sign(x.part) IS NOT NULL
                  AND NOT EXISTS (SELECT FROM pruned.held_tables o WHERE o.rel = x.part)) END
  AND (NOT :after::boolean OR NOT pg_catalog.current_setting('track_counts')::boolean
       OR EXISTS (SELECT FROM (SELECT x.part AS rel FROM tree x WHERE x.tab = k.tab UNION SELECT k.rel UNION SELECT k.there) AS x
                  WHERE pg_catalog.pg_stat_get_xact_tuples_deleted(x.rel) + pg_catalog.pg_stat_get_xact_tuples_updated(x.rel) > 0))
LIMIT 1
