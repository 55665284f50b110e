-- The statement that finds, among the keys `:key` and the columns `:row` of the primary keys of the
-- rows that were returned with them, the first pair that differs. A key is the value of one column
-- of the primary key, or an object of some of them. It is compared as PostgreSQL compares values of
-- the column's type and collation in rows (record_eq), or as rows have it in JSON: an array without
-- its bounds, a value of a type with a cast of its own. One value for a primary key of several
-- columns can be that of any of them. Without a primary key each pair differs. Names come from the
-- catalogue and are quoted here.
-- Reads the catalogue only.
WITH relation AS (
  SELECT coalesce(pg_catalog.to_regclass(:tab::text), pg_catalog.to_regclass(pg_catalog.quote_ident(:tab::text)))::oid AS oid
),
col AS (
  SELECT p.attname AS name, p.attnum, i.indnkeyatts > 1 AS several, pg_catalog.format_type(p.atttypid, -1) AS type,
         CASE WHEN p.attcollation <> 0 THEN ' COLLATE ' || p.attcollation::regcollation::text ELSE '' END AS collate,
         pg_catalog.format(CASE WHEN i.indnkeyatts = 1 THEN 'u.key::%1$s' WHEN p.atttypid = 'jsonb'::regtype THEN '(u.key::pg_catalog.jsonb -> %2$L::pg_catalog.text)::%1$s'
                           ELSE '(u.key::pg_catalog.jsonb ->> %2$L::pg_catalog.text)::%1$s' END, pg_catalog.format_type(p.atttypid, -1), p.attname) AS given
  FROM relation r
  JOIN pg_index i ON i.indrelid = r.oid AND i.indisprimary
  JOIN pg_attribute p ON p.attrelid = i.indrelid AND p.attnum = ANY ((i.indkey::smallint[])[0: (i.indnkeyatts - 1)])
),
same AS (
  SELECT c.*, pg_catalog.format('r.%1$I IS NOT NULL AND (pg_catalog.record_eq(ROW(r.%1$I%3$s), ROW((%2$s)%3$s)) OR pg_catalog.to_jsonb(%2$s) = (u."row"::pg_catalog.jsonb -> %1$L::pg_catalog.text))',
                                c.name, c.given, c.collate) AS same
  FROM col c
),
condition AS (
  SELECT pg_catalog.string_agg(pg_catalog.format('%I %s', s.name, s.type), ', ' ORDER BY s.attnum) AS columns,
         CASE WHEN pg_catalog.bool_and(s.several) THEN
           pg_catalog.format('CASE WHEN u.key OPERATOR(pg_catalog.~) ''^\s*\{''::pg_catalog.text THEN u.key::pg_catalog.jsonb ?| ARRAY[%s]::pg_catalog.text[] AND %s ELSE %s END',
             pg_catalog.string_agg(pg_catalog.quote_literal(s.name), ', '),
             pg_catalog.string_agg(pg_catalog.format('(NOT (u.key::pg_catalog.jsonb ? %L::pg_catalog.text) OR (%s))', s.name, s.same), ' AND ' ORDER BY s.attnum),
             pg_catalog.string_agg(pg_catalog.format('r.%I::pg_catalog.text = u.key', s.name), ' OR ' ORDER BY s.attnum))
         ELSE pg_catalog.max(s.same) END AS holds
  FROM same s
)
SELECT 'SELECT u.key, u."row" FROM ROWS FROM (pg_catalog.unnest(:key::text[]), pg_catalog.unnest(:row::text[])) WITH ORDINALITY AS u (key, "row", n)'
       || CASE WHEN c.columns IS NULL THEN ''
          ELSE pg_catalog.format(' CROSS JOIN LATERAL pg_catalog.jsonb_to_record(u."row"::pg_catalog.jsonb) AS r (%s) WHERE NOT coalesce(%s, false)', c.columns, c.holds) END
       || ' ORDER BY u.n LIMIT 1' AS text
FROM condition c
