-- The run that has changed the most rows.
SELECT run_id FROM pruned.runs
WHERE state = 'finished'
ORDER BY (result ->> 'updated_rows')::bigint DESC, run_id
LIMIT 1
