-- Takes the records of a row, and of rows that name it (naming.sql; for a user also any `user_id`),
-- out of the audit. Reads the whole audit of these tables.
WITH
-- include: naming.sql
,
place (tab, col) AS (
  SELECT n.tab, n.col FROM naming n
  UNION
  SELECT d.table_name, 'user_id' FROM pruned.deletions d WHERE :whose::text = 'users'
)
SELECT f.name, f.n
FROM pruned.forget(:whose::text, :key::jsonb, ARRAY(SELECT tab FROM place ORDER BY tab, col), ARRAY(SELECT col FROM place ORDER BY tab, col)) AS f
ORDER BY f.name
