-- The run that has a unique key.
SELECT run_id, state FROM pruned.runs WHERE unique_key = :unique_key::text
