-- The statement that finds, among rows of the table `:tab` with the primary keys `:own` (objects of
-- its columns), the first one that is there and was not written by this transaction, or whose key
-- lacks a column. No row: the
-- table has no primary key, or one whose value is not that of its text in JSON (arrays, rows, types
-- with their own cast to JSON). Names come from the catalogue and are quoted here. A transaction
-- that has begun later can have written the row meanwhile; then it is not found.
-- Reads the catalogue only. The statement searches by the primary key.
WITH col AS (
  SELECT i.indrelid::regclass AS relation, k.n, a.attname, t.typcategory NOT IN ('A', 'C')
           AND NOT EXISTS (SELECT FROM pg_cast c WHERE c.castsource IN (t.oid, t.typbasetype) AND c.casttarget IN ('json'::regtype, 'jsonb'::regtype) AND c.castfunc <> 0) AS plain,
         pg_catalog.format('%I %s%s', a.attname, pg_catalog.format_type(a.atttypid, -1),
                           CASE WHEN a.attcollation <> 0 THEN ' COLLATE ' || a.attcollation::regcollation::text ELSE '' END) AS typed,
         pg_catalog.format('t.%1$I %2$s r.%1$I', a.attname,
-- include: ../../../pg/sql/key_operator.sql
                           ) AS same
  FROM pg_index i CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n)
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
  JOIN pg_type t ON t.oid = a.atttypid
  WHERE i.indrelid = coalesce(pg_catalog.to_regclass(:tab::text), pg_catalog.to_regclass(pg_catalog.quote_ident(:tab::text)))::oid
    AND i.indisprimary AND k.n <= i.indnkeyatts
)
SELECT pg_catalog.format('SELECT u.own FROM pg_catalog.unnest(:own::text[]) AS u (own) CROSS JOIN LATERAL pg_catalog.jsonb_to_record(u.own::pg_catalog.jsonb) AS r (%s)'
                         ' LEFT JOIN %s AS t ON %s WHERE pg_catalog.age(t.xmin) > 0 OR %s LIMIT 1',
                         pg_catalog.string_agg(c.typed, ', ' ORDER BY c.n), c.relation, pg_catalog.string_agg(c.same, ' AND ' ORDER BY c.n),
                         pg_catalog.string_agg(pg_catalog.format('r.%I IS NULL', c.attname), ' OR ' ORDER BY c.n)) AS text
FROM col c GROUP BY c.relation HAVING pg_catalog.bool_and(c.plain)
