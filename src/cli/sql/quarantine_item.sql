-- Part of statements: entry `q` is about `:item`, however its table is named in either; null: any.
(:item::text IS NULL OR q.item = :item::text
 OR EXISTS (
   SELECT FROM (
     SELECT pg_catalog.substr(n.item, pg_catalog.length(n.tab) + 2) AS key,
-- include: ../../engine/step/sql/relation_named.sql
            AS rel
     FROM (SELECT q.item,
-- include: ../../engine/step/sql/quarantine_table.sql
           AS tab FROM (VALUES (q.item), (:item::text)) AS q (item)) AS n) AS s
   HAVING pg_catalog.count(s.rel) = 2 AND pg_catalog.count(DISTINCT s.rel) = 1 AND pg_catalog.count(DISTINCT s.key) = 1))
