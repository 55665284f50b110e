-- A common table expression: the columns of reference_list.sql that exist in this database.
-- include: reference_list.sql
,
user_reference (pos, tab, col) AS (
  SELECT l.pos, l.tab, l.col
  FROM reference_list l
  JOIN pg_attribute a ON a.attrelid = pg_catalog.to_regclass(pg_catalog.format('%I', l.tab))
    AND a.attname = l.col AND a.attnum > 0 AND NOT a.attisdropped
)
