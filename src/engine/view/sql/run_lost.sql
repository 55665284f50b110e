-- Why nothing of what a run removed or changed can be restored, by the first record of each table;
-- no row: some of it can, or there is nothing. Uses the index on (run_id, step), and the catalogue.
WITH record AS (
  SELECT DISTINCT ON (d.table_name, d.action) d.table_name, d.action, pg_catalog.to_regclass(d.table_name) AS rel, d.rows IS NOT NULL AS whole,
         ARRAY(SELECT pg_catalog.jsonb_object_keys(d.rows -> 0)) AS columns
  FROM pruned.deletions d
  WHERE d.run_id = :run_id::uuid
  ORDER BY d.table_name, d.action, d.step
),
blocked AS (
  SELECT CASE WHEN NOT r.whole THEN 'the rows of ' || r.table_name || ' are not recorded' WHEN r.rel IS NULL THEN r.table_name || ' no longer exists'
              ELSE (SELECT 'not in the record, and must not be null: ' || pg_catalog.string_agg(r.table_name || '.' || pg_catalog.quote_ident(a.attname), ', ' ORDER BY a.attnum)
                    FROM pg_attribute a
                    WHERE a.attrelid = r.rel AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND NOT a.attname = ANY (r.columns)
                      AND (r.action = 'deleted' AND a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''
                           OR EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary
                                      AND a.attnum = ANY ((i.indkey::smallint[])[0: (i.indnkeyatts - 1)])))) END AS why
  FROM record r
)
SELECT pg_catalog.string_agg(DISTINCT b.why, '; ' ORDER BY b.why) AS why FROM blocked b
HAVING pg_catalog.bool_and(b.why IS NOT NULL)
