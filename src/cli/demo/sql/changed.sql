-- The number of rows in the audit, by table.
SELECT table_name, pg_catalog.sum(pg_catalog.jsonb_array_length(keys)) FILTER (WHERE action = 'deleted') AS deleted,
       pg_catalog.sum(pg_catalog.jsonb_array_length(keys)) FILTER (WHERE action = 'updated') AS updated
FROM pruned.deletions
GROUP BY table_name
ORDER BY table_name
