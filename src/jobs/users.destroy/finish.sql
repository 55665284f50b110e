-- The rows to be deleted at the end (roots.sql), in their order, and `probe`, a query for the
-- numbers of those that are there. Tables that this database does not have are skipped. Fast
-- because only the catalogue is read.
WITH
-- include: roots.sql
,
here AS (
  SELECT (row_number() OVER (ORDER BY r.pos, r.column_name DESC) - 1)::int AS number, pg_catalog.format('%I', r.table_name) AS relation, r.condition
  FROM root r
  JOIN pg_attribute a ON a.attrelid = pg_catalog.to_regclass(pg_catalog.format('%I', r.table_name)) AND a.attname = r.column_name AND NOT a.attisdropped
)
SELECT h.number, h.relation, h.condition,
       pg_catalog.string_agg(pg_catalog.format('SELECT %s AS number WHERE EXISTS (SELECT FROM %s x0 WHERE %s)', h.number, h.relation, h.condition),
                             ' UNION ALL ') OVER () AS probe
FROM here h
ORDER BY h.number
