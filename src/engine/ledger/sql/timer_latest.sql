-- The latest event of each key, for events that are late.
SELECT t.unique_key, t.run_id FROM pruned.timers t WHERE t.unique_key = ANY (:unique_key::text[])
