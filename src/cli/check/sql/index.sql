-- About how many rows the table `:relation` has, with those of its partitions, and the command that
-- makes an index on its columns among `:words`, in their order: PostgreSQL makes none of a
-- partitioned table concurrently. No row if none of these is a column of it. Reads the catalogue
-- only.
WITH RECURSIVE below (oid) AS (
  SELECT pg_catalog.to_regclass(:relation::text)::oid
  UNION ALL
  SELECT i.inhrelid FROM below b JOIN pg_class p ON p.oid = b.oid AND p.relkind = 'p' JOIN pg_inherits i ON i.inhparent = p.oid)
SELECT (SELECT coalesce(pg_catalog.sum(l.reltuples), 0)::bigint FROM below b JOIN pg_class l ON l.oid = b.oid AND l.relkind = 'r' AND l.reltuples > 0::real) AS n,
       pg_catalog.format('CREATE INDEX %sON %s (%s);', CASE WHEN c.relkind <> 'p' THEN 'CONCURRENTLY ' END, c.oid::regclass,
                         pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' ORDER BY w.n)) AS make
FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN (SELECT u.word, pg_catalog.min(u.n) AS n FROM pg_catalog.unnest(:words::text[]) WITH ORDINALITY AS u (word, n) GROUP BY u.word) AS w ON w.word = a.attname
WHERE c.oid = pg_catalog.to_regclass(:relation::text)
GROUP BY c.oid, c.relkind
