-- What was found about the overdue rows of the job, and the most of the day. Where nothing could be
-- said (`state`), the day is not touched.
WITH put AS (
  UPDATE pruned.overdue SET found = :found::jsonb, looked_at = now() WHERE job = :job::text RETURNING job, found)
INSERT INTO pruned.overdue_days AS d (day, job, rows, oldest_s)
SELECT (now() AT TIME ZONE 'UTC')::date, p.job,
       coalesce((SELECT pg_catalog.sum(r.value::bigint) FROM pg_catalog.jsonb_each_text(p.found -> 'rows') AS r WHERE r.key NOT
-- include: ../../night/sql/may_stay.sql
       ), 0), coalesce((p.found ->> 'oldest_s')::float8, 0)
FROM put p WHERE NOT p.found ? 'state'
ON CONFLICT (day, job) DO UPDATE SET rows = greatest(d.rows, excluded.rows), oldest_s = greatest(d.oldest_s, excluded.oldest_s)
WHERE d.rows < excluded.rows OR d.oldest_s < excluded.oldest_s
