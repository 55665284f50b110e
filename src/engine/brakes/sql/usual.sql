-- The usual number of rows: the median of the last 14 runs of the job that ended and that were to
-- change rows: without those about one row that an event names, those that only planned, those of
-- which all rows failed, and those that did not come to their end (held, then discarded) without
-- having changed a row. own: without rows below theirs, which not all of these runs may have had to
-- remove. Rows that changed beside the own ones never count: the limit is raised by those of the
-- run. A run from before rows were counted counts with its own counter. Reads the archive: asked
-- once a run, of many rows only.
SELECT count(*) AS n, pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY e.rows)::bigint AS usual
FROM (
  SELECT coalesce(CASE WHEN NOT :own::boolean
                       THEN r.rows_done::numeric - CASE WHEN pg_catalog.jsonb_typeof(r.result -> 'others') = 'number' THEN (r.result ->> 'others')::numeric ELSE 0 END
                  END,
                  CASE WHEN pg_catalog.jsonb_typeof(r.result -> 'updated_rows') = 'number' THEN (r.result ->> 'updated_rows')::numeric END
                  + CASE WHEN pg_catalog.jsonb_typeof(r.result -> 'below') = 'number' THEN (r.result ->> 'below')::numeric ELSE 0 END,
                  r.rows_done, 0)::float8 AS rows
  FROM (SELECT job, run_id, state, args, result, rows_done, finished_at FROM pruned.runs WHERE finished_at IS NOT NULL AND range_of IS NULL
        UNION ALL
        SELECT job, run_id, state, args, result, rows_done, finished_at FROM pruned.runs_done) AS r
  WHERE r.job = :job::text AND r.run_id <> :run_id::uuid AND r.state || '' IN ('finished', 'dead')
    AND (r.state || '' = 'finished' OR r.rows_done > 0) AND r.result ->> 'mode' IS DISTINCT FROM 'plan'
    AND coalesce(r.result ->> 'status', '') <> 'blocked' AND NOT (r.state || '' = 'finished' AND coalesce(r.result ->> 'status', '') = 'failed') AND NOT r.args ?| :event_key::text[]
  ORDER BY r.finished_at DESC
  LIMIT 14) AS e
