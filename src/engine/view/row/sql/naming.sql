-- Part of statements: what rows contain that name the row `:key` of table `:whose`, as an object of
-- their columns: by a foreign key to its primary key (from the catalogue), and for users by the
-- columns that users.destroy knows. `:in_json`: the key as recorded rows have its columns, if they
-- have them otherwise; what has them is the row itself, too.
-- include: ../../../../jobs/users.destroy/columns.sql
,
-- include: spelled.sql
,
naming (tab, part) AS (
  SELECT h.tab, pg_catalog.jsonb_object_agg(a.attname, v.value)
  FROM pg_constraint f
  JOIN pg_index p ON p.indrelid = f.confrelid AND p.indisprimary AND p.indnkeyatts = pg_catalog.cardinality(f.confkey)
  CROSS JOIN LATERAL ROWS FROM (pg_catalog.unnest(f.conkey), pg_catalog.unnest(f.confkey)) AS c (here, there)
  JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = c.here
  JOIN pg_attribute b ON b.attrelid = f.confrelid AND b.attnum = c.there
  CROSS JOIN (VALUES (:key::jsonb), (:in_json::jsonb)) AS k (key)
  CROSS JOIN LATERAL (SELECT f.conrelid::regclass::text UNION SELECT s.tab FROM spelled s WHERE s.rel = f.conrelid) AS h (tab)
  CROSS JOIN LATERAL (SELECT CASE WHEN p.indnkeyatts = 1 THEN k.key ELSE k.key -> b.attname::text END AS value) AS v
  WHERE f.contype = 'f' AND f.confrelid = pg_catalog.to_regclass(:whose::text)
  GROUP BY f.oid, h.tab, k.key
  HAVING pg_catalog.bool_and(c.there = ANY ((p.indkey::smallint[])[0: (p.indnkeyatts - 1)]) AND v.value IS NOT NULL)
  UNION
  SELECT n.tab, :in_json::jsonb FROM names n WHERE :in_json::jsonb IS NOT NULL
  UNION
  SELECT r.tab, pg_catalog.jsonb_build_object(r.col, :key::jsonb) FROM named r WHERE :whose::text = 'users'
)
