-- What each job did in the last 30 nights, a row a job and day (UTC): pruned.nights, with what
-- ended within the last hour. Fast by the index of nights.
WITH
-- include: ../../night/sql/ended.sql
,
recent AS (
  -- include: ../../night/sql/nights.sql
)
SELECT n.day::text AS day, n.job, pg_catalog.sum(n.runs + n.others)::bigint AS runs, pg_catalog.sum(n.rows)::bigint AS rows, pg_catalog.sum(n.failed)::bigint AS failed
FROM (SELECT * FROM recent
      UNION ALL
      SELECT * FROM pruned.nights o WHERE o.day > (now() AT TIME ZONE 'UTC')::date - 30) AS n
WHERE n.day > (now() AT TIME ZONE 'UTC')::date - 30 AND (:job::text IS NULL OR n.job = :job::text)
GROUP BY n.day, n.job
ORDER BY n.day DESC, n.job
