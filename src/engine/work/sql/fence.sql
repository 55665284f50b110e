-- The runs that these messages may step: at this step and attempt, ready, and not locked by another
-- transaction. `paused`: the job is, or everything is stopped; so no step begins once the stop is
-- committed. Each run by primary key, in the order of the list: locked in a subquery it can be
-- joined in no other way, whatever stale statistics say of the ledger. `state || ''` keeps these
-- from choosing the partial index (100 times slower). `range_goes`: the run of a range has not
-- ended, and does not take its ranges in, as it says in `progress` or in the old form
-- (../../ledger/run.h). An approval that ends more than a day from now was written by a
-- clock that was ahead, and no longer counts: it ended in 1970. `holds`: rows are held. `disputed`:
-- a pause of the job, or a hold, has ended by the database's clock, and not by this machine's
-- (`:clock`).
SELECT r.run_id, r.job_version, r.parent_id, r.unique_key, r.step, r.attempts, r.slot, r.args, r.context, r.named_table, r.waits_for, r.cursor, r.progress, r.result, r.error,
       (extract(epoch FROM r.scheduled_at) * 1000000.0)::bigint AS scheduled_at,
       (extract(epoch FROM r.due_at) * 1000000.0)::bigint AS due_at,
       (extract(epoch FROM now()) * 1000000.0)::bigint AS now,
       r.range_of, CASE WHEN r.range_of IS NOT NULL
                        THEN coalesce((SELECT p.state IN ('waiting', 'ready') AND p.progress -> 'ranges' -> 'gather' IS NULL AND p.cursor -> 'ranges' -> 'gather' IS NULL
                                       FROM pruned.runs p WHERE p.run_id = r.range_of), false) ELSE false END AS range_goes,
       r.started_at IS NULL AS first, (extract(epoch FROM r.started_at) * 1000000.0)::bigint AS started_at, r.rows_done, coalesce(r.rows_counted, -1) AS rows_counted, coalesce(r.rows_limit, -1) AS rows_limit,
       CASE WHEN r.approved_until > 'epoch' AND r.approved_until < now() + interval '25 hours' THEN (extract(epoch FROM r.approved_until) * 1000000.0)::bigint
            WHEN r.approved_until IS NOT NULL THEN 1 END AS approved_until, r.approved_rows,
       EXISTS (SELECT FROM pruned.stop s WHERE s.stopped)
         OR EXISTS (SELECT FROM pruned.controls c WHERE c.job = :job::text AND c.paused AND coalesce(c.paused_until > now(), true)) AS paused,
       EXISTS (SELECT FROM pruned.holds) AS holds,
       EXISTS (SELECT FROM pruned.controls c WHERE c.job = :job::text AND c.paused AND c.paused_until <= now() AND c.paused_until > :clock::timestamptz)
         OR EXISTS (SELECT FROM pruned.holds h WHERE h.until <= now() AND h.until > :clock::timestamptz) AS disputed
FROM unnest(:run_id::uuid[], :step::int[], :attempt::int[]) AS u (run_id, step, attempt)
CROSS JOIN LATERAL (
  SELECT * FROM pruned.runs t
  WHERE t.run_id = u.run_id AND t.step = u.step AND t.attempts = u.attempt AND t.state || '' = 'ready' AND t.job = :job::text
  FOR NO KEY UPDATE SKIP LOCKED) AS r
