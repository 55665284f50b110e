-- Who holds a key.
SELECT run_id, state FROM pruned.runs WHERE unique_key = :unique_key::text
