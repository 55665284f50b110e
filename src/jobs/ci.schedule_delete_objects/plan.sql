-- What would be deleted, by store and project, then what is parked. One scan of the ready objects,
-- fast enough for a person.
(SELECT pg_catalog.format('store %s, project %s', file_store, coalesce(project_id::text, 'none')) AS key, 'deleted' AS action,
        count(*)::text || CASE count(*) WHEN 1 THEN ' object' ELSE ' objects' END AS reason
 FROM ci_deleted_objects WHERE pick_up_at < now()
 GROUP BY file_store, project_id ORDER BY count(*) DESC, file_store, project_id)
UNION ALL
(SELECT pg_catalog.split_part(item, ':', 2), 'parked', reason FROM pruned.quarantine
 WHERE job = 'ci.delete_objects' AND parked AND next_try_at > now() ORDER BY first_at, item)
