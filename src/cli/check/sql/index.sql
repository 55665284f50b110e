-- About how many rows the table `:relation` has, and the command that makes an index on its columns
-- among `:words`, in their order. No row if none of these is a column of it. Reads the catalogue
-- only.
SELECT greatest(c.reltuples, 0)::bigint AS n,
       pg_catalog.format('CREATE INDEX CONCURRENTLY ON %s (%s);', c.oid::regclass, pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' ORDER BY w.n)) AS make
FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN (SELECT u.word, pg_catalog.min(u.n) AS n FROM pg_catalog.unnest(:words::text[]) WITH ORDINALITY AS u (word, n) GROUP BY u.word) AS w ON w.word = a.attname
WHERE c.oid = pg_catalog.to_regclass(:relation::text)
GROUP BY c.oid, c.reltuples
