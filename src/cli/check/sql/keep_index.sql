-- What an index for `keep` is to be: the columns `:per`, then `:by`, as SQL names them, `:falling`
-- where they descend, then the primary key. About how many rows the table `:relation` has, with
-- those of its partitions; whether it has such an index (`there`), and the command that makes one.
-- A backward scan reads an index the other way round. Reads the catalogue only.
WITH RECURSIVE below (oid) AS (
  SELECT pg_catalog.to_regclass(:relation::text)::oid
  UNION ALL
  SELECT i.inhrelid FROM below b JOIN pg_class p ON p.oid = b.oid AND p.relkind = 'p' JOIN pg_inherits i ON i.inhparent = p.oid),
per AS (
  SELECT pg_catalog.array_agg(a.attnum ORDER BY a.attnum) AS columns, pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' ORDER BY w.n) AS names
  FROM pg_catalog.unnest(:per::text[]) WITH ORDINALITY AS w (name, n)
  JOIN pg_attribute a ON a.attrelid = pg_catalog.to_regclass(:relation::text) AND a.attname = w.name AND a.attnum > 0),
by AS (
  SELECT pg_catalog.array_agg(a.attnum ORDER BY w.n) AS columns, pg_catalog.array_agg(w.falling::int ORDER BY w.n) AS forward,
         pg_catalog.array_agg(CASE WHEN w.falling THEN 2 ELSE 3 END ORDER BY w.n) AS backward,
         pg_catalog.string_agg(pg_catalog.quote_ident(a.attname) || CASE WHEN w.falling THEN ' DESC NULLS LAST' ELSE '' END, ', ' ORDER BY w.n) AS names
  FROM ROWS FROM (pg_catalog.unnest(:by::text[]), pg_catalog.unnest(:falling::boolean[])) WITH ORDINALITY AS w (name, falling, n)
  JOIN pg_attribute a ON a.attrelid = pg_catalog.to_regclass(:relation::text) AND a.attname = w.name AND a.attnum > 0),
indexes AS (
  SELECT (i.indkey::smallint[])[0 : i.indnkeyatts - 1] AS columns, (i.indoption::smallint[])[0 : i.indnkeyatts - 1] AS options
  FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am m ON m.oid = x.relam AND m.amname = 'btree'
  WHERE i.indrelid = pg_catalog.to_regclass(:relation::text) AND i.indisvalid)
SELECT (SELECT coalesce(pg_catalog.sum(l.reltuples), 0)::bigint FROM below b JOIN pg_class l ON l.oid = b.oid AND l.relkind = 'r' AND l.reltuples > 0::real) AS n,
       EXISTS (SELECT FROM indexes x CROSS JOIN LATERAL (SELECT coalesce(pg_catalog.cardinality(per.columns), 0) AS n) AS g
               WHERE coalesce((SELECT pg_catalog.array_agg(c ORDER BY c) FROM pg_catalog.unnest(x.columns[1 : g.n]) AS c), '{}') OPERATOR(pg_catalog.=) coalesce(per.columns, '{}')
                 AND x.columns[g.n + 1 : g.n + pg_catalog.cardinality(by.columns)] OPERATOR(pg_catalog.=) by.columns
                 AND (x.options[g.n + 1 : g.n + pg_catalog.cardinality(by.columns)] OPERATOR(pg_catalog.=) by.forward::smallint[]
                      OR x.options[g.n + 1 : g.n + pg_catalog.cardinality(by.columns)] OPERATOR(pg_catalog.=) by.backward::smallint[])) AS there,
       pg_catalog.format('CREATE INDEX %sON %s (%s);', CASE WHEN c.relkind <> 'p' THEN 'CONCURRENTLY ' END, c.oid::regclass,
                         pg_catalog.concat_ws(', ', per.names, by.names,
                           (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' ORDER BY k.n)
                            FROM pg_index i CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n)
                            JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
                            WHERE i.indrelid = c.oid AND i.indisprimary AND k.n <= i.indnkeyatts
                              AND k.attnum <> ALL (coalesce(per.columns, '{}')) AND k.attnum <> ALL (coalesce(by.columns, '{}'))))) AS make
FROM pg_class c CROSS JOIN per CROSS JOIN by
WHERE c.oid = pg_catalog.to_regclass(:relation::text)
