-- What is wrong with a page's cursor: its columns `:name` are the columns `:number` of the tables
-- `:table` (0: of none), and may be NULL where `:open`. `:key_table`: the table of the page's key
-- (0: not known). `holds`: also if the page makes its rows unique; `name`: of the column. About how
-- many rows have NULL is known from statistics. Reads the catalogue only.
WITH c AS (
  SELECT u.name, u.rel, u.number, u.open, u.n FROM unnest(:name::text[], :table::oid[], :number::smallint[], :open::boolean[]) WITH ORDINALITY AS u (name, rel, number, open, n)),
known AS (
  SELECT c.*, a.attname, a.attnotnull OR t.typnotnull AS whole, r.relname, r.reltuples, s.nspname
  FROM c
  JOIN pg_class r ON r.oid = c.rel AND r.relkind IN ('r', 'p', 'm')
  JOIN pg_namespace s ON s.oid = r.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.rel AND a.attnum = c.number
  JOIN pg_type t ON t.oid = a.atttypid),
covered AS ( -- a table with a unique index whose columns are all among those of the cursor
  SELECT i.indrelid AS rel
  FROM pg_index i
  WHERE i.indrelid IN (SELECT k.rel FROM known k) AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
    AND NOT EXISTS (SELECT FROM pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS x (attnum, n)
                    WHERE x.n <= i.indnkeyatts AND x.attnum <> ALL (ARRAY(SELECT k.number FROM known k WHERE k.rel = i.indrelid)))
    AND :key_table::oid IN (0::oid, i.indrelid))
SELECT pg_catalog.format('column %s can be NULL%s: a comparison with the cursor never finds such a row, and nothing says so. '
                         'If these stay, say so in page.sql: `AND %s IS NOT NULL`. If they are to go, order by coalesce(%s, ...), or declare it (`%s ... null` in job.conf) and deal with NULL',
                         k.name, coalesce((SELECT pg_catalog.format(' (in about %s rows)', (p.null_frac * k.reltuples)::bigint)
                                           FROM pg_stats p WHERE p.schemaname = k.nspname AND p.tablename = k.relname AND p.attname = k.attname
                                             AND p.null_frac > 0::real AND k.reltuples > 0::real ORDER BY p.inherited DESC LIMIT 1), ''),
                         k.attname, k.name, k.name) AS detail,
       true AS holds, k.n, k.attname::text AS name
FROM known k
WHERE NOT k.whole AND NOT k.open
UNION ALL
SELECT pg_catalog.format('no unique index covers its columns (%s)%s: of rows with the same cursor, all behind the end of a page would be skipped. '
                         'End ORDER BY, cursor and comparison with %s', (SELECT pg_catalog.string_agg(c.name, ', ' ORDER BY c.n) FROM c),
                         CASE WHEN EXISTS (SELECT FROM known) THEN (SELECT ' of ' || pg_catalog.string_agg(DISTINCT k.rel::regclass::text, ', ') FROM known k) ELSE ', which are made up' END,
                         coalesce((SELECT 'the primary key (' || pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' ORDER BY x.n) || ')'
                                   FROM pg_index i, pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS x (attnum, n), pg_attribute a
                                   WHERE i.indrelid = (SELECT k.rel FROM known k ORDER BY k.n LIMIT 1) AND i.indisprimary AND x.n <= i.indnkeyatts
                                     AND a.attrelid = i.indrelid AND a.attnum = x.attnum), 'what is unique')) AS detail,
       false, 1000, NULL
WHERE NOT EXISTS (SELECT FROM covered)
  -- of a view nothing is known
  AND NOT EXISTS (SELECT FROM c JOIN pg_class v ON v.oid = c.rel WHERE v.relkind NOT IN ('r', 'p', 'm'))
ORDER BY 3
