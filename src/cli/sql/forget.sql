-- Takes the records of a row, and of rows that refer to it, out of the audit. The columns that
-- refer to it are those of foreign keys with one column (from the catalogue), and for users those
-- that users.destroy knows. Reads the whole audit of these tables.
WITH
-- include: ../../jobs/users.destroy/columns.sql
,
naming (tab, col) AS (
  SELECT f.conrelid::regclass::text, a.attname::text
  FROM pg_constraint f JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = f.conkey[1]
  WHERE f.contype = 'f' AND f.confrelid = pg_catalog.to_regclass(:whose::text) AND pg_catalog.cardinality(f.conkey) = 1
  UNION
  SELECT r.tab, r.col FROM named r WHERE :whose::text = 'users'
  UNION
  SELECT d.table_name, 'user_id' FROM pruned.deletions d WHERE :whose::text = 'users'
)
SELECT f.name, f.n
FROM pruned.forget(:whose::text, :key::jsonb, ARRAY(SELECT tab FROM naming ORDER BY tab, col), ARRAY(SELECT col FROM naming ORDER BY tab, col)) AS f
ORDER BY f.name
