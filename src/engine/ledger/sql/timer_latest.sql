-- The latest event of each key, for events that are late, and whether it has cancelled what came
-- before it.
SELECT t.unique_key, t.run_id,
       EXISTS (SELECT FROM pruned.runs r WHERE r.run_id = t.run_id AND r.error = 'cancelled')
       OR EXISTS (SELECT FROM pruned.runs_done d
                  WHERE d.run_id = t.run_id AND d.scheduled_at = t.scheduled_at AND d.error = 'cancelled') AS cancels
FROM pruned.timers t WHERE t.unique_key = ANY (:unique_key::text[])
