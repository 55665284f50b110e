-- The names of `:relation` that are no tables, and those of `:name` beside them that are no columns
-- of these (an empty text: only the table is asked for). In the order of the list. Reads the
-- catalogue only.
SELECT w.n - 1 AS row, w.oid IS NULL AS whole
FROM (SELECT u.name, u.n, coalesce(pg_catalog.to_regclass(u.relation), pg_catalog.to_regclass(pg_catalog.quote_ident(u.relation)))::oid AS oid
      FROM ROWS FROM (pg_catalog.unnest(:relation::text[]), pg_catalog.unnest(:name::text[])) WITH ORDINALITY AS u (relation, name, n)) AS w
WHERE w.oid IS NULL
   OR (w.name <> '' AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = w.oid AND a.attname = w.name AND a.attnum > 0 AND NOT a.attisdropped))
ORDER BY w.n
