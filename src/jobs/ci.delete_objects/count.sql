-- The objects that are ready: a slot goes on until there are none.
SELECT count(*) AS n FROM (
  -- include: rows.sql
) AS r
