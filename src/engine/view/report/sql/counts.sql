-- What the runs of the days from `:since` on (of T, UTC) have done, of all jobs, as numbers: `tab`
-- null: of the job, as its results count; else rows of that other table. `name` of the job's sums
-- as in pruned.nights: runs (that ended well and applied), others, rows. Of the archive it reads
-- only what each day has done; else the ended runs that are not in it yet.
WITH ended AS MATERIALIZED (
  SELECT r.run_id, r.job, r.scheduled_at, r.finished_at, r.result, r.rows_done
  FROM pruned.runs r WHERE r.finished_at IS NOT NULL AND r.state || '' = 'finished' AND r.range_of IS NULL AND r.scheduled_at >= :since::timestamptz),
recent AS (
  -- include: ../../../night/sql/nights.sql
),
counted AS (
  -- include: ../../../night/sql/night_counts.sql
)
SELECT s.job, nullif(s.tab, '') AS tab, s.name, pg_catalog.sum(s.n)::bigint AS n
FROM (
  SELECT d.job, '' AS tab, w.name, w.n
  FROM (SELECT r.day, r.job, r.runs, r.others, r.rows FROM recent r
        UNION ALL
        SELECT o.day, o.job, o.runs, o.others, o.rows FROM pruned.nights o WHERE o.day >= (:since::timestamptz AT TIME ZONE 'UTC')::date) AS d
  CROSS JOIN LATERAL (VALUES (' runs', d.runs), (' others', d.others), (' rows', d.rows)) AS w (name, n)
  UNION ALL
  SELECT c.job, c.tab, c.name, c.n FROM counted c
  UNION ALL
  SELECT o.job, o.tab, o.name, o.n FROM pruned.night_counts o WHERE o.day >= (:since::timestamptz AT TIME ZONE 'UTC')::date) AS s
GROUP BY s.job, s.tab, s.name
ORDER BY s.job, s.tab, s.name
