-- Takes the records of a row, and of rows that name it (naming.sql; for a user also any `user_id`),
-- out of the audit. The row itself is found by an index; of the tables that can name it the whole
-- audit is read. A key that is a text can be personal data, and kept plans have keys, as texts:
-- those with this one go.
WITH
-- include: ../../engine/view/row/sql/naming.sql
,
place (tab, part) AS (
  SELECT n.tab, n.part FROM naming n
  UNION
  SELECT d.table_name, pg_catalog.jsonb_build_object('user_id', :key::jsonb) FROM pruned.deletions d WHERE :whose::text = 'users'
),
unplanned AS (
  DELETE FROM pruned.plans p USING names n
  WHERE pg_catalog.jsonb_typeof(:key::jsonb) <> 'number'
    AND pg_catalog.jsonb_path_exists(p.lines -> n.tab, '$.*.*[*] ? (@ == $key)', pg_catalog.jsonb_build_object('key', :key::jsonb #>> '{}'))
)
SELECT f.name, pg_catalog.sum(f.n)::bigint AS n
FROM names w CROSS JOIN LATERAL pruned.forget_named(w.tab, :key::jsonb, ARRAY(SELECT tab FROM place ORDER BY tab, part), ARRAY(SELECT part FROM place ORDER BY tab, part)) AS f
GROUP BY f.name
ORDER BY f.name
