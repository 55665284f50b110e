-- Rows of a table that a run has removed or changed, as the audit has them, and behind them what is
-- asked of them. All of them (`:every` is 1 and `:records` as many as there are), or every so
-- manieth of records that chance has chosen: a record is a page, and is read as a whole, however
-- few of its rows are wanted. `at`: when the step was, or the latest step before it, if the
-- database's clock was set back between them.
WITH pruned_latest AS (
  SELECT s.step, pg_catalog.max(pg_catalog.max(s.at)) OVER (ORDER BY s.step) AS at
  FROM pruned.deletions s WHERE s.run_id = :run_id::uuid GROUP BY s.step
),
pruned_entry AS MATERIALIZED (
  SELECT d.step, l.at, e.key, e.json
  FROM (SELECT d.step, d.keys, d.rows FROM pruned.deletions d
        WHERE d.run_id = :run_id::uuid AND d.table_name = :table::text AND d.action = :action::text AND d.rows IS NOT NULL
        ORDER BY pg_catalog.md5(pg_catalog.concat(d.run_id, d.step, d.ctid)) LIMIT :records::bigint) AS d
  JOIN pruned_latest l ON l.step = d.step
  CROSS JOIN LATERAL ROWS FROM (pg_catalog.jsonb_array_elements(d.keys), pg_catalog.jsonb_array_elements(d.rows)) WITH ORDINALITY AS e (key, json, n)
  WHERE (e.n + d.step) % :every::bigint = 0
),
pruned_gone (n, step, at, key, json, row) AS MATERIALIZED (
  SELECT pg_catalog.row_number() OVER (), e.step, e.at, e.key #>> '{}', e.json, pg_catalog.jsonb_populate_record(NULL::{whole}, e.json)
  FROM pruned_entry e
)
{body}
