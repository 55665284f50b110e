-- Part of statements: the columns that name a row of table `:whose`: those of foreign keys with one
-- column (from the catalogue), and for users those that users.destroy knows.
-- include: ../../jobs/users.destroy/columns.sql
,
naming (tab, col) AS (
  SELECT f.conrelid::regclass::text, a.attname::text
  FROM pg_constraint f JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = f.conkey[1]
  WHERE f.contype = 'f' AND f.confrelid = pg_catalog.to_regclass(:whose::text) AND pg_catalog.cardinality(f.conkey) = 1
  UNION
  SELECT r.tab, r.col FROM named r WHERE :whose::text = 'users'
)
