-- The rows of runs about one row that an event names: of an hour, all that they have changed; of 24
-- hours, those of the job's own table (`own`: its runs say how many these are). Fast by (job,
-- finished_at): only runs that have changed rows are in the indexes. What is leased counts, too,
-- and (`counted`) what a run of several steps has left, with its own row.
-- Rows of a run that somebody has approved do not.
SELECT coalesce(pg_catalog.sum(e.rows) FILTER (WHERE e.at > now() - interval '1 hour'), 0)::bigint AS hour,
       coalesce(pg_catalog.sum(e.own), 0)::bigint AS day
FROM (
  SELECT r.at, r.rows + r.left_over::numeric AS rows,
         greatest(pg_catalog.sign(r.left_over),
                  CASE WHEN r.leased THEN r.rows
                       WHEN :own::boolean AND pg_catalog.jsonb_typeof(r.result -> 'updated_rows') = 'number'
                       THEN (r.result ->> 'updated_rows')::numeric
                            + CASE WHEN pg_catalog.jsonb_typeof(r.result -> 'below') = 'number' THEN (r.result ->> 'below')::numeric ELSE 0 END
                       ELSE r.rows - CASE WHEN pg_catalog.jsonb_typeof(r.result -> 'others') = 'number' THEN (r.result ->> 'others')::numeric ELSE 0 END
                  END) AS own
  FROM (SELECT x.args, x.result, x.approved_until, x.finished_at AS at, x.rows_done::numeric AS rows, 0 AS left_over, false AS leased FROM pruned.runs x
        WHERE x.job = :job::text AND x.rows_done > 0 AND x.finished_at > now() - interval '24 hours' AND x.run_id IS DISTINCT FROM :but::uuid
        UNION ALL
        SELECT x.args, x.result, x.approved_until, CASE WHEN l.n > 0 THEN now() ELSE x.changed_at END, x.rows_done::numeric, l.n, false
        FROM pruned.runs x
        CROSS JOIN LATERAL (SELECT greatest(0, CASE WHEN :counted::boolean THEN x.rows_counted END - x.rows_done) AS n) AS l
        WHERE x.job = :job::text AND x.rows_done > 0 AND x.finished_at IS NULL AND (l.n > 0 OR x.changed_at > now() - interval '24 hours')
          AND x.run_id IS DISTINCT FROM :but::uuid
        UNION ALL
        SELECT x.args, NULL, x.approved_until, now(), x.rows_leased::numeric, 0, true FROM pruned.runs x
        WHERE x.job = :job::text AND x.rows_leased > 0 AND x.state || '' = 'ready' AND x.run_id IS DISTINCT FROM :leases::uuid
        UNION ALL
        SELECT x.args, x.result, x.approved_until, x.finished_at, x.rows_done::numeric, 0, false FROM pruned.runs_done x
        WHERE x.job = :job::text AND x.rows_done > 0 AND x.finished_at > now() - interval '24 hours') AS r
  WHERE r.args ?| :event_key::text[] AND (r.approved_until > 'epoch') IS NOT TRUE) AS e
