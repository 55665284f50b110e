-- Todos that are no open request for access of a user whose membership there has gone in the same
-- step. The source of a membership of a group is a namespace.
SELECT g.n, 'it is no open request for access of a membership that has gone' AS wrong, true AS sure
FROM pruned_gone g
WHERE ((g.row).action = 10 AND (g.row).state = 'pending') IS NOT TRUE
   OR NOT EXISTS (
     SELECT FROM (
       SELECT d.step, (e.json ->> 'user_id')::bigint AS user_id, (e.json ->> 'source_id')::bigint AS source_id, e.json ->> 'source_type' AS source_type
       FROM pruned.deletions d CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(d.rows) AS e (json)
       WHERE d.run_id = :run_id::uuid AND d.table_name = 'members' AND d.action = 'deleted' AND d.step IN (SELECT s.step FROM pruned_gone s)) AS m
     WHERE m.step = g.step AND m.user_id = (g.row).author_id
       AND (m.source_type = 'Project' AND m.source_id = (g.row).project_id OR m.source_type = 'Namespace' AND m.source_id = (g.row).group_id))
