-- The tables in which more rows can change than the files of apply return, for files on the tables
-- `:tables`: what a foreign key takes or changes with them. If one of all these has a trigger or a
-- rule of the application, every table of the application, because the catalogue does not say what
-- that changes. `:tables` null: the files are on any table. `{}`: there are none. Reads the
-- catalogue only.
WITH RECURSIVE
-- include: ../../../pg/sql/keys_touched.sql
,
-- include: stirred.sql
SELECT coalesce(pg_catalog.array_agg(r.rel)::text, '{}') AS rels
FROM (SELECT t.rel FROM touched t
      WHERE t.rel IS NOT NULL AND EXISTS (SELECT FROM touched o JOIN pg_catalog.pg_trigger g ON g.tgrelid = o.rel WHERE g.tgfoid IN (1646, 1650, 1652, 1647, 1651, 1653))
      UNION
      SELECT c.oid FROM stirred s JOIN pg_catalog.pg_class c ON s.yes JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pruned')) AS r
