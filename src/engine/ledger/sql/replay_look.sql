-- The current state of these runs: in the table, in the archive (one day each, by T), or missing.
-- Also the holder of the unique key that a new run would need, and the later event that has set
-- the timer.
SELECT u.ord::int - 1 AS row, coalesce(r.state, d.state, CASE WHEN e.run_id IS NOT NULL THEN 'finished' END) AS state, CASE WHEN r.run_id IS NULL THEN d.error ELSE r.error END AS error,
       CASE WHEN u.scheduled_at <= now() AND NOT u.timer AND NOT (h.state = 'waiting' AND h.error IS NOT NULL AND h.error NOT LIKE 'throttled: %' AND h.error NOT LIKE 'quiet hours%' AND h.error NOT LIKE 'mode off%') THEN h.run_id END AS holder,
       CASE WHEN u.timer THEN t.run_id END AS later
FROM unnest(:run_id::uuid[], :scheduled_at::timestamptz[], :unique_key::text[], :timer::bool[]) WITH ORDINALITY
     AS u (run_id, scheduled_at, unique_key, timer, ord)
LEFT JOIN pruned.runs r ON r.run_id = u.run_id
LEFT JOIN LATERAL (SELECT state, error FROM pruned.runs_done d
                   WHERE d.run_id = u.run_id AND d.scheduled_at = u.scheduled_at LIMIT 1) AS d ON true
LEFT JOIN pruned.event_ids e ON e.run_id = u.run_id
LEFT JOIN pruned.runs h ON h.unique_key = u.unique_key
LEFT JOIN pruned.timers t ON t.unique_key = u.unique_key AND t.scheduled_at > u.scheduled_at
ORDER BY u.ord
