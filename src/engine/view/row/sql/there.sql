-- The text of a query for those of the rows `:key` (as text; of several columns a JSON object) of
-- the table `:tab` that exist. `own`: the key as the row has it, `1.00` for `1.0`, which is how
-- jobs name it: `:own`, SQL about a row of `:alias` (null: a key of one column). No row: the table
-- has no primary key, or row-level security can hide rows of it. Names are quoted by format. Fast
-- because only the catalogue is read.
SELECT pg_catalog.format('SELECT pruned_k.key, t.own FROM (SELECT u.key, %s FROM pg_catalog.unnest(:key::text[]) AS u (key)) AS pruned_k'
              ' CROSS JOIN LATERAL (SELECT %s AS own FROM %s%s %s WHERE %s OFFSET 0) AS t', pg_catalog.string_agg(c.value, ', ' ORDER BY c.n),
              coalesce(:own::text, CASE WHEN pg_catalog.count(*) = 1 THEN pg_catalog.min(c.own) ELSE 'pruned_k.key' END),
              c.only, c.relation, coalesce(:alias::text, 't'), pg_catalog.string_agg(c.condition, ' AND ' ORDER BY c.n)) AS sql
FROM (
  SELECT i.indrelid::regclass AS relation, CASE WHEN EXISTS (SELECT FROM pg_class p WHERE p.oid = i.indrelid AND p.relkind = 'p') THEN '' ELSE 'ONLY ' END AS only, k.n, pg_catalog.format('pg_catalog.format(''%%s'', %s.%I)', coalesce(:alias::text, 't'), a.attname) AS own, pg_catalog.format('%s.%I %s pruned_k.k%s', coalesce(:alias::text, 't'), a.attname,
-- include: ../../../../pg/sql/key_operator.sql
                           , k.n) AS condition,
         pg_catalog.format(
-- include: ../../../step/sql/quarantine_key.sql
                           , a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), k.n) AS value
  FROM pg_index i CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n)
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
  WHERE i.indrelid = pg_catalog.to_regclass(:tab::text)
    AND i.indisprimary AND k.n <= i.indnkeyatts AND NOT pg_catalog.row_security_active(i.indrelid)) AS c
GROUP BY c.relation, c.only
