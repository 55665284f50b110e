-- What the audit record holds: rows by table and action.
SELECT table_name, action, sum(jsonb_array_length(keys)) AS rows
FROM pruned.deletions
GROUP BY table_name, action
ORDER BY table_name, action
