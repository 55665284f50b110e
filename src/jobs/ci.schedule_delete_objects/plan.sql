-- What would go, by store and project. Fast enough for a person: one scan of what is ready.
SELECT file_store, coalesce(project_id::text, 'none') AS project, count(*) AS objects
FROM ci_deleted_objects WHERE pick_up_at < now()
GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2
LIMIT 1000
