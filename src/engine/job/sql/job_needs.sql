-- What of the job's `needs` is missing, one reason. `:name`: a column, or an empty text. Reads the
-- catalogue only; asked once a minute.
SELECT 'needs: there is no ' || CASE WHEN w.oid IS NULL THEN 'table ' || w.relation ELSE 'column ' || w.name || ' of ' || w.relation END AS reason
FROM (SELECT u.relation, u.name, u.n, coalesce(pg_catalog.to_regclass(u.relation), pg_catalog.to_regclass(pg_catalog.quote_ident(u.relation)))::oid AS oid
      FROM ROWS FROM (pg_catalog.unnest(:relation::text[]), pg_catalog.unnest(:name::text[])) WITH ORDINALITY AS u (relation, name, n)) AS w
WHERE w.oid IS NULL
   OR (w.name <> '' AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = w.oid AND a.attname = w.name AND a.attnum > 0 AND NOT a.attisdropped))
ORDER BY w.n
LIMIT 1
