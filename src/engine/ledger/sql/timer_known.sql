-- Which of these events have their run already.
SELECT u.ord::int - 1 AS row
FROM unnest(:run_id::uuid[], :scheduled_at::timestamptz[]) WITH ORDINALITY AS u (run_id, scheduled_at, ord)
WHERE EXISTS (SELECT FROM pruned.runs r WHERE r.run_id = u.run_id)
   OR EXISTS (SELECT FROM pruned.runs_done d WHERE d.run_id = u.run_id AND d.scheduled_at = u.scheduled_at)
   OR EXISTS (SELECT FROM pruned.event_ids e WHERE e.run_id = u.run_id)
