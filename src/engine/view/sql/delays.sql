-- How long runs had waited from due to started, by five minutes of their start within the last
-- hour: of the newest 10,000 that have ended, by the index on their end. A run that was tried again
-- has another due time.
WITH ended AS MATERIALIZED (
  SELECT r.started_at, greatest(extract(epoch FROM r.started_at - r.due_at), 0::numeric)::float8 AS waited
  FROM pruned.runs r
  WHERE r.finished_at > now() - interval '1 h' AND r.range_of IS NULL AND r.attempts = 0 AND r.started_at IS NOT NULL
  ORDER BY r.finished_at DESC LIMIT 10000)
SELECT b.at, pg_catalog.count(e.started_at) AS runs, pg_catalog.round(pg_catalog.max(e.waited)::numeric, 1) AS longest_s,
       pg_catalog.round((pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY e.waited))::numeric, 1) AS median_s
FROM pg_catalog.generate_series(pg_catalog.date_bin('5 min', now(), '2000-01-01Z'::timestamptz) - interval '55 min', now(), interval '5 min') AS b (at)
LEFT JOIN ended e ON e.started_at >= b.at AND e.started_at < b.at + interval '5 min'
GROUP BY b.at
ORDER BY b.at
