-- Candidates for a lost message: ready and untouched for two seconds, on lanes that are ours.
SELECT r.run_id, r.job, r.step, r.attempts, r.slot, r.args, r.cursor,
       (extract(epoch FROM r.scheduled_at) * 1000000)::bigint AS scheduled_at,
       (extract(epoch FROM r.due_at) * 1000000)::bigint AS due_at,
       extract(epoch FROM clock_timestamp() - coalesce(r.published_at, r.changed_at))::bigint AS age_s
FROM unnest(:job::text[], :slot::int[]) AS u (job, slot)
CROSS JOIN LATERAL (
  SELECT * FROM pruned.runs r
  WHERE r.job = u.job AND r.slot = u.slot AND r.state = 'ready'
    AND r.changed_at < now() - interval '2 s'
  LIMIT 200) AS r
WHERE NOT EXISTS (SELECT FROM pruned.controls c WHERE c.job = r.job AND c.paused)
