-- Part of a statement: what the ended runs `e` have done, as rows of pruned.nights.
SELECT (e.scheduled_at AT TIME ZONE 'UTC')::date AS day, e.job, count(*) FILTER (WHERE w.well) AS runs, count(*) FILTER (WHERE NOT w.well) AS others,
       pg_catalog.sum(coalesce(e.rows_done, 0))::bigint AS rows, pg_catalog.sum(w.failed)::bigint AS failed,
       (pg_catalog.array_agg(e.run_id ORDER BY e.finished_at DESC))[1] AS last_run_id,
       (pg_catalog.array_agg(e.scheduled_at ORDER BY e.finished_at DESC))[1] AS last_at, pg_catalog.max(e.finished_at) AS last_ended
FROM ended e
CROSS JOIN LATERAL (
  SELECT coalesce(e.result ->> 'status', '') NOT IN ('blocked', 'failed') AND coalesce(e.result ->> 'mode', '') <> 'plan' AS well,
         CASE WHEN pg_catalog.jsonb_typeof(e.result -> 'failed') = 'number' THEN (e.result ->> 'failed')::numeric ELSE 0 END AS failed) AS w
GROUP BY 1, 2
