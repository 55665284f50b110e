-- Keeps the latest event of each key. An event that is not returned is late: a later one was here
-- before.
INSERT INTO pruned.timers AS t (unique_key, run_id, scheduled_at)
SELECT u.unique_key, u.run_id, u.scheduled_at
FROM unnest(:unique_key::text[], :run_id::uuid[], :scheduled_at::timestamptz[]) AS u (unique_key, run_id, scheduled_at)
ORDER BY u.unique_key
ON CONFLICT (unique_key) DO UPDATE SET run_id = excluded.run_id, scheduled_at = excluded.scheduled_at
WHERE t.scheduled_at <= excluded.scheduled_at
RETURNING unique_key
