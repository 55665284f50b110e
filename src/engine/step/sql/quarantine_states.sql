-- The text of a query for the state of rows (`:key`) of the table `:tab`: a checksum of the row. No row: the table does not exist, or its -- key has several columns. Names are quoted by format. Fast because only the catalogue is read.
SELECT pg_catalog.format('SELECT k.key::text AS key, pg_catalog.md5(pg_catalog.to_jsonb(t.*)::text) AS state FROM pg_catalog.unnest(:key::%s[]) AS k (key)'
              ' JOIN %s t ON t.%I OPERATOR(pg_catalog.=) k.key', a.atttypid::regtype, i.indrelid::regclass, a.attname) AS sql
FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
WHERE i.indrelid = pg_catalog.to_regclass(pg_catalog.format('%I', :tab::text)) AND i.indisprimary AND i.indnkeyatts = 1
  AND a.atttypid IN ('int8'::regtype, 'int4'::regtype, 'int2'::regtype, 'text'::regtype, 'varchar'::regtype)
