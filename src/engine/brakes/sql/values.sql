-- The text of a statement that returns the three commonest values of a column among rows by their
-- keys; of a time its day. No row: the table has no key of one column, or has no such column. Only
-- the catalogue is read.
SELECT pg_catalog.format('SELECT t.%I%s::text AS value, pg_catalog.count(*) AS rows FROM %s t WHERE t.%I OPERATOR(pg_catalog.=) ANY (:key::int8[])'
                         ' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3', d.attname,
                         CASE WHEN d.atttypid IN ('timestamptz'::regtype, 'timestamp'::regtype) THEN '::pg_catalog.date' END,
                         i.indrelid::regclass, a.attname) AS sql
FROM pg_index i
JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
JOIN pg_attribute d ON d.attrelid = i.indrelid AND d.attname = :due::text AND NOT d.attisdropped
WHERE i.indrelid = coalesce(pg_catalog.to_regclass(:tab::text), pg_catalog.to_regclass(pg_catalog.format('%I', :tab::text))) AND i.indisprimary AND i.indnkeyatts = 1
  AND a.atttypid IN ('int8'::regtype, 'int4'::regtype, 'int2'::regtype)
