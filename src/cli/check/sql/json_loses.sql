-- Columns of the tables `:tab` (as SQL writes them) that a record must have as texts. `place`: of
-- the table, from 1. Reads the catalogue only.
SELECT t.place, a.attname::text AS name, pg_catalog.quote_ident(a.attname) AS quoted, pg_catalog.format_type(a.atttypid, a.atttypmod) AS type
FROM ROWS FROM (pg_catalog.unnest(:tab::text[])) WITH ORDINALITY AS t (name, place)
JOIN pg_attribute a ON a.attrelid = coalesce(pg_catalog.to_regclass(t.name), pg_catalog.to_regclass(pg_catalog.quote_ident(t.name))) AND a.attnum > 0 AND NOT a.attisdropped
CROSS JOIN LATERAL (
  WITH RECURSIVE base (oid) AS (
    SELECT a.atttypid UNION ALL SELECT d.typbasetype FROM base b JOIN pg_type d ON d.oid = b.oid AND d.typtype = 'd')
  SELECT b.oid FROM base b JOIN pg_type t ON t.oid = b.oid AND t.typtype <> 'd') AS y
WHERE
-- include: ../../../pg/sql/json_loses.sql
ORDER BY t.place, a.attnum
