-- The rows of runs of the job within 24 hours: of all but one, if that is named. Fast by (job,
-- finished_at): only runs that have changed rows are in the indexes. What a run has leased and not
-- settled counts, too; not that of a run that leases anew. `counted`: so does what a run has left
-- of what was counted, if nobody has approved it (brakes/whole.h).
SELECT (coalesce((SELECT pg_catalog.sum(r.rows_done) FROM pruned.runs r
                  WHERE r.job = :job::text AND r.rows_done > 0 AND r.finished_at > now() - interval '24 hours'
                    AND r.run_id IS DISTINCT FROM :but::uuid), 0)
        + coalesce((SELECT pg_catalog.sum(r.rows_done + l.n) FROM pruned.runs r
                    CROSS JOIN LATERAL (SELECT greatest(0, CASE WHEN :counted::boolean AND (r.approved_until > 'epoch') IS NOT TRUE THEN r.rows_counted END - r.rows_done) AS n) AS l
                    WHERE r.job = :job::text AND r.rows_done > 0 AND r.finished_at IS NULL AND r.run_id IS DISTINCT FROM :but::uuid
                      AND (l.n > 0 OR r.changed_at > now() - interval '24 hours')), 0)
        + coalesce((SELECT pg_catalog.sum(r.rows_leased) FROM pruned.runs r
                    WHERE r.job = :job::text AND r.rows_leased > 0 AND r.state || '' = 'ready' AND r.run_id IS DISTINCT FROM :leases::uuid), 0)
        + coalesce((SELECT pg_catalog.sum(d.rows_done) FROM pruned.runs_done d
                    WHERE d.job = :job::text AND d.rows_done > 0 AND d.finished_at > now() - interval '24 hours'), 0))::bigint AS rows
