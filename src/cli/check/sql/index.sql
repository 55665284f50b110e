-- About how many rows the table `:relation` has, with those of its partitions; the command that
-- makes an index on its columns among `:words`, in their order (PostgreSQL makes none of a
-- partitioned table concurrently), NULL if none of these is a column of it; and the name of such an
-- index (`there`), if it has one already. Reads the catalogue only.
WITH RECURSIVE below (oid) AS (
  SELECT pg_catalog.to_regclass(:relation::text)::oid
  UNION ALL
  SELECT i.inhrelid FROM below b JOIN pg_class p ON p.oid = b.oid AND p.relkind = 'p' JOIN pg_inherits i ON i.inhparent = p.oid),
wanted AS (
  SELECT pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' ORDER BY w.n) AS names, pg_catalog.array_agg(a.attnum ORDER BY w.n) AS columns
  FROM (SELECT u.word, pg_catalog.min(u.n) AS n FROM pg_catalog.unnest(:words::text[]) WITH ORDINALITY AS u (word, n) GROUP BY u.word) AS w
  JOIN pg_attribute a ON a.attrelid = pg_catalog.to_regclass(:relation::text) AND a.attnum > 0 AND NOT a.attisdropped AND a.attname = w.word)
SELECT (SELECT coalesce(pg_catalog.sum(l.reltuples), 0)::bigint FROM below b JOIN pg_class l ON l.oid = b.oid AND l.relkind = 'r' AND l.reltuples > 0::real) AS n,
       CASE WHEN w.names IS NOT NULL THEN pg_catalog.format('CREATE INDEX %sON %s (%s);', CASE WHEN c.relkind <> 'p' THEN 'CONCURRENTLY ' END, c.oid::regclass, w.names) END AS make,
       (SELECT pg_catalog.min(i.indexrelid::regclass::text)
        FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am m ON m.oid = x.relam AND m.amname = 'btree'
        WHERE i.indrelid = c.oid AND i.indisvalid AND i.indpred IS NULL
          AND (i.indkey::smallint[])[0 : pg_catalog.cardinality(w.columns) - 1] OPERATOR(pg_catalog.=) w.columns) AS there
FROM pg_class c CROSS JOIN wanted w
WHERE c.oid = pg_catalog.to_regclass(:relation::text)
