-- Days of the audit without their part of the index deletions_named, and the statements that drop
-- what an interrupted attempt left, make it, and attach it. Reads the catalogue only.
SELECT c.relname::text || '_named' AS name,
       pg_catalog.format('DROP INDEX CONCURRENTLY IF EXISTS pruned.%I', c.relname::text || '_named') AS remove,
       pg_catalog.format('CREATE INDEX CONCURRENTLY %I ON pruned.%I', c.relname::text || '_named', c.relname)
         || substring(pg_catalog.pg_get_indexdef('pruned.deletions_named'::regclass) FROM ' USING .*$') AS make,
       pg_catalog.format('ALTER INDEX pruned.deletions_named ATTACH PARTITION pruned.%I', c.relname::text || '_named') AS attach
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = 'pruned.deletions'::regclass
  AND NOT EXISTS (SELECT FROM pg_index x JOIN pg_inherits p ON p.inhrelid = x.indexrelid
                  WHERE x.indrelid = c.oid AND p.inhparent = 'pruned.deletions_named'::regclass)
ORDER BY c.relname DESC
