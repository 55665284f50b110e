-- The text of a query for the state of rows (`:key`, as text; of several columns a JSON object) of
-- the table `:tab`: a checksum of the row; `xid`: of the transaction that has locked or
-- changed it last, 0 if none has. No row: the table does not exist, has no primary key, or
-- row-level security can hide rows of it. Names are quoted by format. Fast because only the
-- catalogue is read.
SELECT pg_catalog.format('SELECT k.key, pg_catalog.md5(pg_catalog.to_jsonb(t.*)::text) AS state, t.xmax::text AS xid FROM (SELECT u.key, %s FROM pg_catalog.unnest(:key::text[]) AS u (key)) AS k'
              ' JOIN %s t ON %s', pg_catalog.string_agg(c.value, ', ' ORDER BY c.n), c.relation, pg_catalog.string_agg(c.condition, ' AND ' ORDER BY c.n)) AS sql
FROM (
  SELECT i.indrelid::regclass AS relation, k.n, pg_catalog.format('t.%I %s k.k%s', a.attname,
-- include: ../../../pg/sql/key_operator.sql
                           , k.n) AS condition,
         pg_catalog.format(CASE WHEN i.indnkeyatts = 1 THEN 'u.key::%2$s AS k%3$s'
                                WHEN
-- include: quarantine_json.sql
                                THEN '(u.key::jsonb -> %1$L)::%2$s AS k%3$s' ELSE '(u.key::jsonb ->> %1$L)::%2$s AS k%3$s' END,
                           a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), k.n) AS value
  FROM pg_index i CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n)
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
  WHERE i.indrelid = coalesce(pg_catalog.to_regclass(:tab::text), pg_catalog.to_regclass(pg_catalog.format('%I', :tab::text)))
    AND i.indisprimary AND k.n <= i.indnkeyatts AND NOT pg_catalog.row_security_active(i.indrelid)) AS c
GROUP BY c.relation
