-- Rows of a table that a run has removed or changed, as the audit has them, and behind them what is
-- asked of them. All of them (`:every` is 1 and `:records` as many as there are), or every so
-- manieth of records that chance has chosen: a record is a page, and is read as a whole, however
-- few of its rows are wanted.
WITH pruned_entry AS MATERIALIZED (
  SELECT d.step, d.at, e.key, e.json
  FROM (SELECT d.step, d.at, d.keys, d.rows FROM pruned.deletions d
        WHERE d.run_id = :run_id::uuid AND d.table_name = :table::text AND d.action = :action::text AND d.rows IS NOT NULL
        ORDER BY pg_catalog.md5(pg_catalog.concat(d.run_id, d.step, d.ctid)) LIMIT :records::bigint) AS d
  CROSS JOIN LATERAL ROWS FROM (pg_catalog.jsonb_array_elements(d.keys), pg_catalog.jsonb_array_elements(d.rows)) WITH ORDINALITY AS e (key, json, n)
  WHERE (e.n + d.step) % :every::bigint = 0
),
pruned_gone (n, step, at, key, json, row) AS MATERIALIZED (
  SELECT pg_catalog.row_number() OVER (), e.step, e.at, e.key #>> '{}', e.json, pg_catalog.jsonb_populate_record(NULL::{whole}, e.json)
  FROM pruned_entry e
)
{body}
