-- For each of `:sets` (array literals, of names of tables): a stamp of what a sentence's SQL
-- depends on: these tables, their columns, where the types of these are, keys, whether row-level
-- security hides rows of them, and all foreign keys (a new one can name a new child). Fast: the
-- tables are looked up by name, and pg_constraint is read once.
WITH keys AS MATERIALIZED (
  SELECT pg_catalog.concat(count(*), ':', pg_catalog.sum(pg_catalog.hashint8extended(f.oid::bigint << 32, f.xmin::text::bigint))) AS stamp
  FROM pg_constraint f WHERE f.contype IN ('f', 'p'))
SELECT pg_catalog.md5(pg_catalog.concat_ws('/',
  (SELECT pg_catalog.string_agg(pg_catalog.concat_ws(' ', t.name, c.oid, c.xmin, pg_catalog.row_security_active(c.oid),
            (SELECT pg_catalog.string_agg(pg_catalog.concat(g.oid, ':', g.xmin), ',' ORDER BY g.oid) FROM pg_trigger g WHERE g.tgrelid = c.oid AND NOT g.tgisinternal),
            (SELECT pg_catalog.string_agg(pg_catalog.concat(a.attnum, ':', a.xmin, ':', y.typnamespace), ',' ORDER BY a.attnum) FROM pg_attribute a LEFT JOIN pg_type y ON y.oid = a.atttypid WHERE a.attrelid = c.oid AND a.attnum > 0)),
          ',' ORDER BY t.n)
   FROM pg_catalog.unnest(s.tables::text[]) WITH ORDINALITY AS t (name, n) LEFT JOIN pg_class c ON c.oid = pg_catalog.to_regclass(t.name)),
  k.stamp)) AS stamp
FROM pg_catalog.unnest(:sets::text[]) WITH ORDINALITY AS s (tables, n), keys k
ORDER BY s.n
