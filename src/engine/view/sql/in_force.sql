-- Each job's settings in the running processes: those of the process that started last, and as JSON
-- all values of each key that differs.
WITH alive AS (
  SELECT p.started_at, p.id, j.key AS job, j.value AS settings
  FROM pruned.processes p, pg_catalog.jsonb_each(p.jobs) AS j WHERE p.seen_at > now() - :seconds::int::float8 * interval '1 second'),
differing AS (
  SELECT a.job, s.key, pg_catalog.jsonb_agg(DISTINCT s.value) AS values FROM alive a, pg_catalog.jsonb_each(a.settings) AS s
  GROUP BY a.job, s.key HAVING pg_catalog.count(DISTINCT s.value) > 1)
SELECT DISTINCT ON (a.job) a.job, a.settings::text AS settings,
       coalesce((SELECT pg_catalog.jsonb_object_agg(d.key, d.values) FROM differing d WHERE d.job = a.job), '{}')::text AS differs
FROM alive a ORDER BY a.job, a.started_at DESC, a.id
