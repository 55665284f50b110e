-- The text of a statement that keeps the names and the keys of tables as they are until the
-- transaction ends: of those with held rows in which a job on the tables `:tables` can take rows,
-- by its statements and by foreign keys. No row: there are none. Of others, which triggers reach,
-- held_changed.sql asks afterwards. Reads the catalogue only.
WITH RECURSIVE
-- include: ../../../pg/sql/keys_touched.sql
,
tree (rel, part) AS (
  SELECT t.rel, t.rel FROM pruned.held_tables t WHERE t.within IS NULL
  UNION
  SELECT t.rel, i.inhrelid FROM tree t JOIN pg_catalog.pg_inherits i ON i.inhparent = t.part
)
SELECT pg_catalog.concat('LOCK TABLE ', pg_catalog.string_agg(pg_catalog.format('ONLY %s', h.rel::regclass), ', ' ORDER BY h.rel), ' IN ACCESS SHARE MODE') AS sql
FROM (SELECT DISTINCT t.rel FROM tree t JOIN pg_catalog.pg_class c ON c.oid = t.rel AND c.relkind IN ('r', 'p')
      WHERE t.part IN (SELECT d.rel FROM touched d WHERE d.rel IS NOT NULL) AND pg_catalog.has_table_privilege(t.rel, 'SELECT')) AS h
HAVING pg_catalog.count(*) > 0
