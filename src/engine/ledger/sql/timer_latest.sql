-- Which event a late one came after.
SELECT t.unique_key, t.run_id FROM pruned.timers t WHERE t.unique_key = ANY (:unique_key::text[])
