-- Part of statements, behind located.sql: the sequences that an archive's own columns (`FILLS`)
-- take their numbers from. Columns that its table (`SOURCE`) has, too, are given; those of an
-- identity need no right. Materialized: a right is asked of sequences alone.
filled (job, seq, schema, name) AS MATERIALIZED (
  SELECT DISTINCT l.job, s.oid, n.nspname, s.relname
  FROM located l
  JOIN located o ON o.job = l.job AND o.name = 'SOURCE'
  JOIN pg_attribute t ON t.attrelid = l.rel AND t.attnum > 0 AND NOT t.attisdropped
  JOIN pg_attrdef f ON f.adrelid = t.attrelid AND f.adnum = t.attnum
  JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = f.oid AND d.refclassid = 'pg_class'::regclass
  JOIN pg_class s ON s.oid = d.refobjid AND s.relkind = 'S'
  JOIN pg_namespace n ON n.oid = s.relnamespace
  WHERE l.name = 'FILLS'
    AND NOT EXISTS (SELECT FROM pg_attribute x WHERE x.attrelid = o.rel AND x.attname = t.attname AND x.attnum > 0 AND NOT x.attisdropped)
)
