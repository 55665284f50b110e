-- The columns of the table `:relation`, by name and as SQL writes them. Reads the catalogue only.
SELECT a.attname AS name, pg_catalog.quote_ident(a.attname) AS quoted
FROM pg_attribute a
WHERE a.attrelid = pg_catalog.to_regclass(:relation::text) AND a.attnum > 0 AND NOT a.attisdropped AND :app_schema::text IS NOT NULL
ORDER BY a.attnum
